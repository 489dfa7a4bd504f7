// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bytes.h"

/* One byte off, so that a read that needs alignment is noticed by the sanitizers. */
static const uint8_t numbers[] = { 0xee, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08 };

static void reads_both_orders_unaligned(void **state)
{
	const uint8_t *p = numbers + 1;

	(void)state;
	assert_int_equal(get_u16(p, ORDER_LITTLE), 0x0201);
	assert_int_equal(get_u16(p, ORDER_BIG), 0x0102);
	assert_int_equal(get_u32(p, ORDER_LITTLE), 0x04030201);
	assert_int_equal(get_u32(p, ORDER_BIG), 0x01020304);
	assert_true(get_u64(p, ORDER_LITTLE) == 0x0807060504030201);
	assert_true(get_u64(p, ORDER_BIG) == 0x0102030405060708);
	assert_int_equal(byte_order__other(ORDER_LITTLE), ORDER_BIG);
	assert_int_equal(byte_order__other(ORDER_BIG), ORDER_LITTLE);
}

static void writes_both_orders_unaligned(void **state)
{
	uint8_t out[1 + 14] = { 0 };

	(void)state;
	set_u16(out + 1, 0x0201, ORDER_LITTLE);
	set_u32(out + 3, 0x03040506, ORDER_BIG);
	set_u64(out + 7, 0x0807060504030201, ORDER_LITTLE);
	assert_memory_equal(out, "\0\x01\x02\x03\x04\x05\x06\x01\x02\x03\x04\x05\x06\x07\x08", 15);
}

static void cursor_reads_to_the_last_byte(void **state)
{
	struct cursor cur = cursor__at((struct bytes){ numbers, sizeof(numbers) }, ORDER_BIG);

	(void)state;
	assert_int_equal(cursor__u8(&cur), 0xee);
	assert_int_equal(cursor__u16(&cur), 0x0102);
	assert_int_equal(cursor__u32(&cur), 0x03040506);
	assert_int_equal(cursor__left(&cur), 2);
	assert_int_equal(cursor__u16(&cur), 0x0708);
	assert_int_equal(cursor__left(&cur), 0);
	assert_false(cur.overrun);
	assert_non_null(cursor__take(&cur, 0));
	assert_false(cur.overrun);
}

static void cursor_overrun_gives_zero_and_stays(void **state)
{
	struct cursor cur = cursor__at((struct bytes){ numbers, 5 }, ORDER_LITTLE);

	(void)state;
	assert_true(cursor__u64(&cur) == 0);
	assert_true(cur.overrun);
	assert_int_equal(cursor__u8(&cur), 0);
	assert_null(cursor__take(&cur, 1));
	assert_null(cursor__take(&cur, SIZE_MAX));
	assert_true(cur.overrun);
	assert_int_equal(cursor__left(&cur), 0);
}

static void cursor_takes_strings(void **state)
{
	static const char text[] = "one\0\0open";
	/* The last NUL is left out: "open" has no end. */
	struct cursor cur = cursor__at((struct bytes){ (const uint8_t *)text, 9 }, ORDER_HOST);

	(void)state;
	assert_string_equal(cursor__string(&cur), "one");
	assert_string_equal(cursor__string(&cur), "");
	assert_false(cur.overrun);
	assert_null(cursor__string(&cur));
	assert_true(cur.overrun);
	assert_int_equal(cursor__left(&cur), 0);
}

static void aligns_up(void **state)
{
	(void)state;
	assert_int_equal(align_up(0, 8), 0);
	assert_int_equal(align_up(1, 8), 8);
	assert_int_equal(align_up(8, 8), 8);
	assert_int_equal(align_up(9, 1), 9);
	assert_true(align_up(0xffffffff00000001, 0x1000) == 0xffffffff00001000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_orders_unaligned),
		cmocka_unit_test(writes_both_orders_unaligned),
		cmocka_unit_test(cursor_reads_to_the_last_byte),
		cmocka_unit_test(cursor_overrun_gives_zero_and_stays),
		cmocka_unit_test(cursor_takes_strings),
		cmocka_unit_test(aligns_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
