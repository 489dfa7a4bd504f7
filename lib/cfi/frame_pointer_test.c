// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/frame_pointer.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SIZE(array) (sizeof(array) / sizeof(*(array)))
#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/*
 * push %rbp; mov %rsp,%rbp in both encodings, at the start or behind endbr64 or a check; the rules
 * are those that GCC and the runtimes themselves write for such code.
 */
struct case_ {
	const char *what;
	bool promised;
	struct bytes code, rows;
};

#define PUSHED "\x0e\x10\x86\x02"     /* CFA = rsp + 16, rbp at CFA - 16 */
#define MOVED  "\x43\x0d\x06"         /* 3 bytes on: CFA = rbp + 16 */
#define POPPED "\x0c\x07\x08\x08\x06" /* CFA = rsp + 8, rbp as it is */

static const struct case_ cases[] = {
	{ "gcc -O0: push; mov; mov $1,%eax; pop; ret", false,
	  BYTES("\x55\x48\x89\xe5\xb8\x01\x00\x00\x00\x5d\xc3"),
	  BYTES("\x41" PUSHED MOVED "\x46" POPPED) },
	{ "CPython 3.14: endbr64; push; mov; call; pop; ret", false,
	  BYTES("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\xd1\x5d\xc3"),
	  BYTES("\x45" PUSHED MOVED "\x43" POPPED) },
	{ "other encoding of mov; leave; ret", false, BYTES("\x55\x48\x8b\xec\x90\xc9\xc3"),
	  BYTES("\x41" PUSHED MOVED "\x42" POPPED) },
	{ "V8: check; push; mov; ... without an end that is known", false,
	  BYTES("\x48\x8b\x59\xf8\xf6\x43\x35\x01\x0f\x85\xf2\x6f\xe4\x1f\x55\x48\x89\xe5\x56\xc2"),
	  BYTES("\x4f" PUSHED MOVED) },
	{ "nothing but the prologue", false, BYTES("\x55\x48\x89\xe5"),
	  BYTES("\x41" PUSHED MOVED) },
	{ "no prologue, but promised", true, BYTES("\x90\x90\xc3"), BYTES("\x0c\x06\x10\x86\x02") },
	{ "a prologue that is promised", true, BYTES("\x55\x48\x89\xe5"),
	  BYTES("\x41" PUSHED MOVED) },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++) {
		struct buf rows = { 0 };

		assert_true(
			cfi__frame_pointer_rows(cases[i].code, cases[i].promised, &x86_64, &rows));
		if (rows.size != cases[i].rows.size ||
		    memcmp(rows.data, cases[i].rows.data, rows.size) != 0)
			fail_msg("%s", cases[i].what);
		buf__free(&rows);
	}
}

/* The end is one byte further away than DW_CFA_advance_loc holds. */
static void test_long_function(void **state)
{
	uint8_t code[4 + 0x40 + 1] = { 0x55, 0x48, 0x89, 0xe5 };
	static const uint8_t expected[] = "\x41" PUSHED MOVED "\x04\x40\x00\x00\x00" POPPED;
	struct buf rows = { 0 };

	(void)state;
	code[sizeof(code) - 2] = 0x5d;
	code[sizeof(code) - 1] = 0xc3;
	assert_true(cfi__frame_pointer_rows((struct bytes){ code, sizeof(code) }, false, &x86_64,
					    &rows));
	assert_int_equal(rows.size, sizeof(expected) - 1);
	assert_memory_equal(rows.data, expected, rows.size);
	buf__free(&rows);
}

static void test_nothing_is_claimed_that_is_not_shown(void **state)
{
	static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };
	static const struct cfi_target x32 = { EM_X86_64, ELFCLASS32, ORDER_LITTLE };
	static const struct bytes plain = BYTES("\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3");
	static const struct bytes push_alone = BYTES("\x55\xff\xd1\x5d\xc3");
	static const struct bytes cut = BYTES("\x55\x48\x89");
	uint8_t late[100] = { 0 };
	struct buf rows = { 0 };

	(void)state;
	memcpy(late + 70, "\x55\x48\x89\xe5", 4);
	assert_false(cfi__frame_pointer_rows(plain, false, &x86_64, &rows));
	assert_false(cfi__frame_pointer_rows(push_alone, false, &x86_64, &rows));
	assert_false(cfi__frame_pointer_rows(cut, false, &x86_64, &rows));
	assert_false(cfi__frame_pointer_rows((struct bytes){ late, sizeof(late) }, false, &x86_64,
					     &rows));
	assert_false(cfi__frame_pointer_rows((struct bytes){ late, 0 }, false, &x86_64, &rows));
	assert_false(cfi__frame_pointer_rows(cases[0].code, true, &aarch64, &rows));
	assert_false(cfi__frame_pointer_rows(cases[0].code, true, &x32, &rows));
	assert_int_equal(rows.size, 0);
	assert_null(cfi__frame_pointer_cie(&aarch64));
	assert_null(cfi__frame_pointer_cie(&x32));
	assert_non_null(cfi__frame_pointer_cie(&x86_64));
	buf__free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_long_function),
		cmocka_unit_test(test_nothing_is_claimed_that_is_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
