// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/leb128.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct case_ {
	uint8_t size;
	uint8_t bytes[12];
	uint64_t value;
};

/* The first ones are the examples of DWARF 4, figures 22 and 23. */
static const struct case_ unsigned_cases[] = {
	{ 1, { 2 }, 2 },
	{ 1, { 127 }, 127 },
	{ 2, { 0x80, 1 }, 128 },
	{ 2, { 0x81, 1 }, 129 },
	{ 2, { 0xb9, 0x64 }, 12857 },
	{ 10, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, UINT64_MAX },
};

static const struct case_ signed_cases[] = {
	{ 1, { 2 }, 2 },
	{ 1, { 0x7e }, (uint64_t)-2 },
	{ 2, { 0xff, 0 }, 127 },
	{ 2, { 0x81, 0x7f }, (uint64_t)-127 },
	{ 2, { 0x80, 1 }, 128 },
	{ 2, { 0x80, 0x7f }, (uint64_t)-128 },
	{ 1, { 0x40 }, (uint64_t)-64 },
	{ 2, { 0xbf, 0x7f }, (uint64_t)-65 },
	{ 1, { 0x3f }, 63 },
	{ 2, { 0xc0, 0 }, 64 },
	{ 10, { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f }, (uint64_t)INT64_MIN },
	{ 10, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0 }, INT64_MAX },
};

#define SIZE(array) (sizeof(array) / sizeof(*(array)))

static void test_reads_and_measures(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(unsigned_cases) + SIZE(signed_cases); i++) {
		bool is_signed = i >= SIZE(unsigned_cases);
		const struct case_ *c =
			is_signed ? &signed_cases[i - SIZE(unsigned_cases)] : &unsigned_cases[i];
		struct cursor cur = cursor__at((struct bytes){ c->bytes, c->size }, ORDER_LITTLE);
		uint64_t value =
			is_signed ? (uint64_t)cursor__sleb128(&cur) : cursor__uleb128(&cur);

		assert_int_equal(value, c->value);
		assert_int_equal(cursor__left(&cur), 0);
		assert_false(cur.overrun);
		assert_int_equal(is_signed ? sleb128__size((int64_t)value) : uleb128__size(value),
				 c->size);
		cur = cursor__at((struct bytes){ c->bytes, c->size - 1u }, ORDER_LITTLE);
		assert_int_equal(
			is_signed ? (uint64_t)cursor__sleb128(&cur) : cursor__uleb128(&cur), 0);
		assert_true(cur.overrun);
	}
}

static void test_padding_is_passed_by(void **state)
{
	static const uint8_t padded[] = { 0x85, 0x80, 0x80, 0x80, 0x80, 0x80,
					  0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	struct cursor cur = cursor__at((struct bytes){ padded, sizeof(padded) }, ORDER_LITTLE);

	(void)state;
	assert_int_equal(cursor__uleb128(&cur), 5);
	assert_false(cur.overrun);
	assert_int_equal(cursor__left(&cur), 0);
}

static void test_more_than_64_bits_are_refused(void **state)
{
	static const uint8_t wide[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					0x80, 0x80, 0x80, 0x02, 0x00 };
	struct cursor cur = cursor__at((struct bytes){ wide, sizeof(wide) }, ORDER_LITTLE);

	(void)state;
	assert_int_equal(cursor__uleb128(&cur), 0);
	assert_true(cur.overrun);
	cur = cursor__at((struct bytes){ wide, sizeof(wide) }, ORDER_LITTLE);
	assert_int_equal(cursor__sleb128(&cur), 0);
	assert_true(cur.overrun);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_and_measures),
		cmocka_unit_test(test_padding_is_passed_by),
		cmocka_unit_test(test_more_than_64_bits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
