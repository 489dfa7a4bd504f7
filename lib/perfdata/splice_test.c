// SPDX-License-Identifier: GPL-2.0-or-later
/* Splices against what the same cuts and pastes do to a string. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/internal.h"
#include "perfdata/splice.h"

static void add(struct splices *splices, uint64_t offset, uint64_t removed, const char *text)
{
	splices__add(splices, SPLICE_RECORDS, offset, removed, text, strlen(text));
}

/* Writes input[begin..end) changed; the caller's to free. */
static char *apply(const struct splices *splices, const char *input, uint64_t begin, uint64_t end)
{
	struct bytes bytes = { (const uint8_t *)input, strlen(input) };
	struct perfdata_part part = { .fd = -1, .size = bytes.size };
	struct file_out out = { .fd = memfd_create("test", MFD_CLOEXEC), .path = strdup("test") };
	struct diag *diag = diag__new(NULL, NULL);
	char *text;
	off_t size;

	assert_int_equal(splices__write(splices, bytes, &part, begin, end, &out, diag), 0);
	size = lseek(out.fd, 0, SEEK_END);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(pread(out.fd, text, (size_t)size, 0), size);
	file_out__abort(&out);
	diag__free(diag);
	return text;
}

static void assert_applied(const struct splices *splices, uint64_t begin, uint64_t end,
			   const char *expected)
{
	char *text = apply(splices, "0123456789", begin, end);

	assert_string_equal(text, expected);
	free(text);
}

static void cuts_and_pastes(void **state)
{
	struct splices splices = { 0 };

	(void)state;
	splices__sort(&splices);
	assert_applied(&splices, 0, 10, "0123456789");
	add(&splices, 10, 0, "end");
	add(&splices, 5, 2, "");
	add(&splices, 3, 0, "b");
	add(&splices, 0, 0, "start");
	add(&splices, 3, 0, "c");
	splices__add(&splices, SPLICE_STRUCTURE, 3, 1, "X", 1);
	splices__add(&splices, SPLICE_RECORDS, 3, 0, "d", 1);
	splices__sort(&splices);
	assert_true(splices__are_sound(&splices, 0, 10));
	assert_applied(&splices, 0, 10, "start012bcdX4789end");
	assert_applied(&splices, 1, 9, "12bcdX478");
	splices__free(&splices);
}

static void maps_places(void **state)
{
	struct splices splices = { 0 };

	(void)state;
	add(&splices, 2, 0, "xyz");
	add(&splices, 2, 0, "w");
	add(&splices, 5, 2, "a");
	splices__sort(&splices);
	/* 01 xyzw 234 a 789 */
	assert_int_equal(splices__map_before(&splices, 0), 0);
	assert_int_equal(splices__map_before(&splices, 2), 2);
	assert_int_equal(splices__map_behind(&splices, 2), 6);
	assert_int_equal(splices__map_before(&splices, 3), 7);
	assert_int_equal(splices__map_behind(&splices, 5), 9);
	assert_int_equal(splices__map_before(&splices, 7), 10);
	assert_int_equal(splices__map_behind(&splices, 9), 12);
	splices__free(&splices);
}

static bool sound(uint64_t offset, uint64_t removed, uint64_t next)
{
	struct splices splices = { 0 };
	bool ret;

	add(&splices, offset, removed, "x");
	add(&splices, next, 0, "y");
	splices__sort(&splices);
	ret = splices__are_sound(&splices, 2, 10);
	splices__free(&splices);
	return ret;
}

static void tells_what_cannot_be(void **state)
{
	(void)state;
	assert_true(sound(2, 3, 5));
	assert_true(sound(2, 8, 10));
	assert_false(sound(1, 1, 5));
	assert_false(sound(2, 3, 4));
	assert_false(sound(2, 9, 2));
	assert_false(sound(2, UINT64_MAX, 2));
	assert_false(sound(2, 1, 11));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_and_pastes),
		cmocka_unit_test(maps_places),
		cmocka_unit_test(tells_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
