/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: profiles of testdata/recordings changed, written, and given back. */
#ifndef PERFJIT_PERFDATA_EDIT_TESTING_H
#define PERFJIT_PERFDATA_EDIT_TESTING_H

#include <errno.h>
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
#include "perfdata/event.h"

#define FOLDER    "testdata/recordings/"
#define COMM_NAME "inserted"

struct fixture {
	struct diag *diag;
	char folder[64];
	char edited[128], restored[128], made[128];
};

static inline int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->diag = diag__new(NULL, NULL);
	strcpy(fixture->folder, "/tmp/perfdata-edit-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->edited, sizeof(fixture->edited), "%s/edited", fixture->folder);
	snprintf(fixture->restored, sizeof(fixture->restored), "%s/restored", fixture->folder);
	snprintf(fixture->made, sizeof(fixture->made), "%s/made", fixture->folder);
	*state = fixture;
	return 0;
}

static inline struct perfdata *open_profile(struct fixture *fixture, const char *path)
{
	struct perfdata *perfdata;

	assert_int_equal(perfdata__open(&perfdata, path, fixture->diag), 0);
	return perfdata;
}

static inline struct perfdata *open_recording(struct fixture *fixture, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), FOLDER "%s.data", name);
	return open_profile(fixture, path);
}

static inline void write_to(struct fixture *fixture, const struct perfdata *input,
			    struct perfdata_edits *edits, const char *path)
{
	struct file_out out;

	if (perfdata__form(input) == PERFDATA_FORM_DIRECTORY) {
		assert_int_equal(perfdata_edits__write_directory(edits, path, false, fixture->diag),
				 0);
		return;
	}
	assert_int_equal(file_out__open(&out, path, 0600, fixture->diag), 0);
	assert_int_equal(perfdata_edits__write(edits, &out, fixture->diag), 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
}

static inline void restore_to(struct fixture *fixture, struct perfdata *perfdata, const char *path)
{
	struct file_out out;

	if (perfdata__form(perfdata) == PERFDATA_FORM_DIRECTORY) {
		assert_int_equal(perfdata__restore_directory(perfdata, path, false, fixture->diag),
				 0);
		return;
	}
	assert_int_equal(file_out__open(&out, path, 0600, fixture->diag), 0);
	assert_int_equal(perfdata__restore(perfdata, &out, fixture->diag), 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
}

static inline void assert_same_file(struct fixture *fixture, const char *a, const char *b)
{
	struct file_map x, y;

	assert_int_equal(file_map__open(&x, a, false, fixture->diag), 0);
	assert_int_equal(file_map__open(&y, b, false, fixture->diag), 0);
	assert_int_equal(x.bytes.size, y.bytes.size);
	assert_memory_equal(x.bytes.data, y.bytes.data, x.bytes.size);
	file_map__close(&x);
	file_map__close(&y);
}

/* The files of a directory, one after the other, or the one file. */
static inline void assert_same_profile(struct fixture *fixture, const struct perfdata *perfdata,
				       const char *path)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	char a[256], b[256];

	if (perfdata__form(perfdata) != PERFDATA_FORM_DIRECTORY) {
		assert_same_file(fixture, perfdata__path(perfdata), path);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(a, sizeof(a), "%s/%s", perfdata__path(perfdata), names[i]);
		snprintf(b, sizeof(b), "%s/%s", path, names[i]);
		assert_same_file(fixture, a, b);
	}
}

static inline void remove_profile(const char *path)
{
	static const char *const names[] = { "/data", "/data.0", "/data.1", "" };
	char name[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, names[i]);
		if (remove(name) < 0)
			assert_true(errno == ENOENT || errno == ENOTDIR);
	}
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;

	remove_profile(fixture->edited);
	remove_profile(fixture->restored);
	remove_profile(fixture->made);
	assert_int_equal(rmdir(fixture->folder), 0);
	diag__free(fixture->diag);
	free(fixture);
	return 0;
}

/* A COMM of our own before every record (the container, if it is compressed) from the nth on. */
static inline size_t insert_comms(struct perfdata *perfdata, struct perfdata_edits *edits,
				  size_t nth)
{
	struct perfdata_comm comm = { .pid = 1, .tid = 2, .exec = true, .comm = COMM_NAME };
	struct buf buf = BUF(perfdata__order(perfdata));
	struct perfdata_record record;
	struct perfdata_walk walk;
	uint64_t last = 0;
	size_t count = 0;

	comm.sample_id.attr = perfdata__attr(perfdata, 0);
	perfdata__put_comm(perfdata, &buf, &comm);
	assert_false(buf.failed);
	perfdata_walk__begin(&walk, perfdata);
	for (size_t i = 0; perfdata_walk__next(&walk, &record) > 0; i++) {
		if (i < nth || record.offset == last)
			continue;
		assert_int_equal(perfdata_edits__insert(edits, record.offset, buf__bytes(&buf)), 0);
		last = record.offset;
		count++;
	}
	perfdata_walk__end(&walk);
	assert_int_equal(perfdata_edits__inserted_bytes(edits), count * buf.size);
	buf__free(&buf);
	return count;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
