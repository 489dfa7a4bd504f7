// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is made of what perfs printed of the made-up stacks (testdata/doctor/outputs). What each of
 * them does wrong was measured apart from the probes: testdata/doctor/README.
 */
#include "host/testing.h"

static const enum probe of_unwinding[] = { PROBE_UNWINDER, PROBE_FAILED_STEP, PROBE_REMAPPED,
					   PROBE_REUSE,    PROBE_PGOFF,       PROBE_NO_CFI,
					   PROBE_PREFIX,   PROBE_UNMAPPED };

#define NR_OF_UNWINDING (sizeof(of_unwinding) / sizeof(*of_unwinding))

/* In that order: * a fault, . none, ? it can't be told. */
static const struct known {
	const char *perf;
	enum perf_unwinder unwinder;
	const char *faults;
} known[] = {
	{ "perf-5.10", UNWINDER_LIBUNWIND, "...*.*.." },
	{ "perf-6.1", UNWINDER_LIBUNWIND, "...*.*.." },
	{ "perf-6.12", UNWINDER_LIBUNWIND, "...*.*.." },
	{ "perf-7.3", UNWINDER_LIBDW, "..**..**" },
	{ "perf-6.1-libdw", UNWINDER_LIBDW, "......**" },
	{ "perf-7.3-libunwind-only", UNWINDER_LIBUNWIND, ".*.*.*.?" },
	{ "perf-6.1-nounwind", UNWINDER_NONE, "*???????" },
	{ "perf-7.3-nolibelf", UNWINDER_NONE, "*???????" },
};

static enum probe_status status_of(char sign)
{
	return sign == '*' ? PROBE_FAULTY : sign == '.' ? PROBE_OK : PROBE_UNKNOWN;
}

static void test_real_output(void **state)
{
	struct testing *testing = *state;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char command[128];

		snprintf(command, sizeof(command), "exec cat testdata/doctor/outputs/%s.txt",
			 known[i].perf);
		testing__perf_is(testing, command);
		assert_int_equal(probe__unwinding(&testing->probe, &testing->probing), 0);
		print_message("%s\n", known[i].perf);
		testing__expect(testing, PROBE_RUNS, PROBE_OK);
		assert_int_equal(testing->probe.unwinder, known[i].unwinder);
		for (size_t j = 0; j < NR_OF_UNWINDING; j++)
			testing__expect(testing, of_unwinding[j], status_of(known[i].faults[j]));
	}
}

static void test_broken(void **state)
{
	struct testing *testing = *state;

	testing__perf_is(testing, "echo 'perf: no such library' >&2; exit 127");
	assert_int_equal(probe__unwinding(&testing->probe, &testing->probing), 0);
	testing__expect(testing, PROBE_RUNS, PROBE_FAULTY);
	assert_string_equal(testing->probe.results[PROBE_RUNS].evidence,
			    "exit code 127: perf: no such library");
	assert_int_equal(testing->probe.unwinder, UNWINDER_UNKNOWN);
	for (size_t j = 1; j < NR_OF_UNWINDING; j++)
		testing__expect(testing, of_unwinding[j], PROBE_UNKNOWN);
}

/* One that shows where a sample was taken and none of its callers. */
static void test_leaf_alone(void **state)
{
	struct testing *testing = *state;

	testing__perf_is(testing, "awk '/^\t/ { if (n++) next } !/^\t/ { n = 0 } 1' "
				  "testdata/doctor/outputs/perf-6.1.txt");
	assert_int_equal(probe__unwinding(&testing->probe, &testing->probing), 0);
	testing__expect(testing, PROBE_UNWINDER, PROBE_FAULTY);
	assert_int_equal(testing->probe.unwinder, UNWINDER_NONE);
	assert_string_equal(testing->probe.results[PROBE_UNWINDER].evidence, "1 of 3 frames shown");
}

/* Where the prefix matters, the file that has it shows so. */
static void test_prefix(void **state)
{
	struct testing *testing = *state;

	testing__perf_is(testing, "exec cat testdata/doctor/outputs/perf-7.3.txt");
	assert_int_equal(probe__unwinding(&testing->probe, &testing->probing), 0);
	assert_string_equal(testing->probe.results[PROBE_PREFIX].evidence,
			    "1 of 3 frames shown, 3 where the path begins with /tmp/jitted-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_real_output, testing__setup,
						testing__teardown),
		cmocka_unit_test_setup_teardown(test_broken, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_leaf_alone, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_prefix, testing__setup, testing__teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
