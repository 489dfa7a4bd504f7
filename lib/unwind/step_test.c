// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows applied to registers and stacks made by hand, on x86-64 and aarch64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elf.h>

#include "unwind/thread.h"

#define SP  0x7ffc0000
#define RBX 3
#define RBP 6
#define RSP 7
#define RIP 16
#define X19 19
#define FP  29
#define LR  30
#define XSP 31

struct fixture {
	struct unwinder unwinder;
	struct unwind_thread thread;
	struct registers registers;
	struct place place;
	uint8_t stack[128];
};

static void prepare(struct fixture *fixture, uint16_t machine, uint64_t pc)
{
	*fixture = (struct fixture){ 0 };
	fixture->unwinder.arch = unwind_arch__of(machine);
	fixture->unwinder.order = ORDER_LITTLE;
	fixture->thread.unwinder = &fixture->unwinder;
	fixture->thread.stack = (struct bytes){ fixture->stack, sizeof(fixture->stack) };
	fixture->thread.stack_start = SP;
	fixture->registers.pc = pc;
	fixture->registers.exact = true;
	fixture->place.ip = fixture->place.vaddr = pc;
	registers__set(&fixture->registers, fixture->unwinder.arch->sp, SP);
}

/* Eight bytes of the stack, by distance from where the stack pointer was. */
static void put(struct fixture *fixture, size_t at, uint64_t value)
{
	set_u64(fixture->stack + at, value, ORDER_LITTLE);
}

static enum unwind_end step(struct fixture *fixture, const struct unwind_row *row)
{
	return unwind_thread__step(&fixture->thread, &fixture->registers, &fixture->place, row);
}

static void holds(const struct fixture *fixture, unsigned int number, uint64_t expected)
{
	uint64_t value = 0;

	assert_true(registers__get(&fixture->registers, number, &value));
	assert_int_equal(value, expected);
}

/* push %rbx; sub $16,%rsp: rbx at CFA-16, the return address at CFA-8 */
static const struct unwind_row pushed_rbx = {
	.saved = 1ull << RBX | 1ull << RIP,
	.lost = 1ull << 0,
	.cfa_register = RSP,
	.cfa_offset = 32,
	.ra_register = RIP,
	.offsets = { -16, -8 },
};

static void test_usual(void **state)
{
	struct fixture fixture;
	uint64_t value;

	(void)state;
	prepare(&fixture, EM_X86_64, 0x401000);
	put(&fixture, 16, 0x1234);
	put(&fixture, 24, 0x402000);
	registers__set(&fixture.registers, RBP, 0x55);
	registers__set(&fixture.registers, 0, 0x66);
	assert_int_equal(step(&fixture, &pushed_rbx), UNWIND_ENDS);
	assert_int_equal(fixture.registers.pc, 0x402000);
	assert_false(fixture.registers.exact);
	holds(&fixture, RSP, SP + 32);
	holds(&fixture, RBX, 0x1234);
	holds(&fixture, RBP, 0x55);
	assert_false(registers__get(&fixture.registers, 0, &value));
}

static void test_ends(void **state)
{
	struct unwind_row row = pushed_rbx;
	struct fixture fixture;

	(void)state;
	prepare(&fixture, EM_X86_64, 0x401000);
	assert_int_equal(step(&fixture, &row), UNWIND_COMPLETE); /* returns to 0 */
	prepare(&fixture, EM_X86_64, 0x401000);
	row.outermost = true;
	assert_int_equal(step(&fixture, &row), UNWIND_COMPLETE);
	row.outermost = false;
	/* the caller is behind the copy: is there more of the stack? */
	row.cfa_offset = sizeof(fixture.stack) + 8;
	prepare(&fixture, EM_X86_64, 0x401000);
	assert_int_equal(step(&fixture, &row), UNWIND_BAD_READ);
	prepare(&fixture, EM_X86_64, 0x401000);
	fixture.thread.stack_goes_on = true;
	assert_int_equal(step(&fixture, &row), UNWIND_STACK_CUT);
	/* the CFA by a register that was lost */
	row.cfa_register = 12;
	prepare(&fixture, EM_X86_64, 0x401000);
	assert_int_equal(step(&fixture, &row), UNWIND_BAD_CFI);
}

/* A frame of no size that returns to itself would never end. */
static void test_loop(void **state)
{
	const struct unwind_row row = {
		.saved = 1ull << RIP, .cfa_register = RSP, .ra_register = RIP, .offsets = { 8 }
	};
	struct fixture fixture;

	(void)state;
	prepare(&fixture, EM_X86_64, 0x401000);
	put(&fixture, 8, 0x401000);
	assert_int_equal(step(&fixture, &row), UNWIND_LOOP);
}

