// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call frame instructions made into rows. libdw is not used for it: it reads them from whole ELF
 * files only, and of a damaged table says neither what is wrong nor what holds up to there. The
 * tests hold what is made here against it.
 */
#include "cfi/row.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>

#include "cfi/leb128.h"

#define PRIMARY_MASK 0xc0

/* No compiler nests deeper than a few; each one costs a row's memory. */
#define MAX_REMEMBERED 64
/* Rows that follow one another have the same expressions; code may be made so that none has. */
#define ALIKE_WITHIN 32

struct evaluation {
	struct cfi_rows *rows;
	const struct cfi_entry *entry;
	const struct cfi_target *target;
	struct cfi_row row;     /* as it stands; addr is the location */
	struct cfi_row initial; /* after the CIE's instructions */
	bool in_cie;
	ARRAY(struct cfi_row) remembered;
	size_t start; /* rows that were there before */
	const char *problem;
	int err;
};

void cfi_rows__free(struct cfi_rows *rows)
{
	array__free(&rows->rows);
	array__for_each(expression, &rows->expressions)
		free(*expression);
	array__free(&rows->expressions);
}

/* In front of each one stands its size, a byte. */
const uint8_t *cfi_rows__keep(struct cfi_rows *rows, struct bytes expression)
{
	size_t count = rows->expressions.count;
	uint8_t *copy;

	for (size_t back = 1; back <= count && back <= ALIKE_WITHIN; back++) {
		copy = rows->expressions.items[count - back];
		if (copy[0] == expression.size &&
		    memcmp(copy + 1, expression.data, expression.size) == 0)
			return copy + 1;
	}
	if (expression.size > UINT8_MAX)
		return NULL;
	copy = malloc(expression.size + 1);
	if (!copy || !array__push(&rows->expressions, copy)) {
		free(copy);
		return NULL;
	}
	copy[0] = (uint8_t)expression.size;
	memcpy(copy + 1, expression.data, expression.size);
	return copy + 1;
}

const struct cfi_row *cfi_rows__find(const struct cfi_rows *rows, uint64_t pc)
{
	size_t count = array__count_leading(row, &rows->rows, row->addr <= pc);

	if (count && pc - rows->rows.items[count - 1].addr < rows->rows.items[count - 1].size)
		return &rows->rows.items[count - 1];
	return NULL;
}

struct cfi_entry cfi_table__entry(const struct cfi_table *table, const struct cfi_fde *fde)
{
	return (struct cfi_entry){ &table->cies.items[fde->cie], fde->instructions, fde->addr,
				   fde->size };
}

bool cfi_rule__same(const struct cfi_rule *a, const struct cfi_rule *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case CFI_RULE_UNSPECIFIED:
	case CFI_RULE_UNDEFINED:
	case CFI_RULE_SAME:
		return true;
	case CFI_RULE_REGISTER:
		return a->reg == b->reg && a->offset == b->offset;
	case CFI_RULE_OFFSET:
	case CFI_RULE_VAL_OFFSET:
		return a->offset == b->offset;
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		break;
	}
	return a->expression.size == b->expression.size &&
	       (!a->expression.size ||
		memcmp(a->expression.data, b->expression.data, a->expression.size) == 0);
}

