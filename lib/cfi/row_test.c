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

static void evaluate(struct cfi_rows *rows, struct bytes bytes, uint64_t size,
		     const struct cfi_target *target)
{
	const struct cfi_entry entry = { &cfi_machine__of(target)->cie, bytes, 0x1000, size };

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

/* One instruction, and the rule it makes, after DWARF 5, section 6.4.2; data's factor is -8. */
struct instruction {
	struct bytes bytes;
	bool of_cfa; /* else of rbx */
	struct cfi_rule rule;
};

static const struct instruction instructions[] = {
	{ { (const uint8_t *)"\x12\x03\x7e", 3 }, /* DW_CFA_def_cfa_sf */
	  true,
	  { .kind = CFI_RULE_REGISTER, .reg = 3, .offset = 16 } },
	{ { (const uint8_t *)"\x13\x7d", 2 }, /* DW_CFA_def_cfa_offset_sf */
	  true,
	  { .kind = CFI_RULE_REGISTER, .reg = 7, .offset = 24 } },
	{ { (const uint8_t *)"\x08\x03", 2 }, /* DW_CFA_same_value */
	  false,
	  { .kind = CFI_RULE_SAME } },
	{ { (const uint8_t *)"\x14\x03\x02", 3 }, /* DW_CFA_val_offset */
	  false,
	  { .kind = CFI_RULE_VAL_OFFSET, .offset = -16 } },
	{ { (const uint8_t *)"\x15\x03\x7e", 3 }, /* DW_CFA_val_offset_sf */
	  false,
	  { .kind = CFI_RULE_VAL_OFFSET, .offset = 16 } },
	{ { (const uint8_t *)"\x2f\x03\x02", 3 }, /* DW_CFA_GNU_negative_offset_extended */
	  false,
	  { .kind = CFI_RULE_OFFSET, .offset = 16 } },
	{ { (const uint8_t *)"\x16\x03\x02\x77\x08", 5 }, /* DW_CFA_val_expression */
	  false,
	  { .kind = CFI_RULE_VAL_EXPRESSION, .expression = { (const uint8_t *)"\x77\x08", 2 } } },
};

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++) {
		const struct instruction *instruction = &instructions[i];
		const struct cfi_entry entry = { &cfi_machine__of(&x86_64)->cie, instruction->bytes,
						 0x1000, 16 };
		const struct cfi_row *row;
		struct cfi_rows rows;

		evaluate(&rows, instruction->bytes, 16, &x86_64);
		assert_int_equal(rows.rows.count, 1);
		row = &rows.rows.items[0];
		if (!cfi_rule__same(instruction->of_cfa ? &row->cfa : &row->registers[3],
				    &instruction->rule))
			fail_msg("instruction %zu", i);
		check_round_trip(&entry, &x86_64, &rows);
		cfi_rows__free(&rows);
	}
}

/* Steps of 4 and 8 bytes, and a CFA below a register, which has an encoding of its own. */
static void test_long_steps(void **state)
{
	static const uint8_t bytes[] = { 0x04, 0x70, 0x11, 0x01, 0,    /* 70000 */ 0x12,
					 7,    2,    0x1d, 0x70, 0x11, 0x01,
					 0,    0,    0,    0,    0,    0x0e,
					 24 };
	const struct bytes code = { bytes, sizeof(bytes) };
	const struct cfi_entry entry = { &cfi_machine__of(&x86_64)->cie, code, 0x1000, 150000 };
	struct cfi_rows rows;

	(void)state;
	evaluate(&rows, code, 150000, &x86_64);
	assert_int_equal(rows.rows.count, 3);
	assert_int_equal(rows.rows.items[1].addr, 0x1000 + 70000);
	assert_int_equal(rows.rows.items[1].cfa.offset, -16);
	assert_int_equal(rows.rows.items[2].addr, 0x1000 + 140000);
	assert_int_equal(rows.rows.items[2].size, 10000);
	assert_int_equal(rows.rows.items[2].cfa.offset, 24);
	check_round_trip(&entry, &x86_64, &rows);
	cfi_rows__free(&rows);
}

/* The code's return address is signed and is not any more: aarch64 alone. */
static void test_signing_is_encoded(void **state)
{
	const struct bytes signing = BYTES("\x41\x2d\x41\x2d");
	const struct cfi_entry entry = { &cfi_machine__of(&aarch64)->cie, signing, 0x1000, 16 };
	struct cfi_rows rows;

	(void)state;
	evaluate(&rows, signing, 16, &aarch64);
	assert_int_equal(rows.rows.count, 3);
	assert_true(rows.rows.items[1].ra_signed && !rows.rows.items[2].ra_signed);
	check_round_trip(&entry, &aarch64, &rows);
	cfi_rows__free(&rows);
}

static void expect_problem_of_cie(struct bytes initial, const char *expected)
{
	struct cfi_cie cie = cfi_machine__of(&x86_64)->cie;
	const struct cfi_entry entry = { &cie, { 0 }, 0x1000, 16 };
	const char *problem = NULL;
	struct cfi_rows rows = { 0 };

	cie.instructions = initial;
	assert_int_equal(cfi_rows__of_entry(&rows, &entry, &x86_64, CFI_PRODUCER, &problem),
			 -EBADMSG);
	assert_string_equal(problem, expected);
	cfi_rows__free(&rows);
}

/* What no sound table has: memory is bounded by it. */
static void test_limits(void **state)
{
	const size_t nr_rows = 65537;
	struct buf buf = BUF(ORDER_LITTLE);
	const struct cfi_cie *cie = &cfi_machine__of(&x86_64)->cie;
	struct cfi_entry entry = { cie, { 0 }, 0x1000, 2 * nr_rows };
	const char *problem = NULL;
	struct cfi_rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < nr_rows; i++) {
		buf__put_u8(&buf, 0x41); /* an advance, and another offset */
		buf__put_u8(&buf, 0x0e);
		buf__put_u8(&buf, i % 2 ? 16 : 24);
	}
	entry.instructions = buf__bytes(&buf);
	assert_int_equal(cfi_rows__of_entry(&rows, &entry, &x86_64, CFI_PRODUCER, &problem),
			 -EBADMSG);
	assert_string_equal(problem, "there are too many rows");
	entry.instructions.size = 3 * (nr_rows - 2);
	assert_int_equal(cfi_rows__of_entry(&rows, &entry, &x86_64, CFI_PRODUCER, &problem), 0);
	cfi_rows__free(&rows);

	memset(buf.data, 0x0a, 65); /* DW_CFA_remember_state */
	entry.instructions.size = 65;
	assert_int_equal(cfi_rows__of_entry(&rows, &entry, &x86_64, CFI_PRODUCER, &problem),
			 -EBADMSG);
	assert_string_equal(problem, "states are remembered too deep");
	cfi_rows__free(&rows);
	buf__free(&buf);
}

static void expect_problem(struct bytes bytes, const char *expected)
{
	const struct cfi_entry entry = { &cfi_machine__of(&x86_64)->cie, bytes, 0x1000, 16 };
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
	expect_problem(BYTES("\x0d\xf0\xa2\x04"), "the CFA is in a register that there is not");
	expect_problem_of_cie(BYTES("\x0c\x07\x08\x41"), "the CIE moves on in code");
	expect_problem_of_cie(BYTES("\x0c\x07\x08\xc3"),
			      "the CIE restores what it is to say itself");
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
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_long_steps),
		cmocka_unit_test(test_signing_is_encoded),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
