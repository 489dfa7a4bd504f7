// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/state.h"

bool cfi_value__same(const struct cfi_value *a, const struct cfi_value *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->base == b->base &&
	       a->number == b->number;
}

static bool is_frame(const struct cfi_value *value)
{
	return value->kind == CFI_VALUE_ADDRESS && value->base == 0;
}

struct cfi_value cfi_value__add_number(struct cfi_value value, int64_t number)
{
	if (!number)
		return value;
	if ((value.kind != CFI_VALUE_ADDRESS && value.kind != CFI_VALUE_NUMBER) ||
	    __builtin_add_overflow(value.number, number, &value.number))
		return cfi_value__unknown();
	return value;
}

struct cfi_value cfi_value__add(struct cfi_value a, struct cfi_value b)
{
	if (a.kind != CFI_VALUE_NUMBER && b.kind == CFI_VALUE_NUMBER) {
		struct cfi_value swapped = a;

		a = b;
		b = swapped;
	}
	if (a.kind != CFI_VALUE_NUMBER)
		return cfi_value__unknown();
	if (b.kind == CFI_VALUE_ELEMENT && b.number == a.number) {
		b.kind = CFI_VALUE_TARGET;
		return b;
	}
	return cfi_value__add_number(b, a.number);
}

void cfi_state__enter(struct cfi_state *state, const struct cfi_machine *machine)
{
	*state = (struct cfi_state){ .machine = machine };
	for (uint8_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (machine->callee_saved >> i & 1)
			state->registers[i] =
				(struct cfi_value){ .kind = CFI_VALUE_ENTRY, .reg = i };
	state->registers[machine->sp] =
		(struct cfi_value){ .kind = CFI_VALUE_ADDRESS, .number = -machine->entry_offset };
	if (machine->ra_on_stack) {
		state->slots[state->nr_slots++] = (struct cfi_slot){
			.offset = -machine->word,
			.value = { .kind = CFI_VALUE_ENTRY, .reg = (uint8_t)machine->ra },
		};
	} else {
		state->registers[machine->ra] =
			(struct cfi_value){ .kind = CFI_VALUE_ENTRY, .reg = (uint8_t)machine->ra };
	}
}

bool cfi_state__enter_row(struct cfi_state *state, const struct cfi_machine *machine,
			  const struct cfi_row *row)
{
	if (row->cfa.kind != CFI_RULE_REGISTER || row->cfa.reg >= CFI_ROW_REGISTERS)
		return false;
	cfi_state__enter(state, machine);
	state->ra_signed = row->ra_signed;
	state->registers[machine->sp] = cfi_value__unknown();
	for (uint8_t i = 0; i < CFI_ROW_REGISTERS; i++) {
		struct cfi_value entry = { .kind = CFI_VALUE_ENTRY, .reg = i };
		struct cfi_value place = { .kind = CFI_VALUE_ADDRESS,
					   .number = row->registers[i].offset };
		bool kept = row->registers[i].kind == CFI_RULE_UNSPECIFIED ||
			    row->registers[i].kind == CFI_RULE_SAME;

		if (!kept)
			state->registers[i] = cfi_value__unknown();
		if (row->registers[i].kind == CFI_RULE_OFFSET)
			cfi_state__store(state, place, machine->word, entry);
	}
	state->registers[row->cfa.reg] =
		(struct cfi_value){ .kind = CFI_VALUE_ADDRESS, .number = -row->cfa.offset };
	return true;
}

struct cfi_value cfi_state__get(const struct cfi_state *state, uint16_t reg)
{
	return reg < CFI_ROW_REGISTERS ? state->registers[reg] : cfi_value__unknown();
}

/* A base is made anew: what was known by the one that the same instruction made before is stale. */
static void forget_base(struct cfi_state *state, uint32_t base)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (state->registers[i].kind == CFI_VALUE_ADDRESS &&
		    state->registers[i].base == base)
			state->registers[i] = cfi_value__unknown();
	for (uint32_t i = 0; i < state->nr_slots; i++) {
		const struct cfi_slot *slot = &state->slots[i];

		if (slot->base != base &&
		    (slot->value.kind != CFI_VALUE_ADDRESS || slot->value.base != base))
			state->slots[kept++] = *slot;
	}
	state->nr_slots = kept;
}

