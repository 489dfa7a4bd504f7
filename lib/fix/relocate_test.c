// SPDX-License-Identifier: GPL-2.0-or-later
/* Fixed profiles made to name another folder: nothing else may change, and back it is the same. */
#include "fix/testing.h"

#include <errno.h>

#include "base/file.h"
#include "fix/apply.h"
#include "fix/relocate.h"
#include "perfdata/abi_level.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"

#define LO   UINT64_C(0x10200)
#define SIZE 11

static void apply(struct testing *testing, struct plan *plan, const char *abi)
{
	struct apply_options options = {
		.output = testing__path(testing, "fixed"),
		.abi = perfdata_abi__by_name(abi),
	};

	assert_int_equal(plan__apply(plan, &options, testing->diag), 0);
	assert_true(plan->inserts.count > 0);
}

static struct plan *fix(struct testing *testing)
{
	struct plan *plan;

	profile__comm(testing, 0, 1, "jit", false);
	profile__map(testing, 10, 1, 0x7f0000000000, 0x1000, 0,
		     testing__path(testing, "dir.dumps/jit-1.dump (deleted)"));
	dump__begin(testing, 1);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 60, LO, SIZE, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__comm(testing, 60, 1, "jit", false);
	profile__sample(testing, 70, 1, LO);
	plan = testing__plan(testing, 0);
	apply(testing, plan, "auto");
	return plan;
}

static void relocate(struct testing *testing, const char *from, const char *to, const char *folder,
		     struct relocate_result *result)
{
	struct relocate_options options = { .output = testing__path(testing, to),
					    .folder = folder };
	struct perfdata *fixed;

	assert_int_equal(perfdata__open(&fixed, testing__path(testing, from), testing->diag), 0);
	assert_int_equal(relocate__write(fixed, &options, result, testing->diag), 0);
	perfdata__close(fixed);
}

static void expect_same_files(struct testing *testing, const char *a, const char *b)
{
	struct file_map x, y;

	assert_int_equal(file_map__open(&x, a, false, testing->diag), 0);
	assert_int_equal(file_map__open(&y, b, false, testing->diag), 0);
	assert_int_equal(x.bytes.size, y.bytes.size);
	assert_memory_equal(x.bytes.data, y.bytes.data, x.bytes.size);
	file_map__close(&x);
	file_map__close(&y);
}

/* The profile at path gives the input back. */
static void expect_restores(struct testing *testing, const char *path, const char *input)
{
	struct perfdata *perfdata;
	struct file_out out;

	assert_int_equal(perfdata__open(&perfdata, path, testing->diag), 0);
	assert_int_equal(file_out__open(&out, testing__path(testing, "back"), 0600, testing->diag),
			 0);
	assert_int_equal(perfdata__restore(perfdata, &out, testing->diag), 0);
	assert_int_equal(file_out__commit(&out, false, testing->diag), 0);
	perfdata__close(perfdata);
	expect_same_files(testing, testing__path(testing, "back"), input);
}