/* The caller of a signal frame was interrupted where it stands. */
static void test_signal(void **state)
{
	struct unwind_row row = pushed_rbx;
	struct fixture fixture;

	(void)state;
	row.signal_frame = true;
	prepare(&fixture, EM_X86_64, 0x401000);
	put(&fixture, 24, 0x402000);
	assert_int_equal(step(&fixture, &row), UNWIND_ENDS);
	assert_true(fixture.registers.exact);
}

static void test_frame_pointer(void **state)
{
	struct fixture fixture;

	(void)state;
	prepare(&fixture, EM_X86_64, 0x401000);
	registers__set(&fixture.registers, RBP, SP + 40);
	put(&fixture, 40, SP + 100);
	put(&fixture, 48, 0x403000);
	assert_int_equal(step(&fixture, NULL), UNWIND_ENDS);
	assert_int_equal(fixture.registers.pc, 0x403000);
	holds(&fixture, RSP, SP + 56);
	holds(&fixture, RBP, SP + 100);
	/* one that leads inwards is none */
	prepare(&fixture, EM_X86_64, 0x401000);
	registers__set(&fixture.registers, RBP, SP);
	registers__set(&fixture.registers, RSP, SP + 64);
	put(&fixture, 8, 0x403000);
	assert_int_equal(step(&fixture, NULL), UNWIND_NO_CFI);
}

/* That nothing more is found proves something only of code that was there to be looked at. */
static void test_end_without_rules(void **state)
{
	struct unwind_module module = { .reason = UNWIND_NAMED };
	struct fixture fixture;

	(void)state;
	prepare(&fixture, EM_X86_64, 0x401000);
	registers__set(&fixture.registers, RBP, 0);
	assert_int_equal(step(&fixture, NULL), UNWIND_NO_CFI);
	fixture.place.module = &module;
	assert_int_equal(step(&fixture, NULL), UNWIND_COMPLETE);
	for (enum unwind_reason why = UNWIND_NO_FILE; why <= UNWIND_NOT_ELF; why++) {
		module.reason = why;
		assert_int_equal(step(&fixture, NULL), UNWIND_FILE_GONE);
	}
	/* a return address of 0 */
	for (int i = 0; i < 2; i++) {
		prepare(&fixture, EM_X86_64, 0x401000);
		registers__set(&fixture.registers, RBP, SP + 40);
		fixture.place.module = i ? &module : NULL;
		assert_int_equal(step(&fixture, NULL), i ? UNWIND_FILE_GONE : UNWIND_NO_CFI);
	}
}

/* As in the PLT: CFA = rsp + 8 + (((rip & 15) >= 11) << 3) */
static void test_expression(void **state)
{
	const Dwarf_Op ops[] = {
		{ .atom = DW_OP_breg7, .number = 8 },
		{ .atom = DW_OP_breg16 },
		{ .atom = DW_OP_lit15 },
		{ .atom = DW_OP_and },
		{ .atom = DW_OP_lit11 },
		{ .atom = DW_OP_ge },
		{ .atom = DW_OP_lit3 },
		{ .atom = DW_OP_shl },
		{ .atom = DW_OP_plus },
	};
	struct cfi_row full = {
		.cfa = { .kind = CFI_RULE_EXPRESSION, .ops = { ops, sizeof(ops) / sizeof(*ops) } },
	};
	const struct unwind_row row = { .ra_register = RIP, .full = &full };
	struct fixture fixture;

	(void)state;
	full.registers[RIP] = (struct cfi_rule){ .kind = CFI_RULE_OFFSET, .offset = -8 };
	full.registers[RBX] = (struct cfi_rule){ .kind = CFI_RULE_SAME };
	for (unsigned int pushed = 0; pushed < 2; pushed++) {
		prepare(&fixture, EM_X86_64, pushed ? 0x40100b : 0x40100a);
		registers__set(&fixture.registers, RIP, fixture.registers.pc);
		registers__set(&fixture.registers, RBX, 7);
		put(&fixture, pushed ? 8 : 0, 0x402000);
		assert_int_equal(step(&fixture, &row), UNWIND_ENDS);
		assert_int_equal(fixture.registers.pc, 0x402000);
		holds(&fixture, RSP, pushed ? SP + 16 : SP + 8);
		holds(&fixture, RBX, 7);
	}
}

