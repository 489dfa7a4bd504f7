// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines as perf 5.10, 6.1, 6.12, 7.2 and 7.3 print them, and such as none should. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/script.h"

struct seen {
	struct names names;
	char text[4096];
	int answer;
};

static const char *text_of(const struct seen *seen, uint32_t number)
{
	return number ? names__text(&seen->names, number) : "-";
}

/* "pid/tid time: symbol+offset@dso ...\n" */
static int visit(void *context, const struct script_sample *sample)
{
	struct seen *seen = context;
	char *text = seen->text;
	size_t size = sizeof(seen->text);

	snprintf(text + strlen(text), size - strlen(text), "%u/%u %llu:", sample->pid, sample->tid,
		 (unsigned long long)sample->time);
	array__for_each(frame, &sample->frames)
		snprintf(text + strlen(text), size - strlen(text), " %s+%llx@%s",
			 text_of(seen, frame->symbol), (unsigned long long)frame->offset,
			 text_of(seen, frame->dso));
	snprintf(text + strlen(text), size - strlen(text), "\n");
	return seen->answer;
}

static int read_lines(struct seen *seen, const char *lines)
{
	struct perf_script script = { .names = &seen->names, .visit = visit, .context = seen };
	char *copy = strdup(lines), *rest = copy, *line;
	int err = 0;

	assert_non_null(copy);
	while (!err && (line = strsep(&rest, "\n")))
		err = perf_script__line(&script, line);
	if (!err)
		err = perf_script__end(&script);
	perf_script__free(&script);
	free(copy);
	return err;
}

static void expect(const char *lines, const char *samples)
{
	struct seen seen = { 0 };

	assert_int_equal(read_lines(&seen, lines), 0);
	assert_string_equal(seen.text, samples);
	names__free(&seen.names);
}

static void test_chains(void **state)
{
	(void)state;
	/* perf 6.1: a chain that ends in all-ones, kernel frames before the user's */
	expect("27127/27127  2056.956487096: \n"
	       "\tffffffff81af67fd do_idle+0x1 ([kernel.kallsyms])\n"
	       "\t           ee8a main+0x2a (/usr/bin/dash)\n"
	       "\t          1514f [unknown] (/usr/bin/dash)\n"
	       "\tffffffffffffffff [unknown] ([unknown])\n"
	       "\n",
	       "27127/27127 2056956487096: main+2a@/usr/bin/dash -+0@/usr/bin/dash\n");
	/* perf 7.3: other spaces; no line between samples, none at the end */
	expect("  7/8    1.000000001: \n\t    564f61ed2e8a a+0x0 (/a)\n"
	       "  7/9    1.000000002: \n\t    564f61ed2e8b b+0x1 (/b)",
	       "7/8 1000000001: a+0@/a\n7/9 1000000002: b+1@/b\n");
	/* a sample whose chain is empty */
	expect("7/8  1.000000001: \n\n", "7/8 1000000001:\n");
	/* swapper in perf 6.1, and threads that are gone */
	expect("-1/-1  1.000000001: \n\t  10 a+0x0 (/a)\n", "4294967295/4294967295 1000000001: "
							    "a+0@/a\n");
}

static void test_without_chains(void **state)
{
	(void)state;
	expect("26147/26148  2977.610600429:      7fa8f69f9e2a do_lookup_x+0xca (/lib/ld.so)\n"
	       "26147/26148  2977.610600430:  ffffffff81af67fd [unknown] ([kernel.kallsyms])\n",
	       "26147/26148 2977610600429: do_lookup_x+ca@/lib/ld.so\n"
	       "26147/26148 2977610600430:\n");
}

static void test_odd_names(void **state)
{
	(void)state;
	expect("1/1 1.000000001:\n"
	       "\t 10 py::<module>:/a b.py+0x3 (/tmp/a (deleted))\n"
	       "\t 11 I2C/C2I adapters(0xbb)+0x10 (/j.so)\n"
	       "\t 12 operator+0x (weird)+0xa (/w.so)\n"
	       "\t 13 [unknown] ([unknown])\n"
	       "\t 14 LNest;leaf(I)J+0xff (/dir with (brackets)/j.so)\n",
	       "1/1 1000000001: py::<module>:/a b.py+3@/tmp/a (deleted) "
	       "I2C/C2I adapters(0xbb)+10@/j.so operator+0x (weird)+a@/w.so -+0@[unknown] "
	       "LNest;leaf(I)J+ff@/dir with (brackets)/j.so\n");
}

static void test_what_is_no_sample(void **state)
{
	(void)state;
	expect("No kallsyms or vmlinux with build-id 48dc was found\n"
	       "\t 10 a+0x0 (/a)\n"
	       "1/1 1.5:\n"
	       "1/1 1.000000001\n"
	       "x/y 1.000000001: \n"
	       "1/2  1.000000001: \n"
	       "\t nothing\n"
	       "\t 10\n"
	       "\t 10 \n"
	       "\t 10 (\n"
	       "\t 10 a+0x\n",
	       "1/2 1000000001: -+0@- -+0@- -+0@-\n");
	expect("", "");
}

static void test_stops(void **state)
{
	struct seen seen = { .answer = -7 };

	(void)state;
	assert_int_equal(read_lines(&seen, "1/1 1.000000001:\n\n2/2 1.000000002:\n\n"), -7);
	assert_string_equal(seen.text, "1/1 1000000001:\n");
	names__free(&seen.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),    cmocka_unit_test(test_without_chains),
		cmocka_unit_test(test_odd_names), cmocka_unit_test(test_what_is_no_sample),
		cmocka_unit_test(test_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
