// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/row.h"

#include <dwarf.h>
#include <errno.h>
#include <link.h>

#include "cfi/elf_testing.h"
#include "cfi/machine.h"

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
static const struct cfi_target aarch64 = { EM_AARCH64, ELFCLASS64, ORDER_LITTLE };

/* libdw knows no "unspecified", and puts the ABI's word in its place. */
static void compare_rule(const struct cfi_rule *ours, const struct cfi_rule *theirs)
{
	if (ours->kind == CFI_RULE_UNSPECIFIED)
		return;
	assert_int_equal(ours->kind, theirs->kind);
	if (ours->kind == CFI_RULE_OFFSET || ours->kind == CFI_RULE_VAL_OFFSET ||
	    ours->kind == CFI_RULE_REGISTER)
		assert_int_equal(ours->offset, theirs->offset);
	if (ours->kind == CFI_RULE_REGISTER)
		assert_int_equal(ours->reg, theirs->reg);
}

static void compare_with_libdw(struct object *object, const struct cfi_row *row, uint64_t pc)
{
	Dwarf_Frame *frame = NULL;
	struct cfi_row theirs;

	assert_int_equal(dwarf_cfi_addrframe(object->cfi, pc, &frame), 0);
	assert_int_equal(cfi_row__of_frame(&theirs, frame), 0);
	assert_true(theirs.addr <= pc && pc - theirs.addr < theirs.size);
	compare_rule(&row->cfa, &theirs.cfa);
	for (size_t i = 0; i < CFI_ROW_REGISTERS; i++)
		compare_rule(&row->registers[i], &theirs.registers[i]);
	free(frame);
}

static void check_round_trip(const struct cfi_entry *entry, const struct cfi_target *target,
			     const struct cfi_rows *rows)
{
	struct buf instructions = BUF(target->order);
	struct cfi_entry written = *entry;
	struct cfi_rows again = { 0 };

	assert_int_equal(cfi_rows__encode(rows->rows.items, rows->rows.count, entry->cie, target,
					  &instructions),
			 0);
	written.instructions = buf__bytes(&instructions);
	assert_int_equal(cfi_rows__of_entry(&again, &written, target, CFI_SYNTHESISED, NULL), 0);
	assert_int_equal(again.rows.count, rows->rows.count);
	for (size_t i = 0; i < rows->rows.count; i++) {
		assert_int_equal(again.rows.items[i].addr, rows->rows.items[i].addr);
		assert_int_equal(again.rows.items[i].size, rows->rows.items[i].size);
		assert_true(cfi_row__same(&again.rows.items[i], &rows->rows.items[i]));
	}
	cfi_rows__free(&again);
	buf__free(&instructions);
}

static size_t check_object(const char *path)
{
	struct object object;
	size_t checked = 0;

	open_object(&object, path);
	array__for_each(fde, &object.table.fdes) {
		struct cfi_entry entry = cfi_table__entry(&object.table, fde);
		struct cfi_rows rows = { 0 };
		uint64_t end = fde->addr;

		assert_int_equal(
			cfi_rows__of_entry(&rows, &entry, &object.target, CFI_PRODUCER, NULL), 0);
		array__for_each(row, &rows.rows) {
			assert_int_equal(row->addr, end);
			end = row->addr + row->size;
			compare_with_libdw(&object, row, row->addr);
			compare_with_libdw(&object, row, end - 1);
			checked++;
		}
		assert_int_equal(end, fde->addr + fde->size);
		check_round_trip(&entry, &object.target, &rows);
		cfi_rows__free(&rows);
	}
	close_object(&object);
	return checked;
}

static int check_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	size_t *checked = context;

	(void)size;
	if (strstr(info->dlpi_name, "/libc.") || strstr(info->dlpi_name, "/libdw"))
		*checked += check_object(info->dlpi_name);
	return 0;
}

/* The C library holds hand-written CFI too: expressions, signal frames. */
static void test_rows_are_those_of_libdw(void **state)
{
	size_t checked = 0;

	(void)state;
	assert_true(check_object("/proc/self/exe") > 20);
	dl_iterate_phdr(check_loaded, &checked);
	assert_true(checked > 10000);
}

static void evaluate(struct cfi_rows *rows, struct bytes instructions, uint64_t size,
		     const struct cfi_target *target)
{
	const struct cfi_entry entry = { &cfi_machine__of(target)->cie, instructions, 0x1000,
					 size };

	*rows = (struct cfi_rows){ 0 };
	assert_int_equal(cfi_rows__of_entry(rows, &entry, target, CFI_PRODUCER, NULL), 0);
}

/* CPython's aarch64 trampoline: stp x29, x30, [sp, #-16]!; mov x29, sp; blr x3; ldp; ret */
static void test_aarch64(void **state)
{
	struct cfi_rows rows;
	const struct cfi_row *row;

	(void)state;
	evaluate(&rows, BYTES("\x41\x2d\x41\x0e\x10\x9d\x02\x9e\x01\x43\x2d\xde\xdd\x0e\0"), 24,
		 &aarch64);
	assert_int_equal(rows.rows.count, 4);
	row = cfi_rows__find(&rows, 0x1004);
	assert_true(row && row->ra_signed && row->cfa.reg == 31 && row->cfa.offset == 0);
	row = cfi_rows__find(&rows, 0x1013);
	assert_true(row && row->ra_signed && row->cfa.offset == 16);
	assert_int_equal(row->registers[30].kind, CFI_RULE_OFFSET);
	assert_int_equal(row->registers[30].offset, -8);
	assert_int_equal(row->registers[29].offset, -16);
	row = cfi_rows__find(&rows, 0x1014);
	assert_true(row && !row->ra_signed && row->cfa.offset == 0);
	assert_int_equal(row->registers[30].kind, CFI_RULE_UNSPECIFIED);
	assert_null(cfi_rows__find(&rows, 0x1018));
	assert_null(cfi_rows__find(&rows, 0xfff));
	cfi_rows__free(&rows);
}

static void expect_problem(struct bytes instructions, const char *expected)
{
	const struct cfi_entry entry = { &cfi_machine__of(&x86_64)->cie, instructions, 0x1000, 16 };
	const char *problem = NULL;
	struct cfi_rows rows = { 0 };

	assert_int_equal(cfi_rows__of_entry(&rows, &entry, &x86_64, CFI_PRODUCER, &problem),
			 -EBADMSG);
	assert_string_equal(problem, expected);
	assert_int_equal(rows.rows.count, 0);
	cfi_rows__free(&rows);
}

static void test_says_what_is_wrong(void **state)
{
	static const struct cfi_row gap[] = { { .addr = 0, .size = 1 }, { .addr = 2, .size = 1 } };
	struct buf out = BUF(ORDER_LITTLE);

	(void)state;
	expect_problem(BYTES("\x51"), "it moves on past the end of its code");
	expect_problem(BYTES("\x41\x0b"), "a state is restored that was not remembered");
	expect_problem(BYTES("\x0e"), "the last instruction is cut off");
	expect_problem(BYTES("\x3f"), "an instruction is not known");
	expect_problem(BYTES("\x0f\x01\x30\x0e\x08"), "half of a CFA is changed that is not there");
	assert_int_equal(cfi_rows__encode(gap, 2, &cfi_machine__of(&x86_64)->cie, &x86_64, &out),
			 -EINVAL);
	buf__free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_those_of_libdw),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
