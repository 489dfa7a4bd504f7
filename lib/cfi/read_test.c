// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/cfi.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/diag.h"

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/* What CPython 3.13.5 writes for an 11-byte trampoline; it assumes the table 48 bytes behind. */
static const uint8_t cpython[] = {
	0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00, 0x01, 0x78, 0x10, 0x01,
	0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00,
	0xd0, 0xff, 0xff, 0xff, 0x0b, 0x00, 0x00, 0x00, 0x00, 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00,
};

static void test_reads_cpython(void **state)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct cfi_table table;

	(void)state;
	assert_int_equal(cfi_table__read(&table, (struct bytes){ cpython, sizeof(cpython) }, 0x7010,
					 &x86_64, "jit.dump", 0, diag),
			 0);
	assert_int_equal(table.cies.count, 1);
	assert_int_equal(table.cies.items[0].code_align, 1);
	assert_int_equal(table.cies.items[0].data_align, -8);
	assert_int_equal(table.cies.items[0].ra_register, 16);
	assert_memory_equal(table.cies.items[0].instructions.data, "\x0c\x07\x08\x90\x01", 5);
	assert_int_equal(table.cies.items[0].instructions.size, 5);
	assert_int_equal(table.fdes.count, 1);
	assert_int_equal(table.fdes.items[0].addr, 0x7000);
	assert_int_equal(table.fdes.items[0].size, 11);
	assert_int_equal(table.fdes.items[0].offset, 0x18);
	/* The DW_CFA_nop at the end is padding; the 8 before it is an operand. */
	assert_memory_equal(table.fdes.items[0].instructions.data, "\x44\x0e\x10\x46\x0e\x08", 6);
	assert_int_equal(table.fdes.items[0].instructions.size, 6);
	assert_ptr_equal(cfi_table__find(&table, 0x700a), &table.fdes.items[0]);
	assert_null(cfi_table__find(&table, 0x700b));
	assert_null(cfi_table__find(&table, 0x6fff));
	assert_int_equal(diag__count(diag, DIAG_WARNING), 0);
	cfi_table__free(&table);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_cpython),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