static void forget_comparison_of(struct cfi_state *state, uint16_t reg)
{
	const struct cfi_comparison *compared = &state->compared;

	if ((compared->kind == CFI_COMPARED_REGISTERS &&
	     (compared->left == reg || compared->right == reg)) ||
	    (compared->kind == CFI_COMPARED_REGISTER && compared->left == reg))
		state->compared.kind = CFI_COMPARED_NOTHING;
}

void cfi_state__set(struct cfi_state *state, uint16_t reg, struct cfi_value value, uint64_t pc,
		    uint32_t place)
{
	if (reg >= CFI_ROW_REGISTERS)
		return;
	forget_comparison_of(state, reg);
	if (reg == state->machine->sp && value.kind != CFI_VALUE_ADDRESS) {
		if (is_frame(&state->registers[reg])) {
			state->lost = CFI_STACK_LOST;
			state->lost_at = pc;
		}
		forget_base(state, place + 1);
		value = (struct cfi_value){ .kind = CFI_VALUE_ADDRESS, .base = place + 1 };
	}
	state->registers[reg] = value;
}

static const struct cfi_slot *find_slot(const struct cfi_state *state, uint32_t base,
					int64_t offset)
{
	for (uint32_t i = 0; i < state->nr_slots; i++)
		if (state->slots[i].base == base && state->slots[i].offset == offset)
			return &state->slots[i];
	return NULL;
}

struct cfi_value cfi_state__load(const struct cfi_state *state, struct cfi_value address)
{
	const struct cfi_slot *slot = NULL;

	if (address.kind == CFI_VALUE_ADDRESS)
		slot = find_slot(state, address.base, address.number);
	return slot ? slot->value : cfi_value__unknown();
}

static void remove_slots(struct cfi_state *state, uint32_t base, int64_t offset, unsigned int size)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < state->nr_slots; i++) {
		const struct cfi_slot *slot = &state->slots[i];
		int64_t end = slot->offset + (int64_t)sizeof(uint64_t);

		if (slot->base != base || slot->offset >= offset + (int64_t)size || end <= offset)
			state->slots[kept++] = *slot;
	}
	state->nr_slots = kept;
	if (state->compared.kind == CFI_COMPARED_SLOT && state->compared.base == base &&
	    state->compared.offset < offset + (int64_t)size &&
	    state->compared.offset + (int64_t)sizeof(uint64_t) > offset)
		state->compared.kind = CFI_COMPARED_NOTHING;
}

static bool worth_a_slot(const struct cfi_value *value)
{
	return value->kind == CFI_VALUE_ENTRY || value->kind == CFI_VALUE_ADDRESS ||
	       value->kind == CFI_VALUE_INDEX;
}

void cfi_state__store(struct cfi_state *state, struct cfi_value address, unsigned int size,
		      struct cfi_value value)
{
	if (address.kind != CFI_VALUE_ADDRESS || address.number != (int32_t)address.number)
		return;
	remove_slots(state, address.base, address.number, size);
	if (!worth_a_slot(&value) || state->nr_slots == CFI_STATE_SLOTS)
		return;
	if (size != sizeof(uint64_t) && value.kind != CFI_VALUE_INDEX)
		return;
	state->slots[state->nr_slots++] =
		(struct cfi_slot){ address.base, (int32_t)address.number, value };
}

bool cfi_state__below_stack(const struct cfi_state *state, const struct cfi_slot *slot,
			    int64_t reach)
{
	const struct cfi_value *sp = &state->registers[state->machine->sp];

	return sp->kind == CFI_VALUE_ADDRESS && sp->base == slot->base &&
	       slot->offset < sp->number - reach;
}

