// SPDX-License-Identifier: GPL-2.0-or-later
/* DWARF expressions in unwind rules: PLT entries, signal frames, hand-written code. */
#include <dwarf.h>

#include "unwind/thread.h"

#define STACK_SIZE 64
/* Operations done at most: expressions may branch backwards. */
#define STEPS_MAX 4096

struct machine {
	struct unwind_thread *thread;
	const struct registers *registers;
	const uint64_t *cfa; /* NULL: the expression is to say it */
	uint64_t bias;
	uint64_t stack[STACK_SIZE];
	size_t depth;
	bool failed;
};

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_SIZE)
		machine->failed = true;
	else
		machine->stack[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
	if (!machine->depth) {
		machine->failed = true;
		return 0;
	}
	return machine->stack[--machine->depth];
}

/* The value n below the top. */
static uint64_t peek(struct machine *machine, uint64_t n)
{
	if (n >= machine->depth) {
		machine->failed = true;
		return 0;
	}
	return machine->stack[machine->depth - 1 - n];
}

static void push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	uint64_t value = 0;

	if (number >= CFI_ROW_REGISTERS ||
	    !registers__get(machine->registers, (unsigned int)number, &value))
		machine->failed = true;
	push(machine, value + offset);
}

static void dereference(struct machine *machine, uint64_t size)
{
	uint64_t value = 0, addr = pop(machine);

	if (size > 8 || !size || !unwind_thread__read(machine->thread, addr, &value)) {
		machine->failed = true;
		machine->thread->missing = addr;
	} else if (machine->thread->unwinder->order == ORDER_BIG) {
		value >>= 8 * (8 - size);
	} else if (size < 8) {
		value &= (1ull << 8 * size) - 1;
	}
	push(machine, value);
}

static bool compare(unsigned int atom, int64_t a, int64_t b)
{
	switch (atom) {
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return a < b;
	case DW_OP_le:
		return a <= b;
	case DW_OP_gt:
		return a > b;
	default:
		return a >= b;
	}
}

static void do_binary(struct machine *machine, unsigned int atom)
{
	uint64_t b = pop(machine), a = pop(machine);
	int64_t sb = (int64_t)b, sa = (int64_t)a;

	switch (atom) {
	case DW_OP_and:
		push(machine, a & b);
		break;
	case DW_OP_or:
		push(machine, a | b);
		break;
	case DW_OP_xor:
		push(machine, a ^ b);
		break;
	case DW_OP_plus:
		push(machine, a + b);
		break;
	case DW_OP_minus:
		push(machine, a - b);
		break;
	case DW_OP_mul:
		push(machine, a * b);
		break;
	case DW_OP_shl:
		push(machine, b < 64 ? a << b : 0);
		break;
	case DW_OP_shr:
		push(machine, b < 64 ? a >> b : 0);
		break;
	case DW_OP_shra:
		push(machine, (uint64_t)(sa >> (b < 64 ? b : 63)));
		break;
	case DW_OP_eq:
	case DW_OP_ne:
	case DW_OP_lt:
	case DW_OP_le:
	case DW_OP_gt:
	case DW_OP_ge:
		push(machine, compare(atom, sa, sb));
		break;
	case DW_OP_mod:
		push(machine, b ? a % b : 0);
		machine->failed |= !b;
		break;
	case DW_OP_div:
		machine->failed |= !b || (sb == -1 && sa == INT64_MIN);
		push(machine, machine->failed ? 0 : (uint64_t)(sa / sb));
		break;
	default:
		machine->failed = true;
	}
}

static void do_stack(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t a, b, c;

	switch (op->atom) {
	case DW_OP_dup:
		push(machine, peek(machine, 0));
		break;
	case DW_OP_over:
		push(machine, peek(machine, 1));
		break;
	case DW_OP_pick:
		push(machine, peek(machine, op->number));
		break;
	case DW_OP_drop:
		pop(machine);
		break;
	case DW_OP_swap:
		a = pop(machine), b = pop(machine);
		push(machine, a), push(machine, b);
		break;
	case DW_OP_rot:
		a = pop(machine), b = pop(machine), c = pop(machine);
		push(machine, a), push(machine, c), push(machine, b);
		break;
	case DW_OP_abs:
		a = pop(machine);
		push(machine, (int64_t)a < 0 ? -a : a);
		break;
	case DW_OP_neg:
		push(machine, -pop(machine));
		break;
	case DW_OP_not:
		push(machine, ~pop(machine));
		break;
	case DW_OP_plus_uconst:
		push(machine, pop(machine) + op->number);
		break;
	default:
		do_binary(machine, op->atom);
	}
}

static void do_operation(struct machine *machine, const Dwarf_Op *op)
{
	unsigned int atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		push(machine, atom - DW_OP_lit0);
	} else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		push_register(machine, atom - DW_OP_breg0, op->number);
	} else if (atom == DW_OP_bregx) {
		push_register(machine, op->number, op->number2);
	} else if (atom >= DW_OP_const1u && atom <= DW_OP_consts) {
		push(machine, op->number);
	} else if (atom == DW_OP_addr) {
		push(machine, op->number + machine->bias);
	} else if (atom == DW_OP_deref) {
		dereference(machine, 8);
	} else if (atom == DW_OP_deref_size) {
		dereference(machine, op->number);
	} else if (atom == DW_OP_call_frame_cfa) {
		machine->failed |= !machine->cfa;
		push(machine, machine->cfa ? *machine->cfa : 0);
	} else if (atom != DW_OP_nop) {
		do_stack(machine, op);
	}
}

/* Where a branch goes: to the operation at an offset of the expression; count: its end. */
static size_t find_target(const struct cfi_rule *rule, size_t at)
{
	const Dwarf_Op *items = rule->ops.items;
	/* opcode and a displacement of two bytes, from behind them */
	uint64_t offset = items[at].offset + 3 + (uint64_t)(int64_t)(int16_t)items[at].number;

	for (size_t i = 0; i < rule->ops.count; i++)
		if (items[i].offset == offset)
			return i;
	return rule->ops.count;
}

bool unwind_thread__evaluate(struct unwind_thread *thread, const struct registers *registers,
			     const struct cfi_rule *rule, const uint64_t *cfa, uint64_t bias,
			     uint64_t *value)
{
	struct machine machine = {
		.thread = thread, .registers = registers, .cfa = cfa, .bias = bias
	};
	size_t at = 0;

	thread->missing = 0;
	for (size_t steps = 0; at < rule->ops.count && !machine.failed; steps++) {
		const Dwarf_Op *op = &rule->ops.items[at];

		if (steps == STEPS_MAX)
			return false;
		at++;
		if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(&machine)))
			at = find_target(rule, at - 1);
		else if (op->atom != DW_OP_bra)
			do_operation(&machine, op);
	}
	*value = pop(&machine);
	return !machine.failed;
}