bool cfi_row__same(const struct cfi_row *a, const struct cfi_row *b)
{
	if (a->ra_signed != b->ra_signed || !cfi_rule__same(&a->cfa, &b->cfa))
		return false;
	for (size_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (!cfi_rule__same(&a->registers[i], &b->registers[i]))
			return false;
	return true;
}

static void fail(struct evaluation *ev, const char *problem)
{
	if (!ev->err) {
		ev->err = -EBADMSG;
		ev->problem = problem;
	}
}

/* The row as it stands holds up to end. */
static void emit(struct evaluation *ev, uint64_t end)
{
	size_t count = ev->rows->rows.count;
	struct cfi_row *last = count > ev->start ? &ev->rows->rows.items[count - 1] : NULL;

	if (ev->err || end == ev->row.addr)
		return;
	if (last && cfi_row__same(last, &ev->row)) {
		last->size = end - last->addr;
	} else if (count - ev->start >= CFI_ROWS_MAX) {
		fail(ev, "there are too many rows");
	} else {
		ev->row.size = end - ev->row.addr;
		if (!array__push(&ev->rows->rows, ev->row))
			ev->err = -ENOMEM;
	}
	ev->row.addr = end;
}

static void advance(struct evaluation *ev, uint64_t delta)
{
	uint64_t left = ev->entry->addr + ev->entry->size - ev->row.addr, bytes;

	if (ev->in_cie) {
		fail(ev, "the CIE moves on in code");
		return;
	}
	if (__builtin_mul_overflow(delta, ev->entry->cie->code_align, &bytes) || bytes > left) {
		fail(ev, "it moves on past the end of its code");
		return;
	}
	emit(ev, ev->row.addr + bytes);
}

/* Registers above those of a row are read over. */
static void set_rule(struct evaluation *ev, uint64_t reg, struct cfi_rule rule)
{
	if (reg < CFI_ROW_REGISTERS)
		ev->row.registers[reg] = rule;
}

static void set_plain(struct evaluation *ev, uint64_t reg, enum cfi_rule_kind kind)
{
	set_rule(ev, reg, (struct cfi_rule){ .kind = kind });
}

/* Wraps around like the addresses that it is added to. */
static void set_offset(struct evaluation *ev, uint64_t reg, enum cfi_rule_kind kind,
		       uint64_t factored)
{
	uint64_t offset = factored * (uint64_t)ev->entry->cie->data_align;

	set_rule(ev, reg, (struct cfi_rule){ .kind = kind, .offset = (int64_t)offset });
}

static void restore(struct evaluation *ev, uint64_t reg)
{
	if (ev->in_cie)
		fail(ev, "the CIE restores what it is to say itself");
	else if (reg < CFI_ROW_REGISTERS)
		ev->row.registers[reg] = ev->initial.registers[reg];
}

static struct bytes take_block(struct cursor *cur)
{
	uint64_t size = cursor__uleb128(cur);
	const uint8_t *data = cursor__take(cur, size > SIZE_MAX ? SIZE_MAX : (size_t)size);

	return (struct bytes){ data, data ? (size_t)size : 0 };
}

static void set_expression(struct evaluation *ev, struct cursor *cur, enum cfi_rule_kind kind)
{
	uint64_t reg = cursor__uleb128(cur);

	set_rule(ev, reg, (struct cfi_rule){ .kind = kind, .expression = take_block(cur) });
}

static void set_cfa(struct evaluation *ev, uint64_t reg, int64_t offset)
{
	if (reg > UINT16_MAX)
		fail(ev, "the CFA is in a register that there is not");
	ev->row.cfa = (struct cfi_rule){ CFI_RULE_REGISTER, (uint16_t)reg, { .offset = offset } };
}

static void remember(struct evaluation *ev)
{
	if (ev->remembered.count >= MAX_REMEMBERED)
		fail(ev, "states are remembered too deep");
	else if (!array__push(&ev->remembered, ev->row))
		ev->err = -ENOMEM;
}

static void recall(struct evaluation *ev)
{
	uint64_t addr = ev->row.addr;

	if (!ev->remembered.count) {
		fail(ev, "a state is restored that was not remembered");
		return;
	}
	ev->row = ev->remembered.items[--ev->remembered.count];
	ev->row.addr = addr;
}

/* Instructions about the CFA; false: it is none. */
static bool cfa_instruction(struct evaluation *ev, uint8_t opcode, struct cursor *cur)
{
	int64_t align = ev->entry->cie->data_align;
	uint64_t reg;

	switch (opcode) {
	case DW_CFA_def_cfa:
		reg = cursor__uleb128(cur);
		set_cfa(ev, reg, (int64_t)cursor__uleb128(cur));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = cursor__uleb128(cur);
		set_cfa(ev, reg, (int64_t)((uint64_t)cursor__sleb128(cur) * (uint64_t)align));
		return true;
	case DW_CFA_def_cfa_expression:
		ev->row.cfa = (struct cfi_rule){ .kind = CFI_RULE_EXPRESSION,
						 .expression = take_block(cur) };
		return true;
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		break;
	default:
		return false;
	}
	if (ev->row.cfa.kind != CFI_RULE_REGISTER)
		fail(ev, "half of a CFA is changed that is not there");
	else if (opcode == DW_CFA_def_cfa_register)
		set_cfa(ev, cursor__uleb128(cur), ev->row.cfa.offset);
	else if (opcode == DW_CFA_def_cfa_offset)
		ev->row.cfa.offset = (int64_t)cursor__uleb128(cur);
	else
		ev->row.cfa.offset = (int64_t)((uint64_t)cursor__sleb128(cur) * (uint64_t)align);
	return true;
}

/* Instructions about one register; false: it is none. */
static bool register_instruction(struct evaluation *ev, uint8_t opcode, struct cursor *cur)
{
	bool is_expression = opcode == DW_CFA_expression || opcode == DW_CFA_val_expression;
	uint64_t reg = is_expression ? 0 : cursor__uleb128(cur);

	switch (opcode) {
	case DW_CFA_offset_extended:
		set_offset(ev, reg, CFI_RULE_OFFSET, cursor__uleb128(cur));
		return true;
	case DW_CFA_offset_extended_sf:
		set_offset(ev, reg, CFI_RULE_OFFSET, (uint64_t)cursor__sleb128(cur));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set_offset(ev, reg, CFI_RULE_OFFSET, -cursor__uleb128(cur));
		return true;
	case DW_CFA_val_offset:
		set_offset(ev, reg, CFI_RULE_VAL_OFFSET, cursor__uleb128(cur));
		return true;
	case DW_CFA_val_offset_sf:
		set_offset(ev, reg, CFI_RULE_VAL_OFFSET, (uint64_t)cursor__sleb128(cur));
		return true;
	case DW_CFA_restore_extended:
		restore(ev, reg);
		return true;
	case DW_CFA_undefined:
		set_plain(ev, reg, CFI_RULE_UNDEFINED);
		return true;
	case DW_CFA_same_value:
		set_plain(ev, reg, CFI_RULE_SAME);
		return true;
	case DW_CFA_register:
		set_rule(ev, reg,
			 (struct cfi_rule){ .kind = CFI_RULE_REGISTER,
					    .reg = (uint16_t)cursor__uleb128(cur) });
		return true;
	case DW_CFA_expression:
		set_expression(ev, cur, CFI_RULE_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		set_expression(ev, cur, CFI_RULE_VAL_EXPRESSION);
		return true;
	}
	return false;
}

/* Instructions that move on, keep states or are of one machine; false: it is none. */
static bool other_instruction(struct evaluation *ev, uint8_t opcode, struct cursor *cur)
{
	switch (opcode) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		advance(ev, cursor__u8(cur));
		return true;
	case DW_CFA_advance_loc2:
		advance(ev, cursor__u16(cur));
		return true;
	case DW_CFA_advance_loc4:
		advance(ev, cursor__u32(cur));
		return true;
	case DW_CFA_MIPS_advance_loc8:
		advance(ev, cursor__u64(cur));
		return true;
	case DW_CFA_remember_state:
		remember(ev);
		return true;
	case DW_CFA_restore_state:
		recall(ev);
		return true;
	case DW_CFA_GNU_args_size:
		cursor__uleb128(cur);
		return true;
	case 0x2c:                   /* DW_CFA_AARCH64_negate_ra_state_with_pc */
	case DW_CFA_GNU_window_save: /* on aarch64 DW_CFA_AARCH64_negate_ra_state */
		if (ev->target->machine == EM_AARCH64)
			ev->row.ra_signed = !ev->row.ra_signed;
		return true;
	}
	return false;
}

static void instruction(struct evaluation *ev, struct cursor *cur)
{
	struct cursor operands;
	uint8_t opcode = cursor__u8(cur), low = opcode & ~PRIMARY_MASK;

	switch (opcode & PRIMARY_MASK) {
	case DW_CFA_advance_loc:
		advance(ev, low);
		return;
	case DW_CFA_offset:
		set_offset(ev, low, CFI_RULE_OFFSET, cursor__uleb128(cur));
		return;
	case DW_CFA_restore:
		restore(ev, low);
		return;
	}
	if (cfa_instruction(ev, opcode, cur) || other_instruction(ev, opcode, cur))
		return;
	operands = *cur;
	if (register_instruction(ev, opcode, &operands))
		*cur = operands;
	else
		fail(ev, "an instruction is not known");
}

static void run(struct evaluation *ev, struct bytes instructions)
{
	struct cursor cur = cursor__at(instructions, ev->target->order);

	while (!ev->err && cursor__left(&cur)) {
		instruction(ev, &cur);
		if (cur.overrun)
			fail(ev, "the last instruction is cut off");
	}
}

int cfi_rows__of_entry(struct cfi_rows *rows, const struct cfi_entry *entry,
		       const struct cfi_target *target, enum cfi_origin origin,
		       const char **problem)
{
	struct evaluation ev = {
		.rows = rows,
		.entry = entry,
		.target = target,
		.row = { .addr = entry->addr, .origin = origin },
		.in_cie = true,
		.start = rows->rows.count,
	};

	run(&ev, entry->cie->instructions);
	ev.in_cie = false;
	ev.initial = ev.row;
	run(&ev, entry->instructions);
	emit(&ev, entry->addr + entry->size);
	array__free(&ev.remembered);
	if (ev.err)
		rows->rows.count = ev.start;
	if (problem)
		*problem = ev.problem;
	return ev.err;
}
