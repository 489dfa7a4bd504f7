// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/pointer.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FIELD 0x10000

struct case_ {
	uint8_t encoding;
	uint8_t class;
	enum byte_order order;
	uint8_t size; /* bytes it takes */
	uint8_t bytes[12];
	uint64_t value;
};

/* Encoding numbers are written out as in LSB 5.0, tables 10-3 and 10-4. */
static const struct case_ cases[] = {
	{ 0x00, ELFCLASS64, ORDER_LITTLE, 8, { 1, 2, 3, 4, 5, 6, 7, 8 }, 0x0807060504030201 },
	{ 0x00, ELFCLASS64, ORDER_BIG, 8, { 1, 2, 3, 4, 5, 6, 7, 8 }, 0x0102030405060708 },
	{ 0x00, ELFCLASS32, ORDER_LITTLE, 4, { 1, 2, 3, 0x84 }, 0x84030201 },
	{ 0x00, ELFCLASS32, ORDER_BIG, 4, { 0x81, 2, 3, 4 }, 0x81020304 },
	{ 0x08, ELFCLASS32, ORDER_BIG, 4, { 0x81, 2, 3, 4 }, 0x81020304 },
	{ 0x01, ELFCLASS64, ORDER_LITTLE, 3, { 0xe5, 0x8e, 0x26 }, 624485 },
	{ 0x09, ELFCLASS64, ORDER_LITTLE, 3, { 0xc0, 0xbb, 0x78 }, (uint64_t)-123456 },
	{ 0x02, ELFCLASS64, ORDER_LITTLE, 2, { 0xfe, 0xff }, 0xfffe },
	{ 0x0a, ELFCLASS64, ORDER_LITTLE, 2, { 0xfe, 0xff }, (uint64_t)-2 },
	{ 0x0a, ELFCLASS64, ORDER_BIG, 2, { 0xff, 0xfe }, (uint64_t)-2 },
	{ 0x03, ELFCLASS64, ORDER_LITTLE, 4, { 0xfe, 0xff, 0xff, 0xff }, 0xfffffffe },
	{ 0x0b, ELFCLASS64, ORDER_LITTLE, 4, { 0xfe, 0xff, 0xff, 0xff }, (uint64_t)-2 },
	{ 0x0b, ELFCLASS64, ORDER_BIG, 4, { 0xff, 0xff, 0xff, 0xfe }, (uint64_t)-2 },
	{ 0x0b, ELFCLASS32, ORDER_LITTLE, 4, { 0xfe, 0xff, 0xff, 0xff }, 0xfffffffe },
	{ 0x04, ELFCLASS64, ORDER_BIG, 8, { 0x80, 0, 0, 0, 0, 0, 0, 1 }, 0x8000000000000001 },
	{ 0x0c, ELFCLASS64, ORDER_LITTLE, 8, { 1, 0, 0, 0, 0, 0, 0, 0x80 }, 0x8000000000000001 },
	{ 0x10,
	  ELFCLASS64,
	  ORDER_LITTLE,
	  8,
	  { 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	  FIELD - 16 },
	{ 0x1b, ELFCLASS64, ORDER_LITTLE, 4, { 0xd0, 0xff, 0xff, 0xff }, FIELD - 48 },
	{ 0x1b, ELFCLASS64, ORDER_BIG, 4, { 0, 0, 1, 0 }, FIELD + 256 },
	{ 0x1b, ELFCLASS32, ORDER_LITTLE, 4, { 0, 0, 0xfe, 0xff }, 0xffff0000 },
	{ 0x1a, ELFCLASS64, ORDER_LITTLE, 2, { 0x00, 0x80 }, FIELD - 0x8000 },
	{ 0x12, ELFCLASS64, ORDER_LITTLE, 2, { 0x00, 0x80 }, FIELD + 0x8000 },
	{ 0x1c, ELFCLASS64, ORDER_LITTLE, 8, { 0, 0, 0, 0, 1 }, FIELD + 0x100000000 },
	{ 0x11, ELFCLASS64, ORDER_LITTLE, 2, { 0x80, 0x01 }, FIELD + 128 },
	{ 0x19, ELFCLASS64, ORDER_LITTLE, 1, { 0x7f }, FIELD - 1 },
};

static void test_reads_each_encoding(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct case_ *c = &cases[i];
		struct cfi_target target = { EM_NONE, c->class, c->order };
		struct cursor cur = cursor__at((struct bytes){ c->bytes, c->size }, c->order);

		assert_true(cfi_pointer__usable(c->encoding));
		assert_int_equal(cfi_pointer__read(&cur, c->encoding, &target, FIELD), c->value);
		assert_int_equal(cursor__left(&cur), 0);
		assert_false(cur.overrun);
		/* One byte less is too few. */
		cur = cursor__at((struct bytes){ c->bytes, c->size - 1u }, c->order);
		cfi_pointer__read(&cur, c->encoding, &target, FIELD);
		assert_true(cur.overrun);
	}
}

static void test_refuses_what_needs_more_than_the_section(void **state)
{
	static const uint8_t unusable[] = {
		0x05, 0x06, 0x07, 0x0d, 0x0e, 0x0f,       /* no such format */
		0x20, 0x2b, 0x30, 0x3b, 0x40, 0x4b, 0x50, /* bases the section does not tell */
		0x60, 0x6b, 0x70, 0x7b,                   /* no such base */
		0x80, 0x9b, 0xff,                         /* indirect, none */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(unusable); i++)
		assert_false(cfi_pointer__usable(unusable[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_each_encoding),
		cmocka_unit_test(test_refuses_what_needs_more_than_the_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
