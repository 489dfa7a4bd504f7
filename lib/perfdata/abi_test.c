// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles cut down to what older perfs read. What those make of them is shown by testdata/abi/run;
 * here, that nothing is left that they do not know, and that everything comes back.
 */
#include "base/array.h"
#include "perfdata/abi_convert.h"
#include "perfdata/abi_testing.h"

static struct perfdata *lower_recording(struct fixture *fixture, const char *name,
					const char *level)
{
	char path[256];

	snprintf(path, sizeof(path), FOLDER "%s.data", name);
	return lower(fixture, path, level);
}

/* What is left to be known of a profile's records. */
struct found {
	size_t samples, compressed, build_ids, mmaps, kernel_mmap2s;
	uint32_t kernel_type, user_type; /* the last of each kind */
	uint64_t ips;                    /* of all samples, mixed */
};

static void look_at(struct perfdata *perfdata, const struct perfdata_record *record,
		    struct found *found)
{
	uint32_t *last =
		record->type < PERFDATA_HEADER_ATTR ? &found->kernel_type : &found->user_type;
	struct perfdata_sample sample;
	struct perfdata_mmap mmap;

	if (record->type > *last)
		*last = record->type;
	found->compressed += record->compressed;
	if (record->type == PERFDATA_SAMPLE) {
		found->samples++;
		assert_true(perfdata__parse_sample(perfdata, record, &sample));
		found->ips = found->ips * 31 + sample.ip + sample.time * 7 + sample.callchain.size +
			     sample.user_stack.size;
	}
	if (record->type == PERFDATA_MMAP2) {
		assert_true(perfdata__parse_mmap(perfdata, record, &mmap));
		found->build_ids += mmap.has_build_id;
		found->kernel_mmap2s += (record->misc & 7) == PERF_RECORD_MISC_KERNEL;
	}
	found->mmaps += record->type == PERFDATA_MMAP2 || record->type == PERFDATA_MMAP;
}

static struct found look(struct perfdata *perfdata)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	struct found found = { 0 };
	int ret;

	perfdata_walk__begin(&walk, perfdata);
	while ((ret = perfdata_walk__next(&walk, &record)) > 0)
		look_at(perfdata, &record, &found);
	assert_int_equal(ret, 0);
	perfdata_walk__end(&walk);
	return found;
}

static struct found look_at_file(struct fixture *fixture, const char *path)
{
	struct perfdata *perfdata = open_profile(fixture, path);
	struct found found = look(perfdata);

	perfdata__close(perfdata);
	return found;
}

