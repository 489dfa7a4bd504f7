// SPDX-License-Identifier: GPL-2.0-or-later
/* What a state says as a row, and what a row says as seen from a state. */
#include "cfi/state.h"

#include <dwarf.h>
#include <errno.h>

#include "cfi/leb128.h"

/* System V ABI, AMD64 supplement, 3.2.2: what lies below the stack pointer and is left alone. */
#define X86_64_RED_ZONE 128

#define EXPRESSION_STACK 16

static bool is_cfa_based(const struct cfi_value *value)
{
	return value->kind == CFI_VALUE_ADDRESS && value->base == 0;
}

static bool is_entry(const struct cfi_value *value, uint16_t reg)
{
	return value->kind == CFI_VALUE_ENTRY && value->reg == reg;
}

/* A register that holds an address of the base; CFI_ROW_REGISTERS when none does. */
static uint16_t register_of_base(const struct cfi_state *state, uint32_t base, uint16_t prefer)
{
	const uint16_t order[] = { prefer, state->machine->fp, state->machine->sp };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		struct cfi_value value = cfi_state__get(state, order[i]);

		if (value.kind == CFI_VALUE_ADDRESS && value.base == base)
			return order[i];
	}
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (state->registers[i].kind == CFI_VALUE_ADDRESS &&
		    state->registers[i].base == base)
			return i;
	return CFI_ROW_REGISTERS;
}

/* DW_OP_bregN of a slot, as seen from a register of its base; false when there is none. */
static bool put_slot(const struct cfi_state *state, const struct cfi_slot *slot, struct buf *out)
{
	uint16_t reg = register_of_base(state, slot->base, state->machine->fp);

	if (reg >= CFI_ROW_REGISTERS)
		return false;
	buf__put_u8(out, (uint8_t)(DW_OP_breg0 + reg));
	buf__put_sleb128(out, slot->offset - state->registers[reg].number);
	return true;
}

static int keep(struct cfi_rows *rows, struct buf *out, struct cfi_rule *rule)
{
	struct bytes expression = buf__bytes(out);

	rule->kind = CFI_RULE_EXPRESSION;
	rule->expression.size = expression.size;
	rule->expression.data = out->failed ? NULL : cfi_rows__keep(rows, expression);
	buf__free(out);
	return rule->expression.data ? 1 : -ENOMEM;
}

/* The CFA out of a slot that holds it: a frame that was aligned (DRAP). */
static int cfa_of_slot(const struct cfi_state *state, struct cfi_rows *rows, struct cfi_rule *cfa)
{
	for (uint32_t i = 0; i < state->nr_slots; i++) {
		const struct cfi_slot *slot = &state->slots[i];
		struct buf out = BUF(ORDER_HOST);

		if (!is_cfa_based(&slot->value) || slot->base == 0 ||
		    !put_slot(state, slot, &out)) {
			buf__free(&out);
			continue;
		}
		buf__put_u8(&out, DW_OP_deref);
		if (slot->value.number < 0) {
			buf__put_u8(&out, DW_OP_plus_uconst);
			buf__put_uleb128(&out, -(uint64_t)slot->value.number);
		} else if (slot->value.number > 0) {
			buf__put_u8(&out, DW_OP_consts);
			buf__put_sleb128(&out, -slot->value.number);
			buf__put_u8(&out, DW_OP_plus);
		}
		return keep(rows, &out, cfa);
	}
	return 0;
}

static int find_cfa(const struct cfi_state *state, uint16_t prefer, struct cfi_rows *rows,
		    struct cfi_rule *cfa)
{
	uint16_t reg = register_of_base(state, 0, prefer);

	if (reg >= CFI_ROW_REGISTERS)
		return cfa_of_slot(state, rows, cfa);
	*cfa = (struct cfi_rule){ CFI_RULE_REGISTER,
				  reg,
				  { .offset = -state->registers[reg].number } };
	return 1;
}

/* 1 when the slot's place can be said. */
static int slot_rule(const struct cfi_state *state, const struct cfi_slot *slot,
		     struct cfi_rows *rows, struct cfi_rule *rule)
{
	struct buf out = BUF(ORDER_HOST);

	if (slot->base == 0) {
		*rule = (struct cfi_rule){ .kind = CFI_RULE_OFFSET, .offset = slot->offset };
		return 1;
	}
	return put_slot(state, slot, &out) ? keep(rows, &out, rule) : 0;
}

/*
 * Where the caller's value of reg is: saved on the stack, in place, in another register, below the
 * stack pointer, or nowhere.
 */
static int find_register(const struct cfi_state *state, uint16_t reg, struct cfi_rows *rows,
			 struct cfi_rule *rule)
{
	int64_t red_zone = state->machine->ra_on_stack ? X86_64_RED_ZONE : 0;
	const struct cfi_slot *below = NULL;
	int err;

