// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"

static void expect_bytes(const struct buf *buf, const char *bytes, size_t size)
{
	assert_false(buf->failed);
	assert_int_equal(buf->size, size);
	assert_memory_equal(buf->data, bytes, size);
}

static void puts_numbers_in_both_orders(void **state)
{
	struct buf little = BUF(ORDER_LITTLE), big = BUF(ORDER_BIG);
	struct buf *const bufs[] = { &little, &big };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		buf__put_u8(bufs[i], 0x01);
		buf__put_u16(bufs[i], 0x0203);
		buf__put_u32(bufs[i], 0x04050607);
		buf__put_u64(bufs[i], 0x08090a0b0c0d0e0f);
	}
	expect_bytes(&little, "\x01\x03\x02\x07\x06\x05\x04\x0f\x0e\x0d\x0c\x0b\x0a\x09\x08", 15);
	expect_bytes(&big, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 15);
	buf__free(&little);
	buf__free(&big);
}

/* The examples of DWARF 4, figures 22 and 23, and the ends of the range. */
static void puts_leb128_as_in_the_dwarf_specification(void **state)
{
	static const struct {
		uint64_t value;
		const char *bytes;
		size_t size;
	} unsigned_cases[] = {
		{ 0, "\0", 1 },
		{ 2, "\x02", 1 },
		{ 127, "\x7f", 1 },
		{ 128, "\x80\x01", 2 },
		{ 129, "\x81\x01", 2 },
		{ 12857, "\xb9\x64", 2 },
		{ UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10 },
	};
	static const struct {
		int64_t value;
		const char *bytes;
		size_t size;
	} signed_cases[] = {
		{ 0, "\0", 1 },
		{ 2, "\x02", 1 },
		{ -2, "\x7e", 1 },
		{ 127, "\xff\0", 2 },
		{ -127, "\x81\x7f", 2 },
		{ 128, "\x80\x01", 2 },
		{ -128, "\x80\x7f", 2 },
		{ 129, "\x81\x01", 2 },
		{ -129, "\xff\x7e", 2 },
		{ INT64_MIN, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10 },
		{ INT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\0", 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(unsigned_cases) / sizeof(*unsigned_cases); i++) {
		struct buf buf = BUF(ORDER_LITTLE);

		buf__put_uleb128(&buf, unsigned_cases[i].value);
		expect_bytes(&buf, unsigned_cases[i].bytes, unsigned_cases[i].size);
		buf__free(&buf);
	}
	for (size_t i = 0; i < sizeof(signed_cases) / sizeof(*signed_cases); i++) {
		struct buf buf = BUF(ORDER_LITTLE);

		buf__put_sleb128(&buf, signed_cases[i].value);
		expect_bytes(&buf, signed_cases[i].bytes, signed_cases[i].size);
		buf__free(&buf);
	}
}

static void puts_strings_zeros_and_alignment(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);

	(void)state;
	buf__align(&buf, 8);
	assert_int_equal(buf.size, 0);
	buf__put_string(&buf, "ab");
	buf__align(&buf, 8);
	buf__put(&buf, "xyz", 3);
	buf__put(&buf, NULL, 0);
	buf__put_zeros(&buf, 2);
	expect_bytes(&buf, "ab\0\0\0\0\0\0xyz\0\0", 13);
	buf__align(&buf, 1);
	assert_int_equal(buf__bytes(&buf).size, 13);
	assert_ptr_equal(buf__bytes(&buf).data, buf.data);
	buf__free(&buf);
	assert_int_equal(buf.size, 0);
	assert_null(buf.data);
}

static void failure_stays_and_later_puts_do_nothing(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);

	(void)state;
	buf__put_u8(&buf, 1);
	assert_null(buf__extend(&buf, SIZE_MAX));
	assert_true(buf.failed);
	buf__put_u64(&buf, 2);
	buf__put_string(&buf, "more");
	buf__put_zeros(&buf, 3);
	assert_true(buf.failed);
	assert_int_equal(buf.size, 1);
	buf__free(&buf);
	assert_false(buf.failed);
}

static void free_keeps_the_order(void **state)
{
	struct buf buf = BUF(ORDER_BIG);

	(void)state;
	buf__put_u16(&buf, 1);
	buf__free(&buf);
	buf__put_u16(&buf, 0x1234);
	expect_bytes(&buf, "\x12\x34", 2);
	buf__free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_numbers_in_both_orders),
		cmocka_unit_test(puts_leb128_as_in_the_dwarf_specification),
		cmocka_unit_test(puts_strings_zeros_and_alignment),
		cmocka_unit_test(failure_stays_and_later_puts_do_nothing),
		cmocka_unit_test(free_keeps_the_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
