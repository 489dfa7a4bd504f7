// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_target s390 = { EM_S390, ELFCLASS64, ORDER_BIG };

#ifdef HAVE_CAPSTONE

/* Texts as objdump -M intel and objdump print them for these bytes. */
static void test_text_and_size(void **state)
{
	struct disassembler *disassembler;
	struct instruction instruction;

	(void)state;
	assert_true(disassembler__supports(&x86_64));
	assert_int_equal(disassembler__new(&disassembler, &x86_64), 0);
	assert_true(disassembler__read(disassembler, BYTES("\x48\x83\xec\x08\x90"), 0x1000,
				       &instruction));
	assert_int_equal(instruction.size, 4);
	assert_int_equal(instruction.addr, 0x1000);
	assert_string_equal(instruction.text, "sub rsp, 8");
	assert_true(disassembler__read(disassembler, BYTES("\xc3"), 0x1000, &instruction));
	assert_string_equal(instruction.text, "ret");
	assert_false(disassembler__read(disassembler, BYTES("\x48\x83"), 0x1000, &instruction));
	assert_false(disassembler__read(disassembler, (struct bytes){ 0 }, 0, &instruction));
	disassembler__free(disassembler);

	assert_int_equal(disassembler__new(&disassembler, &aarch64), 0);
	assert_true(disassembler__read(disassembler, BYTES("\xfd\x7b\xbf\xa9"), 0, &instruction));
	assert_string_equal(instruction.text, "stp x29, x30, [sp, #-0x10]!");
	disassembler__free(disassembler);
}

#else

static void test_build_without_says_so(void **state)
{
	struct disassembler *disassembler;

	(void)state;
	assert_false(disassembler__supports(&x86_64));
	assert_int_equal(disassembler__new(&disassembler, &aarch64), -ENOTSUP);
}

#endif

static void test_other_machines(void **state)
{
	struct disassembler *disassembler;

	(void)state;
	assert_false(disassembler__supports(&s390));
	assert_int_equal(disassembler__new(&disassembler, &s390), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_CAPSTONE
		cmocka_unit_test(test_text_and_size),
#else
		cmocka_unit_test(test_build_without_says_so),
#endif
		cmocka_unit_test(test_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
