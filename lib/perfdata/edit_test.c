// SPDX-License-Identifier: GPL-2.0-or-later
/* Changed profiles: what is in them, and that the original comes back byte for byte. */
#include "perfdata/edit_testing.h"

#include <signal.h>
#include <sys/resource.h>

#include "perfdata/abi_level.h"

/* struct perf_record_header_build_id with a name of up to 63 characters */
#define BUILD_ID_ENTRY 100
#define BUILD_ID_NAME  "/nowhere/x.so"

/* The journal's records, and the build-id's in pipe form. */
static bool is_bookkeeping(const struct perfdata_record *record)
{
	return record->type == PERFDATA_HEADER_EVENT_TYPE ||
	       (record->type == PERFDATA_HEADER_BUILD_ID &&
		strcmp((const char *)record->data + 36, BUILD_ID_NAME) == 0);
}

static bool is_inserted(const struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct perfdata_comm comm;

	return record->type == PERFDATA_COMM && perfdata__parse_comm(perfdata, record, &comm) &&
	       strcmp(comm.comm, COMM_NAME) == 0;
}

/* All records of the input are in the output, in order and equal; how many others there are. */
static size_t count_others(struct perfdata *input, struct perfdata *output)
{
	struct perfdata_record record, expected;
	struct perfdata_walk walk, input_walk;
	size_t others = 0;

	perfdata_walk__begin(&walk, output);
	perfdata_walk__begin(&input_walk, input);
	while (perfdata_walk__next(&walk, &record) > 0) {
		if (is_bookkeeping(&record))
			continue;
		if (is_inserted(output, &record)) {
			others++;
			continue;
		}
		assert_int_equal(perfdata_walk__next(&input_walk, &expected), 1);
		assert_int_equal(record.size, expected.size);
		assert_memory_equal(record.data, expected.data, record.size);
		assert_int_equal(record.end - record.offset, expected.end - expected.offset);
	}
	assert_int_equal(perfdata_walk__next(&input_walk, &expected), 0);
	perfdata_walk__end(&walk);
	perfdata_walk__end(&input_walk);
	return others;
}

static void assert_same_features(const struct perfdata *a, const struct perfdata *b)
{
	size_t entry = perfdata__form(a) == PERFDATA_FORM_PIPE ? 0 : BUILD_ID_ENTRY;
	size_t count = 0;

	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS; i++) {
		struct bytes x = perfdata__feature(a, i), y = perfdata__feature(b, i);

		if (i == PERFDATA_FEAT_BUILD_ID) {
			assert_int_equal(y.size, x.size + entry);
			assert_memory_equal(x.data, y.data, x.size);
			continue;
		}
		assert_int_equal(perfdata__has_feature(a, i), perfdata__has_feature(b, i));
		assert_int_equal(x.size, y.size);
		assert_memory_equal(x.data, y.data, x.size);
		count += x.size > 0;
	}
	assert_true(count >= 8);
}

static void assert_same_attrs(const struct perfdata *a, const struct perfdata *b)
{
	assert_int_equal(perfdata__nr_attrs(a), perfdata__nr_attrs(b));
	for (size_t i = 0; i < perfdata__nr_attrs(a); i++) {
		const struct perfdata_attr *x = perfdata__attr(a, i), *y = perfdata__attr(b, i);

		assert_int_equal(x->nr_ids, y->nr_ids);
		assert_memory_equal(x->ids, y->ids, x->nr_ids * sizeof(*x->ids));
		assert_string_equal(x->name, y->name);
		assert_int_equal(x->attr.sample_type, y->attr.sample_type);
	}
}

static void set_abi(struct fixture *fixture, struct perfdata_edits *edits, const char *name)
{
	const struct perfdata_abi *abi = perfdata_abi__by_name(name);

	assert_int_equal(perfdata_edits__set_abi(edits, abi, fixture->diag), 0);
}

