// SPDX-License-Identifier: GPL-2.0-or-later
/* What each operation does: DWARF 5, section 2.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elf.h>

#include "unwind/thread.h"

#define SP     0x7ffc0000
#define CFA    0x7ffc0040
#define BIAS   0x10000
#define RBX    3
#define RSP    7
#define MINUS  ((uint64_t)-1)
#define LOWEST ((uint64_t)INT64_MIN)

#define N(value)                                        \
	{                                               \
		.atom = DW_OP_consts, .number = (value) \
	}
#define OP(name_)                     \
	{                             \
		.atom = DW_OP_##name_ \
	}
/* An operation with its operand, at an offset of the expression. */
#define AT(at, name_, value)                                             \
	{                                                                \
		.atom = DW_OP_##name_, .number = (value), .offset = (at) \
	}

struct expression {
	Dwarf_Op ops[10];
	size_t count;
	uint64_t value;
};

#define EXPRESSION(value_, ...)                                                        \
	{                                                                              \
		.ops = { __VA_ARGS__ }, .value = (value_),                             \
		.count = sizeof((const Dwarf_Op[]){ __VA_ARGS__ }) / sizeof(Dwarf_Op), \
	}

static const struct expression expressions[] = {
	EXPRESSION(12, OP(lit12)),
	EXPRESSION(MINUS, N(MINUS)),
	EXPRESSION(200, AT(0, const1u, 200)),
	EXPRESSION(0x401000 + BIAS, AT(0, addr, 0x401000)),
	EXPRESSION(SP + 8, AT(0, breg7, 8)),
	EXPRESSION(0x33 - 1, { .atom = DW_OP_bregx, .number = RBX, .number2 = MINUS }),
	EXPRESSION(CFA, OP(call_frame_cfa)),
	EXPRESSION(5, OP(lit5), OP(nop)),
	/* stack */
	EXPRESSION(10, OP(lit5), OP(dup), OP(plus)),
	EXPRESSION(7, OP(lit9), OP(lit2), OP(over), OP(swap), OP(minus)),
	EXPRESSION(3, OP(lit3), OP(lit2), OP(lit1), AT(0, pick, 2)),
	EXPRESSION(4, OP(lit4), OP(lit1), OP(drop)),
	EXPRESSION(2, OP(lit3), OP(lit2), OP(lit1), OP(rot)),
	EXPRESSION(3, OP(lit3), OP(lit2), OP(lit1), OP(rot), OP(drop), OP(drop), OP(lit2),
		   OP(plus)),
	EXPRESSION(3, OP(lit3), OP(lit2), OP(lit1), OP(rot), OP(drop)),
	EXPRESSION(0x1122334455667788, AT(0, breg7, 8), OP(deref)),
	EXPRESSION(0x88, AT(0, breg7, 8), AT(0, deref_size, 1)),
	EXPRESSION(0x55667788, AT(0, breg7, 8), AT(0, deref_size, 4)),
	/* arithmetic and logic */
	EXPRESSION(5, N((uint64_t)-5), OP(abs)),
	EXPRESSION(5, OP(lit5), OP(abs)),
	EXPRESSION((uint64_t)-5, OP(lit5), OP(neg)),
	EXPRESSION(~UINT64_C(5), OP(lit5), OP(not )),
	EXPRESSION(4, OP(lit6), OP(lit12), OP(and)),
	EXPRESSION(14, OP(lit6), OP(lit12), OP(or)),
	EXPRESSION(10, OP(lit6), OP(lit12), OP(xor)),
	EXPRESSION(17, OP(lit7), AT(0, plus_uconst, 10)),
	EXPRESSION(5, OP(lit7), OP(lit2), OP(minus)),
	EXPRESSION(14, OP(lit7), OP(lit2), OP(mul)),
	EXPRESSION((uint64_t)-3, N((uint64_t)-7), OP(lit2), OP(div)),
	EXPRESSION(1, OP(lit7), OP(lit2), OP(mod)),
	EXPRESSION(28, OP(lit7), OP(lit2), OP(shl)),
	EXPRESSION(0, OP(lit7), N(64), OP(shl)),
	EXPRESSION(MINUS >> 2, N(MINUS), OP(lit2), OP(shr)),
	EXPRESSION(0, N(MINUS), N(64), OP(shr)),
	EXPRESSION((uint64_t)-2, N((uint64_t)-8), OP(lit2), OP(shra)),
	EXPRESSION(MINUS, N((uint64_t)-8), N(100), OP(shra)),
	/* numbers are compared with their sign */
	EXPRESSION(1, OP(lit7), OP(lit7), OP(eq)),
	EXPRESSION(0, OP(lit7), OP(lit7), OP(ne)),
	EXPRESSION(1, N(MINUS), OP(lit7), OP(lt)),
	EXPRESSION(0, OP(lit7), OP(lit7), OP(lt)),
	EXPRESSION(1, OP(lit7), OP(lit7), OP(le)),
	EXPRESSION(0, N(MINUS), OP(lit7), OP(gt)),
	EXPRESSION(1, OP(lit7), OP(lit7), OP(ge)),
	/* branches, from behind their three bytes: forth, not taken, back, and to the end */
	EXPRESSION(1, AT(0, lit1, 0), AT(1, skip, 1), AT(4, lit2, 0), AT(5, nop, 0)),
	EXPRESSION(3, AT(0, lit3, 0), AT(1, lit0, 0), AT(2, bra, 1), AT(5, nop, 0), AT(6, nop, 0)),
	EXPRESSION(0, AT(0, lit3, 0), AT(1, lit1, 0), AT(2, minus, 0), AT(3, dup, 0),
		   AT(4, bra, 0xfffa)),
	EXPRESSION(6, AT(0, lit6, 0), AT(1, lit1, 0), AT(2, bra, 1), AT(5, lit9, 0)),
};