/* Each kind of rule that a row in full may have. */
static void test_full_row(void **state)
{
	/* 32 bytes behind the CFA, or before it */
	const Dwarf_Op ops[] = { { .atom = DW_OP_call_frame_cfa },
				 { .atom = DW_OP_plus_uconst, .number = 32 } };
	const struct cfi_rule at = { .kind = CFI_RULE_EXPRESSION, .ops = { ops, 2 } };
	struct cfi_row full = {
		.cfa = { .kind = CFI_RULE_REGISTER, .reg = RBX, .offset = 16 },
		.registers = {
			[RBX] = { .kind = CFI_RULE_VAL_OFFSET, .offset = -40 },
			[RBP] = { .kind = CFI_RULE_REGISTER, .reg = 12 },
			[13] = { .kind = CFI_RULE_VAL_EXPRESSION, .ops = { ops, 2 } },
			[14] = { .kind = CFI_RULE_UNDEFINED },
			[RIP] = at,
		},
	};
	const struct unwind_row row = { .ra_register = RIP, .full = &full };
	struct fixture fixture;
	uint64_t value;

	(void)state;
	prepare(&fixture, EM_X86_64, 0x401000);
	registers__set(&fixture.registers, RBX, SP + 8);
	registers__set(&fixture.registers, 12, 0x1212);
	registers__set(&fixture.registers, 14, 0x1414);
	put(&fixture, 24 + 32, 0x402000);
	assert_int_equal(step(&fixture, &row), UNWIND_ENDS);
	assert_int_equal(fixture.registers.pc, 0x402000);
	holds(&fixture, RSP, SP + 24);
	holds(&fixture, RBX, SP + 24 - 40);
	holds(&fixture, RBP, 0x1212);
	holds(&fixture, 13, SP + 24 + 32);
	assert_false(registers__get(&fixture.registers, 14, &value));
}

/* Where the expression looks there is no memory, or there was more of the stack. */
static void test_full_row_without_memory(void **state)
{
	const Dwarf_Op ops[] = { { .atom = DW_OP_breg7, .number = 200 }, { .atom = DW_OP_deref } };
	const struct cfi_rule beyond = { .kind = CFI_RULE_EXPRESSION, .ops = { ops, 2 } };
	struct cfi_row full = { .cfa = beyond };
	const struct unwind_row row = { .ra_register = RIP, .full = &full };
	struct fixture fixture;

	(void)state;
	for (int cfa = 1; cfa >= 0; cfa--) {
		prepare(&fixture, EM_X86_64, 0x401000);
		assert_int_equal(step(&fixture, &row), UNWIND_BAD_READ);
		prepare(&fixture, EM_X86_64, 0x401000);
		fixture.thread.stack_goes_on = true;
		assert_int_equal(step(&fixture, &row), UNWIND_STACK_CUT);
		/* then the return address alone */
		full.cfa = (struct cfi_rule){ .kind = CFI_RULE_REGISTER, .reg = RSP };
		full.registers[RIP] = beyond;
	}
	full.cfa.reg = RBX; /* lost */
	prepare(&fixture, EM_X86_64, 0x401000);
	assert_int_equal(step(&fixture, &row), UNWIND_BAD_CFI);
}

/* On aarch64 the link register is the return address again. */
static void test_frame_pointer_on_aarch64(void **state)
{
	struct fixture fixture;

	(void)state;
	prepare(&fixture, EM_AARCH64, 0x401000);
	registers__set(&fixture.registers, FP, SP + 40);
	put(&fixture, 40, SP + 100);
	put(&fixture, 48, 0x403000);
	assert_int_equal(step(&fixture, NULL), UNWIND_ENDS);
	assert_int_equal(fixture.registers.pc, 0x403000);
	holds(&fixture, XSP, SP + 56);
	holds(&fixture, FP, SP + 100);
	holds(&fixture, LR, 0x403000);
}

/* stp x29, x30, [sp, #-32]!; str x19, [sp, #16]; with a signed return address */
static void test_aarch64(void **state)
{
	const struct unwind_row row = {
		.saved = 1ull << X19 | 1ull << FP | 1ull << LR,
		.cfa_register = XSP,
		.cfa_offset = 32,
		.ra_register = LR,
		.offsets = { -16, -32, -24 },
	};
	const struct unwind_row leaf = { .cfa_register = XSP, .ra_register = LR };
	struct fixture fixture;

	(void)state;
	prepare(&fixture, EM_AARCH64, 0x401000);
	registers__set(&fixture.registers, LR, 0x400800);
	assert_int_equal(step(&fixture, &leaf), UNWIND_ENDS);
	assert_int_equal(fixture.registers.pc, 0x400800);
	holds(&fixture, XSP, SP);
	put(&fixture, 0, SP + 64);
	put(&fixture, 8, 0x002b000000402000);
	put(&fixture, 16, 0x1919);
	assert_int_equal(step(&fixture, &row), UNWIND_ENDS);
	assert_int_equal(fixture.registers.pc, 0x402000);
	holds(&fixture, X19, 0x1919);
	holds(&fixture, FP, SP + 64);
	holds(&fixture, XSP, SP + 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_frame_pointer),
		cmocka_unit_test(test_end_without_rules),
		cmocka_unit_test(test_expression),
		cmocka_unit_test(test_full_row),
		cmocka_unit_test(test_full_row_without_memory),
		cmocka_unit_test(test_frame_pointer_on_aarch64),
		cmocka_unit_test(test_aarch64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