static void names_of_levels(void **state)
{
	static const char *const names[][2] = {
		{ "auto", "auto" }, { "keep", "keep" }, { "5.10", "5.10" },   { "5.10.7", "5.10" },
		{ "5.14", "5.10" }, { "5.15", "5.15" }, { "6.0", "5.15" },    { "6.1.192", "6.1" },
		{ "6.8", "6.6" },   { "6.12", "6.12" }, { "6.19-rc1", NULL }, { "7.x", "7.x" },
		{ "7.3", "7.x" },   { "10.0", "7.x" },  { "5.9", NULL },      { "4.19", NULL },
		{ "", NULL },       { "6", NULL },      { "6.", NULL },       { "-6.1", NULL },
		{ " 6.1", NULL },   { "6.1x", NULL },   { "99999.1", NULL },  { "AUTO", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct perfdata_abi *abi = perfdata_abi__by_name(names[i][0]);

		if (names[i][1])
			assert_string_equal(abi->name, names[i][1]);
		else
			assert_null(abi);
	}
}

/* From the uapi headers of those versions. */
static const struct level {
	const char *name;
	uint32_t attr_size, kernel_type, user_type;
	unsigned int flags, sample_bits, read_bits;
} levels[] = {
	{ "5.10", 120, 20, 81, 34, 22, 4 }, { "5.15", 128, 20, 81, 38, 25, 4 },
	{ "6.1", 128, 21, 82, 38, 25, 5 },  { "6.6", 136, 21, 82, 38, 25, 5 },
	{ "6.12", 136, 21, 82, 38, 25, 5 }, { "7.x", 144, 22, 86, 40, 25, 5 },
};

static void assert_attr_known(const struct level *level, const struct perf_event_attr *attr,
			      uint32_t size)
{
	uint64_t flags;

	memcpy(&flags, (const uint8_t *)attr + 40, sizeof(flags));
	assert_true(size <= level->attr_size);
	assert_int_equal(flags >> level->flags, 0);
	assert_int_equal(attr->sample_type >> level->sample_bits, 0);
	assert_int_equal(attr->read_format >> level->read_bits, 0);
}

/* EVENT_DESC has its attrs behind two u32, the second their size; the first will do. */
static void assert_event_desc_known(const struct level *level, struct perfdata *output)
{
	struct bytes bytes = perfdata__feature(output, PERFDATA_FEAT_EVENT_DESC);
	enum byte_order order = perfdata__order(output);
	uint64_t flags;

	assert_true(bytes.size > 72);
	assert_int_equal(get_u64(bytes.data + 8 + 32, order) >> level->read_bits, 0);
	if (order != ORDER_LITTLE)
		return;
	flags = get_u64(bytes.data + 8 + 40, order);
	assert_int_equal(flags >> level->flags, 0);
	assert_true(flags);
}

static void lower_one(struct fixture *fixture, const char *path, const struct level *level)
{
	struct found before, after;
	struct perfdata *output;

	before = look_at_file(fixture, path);
	output = lower(fixture, path, level->name);
	after = look(output);
	assert_true(before.samples >= 15);
	assert_int_equal(after.samples, before.samples);
	assert_true(after.ips == before.ips);
	assert_int_equal(after.mmaps, before.mmaps);
	assert_true(after.kernel_type <= level->kernel_type);
	assert_true(after.user_type <= level->user_type);
	for (size_t i = 0; i < perfdata__nr_attrs(output); i++)
		assert_attr_known(level, &perfdata__attr(output, i)->attr,
				  perfdata__attr(output, i)->recorded_size);
	assert_event_desc_known(level, output);
	assert_restored(fixture, output, path);
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 0);
	perfdata__close(output);
}

