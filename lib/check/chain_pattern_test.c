// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/chain_pattern.h"

static bool matches(const char *text, const char *const *names, size_t count)
{
	struct chain_pattern pattern;
	bool result;

	assert_int_equal(chain_pattern__parse(&pattern, text), 0);
	result = chain_pattern__matches(&pattern, names, count);
	chain_pattern__free(&pattern);
	return result;
}

static const char *const chain[] = { "_start", "main", "py::outer:/a/b.py", NULL,
				     "run",    "run",  "LNest;leaf(I)J" };

#define MATCHES(text) matches(text, chain, sizeof(chain) / sizeof(*chain))

static void test_neighbours(void **state)
{
	(void)state;
	assert_true(MATCHES("main"));
	assert_true(MATCHES("_start;main"));
	assert_true(MATCHES("main;py::outer:*"));
	assert_false(MATCHES("_start;py::outer:*"));
	assert_false(MATCHES("main;_start"));
	assert_true(MATCHES("run;run"));
	assert_false(MATCHES("run;run;run"));
	assert_true(MATCHES("run;L*"));
	assert_false(MATCHES("main;*;run;L*"));
}

static void test_gaps(void **state)
{
	(void)state;
	assert_true(MATCHES("_start;...;run"));
	assert_true(MATCHES("_start;...;main"));
	assert_true(MATCHES("_start;...;main;...;run;run"));
	assert_true(MATCHES("...;main;..."));
	assert_true(MATCHES("...;...;main"));
	assert_false(MATCHES("run;...;main"));
	assert_false(MATCHES("run;...;run;...;run"));
	/* the first "run" is no neighbour of the leaf, the second is */
	assert_true(MATCHES("main;...;run;*leaf*"));
}

static void test_names(void **state)
{
	(void)state;
	assert_true(MATCHES("py::outer:/a/b.p?"));
	assert_false(MATCHES("py::outer"));
	assert_true(MATCHES("LNest\\;leaf(I)J"));
	assert_true(MATCHES("run;LNest\\;*"));
	assert_true(MATCHES("py*;\\[unknown];run"));
	assert_true(MATCHES("py*;*;run"));
	assert_false(MATCHES("Main"));
	assert_false(matches("*", NULL, 0));
}

static void test_malformed(void **state)
{
	static const char *const texts[] = { "", ";", "a;;b", "a;", ";a", "...", "...;..." };
	struct chain_pattern pattern;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(chain_pattern__parse(&pattern, texts[i]), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
