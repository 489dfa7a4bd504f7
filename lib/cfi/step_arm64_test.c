// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of aarch64, by Arm's manual and the ABI (at entry CFA = sp); bytes of GNU as. */
#include "cfi/step_testing.h"

#define X19 19
#define SP  31

static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };

static const struct place places[] = {
	{ "movz x9, #16; movk x9, #0, lsl #16; sub sp, sp, x9",
	  BYTES("\x09\x02\x80\xd2\x09\0\xa0\xf2\xff\x63\x29\xcb\xff\x63\x29\x8b\xc0\x03\x5f\xd6"),
	  12, SP, 16, X19, IN_PLACE },
	{ "add sp, sp, x9",
	  BYTES("\x09\x02\x80\xd2\x09\0\xa0\xf2\xff\x63\x29\xcb\xff\x63\x29\x8b\xc0\x03\x5f\xd6"),
	  16, SP, 0, X19, IN_PLACE },
	{ "movk x19, #1", BYTES("\x33\0\x80\xf2\xc0\x03\x5f\xd6"), 4, SP, 0, X19, LOST },
	{ "cbz x0, .+8; ret; brk", BYTES("\x40\0\0\xb4\xc0\x03\x5f\xd6\0\0\x20\xd4"), 8, SP, 0, X19,
	  IN_PLACE },
	{ "ldr x19, .", BYTES("\x13\0\0\x58\xc0\x03\x5f\xd6"), 4, SP, 0, X19, LOST },
	{ "str x19, [sp, #-16]!", BYTES("\xf3\x0f\x1f\xf8\xe1\x07\x81\xb8\xc0\x03\x5f\xd6"), 4, SP,
	  16, X19, AT(-16) },
	{ "ldrsw x1, [sp], #16", BYTES("\xf3\x0f\x1f\xf8\xe1\x07\x81\xb8\xc0\x03\x5f\xd6"), 8, SP,
	  0, X19, IN_PLACE },
	{ "ldrb w1, [sp, #-16]!", BYTES("\xe1\x0f\x5f\x38\xff\x43\0\x91\xc0\x03\x5f\xd6"), 4, SP,
	  16, X19, IN_PLACE },
	{ "subs x19, x19, #1", BYTES("\x73\x06\0\xf1\xc0\x03\x5f\xd6"), 4, SP, 0, X19, LOST },
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		check_place(&places[i], &aarch64);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_instructions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
