// SPDX-License-Identifier: GPL-2.0-or-later
/* What instructions of x86-64 do to a state. */
#ifdef HAVE_CAPSTONE

#include "cfi/state.h"

#include "cfi/insn.h"

#define NO_REGISTER UINT16_MAX
#define WORD        8
#define RAX         0
#define RSP         7
#define RBP         6

/* 0f b9, as newer capstones call it; an enumerator, which #ifdef does not see. */
#if CS_API_MAJOR < 5
#define X86_INS_UD1 X86_INS_UD2B
#endif

/* One instruction and the state it is brought to bear on. */
struct step {
	struct cfi_state *state;
	const struct cfi_insn *insn;
	const cs_x86_op *operands;
	uint32_t place;
	struct cfi_flow *flow;
};

/* By capstone's number: one more than DWARF's of the register that it is, or is part of. */
#define PARTS(number, full, wide, word, low) \
	[full] = (number) + 1, [wide] = (number) + 1, [word] = (number) + 1, [low] = (number) + 1

static const uint8_t numbers[X86_REG_ENDING] = {
	PARTS(0, X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL),
	PARTS(1, X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL),
	PARTS(2, X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL),
	PARTS(3, X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL),
	PARTS(4, X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL),
	PARTS(5, X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL),
	PARTS(RBP, X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL),
	PARTS(RSP, X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL),
	PARTS(8, X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B),
	PARTS(9, X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B),
	PARTS(10, X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B),
	PARTS(11, X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B),
	PARTS(12, X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B),
	PARTS(13, X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B),
	PARTS(14, X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B),
	PARTS(15, X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B),
	/* the second lowest byte */
	[X86_REG_AH] = 1,
	[X86_REG_DH] = 2,
	[X86_REG_CH] = 3,
	[X86_REG_BH] = 4,
};

uint16_t cfi_x86__register(unsigned int reg)
{
	return reg < X86_REG_ENDING && numbers[reg] ? numbers[reg] - 1 : NO_REGISTER;
}

static void set(const struct step *step, uint16_t reg, struct cfi_value value)
{
	cfi_state__set(step->state, reg, value, step->insn->address, step->place);
}

static struct cfi_value address_of(const struct step *step, const x86_op_mem *mem)
{
	struct cfi_value base = cfi_value__number(0), index = cfi_value__number(0);

	if (mem->segment == X86_REG_FS || mem->segment == X86_REG_GS)
		return cfi_value__unknown();
	if (mem->base == X86_REG_RIP)
		return cfi_value__number(
			(int64_t)(step->insn->address + step->insn->size + (uint64_t)mem->disp));
	if (mem->base != X86_REG_INVALID)
		base = cfi_state__get(step->state, cfi_x86__register(mem->base));
	if (mem->index != X86_REG_INVALID && mem->index != X86_REG_RIZ) {
		index = cfi_state__get(step->state, cfi_x86__register(mem->index));
		if (index.kind == CFI_VALUE_INDEX && index.reg == 1)
			index.reg = (uint8_t)mem->scale;
		else if (mem->scale != 1)
			index = cfi_value__unknown();
	}
	if (index.kind == CFI_VALUE_NUMBER && !index.number)
		return cfi_value__add_number(base, mem->disp);
	/* a table: a known address and an index, whichever is written first */
	if (base.kind == CFI_VALUE_INDEX && index.kind == CFI_VALUE_NUMBER) {
		struct cfi_value swapped = base;

		base = index;
		index = swapped;
	}
	if (base.kind == CFI_VALUE_NUMBER && index.kind == CFI_VALUE_INDEX) {
		index.number = base.number;
		return cfi_value__add_number(cfi_value__number(index.number), mem->disp).kind ==
				       CFI_VALUE_NUMBER
			       ? (struct cfi_value){ .kind = CFI_VALUE_INDEX,
						     .reg = index.reg,
						     .count = index.count,
						     .number = index.number + mem->disp }
			       : cfi_value__unknown();
	}
	return cfi_value__unknown();
}