static void round_trip(struct fixture *fixture, const char *name, bool shrink, size_t at_least)
{
	struct perfdata *input = open_recording(fixture, name);
	struct perfdata_edits *edits = perfdata_edits__new(input);
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE] = { 1, 2, 3 };
	struct perfdata *output;
	size_t count;

	assert_non_null(edits);
	count = insert_comms(input, edits, 3);
	assert_true(count >= at_least);
	if (shrink)
		set_abi(fixture, edits, "auto");
	assert_int_equal(perfdata_edits__add_build_id(edits, 1, build_id, sizeof(build_id), 2,
						      BUILD_ID_NAME),
			 0);
	write_to(fixture, input, edits, fixture->edited);
	output = open_profile(fixture, fixture->edited);
	assert_false(perfdata__is_edited(input));
	assert_true(perfdata__is_edited(output));
	assert_int_equal(count_others(input, output), count);
	assert_same_features(input, output);
	assert_same_attrs(input, output);
	restore_to(fixture, output, fixture->restored);
	assert_same_profile(fixture, input, fixture->restored);
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 0);
	perfdata_edits__free(edits);
	perfdata__close(output);
	perfdata__close(input);
	remove_profile(fixture->edited);
	remove_profile(fixture->restored);
}

static const struct {
	const char *name;
	size_t places; /* at least, where something can be inserted */
} recordings[] = {
	{ "5.10-fp", 70 },         { "6.1-fp", 50 },        { "7.3-fp", 80 },
	{ "6.1-dwarf", 100 },      { "7.3-mixed", 90 },     { "6.1-zstd", 7 },
	{ "7.3-zstd", 7 },         { "5.10-pipe", 100 },    { "7.3-pipe", 100 },
	{ "6.1-zstd-pipe", 30 },   { "7.3-zstd-pipe", 30 }, { "7.3-threads", 50 },
	{ "7.3-threads-zstd", 5 }, { "6.1-fp-be", 50 },     { "7.3-mixed-be", 90 },
};

static void gives_the_input_back(void **state)
{
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		round_trip(*state, recordings[i].name, false, recordings[i].places);
		round_trip(*state, recordings[i].name, true, recordings[i].places);
	}
}

/* The attr of perf 7.3 is 144 bytes long; what cpu-clock needs of it was there in the first. */
static void shrinks_attrs(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *input = open_recording(fixture, "7.3-fp");
	struct perfdata_edits *edits = perfdata_edits__new(input);
	struct perfdata *output;

	assert_int_equal(perfdata__attr(input, 0)->recorded_size, 144);
	set_abi(fixture, edits, "auto");
	write_to(fixture, input, edits, fixture->edited);
	output = open_profile(fixture, fixture->edited);
	/* clockid, at 92..95, is the last that is set */
	assert_int_equal(perfdata__attr(output, 0)->recorded_size, 96);
	assert_int_equal(perfdata__attr(output, 0)->attr.size, 96);
	assert_int_equal(perfdata__attr(output, 0)->attr.clockid, 1);
	assert_int_equal(count_others(input, output), 0);
	perfdata_edits__free(edits);
	perfdata__close(output);
	perfdata__close(input);
}

