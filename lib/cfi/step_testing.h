/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of single instructions: where CFA and one register are behind them. */
#ifndef PERFJIT_CFI_STEP_TESTING_H
#define PERFJIT_CFI_STEP_TESTING_H

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cfi/track.h"

#define CODE UINT64_C(0x400000)
#define BYTES(text)                                       \
	{                                                 \
		(const uint8_t *)(text), sizeof(text) - 1 \
	}

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

static inline void check_place(const struct place *place, const struct cfi_target *target)
{
	struct cfi_track_result result = { 0 };
	struct cfi_rows rows = { 0 };
	const struct cfi_rule *rule;
	const struct cfi_row *row;

	if (!cfi__can_track(target)) {
		assert_int_equal(cfi__track(&rows, place->code, CODE, target, NULL, &result),
				 -ENOTSUP);
		return;
	}
	assert_int_equal(cfi__track(&rows, place->code, CODE, target, NULL, &result), 0);
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

#endif
