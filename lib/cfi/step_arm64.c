// SPDX-License-Identifier: GPL-2.0-or-later
/* What instructions of aarch64 do to a state. */
#ifdef HAVE_CAPSTONE

#include "cfi/state.h"

#include "cfi/insn.h"

#define NO_REGISTER UINT16_MAX
#define WORD        8
#define FP          29
#define LR          30
#define SP          31

struct step {
	struct cfi_state *state;
	const struct cfi_insn *insn;
	const cs_arm64_op *operands;
	uint32_t place;
	struct cfi_flow *flow;
};

/* DWARF number of a general register, NO_REGISTER for others; the zero register is none. */
uint16_t cfi_arm64__register(unsigned int reg)
{
	if (reg == ARM64_REG_SP || reg == ARM64_REG_WSP)
		return SP;
	if (reg == ARM64_REG_X29)
		return FP;
	if (reg == ARM64_REG_X30)
		return LR;
	if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
		return (uint16_t)(reg - ARM64_REG_X0);
	if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
		return (uint16_t)(reg - ARM64_REG_W0);
	return NO_REGISTER;
}

static bool is_wide(unsigned int reg)
{
	return reg == ARM64_REG_SP || reg == ARM64_REG_X29 || reg == ARM64_REG_X30 ||
	       (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28);
}

/* Bytes that a register as operand of a load or store stands for. */
static unsigned int size_of(unsigned int reg)
{
	if (is_wide(reg) || reg == ARM64_REG_XZR || (reg >= ARM64_REG_D0 && reg <= ARM64_REG_D31))
		return WORD;
	return (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30) || reg == ARM64_REG_WZR ||
			       (reg >= ARM64_REG_S0 && reg <= ARM64_REG_S31)
		       ? 4
		       : 16;
}

static void set(const struct step *step, uint16_t reg, struct cfi_value value)
{
	cfi_state__set(step->state, reg, value, step->insn->address, step->place);
}

static struct cfi_value value_of(const struct step *step, const cs_arm64_op *op)
{
	if (op->type == ARM64_OP_IMM) {
		int64_t value = op->imm;

		if (op->shift.type == ARM64_SFT_LSL && op->shift.value < 48)
			value = (int64_t)((uint64_t)value << op->shift.value);
		return cfi_value__number(value);
	}
	if (op->type == ARM64_OP_REG && is_wide(op->reg) && op->shift.type == ARM64_SFT_INVALID &&
	    (op->ext == ARM64_EXT_INVALID || op->ext == ARM64_EXT_UXTX))
		return cfi_state__get(step->state, cfi_arm64__register(op->reg));
	return cfi_value__unknown();
}

/*
 * The memory operand's address. Loads and stores with writeback change its base: before the access
 * by the operand's own displacement, behind it by an operand that follows.
 */
static struct cfi_value address_of(const struct step *step, const cs_arm64_op *op)
{
	if (op->mem.index != ARM64_REG_INVALID)
		return cfi_value__unknown();
	return cfi_value__add_number(cfi_state__get(step->state, cfi_arm64__register(op->mem.base)),
				     op->mem.disp);
}

static void write_back(const struct step *step, uint8_t mem)
{
	const cs_arm64_op *op = &step->operands[mem];
	struct cfi_value base = address_of(step, op);

	if (!step->insn->writeback)
		return;
	if (mem + 1 < step->insn->op_count)
		base = step->operands[mem + 1].type == ARM64_OP_IMM
			       ? cfi_value__add_number(base, step->operands[mem + 1].imm)
			       : cfi_value__unknown();
	set(step, cfi_arm64__register(op->mem.base), base);
}

/* The operand that is memory; op_count when none is. */
static uint8_t memory_operand(const struct step *step)
{
	uint8_t i = 0;

	while (i < step->insn->op_count && step->operands[i].type != ARM64_OP_MEM)
		i++;
	return i;
}

static bool is_general(const struct step *step, uint8_t mem)
{
	for (uint8_t i = 0; i < mem; i++)
		if (step->operands[i].type != ARM64_OP_REG)
			return false;
	return mem < step->insn->op_count;
}

/* Stores of registers one behind the other. */
static bool step_store(const struct step *step)
{
	uint8_t mem = memory_operand(step);
	struct cfi_value address;

	if (!is_general(step, mem))
		return false;
	address = address_of(step, &step->operands[mem]);
	for (uint8_t i = 0; i < mem; i++) {
		const cs_arm64_op *op = &step->operands[i];
		unsigned int size = size_of(op->reg);

		cfi_state__store(step->state, address, size, value_of(step, op));
		address = cfi_value__add_number(address, size);
	}
	write_back(step, mem);
	return true;
}