/* A copy of a recording whose header calls the first record a part of the attrs. */
static void write_with_long_attrs(struct fixture *fixture, const char *name, uint16_t record_size)
{
	struct perfdata *input = open_recording(fixture, name);
	struct bytes bytes = perfdata__bytes(input);
	/* of struct perf_file_header: the sizes of attrs and data, and data's offset */
	const size_t places[] = { 32, 40, 48 };
	const uint64_t more[] = { record_size, record_size, -(uint64_t)record_size };
	uint8_t *copy = malloc(bytes.size);
	struct file_out out;

	assert_int_equal(get_u16(bytes.data + perfdata__data_offset(input) + 6, ORDER_LITTLE),
			 record_size);
	memcpy(copy, bytes.data, bytes.size);
	for (size_t i = 0; i < 3; i++)
		set_u64(copy + places[i], get_u64(copy + places[i], ORDER_LITTLE) + more[i],
			ORDER_LITTLE);
	assert_int_equal(file_out__open(&out, fixture->restored, 0600, fixture->diag), 0);
	assert_int_equal(file_out__write(&out, (struct bytes){ copy, bytes.size }, fixture->diag),
			 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
	free(copy);
	perfdata__close(input);
}

/* Attrs are as many as are whole: 144 bytes left over are not one that was shrunk to 112. */
static void leftovers_of_attrs_are_none(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *input, *output;
	struct perfdata_edits *edits;

	write_with_long_attrs(fixture, "7.3-mixed", 144);
	input = open_profile(fixture, fixture->restored);
	edits = perfdata_edits__new(input);
	set_abi(fixture, edits, "auto");
	write_to(fixture, input, edits, fixture->edited);
	output = open_profile(fixture, fixture->edited);
	assert_int_equal(perfdata__attr(output, 0)->recorded_size, 96);
	assert_same_attrs(input, output);
	perfdata_edits__free(edits);
	perfdata__close(output);
	perfdata__close(input);
}

static void patches(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *input = open_recording(fixture, "6.1-fp");
	struct perfdata_edits *edits = perfdata_edits__new(input);
	uint64_t end = perfdata__data_offset(input) + perfdata__data_size(input);
	struct bytes bytes = { (const uint8_t *)"XYZ", 3 };
	struct perfdata *output;

	assert_int_equal(perfdata_edits__patch(edits, end - 3, bytes), 0);
	assert_int_equal(perfdata_edits__patch(edits, end - 2, bytes), -EINVAL);
	assert_int_equal(perfdata_edits__patch(edits, 0, bytes), -EINVAL);
	assert_int_equal(perfdata_edits__insert(edits, end + 1, bytes), -EINVAL);
	assert_int_equal(perfdata_edits__nr_patches(edits), 1);
	write_to(fixture, input, edits, fixture->edited);
	output = open_profile(fixture, fixture->edited);
	assert_memory_equal(perfdata__bytes(output).data + end - 3, "XYZ", 3);
	restore_to(fixture, output, fixture->restored);
	assert_same_file(fixture, fixture->restored, perfdata__path(input));
	perfdata_edits__free(edits);
	perfdata__close(output);
	perfdata__close(input);
}

/* The file may not grow beyond the limit, as when the disk is full. */
static int write_limited(struct fixture *fixture, size_t nth, rlim_t limit)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit limited = { limit, RLIM_INFINITY };
	struct perfdata *input = open_recording(fixture, "6.1-dwarf");
	struct perfdata_edits *edits = perfdata_edits__new(input);
	struct file_out out;
	int err;

	insert_comms(input, edits, nth);
	assert_int_equal(file_out__open(&out, fixture->edited, 0600, fixture->diag), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limited), 0);
	err = perfdata_edits__write(edits, &out, fixture->diag);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	file_out__abort(&out);
	perfdata_edits__free(edits);
	perfdata__close(input);
	return err;
}

static void reports_what_cannot_be_written(void **state)
{
	struct fixture *fixture = *state;
	uint64_t reports = 0;

	signal(SIGXFSZ, SIG_IGN);
	/* with many inserts, and with none: then most is copied within the kernel */
	for (rlim_t limit = 0; limit < 70000; limit += 4999) {
		assert_int_equal(write_limited(fixture, 3, limit), -EFBIG);
		assert_int_equal(write_limited(fixture, 1000, limit), -EFBIG);
		reports += 2;
		assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), reports);
	}
	assert_int_equal(write_limited(fixture, 3, 1u << 20), 0);
	assert_int_equal(access(fixture->edited, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gives_the_input_back),           TEST(shrinks_attrs),
		TEST(leftovers_of_attrs_are_none),    TEST(patches),
		TEST(reports_what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
