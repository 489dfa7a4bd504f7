// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/child.h"

struct heard {
	size_t lines, longest;
	char all[4096];
	int answer;
};

static int hear(void *context, char *line)
{
	struct heard *heard = context;
	size_t length = strlen(heard->all);

	heard->lines++;
	if (strlen(line) > heard->longest)
		heard->longest = strlen(line);
	snprintf(heard->all + length, sizeof(heard->all) - length, "%s|", line);
	return heard->answer;
}

static int run(const char *script, unsigned int timeout, struct heard *heard,
	       struct child_result *result)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	const char *set[] = { "CHILD_A=1", "CHILD_B=two words", NULL };
	const char *unset[] = { "CHILD_GONE", NULL };
	const struct child_options options = { argv, set, unset, timeout, hear, heard, NULL };

	return child__run(&options, result);
}

static void test_output(void **state)
{
	struct heard heard = { 0 };
	struct child_result result;

	(void)state;
	assert_int_equal(
		run("echo one; echo; printf three; echo wrong >&2; exit 7", 0, &heard, &result), 0);
	assert_int_equal(result.status, 7);
	assert_string_equal(heard.all, "one||three|");
	assert_string_equal(result.errors, "wrong\n");
	assert_false(result.timed_out);
}

static void test_environment(void **state)
{
	struct heard heard = { 0 };
	struct child_result result;

	(void)state;
	setenv("CHILD_A", "old", 1);
	setenv("CHILD_GONE", "here", 1);
	setenv("CHILD_GONE_NOT", "kept", 1);
	assert_int_equal(
		run("echo $CHILD_A,$CHILD_B,$CHILD_GONE,$CHILD_GONE_NOT; cat", 0, &heard, &result),
		0);
	assert_string_equal(heard.all, "1,two words,,kept|");
}

static void test_arguments_are_no_shell(void **state)
{
	const char *argv[] = { "printf", "%s\\n", "$(echo no); * \"", NULL };
	struct heard heard = { 0 };
	const struct child_options options = { .argv = argv, .line = hear, .context = &heard };
	struct child_result result;

	(void)state;
	assert_int_equal(child__run(&options, &result), 0);
	assert_string_equal(heard.all, "$(echo no); * \"|");
}

static void test_input(void **state)
{
	const char *argv[] = { "cat", NULL };
	struct heard heard = { 0 };
	const struct child_options options = { .argv = argv,
					       .line = hear,
					       .context = &heard,
					       .input = "lib/base/child.h" };
	struct child_result result;

	(void)state;
	assert_int_equal(child__run(&options, &result), 0);
	assert_int_equal(strncmp(heard.all, "/* SPDX-License-Identifier: GPL-2.0-or-later */|", 48),
			 0);
}

static void test_long(void **state)
{
	struct heard heard = { 0 };
	struct child_result result;

	(void)state;
	assert_int_equal(run("printf '%0200000d\\n' 1; yes x | head -n 100000; "
			     "yes y | head -n 100000 >&2",
			     0, &heard, &result),
			 0);
	assert_int_equal(heard.lines, 100001);
	assert_int_equal(heard.longest, CHILD_LINE_MAX);
	assert_int_equal(strlen(result.errors), CHILD_ERRORS_MAX - 1);
	assert_int_equal(result.status, 0);
}

/* The grandchild, too, which would hold the pipe open for longer than any test may take. */
static void test_timeout(void **state)
{
	struct heard heard = { 0 };
	struct child_result result;

	(void)state;
	assert_int_equal(run("echo begun; sleep 1000 & sleep 1000", 1, &heard, &result), 0);
	assert_true(result.timed_out);
	assert_int_equal(result.status, 128 + 9);
	assert_string_equal(heard.all, "begun|");
}

/* One that says no more is waited for no longer. */
static void test_timeout_of_the_silent(void **state)
{
	struct heard heard = { 0 };
	struct child_result result;

	(void)state;
	assert_int_equal(run("echo begun; exec >&- 2>&-; exec sleep 20", 1, &heard, &result), 0);
	assert_true(result.timed_out);
	assert_int_equal(result.status, 128 + 9);
	assert_string_equal(heard.all, "begun|");
	assert_int_equal(run("exec >&- 2>&-; sleep 0.1; exit 3", 20, &heard, &result), 0);
	assert_false(result.timed_out);
	assert_int_equal(result.status, 3);
}

static void test_stopped(void **state)
{
	struct heard heard = { .answer = -5 };
	struct child_result result;

	(void)state;
	assert_int_equal(run("yes", 0, &heard, &result), -5);
	assert_int_equal(heard.lines, 1);
}

static void test_not_there(void **state)
{
	const char *argv[] = { "/no/such/program", NULL };
	const struct child_options options = { .argv = argv };
	struct child_result result;

	(void)state;
	assert_int_equal(child__run(&options, &result), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_arguments_are_no_shell),
		cmocka_unit_test(test_input),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_timeout_of_the_silent),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
