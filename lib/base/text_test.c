// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"

static void expect(const char *text, const char *printable)
{
	struct buf buf = BUF(ORDER_HOST);
	char out[256];

	assert_string_equal(text__printable(out, sizeof(out), text), printable);
	buf__put_u8(&buf, '#');
	text__put_printable(&buf, text);
	assert_int_equal(buf.size, 1 + strlen(printable));
	assert_memory_equal(buf.data + 1, printable, strlen(printable));
	buf__free(&buf);
	assert_true(text__is_printable_of(printable, text));
}

static void what_is_another_text_is_not_its_form(void **state)
{
	(void)state;
	assert_false(text__is_printable_of("a", "ab"));
	assert_false(text__is_printable_of("ab", "a"));
	assert_false(text__is_printable_of("a\nb", "a\nb"));
	assert_false(text__is_printable_of("a\\x0b", "a\n"));
	assert_false(text__is_printable_of("a\\x0", "a\n"));
	assert_false(text__is_printable_of("\\xc2\\xa0", "\xc2\xa0"));
	assert_false(text__is_printable_of("", "\033"));
}

static void plain_text_and_utf8_stay(void **state)
{
	(void)state;
	expect("", "");
	expect("py::leaf:/tmp/a b.py ~", "py::leaf:/tmp/a b.py ~");
	expect("Größe.método", "Größe.método");
	expect("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
	expect("\xef\xbf\xbf\xf4\x8f\xbf\xbf", "\xef\xbf\xbf\xf4\x8f\xbf\xbf");
}

static void control_characters_are_escaped(void **state)
{
	(void)state;
	expect("a\nb\tc\033[0m\x7f", "a\\x0ab\\x09c\\x1b[0m\\x7f");
	/* U+009B, the one-character CSI, and U+0085 */
	expect("\xc2\x9b\xc2\x85\xc2\xa0", "\\xc2\\x9b\\xc2\\x85\xc2\xa0");
}

/* A name must not change how what stands beside it reads; writing from right to left itself may be. */
static void what_turns_or_breaks_lines_is_escaped(void **state)
{
	(void)state;
	expect("a\u202egpj\u202c", "a\\xe2\\x80\\xaegpj\\xe2\\x80\\xac");
	expect("\u2066a\u2069", "\\xe2\\x81\\xa6a\\xe2\\x81\\xa9");
	expect("\u2028\u2029", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
	expect("שלום\u2027\u202f\u2065\u206a", "שלום\u2027\u202f\u2065\u206a");
}

/* The malformed sequences of Unicode 15, table 3-8, and its kin. */
static void what_is_not_utf8_is_escaped(void **state)
{
	(void)state;
	expect("\xff\x80", "\\xff\\x80");
	expect("\xc0\xaf\xc1\x81", "\\xc0\\xaf\\xc1\\x81"); /* overlong, 2 bytes */
	expect("\xe0\x80\xaf", "\\xe0\\x80\\xaf");          /* overlong, 3 bytes */
	expect("\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"); /* overlong, 4 bytes */
	expect("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
	expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
	expect("\xe2\x82", "\\xe2\\x82");                   /* cut at the end */
	expect("\xe2\x82z", "\\xe2\\x82z");                 /* cut by another */
}

static void a_text_that_does_not_fit_ends_in_dots(void **state)
{
	char out[8];

	(void)state;
	assert_string_equal(text__printable(out, sizeof(out), "1234567"), "1234567");
	assert_string_equal(text__printable(out, sizeof(out), "12345678"), "1234...");
	/* nothing is cut in half */
	assert_string_equal(text__printable(out, sizeof(out),
					    "123\xe2\x82\xac"
					    "456"),
			    "123...");
	assert_string_equal(text__printable(out, sizeof(out), "123\n456"), "123...");
}

static void small_buffers_are_respected(void **state)
{
	char out[5];

	(void)state;
	for (size_t size = 0; size < sizeof(out); size++) {
		memset(out, '#', sizeof(out));
		text__printable(out, size, "a longer text");
		for (size_t i = size; i < sizeof(out); i++)
			assert_int_equal(out[i], '#');
		if (size)
			assert_non_null(memchr(out, 0, size));
	}
}

static void expect_quoted(const char *path, const char *expected)
{
	char *quoted = text__quoted(path);

	assert_non_null(quoted);
	assert_string_equal(quoted, expected);
	free(quoted);
}

/* As POSIX says of single quotes, and bash, ksh and zsh of $'...' */
static void paths_are_words_of_a_shell(void **state)
{
	(void)state;
	expect_quoted("/tmp/perf-1.2_a@b%c+d=e:f,g", "/tmp/perf-1.2_a@b%c+d=e:f,g");
	expect_quoted("", "''");
	expect_quoted("my case/perf.data", "'my case/perf.data'");
	expect_quoted("~/$HOME;*", "'~/$HOME;*'");
	expect_quoted("it's", "'it'\\''s'");
	expect_quoted("a\nb'c\\d", "$'a\\x0ab\\'c\\\\d'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_words_of_a_shell),
		cmocka_unit_test(plain_text_and_utf8_stay),
		cmocka_unit_test(control_characters_are_escaped),
		cmocka_unit_test(what_turns_or_breaks_lines_is_escaped),
		cmocka_unit_test(what_is_not_utf8_is_escaped),
		cmocka_unit_test(a_text_that_does_not_fit_ends_in_dots),
		cmocka_unit_test(small_buffers_are_respected),
		cmocka_unit_test(what_is_another_text_is_not_its_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
