// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps of names by address: every line is what a reader without times must be told. */
#include "fix/testing.h"

#include "fix/perf_map.h"

static void expect_file(const char *path, const char *expected)
{
	char got[512] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	got[fread(got, 1, sizeof(got) - 1, file)] = 0;
	fclose(file);
	assert_string_equal(got, expected);
}

static void test_maps(void **state)
{
	struct testing *testing = *state;
	struct perf_map_result result;
	struct plan *plan;
	char dir[192];

	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	dump__begin(testing, 1);
	dump__load(testing, 30, 0x10200, 16, "old");
	dump__load(testing, 30, 0x10100, 16, "two\nlines\x01");
	dump__load(testing, 40, 0x10300, 16, "in samples");
	dump__load(testing, 50, 0x10308, 16, "in none");
	dump__load(testing, 60, 0x10200, 32, "new");
	dump__load(testing, 70, 0x10200, 32, "new");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 35, 1, 0x10200);
	profile__sample(testing, 45, 1, 0x10300);
	profile__fork(testing, 55, 2, 1);
	profile__sample(testing, 65, 1, 0x10200);
	profile__sample(testing, 75, 1, 0x10200);
	plan = testing__plan(testing, 0);
	snprintf(dir, sizeof(dir), "%s", testing__path(testing, "maps"));
	assert_int_equal(perf_maps__write(plan, dir, &result, testing->diag), 0);
	expect_file(testing__path(testing, "maps/perf-1.map"), "10100 10 two\\x0alines\\x01\n"
							       "10200 20 new\n"
							       "10300 10 in samples\n");
	/* of what the child has, the parent's later code is no part */
	expect_file(testing__path(testing, "maps/perf-2.map"), "10100 10 two\\x0alines\\x01\n"
							       "10200 10 old\n"
							       "10308 10 in none\n");
	assert_int_equal(result.nr_maps, 2);
	assert_int_equal(result.nr_functions, 6);
	assert_int_equal(result.nr_hidden, 2);
	plan__free(plan);
}

/* A profile without times: all code was loaded at one time, and the last load is the newest. */
static void test_without_times(void **state)
{
	struct testing *testing = *state;
	struct perf_map_result result;
	struct plan *plan;
	char dir[192];

	testing->sample_type = TEST_FP & ~(uint64_t)PERF_SAMPLE_TIME;
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 0, 1, "jit-1.dump");
	dump__begin(testing, 1);
	dump__load(testing, 30, 0x10100, 16, "first");
	dump__load(testing, 40, 0x10108, 16, "second");
	dump__load(testing, 50, 0x10200, 16, "other");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 0, 1, 0x10200);
	plan = testing__plan(testing, 0);
	snprintf(dir, sizeof(dir), "%s", testing__path(testing, "maps"));
	assert_int_equal(perf_maps__write(plan, dir, &result, testing->diag), 0);
	expect_file(testing__path(testing, "maps/perf-1.map"), "10108 10 second\n"
							       "10200 10 other\n");
	assert_int_equal(result.nr_hidden, 1);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_maps),
		TESTING(test_without_times),
	};

	return cmocka_run_group_tests_name("perf_map", tests, NULL, NULL);
}