void cfi_state__call(struct cfi_state *state, uint64_t preserved)
{
	uint32_t kept = 0;

	state->compared.kind = CFI_COMPARED_NOTHING;
	preserved |= UINT64_C(1) << state->machine->sp;
	for (size_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (!(preserved >> i & 1))
			state->registers[i] = cfi_value__unknown();
	/* The function called uses the stack below, and may change variables. */
	for (uint32_t i = 0; i < state->nr_slots; i++)
		if (state->slots[i].value.kind != CFI_VALUE_INDEX &&
		    !cfi_state__below_stack(state, &state->slots[i], 0))
			state->slots[kept++] = state->slots[i];
	state->nr_slots = kept;
}

static void refine_equal(struct cfi_state *state, const struct cfi_comparison *compared)
{
	struct cfi_value *left = &state->registers[compared->left];
	struct cfi_value *right = &state->registers[compared->right];

	if (is_frame(left) && !is_frame(right))
		*right = *left;
	else if (is_frame(right) && !is_frame(left))
		*left = *right;
}

/* Below a bound, what was compared is an index. */
static void refine_bound(struct cfi_state *state, const struct cfi_comparison *compared,
			 int64_t count)
{
	struct cfi_value index = { .kind = CFI_VALUE_INDEX, .reg = 1, .count = (uint32_t)count };

	if (count <= 0 || count > UINT16_MAX)
		return;
	if (compared->kind == CFI_COMPARED_REGISTER) {
		if (state->registers[compared->left].kind == CFI_VALUE_UNKNOWN)
			state->registers[compared->left] = index;
	} else {
		cfi_state__store(state,
				 (struct cfi_value){ .kind = CFI_VALUE_ADDRESS,
						     .base = compared->base,
						     .number = compared->offset },
				 4, index);
	}
}

void cfi_state__refine(struct cfi_state *state, const struct cfi_flow *flow, bool taken)
{
	const struct cfi_comparison *compared = &flow->compared;

	if (compared->kind == CFI_COMPARED_NOTHING)
		return;
	if (compared->kind == CFI_COMPARED_REGISTERS) {
		if ((flow->taken == CFI_BRANCH_EQUAL && taken) ||
		    (flow->taken == CFI_BRANCH_UNEQUAL && !taken))
			refine_equal(state, compared);
		return;
	}
	if (flow->taken == (taken ? CFI_BRANCH_BELOW_EQUAL : CFI_BRANCH_ABOVE))
		refine_bound(state, compared, compared->number + 1);
	else if (flow->taken == (taken ? CFI_BRANCH_BELOW : CFI_BRANCH_ABOVE_EQUAL))
		refine_bound(state, compared, compared->number);
}

static bool same_address(const struct cfi_state *state, const struct cfi_state *other, uint16_t reg)
{
	return is_frame(&state->registers[reg]) &&
	       cfi_value__same(&state->registers[reg], &other->registers[reg]);
}

bool cfi_state__same_frame(const struct cfi_state *state, const struct cfi_state *other)
{
	uint16_t sp = state->machine->sp;

	/* with a frame pointer the stack may grow in a loop (alloca) */
	return !is_frame(&state->registers[sp]) || !is_frame(&other->registers[sp]) ||
	       same_address(state, other, sp) || same_address(state, other, state->machine->fp);
}

bool cfi_state__share_frame(const struct cfi_state *state, const struct cfi_state *other)
{
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (same_address(state, other, i))
			return true;
	return false;
}

bool cfi_state__join(struct cfi_state *state, const struct cfi_state *other, uint64_t pc)
{
	struct cfi_value *sp = &state->registers[state->machine->sp];
	uint32_t kept = 0;
	bool changed = false;

	if (is_frame(sp) && !cfi_value__same(sp, &other->registers[state->machine->sp])) {
		state->lost = CFI_PATHS_DIFFER;
		state->lost_at = pc;
	}
	for (size_t i = 0; i < CFI_ROW_REGISTERS; i++) {
		if (state->registers[i].kind == CFI_VALUE_UNKNOWN ||
		    cfi_value__same(&state->registers[i], &other->registers[i]))
			continue;
		state->registers[i] = cfi_value__unknown();
		changed = true;
	}
	for (uint32_t i = 0; i < state->nr_slots; i++) {
		const struct cfi_slot *slot = &state->slots[i];
		const struct cfi_slot *theirs = find_slot(other, slot->base, slot->offset);

		if (theirs && cfi_value__same(&slot->value, &theirs->value))
			state->slots[kept++] = *slot;
	}
	changed |= kept != state->nr_slots || (state->compared.kind != CFI_COMPARED_NOTHING);
	state->nr_slots = kept;
	state->compared.kind = CFI_COMPARED_NOTHING;
	return changed;
}