/* How many mappings and build-ids name files in folder. */
static size_t count_in(struct testing *testing, const char *name, const char *folder)
{
	struct perfdata *perfdata;
	struct perfdata_walk walk;
	struct perfdata_record record;
	struct perfdata_mmap mmap;
	struct bytes build_ids;
	size_t count = 0, length = strlen(folder);

	assert_int_equal(perfdata__open(&perfdata, testing__path(testing, name), testing->diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0)
		count += perfdata__parse_mmap(perfdata, &record, &mmap) &&
			 strncmp(mmap.name, folder, length) == 0 && mmap.name[length] == '/';
	perfdata_walk__end(&walk);
	build_ids = perfdata__feature(perfdata, PERFDATA_FEAT_BUILD_ID);
	for (size_t i = 0; i + length < build_ids.size; i++)
		count += memcmp(build_ids.data + i, folder, length) == 0 &&
			 build_ids.data[i + length] == '/';
	perfdata__close(perfdata);
	return count;
}

/* Two mappings and two build-ids are in the one folder, then in the other. */
static void test_there_and_back(void **state)
{
	static const char other[] = "/srv/a folder whose name is longer/than/the first";
	struct testing *testing = *state;
	struct plan *plan = fix(testing);
	struct relocate_result result;

	assert_int_equal(count_in(testing, "fixed", plan->dso_folder), 4);
	relocate(testing, "fixed", "moved", other, &result);
	assert_int_equal(result.nr_records, 2);
	assert_int_equal(result.nr_missing, 2);
	assert_int_equal(count_in(testing, "moved", plan->dso_folder), 0);
	assert_int_equal(count_in(testing, "moved", other), 4);
	expect_restores(testing, testing__path(testing, "moved"), testing->profile);

	relocate(testing, "moved", "again", plan->dso_folder, &result);
	assert_int_equal(result.nr_records, 2);
	assert_int_equal(result.nr_missing, 0);
	expect_same_files(testing, testing__path(testing, "again"),
			  testing__path(testing, "fixed"));
	plan__free(plan);
}

/* Named when it is fixed: the same as moved afterwards. */
static void test_when_fixed(void **state)
{
	struct testing *testing = *state;
	struct plan_options options = {
		.output = testing__path(testing, "fixed"),
		.layout = testing->layout,
		.relocate = "/srv/there",
	};
	struct relocate_result result;
	struct plan *plan = fix(testing);

	relocate(testing, "fixed", "moved", "/srv/there", &result);
	plan__free(plan);
	assert_int_equal(plan__make(&plan, testing->perfdata, &options, testing->diag), 0);
	apply(testing, plan, "auto");
	expect_same_files(testing, testing__path(testing, "moved"),
			  testing__path(testing, "fixed"));
	array__for_each(dso, &plan->dsos)
		assert_int_equal(access(dso->path, R_OK), 0);
	plan__free(plan);
}

static void test_what_was_not_fixed(void **state)
{
	struct testing *testing = *state;
	struct relocate_options options = { .output = testing__path(testing, "moved"),
					    .folder = "/srv" };
	struct relocate_result result;

	profile__comm(testing, 0, 1, "jit", false);
	profile__open(testing);
	assert_int_equal(relocate__write(testing->perfdata, &options, &result, testing->diag),
			 -EINVAL);
	assert_int_equal(diag__count(testing->diag, DIAG_ERROR), 1);
	assert_int_equal(access(options.output, F_OK), -1);
}

/* A pid and a time of the recording: those of a sample that is not the first. */
static void pick(struct perfdata *perfdata, uint32_t *pid, uint64_t *time)
{
	struct perfdata_walk walk;
	struct perfdata_record record;
	struct perfdata_sample sample;
	size_t count = 0;

	perfdata_walk__begin(&walk, perfdata);
	while (count < 5 && perfdata_walk__next(&walk, &record) > 0) {
		if (!perfdata__parse_sample(perfdata, &record, &sample) || !sample.pid)
			continue;
		count++;
		*pid = sample.pid;
		*time = sample.time;
	}
	perfdata_walk__end(&walk);
	assert_int_equal(count, 5);
}

/* There and back, of a profile that is readable by the perfs of one version. */
static void move_form(struct testing *testing, const char *input, const char *abi)
{
	struct relocate_result result;
	struct plan *plan = testing__plan(testing, 0);

	apply(testing, plan, abi);
	relocate(testing, "fixed", "moved", "/srv", &result);
	assert_int_equal(result.nr_records, 1);
	assert_int_equal(count_in(testing, "moved", plan->dso_folder), 0);
	expect_restores(testing, testing__path(testing, "moved"), input);
	relocate(testing, "moved", "again", plan->dso_folder, &result);
	expect_same_files(testing, testing__path(testing, "again"),
			  testing__path(testing, "fixed"));
	plan__free(plan);
}

/* In every form that a profile may have, as recorded and made readable by older perfs. */
static void test_forms(void **state)
{
	static const char *const recordings[] = {
		"5.10-fp",       "6.1-dwarf", "7.3-two",       "6.1-zstd",  "6.1-pipe",
		"7.3-zstd-pipe", "7.3-zstd",  "6.1-zstd-pipe", "7.3-mixed", "7.3-dwarf",
	};
	struct testing *testing = *state;

	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		char input[128], argument[256];
		const char *names[] = { argument };
		uint32_t pid = 0;
		uint64_t time = 0;

		snprintf(input, sizeof(input), "testdata/recordings/%s.data", recordings[i]);
		assert_int_equal(perfdata__open(&testing->perfdata, input, testing->diag), 0);
		pick(testing->perfdata, &pid, &time);
		dump__begin(testing, pid);
		dump__load(testing, time, LO, SIZE, "a");
		dump__write(testing, "any-name");
		snprintf(argument, sizeof(argument), "%u=%s", pid,
			 testing__path(testing, "any-name"));
		testing->discover.jitdumps = names;
		testing->discover.nr_jitdumps = 1;
		move_form(testing, input, "auto");
		move_form(testing, input, "5.10");
		move_form(testing, input, "6.1");
		perfdata__close(testing->perfdata);
		testing->perfdata = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_there_and_back),
		TESTING(test_when_fixed),
		TESTING(test_what_was_not_fixed),
		TESTING(test_forms),
	};

	return cmocka_run_group_tests_name("relocate", tests, NULL, NULL);
}