static bool step_load(const struct step *step)
{
	uint8_t mem = memory_operand(step);
	struct cfi_value values[2], address;

	if (!is_general(step, mem) || mem > 2)
		return false;
	address = address_of(step, &step->operands[mem]);
	for (uint8_t i = 0; i < mem; i++) {
		const cs_arm64_op *op = &step->operands[i];

		values[i] = is_wide(op->reg) ? cfi_state__load(step->state, address)
					     : cfi_value__unknown();
		address = cfi_value__add_number(address, size_of(op->reg));
	}
	write_back(step, mem);
	for (uint8_t i = 0; i < mem; i++)
		set(step, cfi_arm64__register(step->operands[i].reg), values[i]);
	return true;
}

/* What is written by an instruction that is not looked at closer; but a base is known behind it. */
static void forget_written(const struct step *step)
{
	uint8_t mem = memory_operand(step);
	uint16_t base = NO_REGISTER;

	if (mem < step->insn->op_count) {
		cfi_state__store(step->state, address_of(step, &step->operands[mem]), 64,
				 cfi_value__unknown());
		write_back(step, mem);
		if (step->insn->writeback)
			base = cfi_arm64__register(step->operands[mem].mem.base);
	}
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (step->insn->written >> i & 1 && i != base)
			set(step, i, cfi_value__unknown());
	/* in doubt the first operand is written too: the disassembler does not always say */
	if (step->insn->op_count && step->operands[0].type == ARM64_OP_REG)
		set(step, cfi_arm64__register(step->operands[0].reg), cfi_value__unknown());
}

static void step_add(const struct step *step)
{
	const cs_arm64_op *operands = step->operands;
	struct cfi_value a = value_of(step, &operands[1]), b = value_of(step, &operands[2]);
	bool is_sub = step->insn->id == ARM64_INS_SUB;

	if (is_sub && b.kind == CFI_VALUE_NUMBER && b.number != INT64_MIN)
		b.number = -b.number;
	else if (is_sub)
		b = cfi_value__unknown();
	set(step, cfi_arm64__register(operands[0].reg),
	    is_wide(operands[0].reg) ? cfi_value__add(a, b) : cfi_value__unknown());
}

/* movk: sixteen bits of a number that is there. */
static void step_movk(const struct step *step)
{
	const cs_arm64_op *operands = step->operands;
	uint16_t reg = cfi_arm64__register(operands[0].reg);
	struct cfi_value value = cfi_state__get(step->state, reg);
	unsigned int shift = operands[1].shift.value & 48;

	if (value.kind == CFI_VALUE_NUMBER && is_wide(operands[0].reg))
		value.number = (int64_t)(((uint64_t)value.number & ~(UINT64_C(0xffff) << shift)) |
					 ((uint64_t)operands[1].imm & 0xffff) << shift);
	else
		value = cfi_value__unknown();
	set(step, reg, value);
}

static void step_compare(const struct step *step)
{
	const cs_arm64_op *operands = step->operands;
	struct cfi_comparison *compared = &step->state->compared;

	compared->kind = CFI_COMPARED_NOTHING;
	if (operands[0].type != ARM64_OP_REG || operands[1].type != ARM64_OP_REG ||
	    !is_wide(operands[0].reg) || !is_wide(operands[1].reg) ||
	    operands[1].shift.type != ARM64_SFT_INVALID)
		return;
	compared->kind = CFI_COMPARED_REGISTERS;
	compared->left = cfi_arm64__register(operands[0].reg);
	compared->right = cfi_arm64__register(operands[1].reg);
}

static void step_branch(const struct step *step)
{
	struct cfi_flow *flow = step->flow;
	uint8_t last = step->insn->op_count ? (uint8_t)(step->insn->op_count - 1) : 0;

	flow->target = (uint64_t)step->operands[last].imm;
	flow->kind = CFI_FLOW_BRANCH;
	if (step->insn->id != ARM64_INS_B)
		return;
	if (step->insn->cc == ARM64_CC_INVALID || step->insn->cc == ARM64_CC_AL)
		flow->kind = CFI_FLOW_JUMP;
	flow->compared = step->state->compared;
	if (step->insn->cc == ARM64_CC_EQ)
		flow->taken = CFI_BRANCH_EQUAL;
	else if (step->insn->cc == ARM64_CC_NE)
		flow->taken = CFI_BRANCH_UNEQUAL;
}