	for (uint32_t i = 0; i < state->nr_slots; i++) {
		const struct cfi_slot *slot = &state->slots[i];

		if (!is_entry(&slot->value, reg))
			continue;
		if (cfi_state__below_stack(state, slot, 0)) {
			if (!cfi_state__below_stack(state, slot, red_zone))
				below = slot;
			continue;
		}
		err = slot_rule(state, slot, rows, rule);
		if (err)
			return err;
	}
	*rule = (struct cfi_rule){ .kind = CFI_RULE_UNSPECIFIED };
	if (is_entry(&state->registers[reg], reg))
		return 1;
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (is_entry(&state->registers[i], reg)) {
			*rule = (struct cfi_rule){ .kind = CFI_RULE_REGISTER, .reg = i };
			return 1;
		}
	rule->kind = CFI_RULE_UNDEFINED;
	return below ? slot_rule(state, below, rows, rule) : 0;
}

int cfi_state__row(const struct cfi_state *state, uint16_t prefer, struct cfi_rows *rows,
		   struct cfi_row *row, struct cfi_undecided *why)
{
	const struct cfi_machine *machine = state->machine;
	int err = find_cfa(state, prefer, rows, &row->cfa);

	if (err <= 0) {
		why->reason = state->lost;
		why->pc = state->lost_at;
		return err;
	}
	err = find_register(state, machine->ra, rows, &row->registers[machine->ra]);
	if (err <= 0) {
		why->reason = CFI_RETURN_ADDRESS_LOST;
		why->pc = why->addr;
		return err;
	}
	row->ra_signed = state->ra_signed;
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS && err >= 0; i++)
		if (machine->callee_saved >> i & 1)
			err = find_register(state, i, rows, &row->registers[i]);
	return err < 0 ? err : 1;
}

/* Runs an expression over what is known; unknown when it uses more than addresses need. */
static struct cfi_value evaluate(const struct cfi_state *state, struct bytes expression,
				 struct cfi_value first)
{
	struct cursor cur = cursor__at(expression, ORDER_LITTLE);
	struct cfi_value stack[EXPRESSION_STACK] = { first };
	size_t depth = 1;

	while (cursor__left(&cur)) {
		uint8_t op = cursor__u8(&cur);

		if (op >= DW_OP_breg0 && op <= DW_OP_breg31 && depth < EXPRESSION_STACK) {
			struct cfi_value base = cfi_state__get(state, op - DW_OP_breg0);

			stack[depth++] = cfi_value__add_number(base, cursor__sleb128(&cur));
		} else if (op == DW_OP_deref) {
			stack[depth - 1] = cfi_state__load(state, stack[depth - 1]);
		} else if (op == DW_OP_plus_uconst) {
			stack[depth - 1] = cfi_value__add_number(stack[depth - 1],
								 (int64_t)cursor__uleb128(&cur));
		} else if (op == DW_OP_consts && depth < EXPRESSION_STACK) {
			stack[depth++] = cfi_value__number(cursor__sleb128(&cur));
		} else if (op == DW_OP_plus && depth > 1) {
			depth--;
			stack[depth - 1] = cfi_value__add(stack[depth - 1], stack[depth]);
		} else {
			return cfi_value__unknown();
		}
	}
	return cur.overrun ? cfi_value__unknown() : stack[depth - 1];
}

struct cfi_value cfi_state__cfa(const struct cfi_state *state, const struct cfi_rule *cfa)
{
	if (cfa->kind == CFI_RULE_REGISTER)
		return cfi_value__add_number(cfi_state__get(state, cfa->reg), cfa->offset);
	if (cfa->kind == CFI_RULE_EXPRESSION)
		return evaluate(state, cfa->expression, cfi_value__unknown());
	return cfi_value__unknown();
}

struct cfi_value cfi_state__register(const struct cfi_state *state, uint16_t reg,
				     const struct cfi_rule *rule, struct cfi_value cfa)
{
	switch (rule->kind) {
	case CFI_RULE_UNSPECIFIED:
	case CFI_RULE_SAME:
		return cfi_state__get(state, reg);
	case CFI_RULE_OFFSET:
		return cfi_state__load(state, cfi_value__add_number(cfa, rule->offset));
	case CFI_RULE_VAL_OFFSET:
		return cfi_value__add_number(cfa, rule->offset);
	case CFI_RULE_REGISTER:
		return cfi_state__get(state, rule->reg);
	case CFI_RULE_EXPRESSION:
		return cfi_state__load(state, evaluate(state, rule->expression, cfa));
	case CFI_RULE_VAL_EXPRESSION:
		return evaluate(state, rule->expression, cfa);
	case CFI_RULE_UNDEFINED:
		break;
	}
	return cfi_value__unknown();
}