/* What size bytes in memory hold; of a table: one of its numbers. */
static struct cfi_value load(const struct step *step, const cs_x86_op *op)
{
	struct cfi_value address = address_of(step, &op->mem);

	if (address.kind == CFI_VALUE_INDEX && address.reg == op->size &&
	    (op->size == 4 || op->size == 8)) {
		address.kind = op->size == 4 ? CFI_VALUE_ELEMENT : CFI_VALUE_POINTER;
		address.reg = 0;
		return address;
	}
	return cfi_state__load(step->state, address);
}

/* Of a part of a register nothing is known but that it is small. */
static bool fits(const struct cfi_value *value, uint8_t size)
{
	return size == WORD || (value->kind == CFI_VALUE_INDEX && !value->number) ||
	       (value->kind == CFI_VALUE_NUMBER && size == 4 && value->number >= 0 &&
		value->number <= INT32_MAX);
}

static struct cfi_value value_of(const struct step *step, const cs_x86_op *op)
{
	struct cfi_value value = cfi_value__unknown();

	switch (op->type) {
	case X86_OP_IMM:
		return cfi_value__number(op->imm);
	case X86_OP_REG:
		value = cfi_state__get(step->state, cfi_x86__register(op->reg));
		break;
	case X86_OP_MEM:
		value = load(step, op);
		if (value.kind == CFI_VALUE_ELEMENT || value.kind == CFI_VALUE_INDEX)
			return value;
		break;
	default:
		break;
	}
	return fits(&value, op->size) ? value : cfi_value__unknown();
}

static void write_to(const struct step *step, const cs_x86_op *op, struct cfi_value value)
{
	if (op->type == X86_OP_MEM) {
		cfi_state__store(step->state, address_of(step, &op->mem), op->size, value);
		return;
	}
	if (op->type != X86_OP_REG)
		return;
	/* 32 bits clear the rest, fewer leave it as it was */
	if (op->size < 4 || (op->size == 4 && value.kind == CFI_VALUE_ADDRESS))
		value = cfi_value__unknown();
	set(step, cfi_x86__register(op->reg), value);
}

static void push(const struct step *step, struct cfi_value value)
{
	struct cfi_value sp = cfi_value__add_number(cfi_state__get(step->state, RSP), -WORD);

	set(step, RSP, sp);
	cfi_state__store(step->state, cfi_state__get(step->state, RSP), WORD, value);
}

static struct cfi_value pop(const struct step *step)
{
	struct cfi_value sp = cfi_state__get(step->state, RSP);
	struct cfi_value value = cfi_state__load(step->state, sp);

	set(step, RSP, cfi_value__add_number(sp, WORD));
	return value;
}

/* Of an instruction that is not looked at closer: what it writes is not known any more. */
static void forget_written(const struct step *step)
{
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (step->insn->written >> i & 1)
			set(step, i, cfi_value__unknown());
	for (size_t i = 0; i < step->insn->op_count; i++) {
		const cs_x86_op *op = &step->operands[i];

		if (op->type == X86_OP_MEM && (op->access & CS_AC_WRITE))
			write_to(step, op, cfi_value__unknown());
	}
}

static void step_add(const struct step *step)
{
	const cs_x86_op *to = &step->operands[0], *from = &step->operands[1];
	struct cfi_value a = value_of(step, to), b = value_of(step, from);
	bool is_sub = step->insn->id == X86_INS_SUB;

	if (is_sub && b.kind == CFI_VALUE_NUMBER && b.number != INT64_MIN)
		b.number = -b.number;
	else if (is_sub)
		b = cfi_value__unknown();
	write_to(step, to, cfi_value__add(a, b));
}

static void step_and(const struct step *step)
{
	const cs_x86_op *to = &step->operands[0], *from = &step->operands[1];
	struct cfi_value value = cfi_value__unknown();

	if (from->type == X86_OP_IMM && from->imm > 0 && from->imm < UINT16_MAX)
		value = (struct cfi_value){ .kind = CFI_VALUE_INDEX,
					    .reg = 1,
					    .count = (uint32_t)from->imm + 1 };
	write_to(step, to, value);
}

