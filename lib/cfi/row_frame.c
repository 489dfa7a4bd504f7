// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libdw's view of a frame made into a row. libdw gives rules back as DWARF expressions; which
 * shape stands for which rule is told in <elfutils/libdw.h> at dwarf_frame_register.
 */
#include "cfi/row.h"

#include <dwarf.h>
#include <errno.h>

/* The register and the offset from it, of DW_OP_bregN and the like. */
static bool read_base(const Dwarf_Op *op, struct cfi_rule *rule)
{
	rule->offset = 0;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		rule->reg = (uint16_t)(op->atom - DW_OP_breg0);
		rule->offset = (int64_t)op->number;
	} else if (op->atom == DW_OP_bregx) {
		rule->reg = (uint16_t)op->number;
		rule->offset = (int64_t)op->number2;
	} else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		rule->reg = (uint16_t)(op->atom - DW_OP_reg0);
	} else if (op->atom == DW_OP_regx) {
		rule->reg = (uint16_t)op->number;
	} else {
		return false;
	}
	rule->kind = CFI_RULE_REGISTER;
	return true;
}

static void read_cfa(struct cfi_rule *cfa, Dwarf_Op *ops, size_t count)
{
	if (count == 1 && read_base(ops, cfa))
		return;
	if (count == 2 && read_base(ops, cfa) && ops[1].atom == DW_OP_plus_uconst) {
		cfa->offset = (int64_t)((uint64_t)cfa->offset + ops[1].number);
		return;
	}
	*cfa = (struct cfi_rule){ .kind = CFI_RULE_EXPRESSION, .ops = { ops, count } };
}

static struct cfi_rule read_rule(const Dwarf_Op *ops, size_t count)
{
	bool is_value = count && ops[count - 1].atom == DW_OP_stack_value;
	size_t location = count - is_value;
	struct cfi_rule rule = { .kind = is_value ? CFI_RULE_VAL_OFFSET : CFI_RULE_OFFSET };

	if (location && ops[0].atom == DW_OP_call_frame_cfa) {
		if (location == 1)
			return rule;
		rule.offset = (int64_t)ops[1].number;
		if (location == 2 && ops[1].atom == DW_OP_plus_uconst)
			return rule;
	}
	if (count == 1 && ops[0].atom == DW_OP_regx)
		return (struct cfi_rule){ .kind = CFI_RULE_REGISTER,
					  .reg = (uint16_t)ops[0].number };
	/* the CFA, which libdw has put in front, is what an expression starts from */
	return (struct cfi_rule){ .kind = is_value ? CFI_RULE_VAL_EXPRESSION : CFI_RULE_EXPRESSION,
				  .ops = { ops, location } };
}

int cfi_row__of_frame(struct cfi_row *row, Dwarf_Frame *frame)
{
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	size_t count;

	*row = (struct cfi_row){ .origin = CFI_PRODUCER };
	if (dwarf_frame_info(frame, &start, &end, NULL) < 0 ||
	    dwarf_frame_cfa(frame, &ops, &count) < 0)
		return -EBADMSG;
	row->addr = start;
	row->size = end - start;
	if (count)
		read_cfa(&row->cfa, ops, count);
	for (int i = 0; i < CFI_ROW_REGISTERS; i++) {
		Dwarf_Op memory[3];

		if (dwarf_frame_register(frame, i, memory, &ops, &count) < 0)
			return -EBADMSG;
		if (!count)
			row->registers[i].kind = ops ? CFI_RULE_UNDEFINED : CFI_RULE_SAME;
		else
			row->registers[i] = read_rule(ops, count);
	}
	return 0;
}