static const struct expression failing[] = {
	EXPRESSION(0, OP(nop)),
	EXPRESSION(0, OP(lit1), OP(plus)),
	EXPRESSION(0, OP(lit1), OP(over)),
	EXPRESSION(0, OP(lit1), OP(lit0), OP(mod)),
	EXPRESSION(0, OP(lit1), OP(lit0), OP(div)),
	EXPRESSION(0, N(LOWEST), N(MINUS), OP(div)),
	EXPRESSION(0, AT(0, breg6, 8)), /* not known */
	EXPRESSION(0, { .atom = DW_OP_bregx, .number = 1000 }),
	EXPRESSION(0, OP(lit1), OP(deref)),
	EXPRESSION(0, AT(0, breg7, 8), AT(0, deref_size, 0)),
	EXPRESSION(0, AT(0, breg7, 8), AT(0, deref_size, 9)),
	EXPRESSION(0, OP(push_object_address)),
	EXPRESSION(0, AT(0, lit1, 0), AT(1, skip, 0xfffc)),                /* the stack is full */
	EXPRESSION(0, AT(0, lit1, 0), AT(1, nop, 0), AT(2, skip, 0xfffc)), /* without end */
};

struct fixture {
	struct unwinder unwinder;
	struct unwind_thread thread;
	struct registers registers;
	uint8_t stack[64];
};

static bool evaluate(struct fixture *fixture, const struct expression *expression,
		     enum byte_order order, const uint64_t *cfa, uint64_t *value)
{
	const struct cfi_rule rule = { .kind = CFI_RULE_EXPRESSION,
				       .ops = { expression->ops, expression->count } };

	*fixture = (struct fixture){ 0 };
	fixture->unwinder.arch = unwind_arch__of(EM_X86_64);
	fixture->unwinder.order = order;
	fixture->thread.unwinder = &fixture->unwinder;
	fixture->thread.stack = (struct bytes){ fixture->stack, sizeof(fixture->stack) };
	fixture->thread.stack_start = SP;
	registers__set(&fixture->registers, RSP, SP);
	registers__set(&fixture->registers, RBX, 0x33);
	set_u64(fixture->stack + 8, 0x1122334455667788, order);
	return unwind_thread__evaluate(&fixture->thread, &fixture->registers, &rule, cfa, BIAS,
				       value);
}

static void test_operations(void **state)
{
	const uint64_t cfa = CFA;
	struct fixture fixture;

	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		uint64_t value = 0;

		if (!evaluate(&fixture, &expressions[i], ORDER_LITTLE, &cfa, &value) ||
		    value != expressions[i].value)
			fail_msg("expression %zu: 0x%lx, not 0x%lx", i, value,
				 expressions[i].value);
	}
}

static void test_failures(void **state)
{
	static const struct expression itself = EXPRESSION(0, OP(call_frame_cfa));
	static const struct expression nowhere = EXPRESSION(0, N(0x1234), OP(deref));
	const uint64_t cfa = CFA;
	struct fixture fixture;
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(failing) / sizeof(*failing); i++)
		if (evaluate(&fixture, &failing[i], ORDER_LITTLE, &cfa, &value))
			fail_msg("expression %zu: 0x%lx", i, value);
	/* the CFA by itself, and memory that is not there, which is told */
	assert_false(evaluate(&fixture, &itself, ORDER_LITTLE, NULL, &value));
	assert_int_equal(fixture.thread.missing, 0);
	assert_false(evaluate(&fixture, &nowhere, ORDER_LITTLE, &cfa, &value));
	assert_int_equal(fixture.thread.missing, 0x1234);
}

/* The first bytes in memory, whatever the order. */
static void test_parts_in_either_order(void **state)
{
	static const struct expression part = EXPRESSION(0, AT(0, breg7, 8), AT(0, deref_size, 2));
	struct fixture fixture;
	uint64_t value;

	(void)state;
	assert_true(evaluate(&fixture, &part, ORDER_LITTLE, NULL, &value));
	assert_int_equal(value, 0x7788);
	assert_true(evaluate(&fixture, &part, ORDER_BIG, NULL, &value));
	assert_int_equal(value, 0x1122);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_parts_in_either_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
