// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the bytes of a big profile come to lie, and that it comes back byte for byte. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/edit.h"
#include "perfdata/perfdata.h"

#define HEADER      104
#define ATTR        128
#define DATA_OFFSET (HEADER + ATTR + 16)
#define RECORD_SIZE 65528
#define UNKNOWN     77 /* a record type that nobody has */
#define INSERTED    40

/* A seekable profile with one event, of so many records that say nothing. */
static void write_profile(const char *path, uint64_t nr_records)
{
	uint64_t header[HEADER / 8] = {
		0x32454c4946524550, HEADER,
		ATTR + 16,          HEADER,
		ATTR + 16, /* attrs */
		DATA_OFFSET,        nr_records * RECORD_SIZE,
	};
	uint64_t attr[(ATTR + 16) / 8] = { (uint64_t)ATTR << 32, 0, 1, 3 /* IP, TID */ };
	static uint64_t record[RECORD_SIZE / 8] = { UNKNOWN | (uint64_t)RECORD_SIZE << 48 };
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	assert_int_equal(fwrite(attr, sizeof(attr), 1, file), 1);
	for (uint64_t i = 0; i < nr_records; i++) {
		record[1] = i;
		assert_int_equal(fwrite(record, sizeof(record), 1, file), 1);
	}
	assert_int_equal(fclose(file), 0);
}

static void commit(struct file_out *out, int err, struct diag *diag)
{
	assert_int_equal(err, 0);
	assert_int_equal(file_out__commit(out, false, diag), 0);
}

/* Inserts a record before all others; returns where the data begin then. */
static uint64_t data_offset_of_edited(const char *input, const char *output, struct diag *diag)
{
	const uint64_t record[INSERTED / 8] = { UNKNOWN | (uint64_t)INSERTED << 48 };
	struct perfdata_edits *edits;
	struct perfdata *perfdata;
	struct file_out out;
	uint64_t offset = 0;
	int fd;

	assert_int_equal(perfdata__open(&perfdata, input, diag), 0);
	edits = perfdata_edits__new(perfdata);
	assert_int_equal(perfdata_edits__insert(edits, DATA_OFFSET,
						(struct bytes){ (const void *)record, INSERTED }),
			 0);
	assert_int_equal(file_out__open(&out, output, 0600, diag), 0);
	commit(&out, perfdata_edits__write(edits, &out, diag), diag);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
	fd = open(output, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, &offset, sizeof(offset), 40), sizeof(offset));
	close(fd);
	return offset;
}

static void assert_comes_back(const char *input, const char *edited, const char *restored,
			      struct diag *diag)
{
	struct perfdata *perfdata;
	struct file_map a, b;
	struct file_out out;

	assert_int_equal(perfdata__open(&perfdata, edited, diag), 0);
	assert_int_equal(file_out__open(&out, restored, 0600, diag), 0);
	commit(&out, perfdata__restore(perfdata, &out, diag), diag);
	perfdata__close(perfdata);
	assert_int_equal(file_map__open(&a, input, false, diag), 0);
	assert_int_equal(file_map__open(&b, restored, false, diag), 0);
	assert_int_equal(a.bytes.size, b.bytes.size);
	assert_memory_equal(a.bytes.data, b.bytes.data, a.bytes.size);
	file_map__close(&a);
	file_map__close(&b);
}

/* What makes up most of a big profile keeps its place in its page; a small one gets no zeros. */
static void test_align(void **state)
{
	static const char *const names[] = { "small", "big", "edited", "restored" };
	char folder[] = "/tmp/perfdata-align-XXXXXX", paths[4][64];
	struct diag *diag = diag__new(NULL, NULL);

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < 4; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
	write_profile(paths[0], 3);
	assert_int_equal(data_offset_of_edited(paths[0], paths[2], diag), DATA_OFFSET);
	assert_comes_back(paths[0], paths[2], paths[3], diag);
	write_profile(paths[1], 300);
	assert_int_equal((data_offset_of_edited(paths[1], paths[2], diag) + INSERTED) % 4096,
			 DATA_OFFSET);
	assert_comes_back(paths[1], paths[2], paths[3], diag);
	for (size_t i = 0; i < 4; i++)
		unlink(paths[i]);
	rmdir(folder);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_align) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