static void step_lea(const struct step *step)
{
	const cs_x86_op *to = &step->operands[0];
	x86_op_mem mem = step->operands[1].mem;

	/* it does not look at segments: there are some in padding */
	mem.segment = X86_REG_INVALID;
	write_to(step, to, address_of(step, &mem));
}

/* eax with its sign in all of rax: an index has none, an element of a table has it already. */
static void step_cdqe(const struct step *step)
{
	struct cfi_value value = cfi_state__get(step->state, RAX);

	if (value.kind == CFI_VALUE_NUMBER)
		value.number = (int32_t)value.number;
	else if (value.kind != CFI_VALUE_INDEX && value.kind != CFI_VALUE_ELEMENT)
		value = cfi_value__unknown();
	set(step, RAX, value);
}

static void step_xchg(const struct step *step)
{
	const cs_x86_op *a = &step->operands[0], *b = &step->operands[1];
	struct cfi_value from_a = value_of(step, a), from_b = value_of(step, b);

	write_to(step, a, from_b);
	write_to(step, b, from_a);
}

static void step_enter(const struct step *step)
{
	const cs_x86_op *operands = step->operands;
	struct cfi_value sp;

	push(step, cfi_state__get(step->state, RBP));
	sp = cfi_state__get(step->state, RSP);
	set(step, RBP, sp);
	set(step, RSP,
	    operands[1].imm ? cfi_value__unknown() : cfi_value__add_number(sp, -operands[0].imm));
}

static void step_compare(const struct step *step)
{
	const cs_x86_op *left = &step->operands[0], *right = &step->operands[1];
	struct cfi_comparison *compared = &step->state->compared;
	struct cfi_value address;

	compared->kind = CFI_COMPARED_NOTHING;
	if (left->type == X86_OP_REG)
		compared->left = cfi_x86__register(left->reg);
	if (left->type == X86_OP_REG && compared->left == NO_REGISTER)
		return;
	if (left->type == X86_OP_REG && right->type == X86_OP_REG && left->size == WORD) {
		compared->right = cfi_x86__register(right->reg);
		if (compared->right != NO_REGISTER)
			compared->kind = CFI_COMPARED_REGISTERS;
		return;
	}
	if (right->type != X86_OP_IMM)
		return;
	compared->number = right->imm;
	if (left->type == X86_OP_REG) {
		compared->kind = CFI_COMPARED_REGISTER;
		return;
	}
	address = address_of(step, &left->mem);
	if (address.kind != CFI_VALUE_ADDRESS || address.number != (int32_t)address.number)
		return;
	compared->kind = CFI_COMPARED_SLOT;
	compared->base = address.base;
	compared->offset = (int32_t)address.number;
}

static void step_call(const struct step *step)
{
	const cs_x86_op *op = &step->operands[0];

	/* the way to learn where code is: calls what follows, which pops the address */
	if (op->type == X86_OP_IMM && (uint64_t)op->imm == step->insn->address + step->insn->size) {
		push(step, cfi_value__unknown());
		return;
	}
	step->flow->kind = CFI_FLOW_CALL;
	if (op->type == X86_OP_IMM)
		step->flow->target = (uint64_t)op->imm;
}

static void step_jump(const struct step *step)
{
	const cs_x86_op *op = &step->operands[0];

	if (op->type == X86_OP_IMM) {
		step->flow->kind = CFI_FLOW_JUMP;
		step->flow->target = (uint64_t)op->imm;
		return;
	}
	step->flow->kind = CFI_FLOW_INDIRECT;
	step->flow->value = value_of(step, op);
}

static void step_branch(const struct step *step)
{
	struct cfi_flow *flow = step->flow;

	flow->kind = CFI_FLOW_BRANCH;
	flow->target = (uint64_t)step->operands[0].imm;
	flow->compared = step->state->compared;
	switch (step->insn->id) {
	case X86_INS_JE:
		flow->taken = CFI_BRANCH_EQUAL;
		break;
	case X86_INS_JNE:
		flow->taken = CFI_BRANCH_UNEQUAL;
		break;
	case X86_INS_JA:
		flow->taken = CFI_BRANCH_ABOVE;
		break;
	case X86_INS_JAE:
		flow->taken = CFI_BRANCH_ABOVE_EQUAL;
		break;
	case X86_INS_JB:
		flow->taken = CFI_BRANCH_BELOW;
		break;
	case X86_INS_JBE:
		flow->taken = CFI_BRANCH_BELOW_EQUAL;
		break;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		set(step, cfi_x86__register(X86_REG_RCX), cfi_value__unknown());
		break;
	}
}

