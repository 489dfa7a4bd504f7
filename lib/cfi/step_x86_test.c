// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Single instructions of x86-64: where CFA and one register are behind them, by Intel's manual and
 * the ABI (at entry CFA = rsp + 8).
 */
#include "cfi/track.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CODE UINT64_C(0x400000)
#define RAX  0
#define RBX  3
#define RBP  6
#define RSP  7
#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

struct place {
	const char *what;
	struct bytes code;
	size_t at;
	uint16_t cfa;
	int64_t cfa_offset;
	uint16_t reg;
	struct cfi_rule rule; /* _SAME also where nothing is said */
};

#define IN_PLACE                       \
	{                              \
		.kind = CFI_RULE_SAME, \
	}
#define LOST                                \
	{                                   \
		.kind = CFI_RULE_UNDEFINED, \
	}
#define AT(distance)                                          \
	{                                                     \
		.kind = CFI_RULE_OFFSET, .offset = (distance) \
	}
#define IN(number)                                         \
	{                                                  \
		.kind = CFI_RULE_REGISTER, .reg = (number) \
	}

static const struct place places[] = {
	{ "push rbp; mov rbp, rsp", BYTES("\x55\x48\x89\xe5\xc9\xc3"), 4, RBP, 16, RBP, AT(-16) },
	{ "leave", BYTES("\x55\x48\x89\xe5\xc9\xc3"), 5, RSP, 8, RBP, IN_PLACE },
	{ "enter 32, 0", BYTES("\xc8\x20\0\0\x48\x83\xc4\x20\x5d\xc3"), 4, RBP, 16, RBP, AT(-16) },
	{ "what enter pushed", BYTES("\xc8\x20\0\0\x48\x83\xc4\x20\x5d\xc3"), 9, RSP, 8, RBP,
	  IN_PLACE },
	{ "pushfq", BYTES("\x9c\x9d\xc3"), 1, RSP, 16, RBX, IN_PLACE },
	{ "popfq", BYTES("\x9c\x9d\xc3"), 2, RSP, 8, RBX, IN_PLACE },
	{ "call of what follows", BYTES("\xe8\0\0\0\0\x58\xc3"), 5, RSP, 16, RBX, IN_PLACE },
	{ "pop of that", BYTES("\xe8\0\0\0\0\x58\xc3"), 6, RSP, 8, RBX, IN_PLACE },
	{ "xchg rax, rbx", BYTES("\x48\x93\x48\x93\xc3"), 2, RSP, 8, RBX, IN(RAX) },
	{ "xchg back", BYTES("\x48\x93\x48\x93\xc3"), 4, RSP, 8, RBX, IN_PLACE },
	{ "a saved copy written over", BYTES("\x53\x48\x89\x04\x24\x5b\xc3"), 6, RSP, 8, RBX,
	  LOST },
	{ "one that is counted up", BYTES("\x53\x48\xff\x04\x24\x5b\xc3"), 6, RSP, 8, RBX, LOST },
	{ "mov bl, 1", BYTES("\xb3\x01\xc3"), 2, RSP, 8, RBX, LOST },
	{ "sub rsp, 24", BYTES("\x48\x83\xec\x18\x48\x83\xc4\x18\xc3"), 4, RSP, 32, RBX, IN_PLACE },
	{ "add rsp, 24", BYTES("\x48\x83\xec\x18\x48\x83\xc4\x18\xc3"), 8, RSP, 8, RBX, IN_PLACE },
	{ "lea rsp, [rsp-8]", BYTES("\x48\x8d\x64\x24\xf8\x58\xc3"), 5, RSP, 16, RBX, IN_PLACE },
};

static void check_place(const struct place *place)
{
	struct cfi_track_result result = { 0 };
	struct cfi_rows rows = { 0 };
	const struct cfi_rule *rule;
	const struct cfi_row *row;

	if (!cfi__can_track(&x86_64)) {
		assert_int_equal(cfi__track(&rows, place->code, CODE, &x86_64, NULL, &result),
				 -ENOTSUP);
		return;
	}
	assert_int_equal(cfi__track(&rows, place->code, CODE, &x86_64, NULL, &result), 0);
	row = cfi_rows__find(&rows, CODE + place->at);
	print_message("# %s\n", place->what);
	assert_non_null(row);
	assert_int_equal(row->cfa.kind, CFI_RULE_REGISTER);
	assert_int_equal(row->cfa.reg, place->cfa);
	assert_int_equal(row->cfa.offset, place->cfa_offset);
	rule = &row->registers[place->reg];
	assert_int_equal(rule->kind == CFI_RULE_UNSPECIFIED ? CFI_RULE_SAME : rule->kind,
			 place->rule.kind);
	if (rule->kind == CFI_RULE_OFFSET)
		assert_int_equal(rule->offset, place->rule.offset);
	if (rule->kind == CFI_RULE_REGISTER)
		assert_int_equal(rule->reg, place->rule.reg);
	cfi_rows__free(&rows);
	cfi_track_result__free(&result);
}

static void test_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		check_place(&places[i]);
}

/* Fillers behind the end make no gap. */
static void test_padding(void **state)
{
	static const struct bytes code = BYTES("\xc3\x90\x90\xcc");
	struct cfi_track_result result = { 0 };
	struct cfi_rows rows = { 0 };

	(void)state;
	if (cfi__can_track(&x86_64)) {
		assert_int_equal(cfi__track(&rows, code, CODE, &x86_64, NULL, &result), 0);
		assert_int_equal(rows.rows.count, 1);
		assert_int_equal(rows.rows.items[0].size, 4);
	}
	assert_int_equal(result.undecided.count, 0);
	cfi_rows__free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