/* Control flow; false: the instruction is none of it. */
static bool step_flow(const struct step *step)
{
	switch (step->insn->id) {
	case ARM64_INS_B:
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		step_branch(step);
		return true;
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		step->flow->kind = CFI_FLOW_CALL;
		return true;
	case ARM64_INS_BR:
		step->flow->kind = CFI_FLOW_INDIRECT;
		return true;
	case ARM64_INS_RET:
		step->flow->kind = CFI_FLOW_RETURN;
		return true;
	case ARM64_INS_BRK:
	case ARM64_INS_HLT:
	case ARM64_INS_ERET:
	case ARM64_INS_DRPS:
		step->flow->kind = CFI_FLOW_STOP;
		return true;
	}
	return false;
}

/* Hints: the ones that sign x30 by sp and take that away (Arm ARM, C6.2: HINT). */
static void step_hint(const struct step *step, unsigned int hint)
{
	switch (hint) {
	case 0x18: /* paciaz */
	case 0x19: /* paciasp */
	case 0x1a: /* pacibz */
	case 0x1b: /* pacibsp */
		step->state->ra_signed = true;
		break;
	case 0x1c: /* autiaz */
	case 0x1d: /* autiasp */
	case 0x1e: /* autibz */
	case 0x1f: /* autibsp */
		step->state->ra_signed = false;
		break;
	}
}

/*
 * What capstones before 5 call by other names than newer ones, or do not know, by its bits (Arm
 * ARM, C4.1): hints, and branches that check a signature. False: the instruction is none of these.
 */
static bool step_by_bits(const struct step *step)
{
	const uint8_t *bytes = step->insn->bytes;
	uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			(uint32_t)bytes[3] << 24;

	if ((word & 0xfffff01f) == 0xd503201f)
		step_hint(step, word >> 5 & 0x7f);
	else if ((word & 0xfffffbff) == 0xd65f0bff) /* retaa, retab */
		step->flow->kind = CFI_FLOW_RETURN;
	else if ((word & 0xfefff800) == 0xd63f0800) /* blraa, blraaz, ... */
		step->flow->kind = CFI_FLOW_CALL;
	else if ((word & 0xfefff800) == 0xd61f0800) /* braa, braaz, ... */
		step->flow->kind = CFI_FLOW_INDIRECT;
	else
		return false;
	return true;
}

/* Moves and sums that matter; false: the instruction is none of them. */
static bool step_value(const struct step *step)
{
	const cs_arm64_op *operands = step->operands;

	switch (step->insn->id) {
	case ARM64_INS_STP:
	case ARM64_INS_STR:
	case ARM64_INS_STUR:
	case ARM64_INS_STNP:
		if (!step_store(step))
			forget_written(step);
		return true;
	case ARM64_INS_LDP:
	case ARM64_INS_LDR:
	case ARM64_INS_LDUR:
	case ARM64_INS_LDNP:
		if (!step_load(step))
			forget_written(step);
		return true;
	case ARM64_INS_ADD:
	case ARM64_INS_SUB:
		if (step->insn->update_flags || operands[0].type != ARM64_OP_REG)
			return false;
		step_add(step);
		return true;
	case ARM64_INS_MOV:
	case ARM64_INS_MOVZ:
		if (operands[0].type != ARM64_OP_REG || !is_wide(operands[0].reg))
			return false;
		set(step, cfi_arm64__register(operands[0].reg), value_of(step, &operands[1]));
		return true;
	case ARM64_INS_MOVK:
		step_movk(step);
		return true;
	}
	return false;
}

void cfi_arm64__step(struct cfi_state *state, const struct cfi_insn *insn, uint32_t place,
		     struct cfi_flow *flow)
{
	const struct step step = { state, insn, insn->arm64, place, flow };

	*flow = (struct cfi_flow){ .kind = CFI_FLOW_NEXT };
	if (step_by_bits(&step) || step_flow(&step) || step_value(&step))
		return;
	if (insn->id == ARM64_INS_CMP) {
		step_compare(&step);
		return;
	}
	if (insn->update_flags)
		state->compared.kind = CFI_COMPARED_NOTHING;
	forget_written(&step);
}

#endif