static void nothing_unknown_is_left(void **state)
{
	static const char *const paths[] = {
		FOLDER "5.10-fp.data",        FOLDER "5.10-pipe.data",
		FOLDER "6.1-dwarf.data",      FOLDER "6.1-fp.data",
		FOLDER "6.1-pipe.data",       FOLDER "6.1-two.data",
		FOLDER "6.1-zstd.data",       FOLDER "6.1-zstd-pipe.data",
		FOLDER "7.3-dwarf.data",      FOLDER "7.3-fp.data",
		FOLDER "7.3-two.data",        FOLDER "7.3-mixed.data",
		FOLDER "7.3-pipe.data",       FOLDER "7.3-zstd.data",
		FOLDER "7.3-zstd-pipe.data",  ABI_FOLDER "6.1-group.data",
		ABI_FOLDER "6.1-fields.data", ABI_FOLDER "6.12-read.data",
		ABI_FOLDER "7.3-group.data",  ABI_FOLDER "7.3-read.data",
		ABI_FOLDER "7.3-fields.data",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		for (size_t k = 0; k < sizeof(levels) / sizeof(levels[0]); k++)
			lower_one(*state, paths[i], &levels[k]);
}

/* The recordings' build-ids: readelf -n of the mapped files said the same when they were made. */
static void build_ids_move_to_the_header(void **state)
{
	struct fixture *fixture = *state;
	struct found before = look_at_file(fixture, FOLDER "7.3-dwarf.data");
	struct perfdata *output = lower_recording(fixture, "7.3-dwarf", "5.10");
	struct found after = look(output);
	struct bytes entries = perfdata__feature(output, PERFDATA_FEAT_BUILD_ID);

	assert_true(before.build_ids >= 5);
	assert_true(before.kernel_mmap2s > 0);
	assert_int_equal(after.build_ids, 0);
	assert_int_equal(after.kernel_mmap2s, 0);
	assert_true(entries.size > 0);
	assert_non_null(memmem(entries.data, entries.size, "[kernel.kallsyms]", 18));
	assert_non_null(memmem(entries.data, entries.size, "/libc.so.6", 11));
	perfdata__close(output);
	output = lower_recording(fixture, "7.3-dwarf", "5.15");
	assert_int_equal(look(output).build_ids, before.build_ids);
	perfdata__close(output);
}

/* Two mappings are of one file after it just when they were before. */
static void files_stay_distinct(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *output = lower_recording(fixture, "7.3-dwarf", "5.10");
	struct perfdata_record record;
	struct perfdata_walk walk;
	struct perfdata_mmap mmap;
	struct {
		char name[128];
		uint64_t ino;
	} seen[64];
	size_t count = 0;

	perfdata_walk__begin(&walk, output);
	while (perfdata_walk__next(&walk, &record) > 0 && count < 64) {
		if (record.type != PERFDATA_MMAP2 ||
		    !perfdata__parse_mmap(output, &record, &mmap) || mmap.name[0] != '/' ||
		    mmap.name[1] == '/')
			continue;
		assert_true(mmap.ino != 0);
		snprintf(seen[count].name, sizeof(seen[count].name), "%s", mmap.name);
		seen[count++].ino = mmap.ino;
	}
	perfdata_walk__end(&walk);
	assert_true(count >= 10);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			assert_true((strcmp(seen[i].name, seen[k].name) == 0) ==
				    (seen[i].ino == seen[k].ino));
	perfdata__close(output);
}

/* Records of a type, what they hold not among them. */
static size_t count_as_stored(struct perfdata *perfdata, uint32_t type)
{
	const uint8_t *at = perfdata__bytes(perfdata).data + perfdata__data_offset(perfdata);
	const uint8_t *end = at + perfdata__data_size(perfdata);
	size_t count = 0;

	for (; at < end; at += get_u16(at + 6, ORDER_LITTLE))
		count += get_u32(at, ORDER_LITTLE) == type;
	return count;
}

static void compressed_as_far_as_it_can_be_read(void **state)
{
	static const struct {
		const char *name, *level;
		bool compressed;
	} cases[] = {
		{ "7.3-zstd", "5.10", false },    { "7.3-zstd", "5.15", false },
		{ "7.3-zstd", "6.1", true },      { "7.3-zstd", "6.12", true },
		{ "7.3-zstd", "7.x", true },      { "6.1-zstd", "5.10", false },
		{ "6.1-zstd", "6.1", true },      { "7.3-zstd-pipe", "5.10", false },
		{ "7.3-zstd-pipe", "6.1", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata *output = lower_recording(*state, cases[i].name, cases[i].level);
		bool seven = strcmp(cases[i].level, "7.x") == 0;

		assert_int_equal(count_as_stored(output, PERFDATA_COMPRESSED2) > 0, seven);
		assert_int_equal(count_as_stored(output, PERFDATA_COMPRESSED) > 0,
				 cases[i].compressed && !seven);

		assert_true((look(output).compressed > 0) == cases[i].compressed);
		assert_true(perfdata__has_feature(output, PERFDATA_FEAT_COMPRESSED) ==
			    cases[i].compressed);
		perfdata__close(output);
	}
}

static void keep_keeps(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *output = lower_recording(fixture, "7.3-fp", "keep");

	assert_int_equal(perfdata__attr(output, 0)->recorded_size, 144);
	assert_int_equal(look(output).user_type, PERFDATA_FINISHED_INIT);
	perfdata__close(output);
}

/* The attr of perf 7.3 is 144 bytes long; the last that is set is clockid, at 92..95. */
static void auto_cuts_attrs_only(void **state)
{
	struct fixture *fixture = *state;
	struct found before = look_at_file(fixture, FOLDER "7.3-fp.data");
	struct perfdata *output = lower_recording(fixture, "7.3-fp", "auto");
	struct found after = look(output);

	assert_int_equal(perfdata__attr(output, 0)->recorded_size, 96);
	assert_int_equal(perfdata__attr(output, 0)->attr.clockid, 1);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_restored(fixture, output, FOLDER "7.3-fp.data");
	perfdata__close(output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_levels),
		TEST(nothing_unknown_is_left),
		TEST(build_ids_move_to_the_header),
		TEST(files_stay_distinct),
		TEST(compressed_as_far_as_it_can_be_read),
		TEST(keep_keeps),
		TEST(auto_cuts_attrs_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
