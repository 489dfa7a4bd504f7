// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of faults is whole, and each is called by a word of its own. */
#include <ctype.h>

#include "host/testing.h"

static void expect_part_of_sentence(const char *text)
{
	assert_non_null(text);
	assert_true(strlen(text) > 3);
	assert_int_not_equal(text[strlen(text) - 1], '.');
	assert_false(isspace((unsigned char)text[0]));
	assert_null(strstr(text, "  "));
}

static void test_texts(void **state)
{
	(void)state;
	for (enum probe i = 0; i < PROBES; i++) {
		const struct probe_about *about = probe__about(i);

		assert_non_null(about->slug);
		print_message("%s\n", about->slug);
		assert_int_equal(strspn(about->slug, "abcdefghijklmnopqrstuvwxyz0123456789-"),
				 strlen(about->slug));
		expect_part_of_sentence(about->able);
		expect_part_of_sentence(about->fault);
		expect_part_of_sentence(about->builds);
		expect_part_of_sentence(about->cure);
		assert_true(!about->option || !*about->option ||
			    strncmp(about->option, "--", 2) == 0);
		for (enum probe j = 0; j < i; j++)
			assert_string_not_equal(about->slug, probe__about(j)->slug);
	}
}

static void test_evidence(void **state)
{
	struct testing *testing = *state;
	char longer[600];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	probe__set(&testing->probe, PROBE_RUNS, PROBE_FAULTY, "one\ntwo %d \n\n", 3);
	assert_string_equal(testing->probe.results[PROBE_RUNS].evidence, "one two 3");
	probe__set(&testing->probe, PROBE_RUNS, PROBE_OK, "%s", longer);
	assert_int_equal(strlen(testing->probe.results[PROBE_RUNS].evidence), 255);
	probe__set(&testing->probe, PROBE_RUNS, PROBE_OK, "%s", "");
	assert_string_equal(testing->probe.results[PROBE_RUNS].evidence, "");
}

static void test_lines(void **state)
{
	struct testing *testing = *state;

	/* as perf 5.10 does, and as 6.1 */
	testing__perf_is(testing, "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do\n"
				  "addr2line -e /nowhere 0 2>/dev/null; done");
	assert_int_equal(probe__lines(&testing->probe, &testing->probing), 0);
	testing__expect(testing, PROBE_LINES, PROBE_FAULTY);
	assert_string_equal(testing->probe.results[PROBE_LINES].evidence,
			    "14 starts of addr2line for 14 addresses");
}

static void test_lines_at_once(void **state)
{
	struct testing *testing = *state;

	testing__perf_is(testing, "addr2line -e /nowhere 0 2>/dev/null");
	assert_int_equal(probe__lines(&testing->probe, &testing->probing), 0);
	testing__expect(testing, PROBE_LINES, PROBE_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test_setup_teardown(test_evidence, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_lines, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_lines_at_once, testing__setup,
						testing__teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
