// SPDX-License-Identifier: GPL-2.0-or-later
/* What was done to an edited profile is told: each record where it was put, each change. */
#include "perfdata/edit_testing.h"

#include "base/array.h"

struct told {
	const struct perfdata *edited;
	ARRAY(uint64_t) inserted; /* offsets */
	ARRAY(uint64_t) changed;
	size_t stop_at; /* 0: never */
};

static int note(void *context, const struct perfdata_edit *edit)
{
	struct told *told = context;
	struct perfdata_comm comm;

	if (!edit->record) {
		assert_true(array__push(&told->changed, edit->offset));
		return 0;
	}
	assert_true(perfdata__parse_comm(told->edited, edit->record, &comm));
	assert_string_equal(comm.comm, COMM_NAME);
	assert_true(array__push(&told->inserted, edit->offset));
	return told->inserted.count == told->stop_at ? -ECANCELED : 0;
}

/* Offsets that insert_comms inserts at. */
static void assert_inserted(struct perfdata *original, const struct told *told)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	uint64_t last = 0;
	size_t count = 0;

	perfdata_walk__begin(&walk, original);
	for (size_t i = 0; perfdata_walk__next(&walk, &record) > 0; i++) {
		if (i < 3 || record.offset == last)
			continue;
		assert_true(count < told->inserted.count);
		assert_int_equal(told->inserted.items[count], record.offset);
		last = record.offset;
		count++;
	}
	perfdata_walk__end(&walk);
	assert_int_equal(count, told->inserted.count);
}

/* A byte of the first sample that stands there uncompressed; 0: there is none. */
static uint64_t patch(struct perfdata *input, struct perfdata_edits *edits)
{
	struct bytes byte = { (const uint8_t *)"!", 1 };
	struct perfdata_record record;
	struct perfdata_walk walk;
	uint64_t offset = 0;

	perfdata_walk__begin(&walk, input);
	while (!offset && perfdata_walk__next(&walk, &record) > 0)
		if (record.type == PERFDATA_SAMPLE && !record.compressed)
			offset = record.offset + 16;
	perfdata_walk__end(&walk);
	if (offset)
		assert_int_equal(perfdata_edits__patch(edits, offset, byte), 0);
	return offset;
}

static bool has(const struct told *told, uint64_t offset)
{
	array__for_each(changed, &told->changed)
		if (*changed == offset)
			return true;
	return false;
}

static void check(struct fixture *fixture, const char *name)
{
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE] = { 1, 2, 3 };
	struct perfdata *input = open_recording(fixture, name), *original;
	struct perfdata_edits *edits = perfdata_edits__new(input);
	struct told told = { 0 };
	uint64_t patched;
	size_t count;

	assert_non_null(edits);
	count = insert_comms(input, edits, 3);
	patched = patch(input, edits);
	/* in pipe form a record too, but none that is told */
	assert_int_equal(perfdata_edits__add_build_id(edits, 1, build_id, sizeof(build_id), 2,
						      "/nowhere/x.so"),
			 0);
	write_to(fixture, input, edits, fixture->edited);
	told.edited = open_profile(fixture, fixture->edited);
	assert_int_equal(perfdata__original(&original, told.edited, fixture->diag), 0);
	assert_int_equal(perfdata__for_each_edit(original, told.edited, note, &told, fixture->diag),
			 0);
	assert_int_equal(told.inserted.count, count);
	assert_inserted(original, &told);
	assert_true(!patched || has(&told, patched));

	told.inserted.count = 0;
	told.stop_at = 2;
	assert_int_equal(perfdata__for_each_edit(original, told.edited, note, &told, fixture->diag),
			 -ECANCELED);
	assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), 0);
	/* nothing was done to the original */
	assert_int_equal(perfdata__for_each_edit(original, original, note, &told, fixture->diag),
			 -EINVAL);
	assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), 1);

	array__free(&told.inserted);
	array__free(&told.changed);
	perfdata_edits__free(edits);
	perfdata__close((struct perfdata *)(uintptr_t)told.edited);
	perfdata__close(original);
	perfdata__close(input);
}

static void test_plain(void **state)
{
	check(*state, "6.1-fp");
}

static void test_two_events(void **state)
{
	check(*state, "7.3-two");
}

static void test_pipe(void **state)
{
	check(*state, "6.1-pipe");
}

static void test_compressed(void **state)
{
	check(*state, "6.1-zstd");
}

static void test_directory(void **state)
{
	check(*state, "7.3-threads");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_plain),      TEST(test_two_events), TEST(test_pipe),
		TEST(test_compressed), TEST(test_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
