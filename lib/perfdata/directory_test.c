// SPDX-License-Identifier: GPL-2.0-or-later
/* A directory that holds more than data, as perf record --kcore makes it. */
#include <errno.h>
#include <fts.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/edit.h"

#define RECORDING "testdata/recordings/7.3-fp.data"

struct fixture {
	struct diag *diag;
	char folder[64], input[96], output[96], restored[96];
};

static void write_file(const char *folder, const char *name, struct bytes bytes, mode_t mode)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct bytes symbols = { (const uint8_t *)"0 T x\n", 6 };
	struct file_map map;
	char kcore[128];

	assert_non_null(fixture);
	umask(022);
	fixture->diag = diag__new(NULL, NULL);
	strcpy(fixture->folder, "/tmp/perfdata-directory-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->input, sizeof(fixture->input), "%s/input", fixture->folder);
	snprintf(fixture->output, sizeof(fixture->output), "%s/output", fixture->folder);
	snprintf(fixture->restored, sizeof(fixture->restored), "%s/restored", fixture->folder);
	snprintf(kcore, sizeof(kcore), "%s/kcore_dir", fixture->input);
	assert_int_equal(mkdir(fixture->input, 0750), 0);
	assert_int_equal(mkdir(kcore, 0700), 0);
	assert_int_equal(file_map__open(&map, RECORDING, false, fixture->diag), 0);
	write_file(fixture->input, "data", map.bytes, 0640);
	write_file(kcore, "kallsyms", symbols, 0400);
	file_map__close(&map);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	char *const paths[] = { fixture->folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	while ((entry = fts_read(fts)) != NULL)
		if (entry->fts_info != FTS_D)
			assert_int_equal(remove(entry->fts_path), 0);
	fts_close(fts);
	diag__free(fixture->diag);
	free(fixture);
	return 0;
}

static void assert_file(const char *folder, const char *name, mode_t mode, const char *other)
{
	char path[256], other_path[256];
	struct diag *diag = diag__new(NULL, NULL);
	struct file_map a, b;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(other_path, sizeof(other_path), "%s/%s", other, name);
	assert_int_equal(file_map__open(&a, path, false, diag), 0);
	assert_int_equal(file_map__open(&b, other_path, false, diag), 0);
	assert_int_equal(a.stat.st_mode & 0777, mode);
	assert_int_equal(a.bytes.size, b.bytes.size);
	assert_memory_equal(a.bytes.data, b.bytes.data, a.bytes.size);
	file_map__close(&a);
	file_map__close(&b);
	diag__free(diag);
}

static mode_t mode_of(const char *path)
{
	struct stat stat_of_path;

	assert_int_equal(stat(path, &stat_of_path), 0);
	return stat_of_path.st_mode & 0777;
}

/* The folder's own names and nothing else: no temporary is left. */
static size_t count_entries(const char *folder)
{
	char *const paths[] = { (char *)(uintptr_t)folder, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	size_t count = 0;

	while ((entry = fts_read(fts)) != NULL)
		count += entry->fts_level == 1 && entry->fts_info != FTS_DP;
	fts_close(fts);
	return count;
}

static void edit(struct fixture *fixture, int expected)
{
	struct perfdata *perfdata;
	struct perfdata_edits *edits;

	assert_int_equal(perfdata__open(&perfdata, fixture->input, fixture->diag), 0);
	assert_int_equal(perfdata__form(perfdata), PERFDATA_FORM_DIRECTORY);
	edits = perfdata_edits__new(perfdata);
	assert_int_equal(
		perfdata_edits__write_directory(edits, fixture->output, false, fixture->diag),
		expected);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
}

static void carries_all_files(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;

	edit(fixture, 0);
	assert_file(fixture->output, "kcore_dir/kallsyms", 0400, fixture->input);
	assert_int_equal(mode_of(fixture->output), 0750);
	assert_int_equal(perfdata__open(&perfdata, fixture->output, fixture->diag), 0);
	assert_true(perfdata__is_edited(perfdata));
	assert_int_equal(
		perfdata__restore_directory(perfdata, fixture->restored, true, fixture->diag), 0);
	perfdata__close(perfdata);
	assert_file(fixture->restored, "data", 0640, fixture->input);
	assert_file(fixture->restored, "kcore_dir/kallsyms", 0400, fixture->input);
	assert_int_equal(count_entries(fixture->folder), 3);
}

/* What is at the path is replaced, be it a file, and its own contents are gone. */
static void replaces_what_is_there(void **state)
{
	struct fixture *fixture = *state;
	struct bytes bytes = { (const uint8_t *)"old", 3 };

	write_file(fixture->folder, "output", bytes, 0600);
	edit(fixture, 0);
	assert_file(fixture->output, "kcore_dir/kallsyms", 0400, fixture->input);
	write_file(fixture->output, "old", bytes, 0600);
	edit(fixture, 0);
	assert_int_equal(count_entries(fixture->output), 2);
	assert_int_equal(count_entries(fixture->folder), 2);
}

static void leaves_nothing_when_it_fails(void **state)
{
	struct fixture *fixture = *state;

	snprintf(fixture->output, sizeof(fixture->output), "%s/no/such", fixture->folder);
	edit(fixture, -ENOENT);
	assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), 1);
	assert_int_equal(count_entries(fixture->folder), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(carries_all_files),
		TEST(replaces_what_is_there),
		TEST(leaves_nothing_when_it_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