/* Control flow; false: the instruction is none of it. */
static bool step_flow(const struct step *step)
{
	switch (step->insn->id) {
	case X86_INS_CALL:
		step_call(step);
		return true;
	case X86_INS_JMP:
		step_jump(step);
		return true;
	case X86_INS_RET:
		step->flow->kind = CFI_FLOW_RETURN;
		return true;
	case X86_INS_LCALL:
	case X86_INS_LJMP:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
	case X86_INS_HLT:
	case X86_INS_INT3:
	case X86_INS_UD1:
	case X86_INS_UD2:
		step->flow->kind = CFI_FLOW_STOP;
		return true;
	case X86_INS_JCXZ:
	case X86_INS_JECXZ:
	case X86_INS_JRCXZ:
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		step_branch(step);
		return true;
	}
	if (step->insn->id >= X86_INS_JAE && step->insn->id <= X86_INS_JS) {
		step_branch(step);
		return true;
	}
	return false;
}

/* Moves of values; false: the instruction is none of them. They leave the flags alone. */
static bool step_move(const struct step *step)
{
	const cs_x86_op *operands = step->operands;
	struct cfi_value value;

	switch (step->insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVSXD:
	case X86_INS_MOVZX:
		write_to(step, &operands[0], value_of(step, &operands[1]));
		return true;
	case X86_INS_LEA:
		step_lea(step);
		return true;
	case X86_INS_PUSH:
		if (operands[0].size == 2)
			return false;
		push(step, value_of(step, &operands[0]));
		return true;
	case X86_INS_PUSHFQ:
		push(step, cfi_value__unknown());
		return true;
	case X86_INS_POP:
		if (operands[0].size == 2)
			return false;
		value = pop(step);
		write_to(step, &operands[0], value);
		return true;
	case X86_INS_LEAVE:
		set(step, RSP, cfi_state__get(step->state, RBP));
		set(step, RBP, pop(step));
		return true;
	case X86_INS_ENTER:
		step_enter(step);
		return true;
	case X86_INS_XCHG:
		step_xchg(step);
		return true;
	case X86_INS_CDQE:
		step_cdqe(step);
		return true;
	case X86_INS_NOP:
	case X86_INS_ENDBR64:
		return true;
	}
	return false;
}

/* Arithmetic that matters; false: the instruction is none of it. It sets the flags. */
static bool step_arithmetic(const struct step *step)
{
	const cs_x86_op *operands = step->operands;

	switch (step->insn->id) {
	case X86_INS_ADD:
	case X86_INS_SUB:
		step_add(step);
		return true;
	case X86_INS_AND:
		step_and(step);
		return true;
	case X86_INS_XOR:
		if (operands[0].type != X86_OP_REG || operands[1].type != X86_OP_REG ||
		    operands[0].reg != operands[1].reg)
			return false;
		write_to(step, &operands[0], cfi_value__number(0));
		return true;
	case X86_INS_POPFQ:
		pop(step);
		return true;
	}
	return false;
}

void cfi_x86__step(struct cfi_state *state, const struct cfi_insn *insn, uint32_t place,
		   struct cfi_flow *flow)
{
	const struct step step = { state, insn, insn->x86, place, flow };

	*flow = (struct cfi_flow){ .kind = CFI_FLOW_NEXT };
	if (step_flow(&step) || step_move(&step))
		return;
	if (insn->id == X86_INS_CMP) {
		step_compare(&step);
		return;
	}
	state->compared.kind = CFI_COMPARED_NOTHING;
	if (!step_arithmetic(&step))
		forget_written(&step);
}

#endif
