// SPDX-License-Identifier: GPL-2.0-or-later
/* What a perf is run with: here it is a shell that tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/run.h"

struct told {
	char lines[8][256];
	size_t count;
	int answer;
};

static int take_line(void *context, char *line)
{
	struct told *told = context;

	assert_true(told->count < 8);
	strncpy(told->lines[told->count++], line, 255);
	return told->answer;
}

static int tell(struct told *told, const char *home, const char *command,
		struct child_result *result)
{
	const char *const arguments[] = { "-c", command, NULL };
	const struct perf_run run = {
		.perf = "/bin/sh",
		.arguments = arguments,
		.home = home,
		.timeout = 60,
		.line = take_line,
		.context = told,
	};

	return perf__run(&run, result);
}

static void test_settings_of_nobody(void **state)
{
	struct told told = { 0 };
	struct child_result result;

	(void)state;
	setenv("PERF_BUILDID_DIR", "/somewhere", 1);
	setenv("JITDUMPDIR", "/somewhere", 1);
	setenv("DEBUGINFOD_URLS", "https://example.org", 1);
	assert_int_equal(tell(&told, NULL,
			      "echo \"$HOME\"; ls -A \"$HOME\" | wc -l; touch \"$HOME/cache\";"
			      "echo \"<$PERF_BUILDID_DIR$JITDUMPDIR$DEBUGINFOD_URLS>\";"
			      "echo $PERF_CONFIG; exit 3",
			      &result),
			 0);
	assert_int_equal(result.status, 3);
	assert_int_equal(told.count, 4);
	assert_string_not_equal(told.lines[0], getenv("HOME") ? getenv("HOME") : "");
	/* its home is gone, and what it left there */
	assert_int_equal(access(told.lines[0], F_OK), -1);
	assert_string_equal(told.lines[1], "0");
	assert_string_equal(told.lines[2], "<>");
	assert_string_equal(told.lines[3], "/dev/null");
}

static void test_home_that_is_given(void **state)
{
	struct told told = { 0 };
	struct child_result result;

	(void)state;
	assert_int_equal(tell(&told, "/given", "echo $HOME", &result), 0);
	assert_int_equal(result.status, 0);
	assert_string_equal(told.lines[0], "/given");
}

static void test_stopped(void **state)
{
	struct told told = { .answer = -7 };
	struct child_result result;

	(void)state;
	assert_int_equal(tell(&told, "/", "echo one; echo two; sleep 60", &result), -7);
	assert_int_equal(told.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings_of_nobody),
		cmocka_unit_test(test_home_that_is_given),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
