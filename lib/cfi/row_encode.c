// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows made into an FDE's instructions: what changes from each one to the next. */
#include "cfi/row.h"

#include <dwarf.h>
#include <errno.h>

/* Registers up to here have an opcode of one byte. */
#define PRIMARY_REGISTERS 0x40

struct encoder {
	struct buf *out;
	const struct cfi_cie *cie;
	struct cfi_row initial; /* what the CIE says */
	bool failed;            /* something has no encoding */
};

static void put_advance(struct encoder *enc, uint64_t bytes)
{
	uint64_t delta = enc->cie->code_align ? bytes / enc->cie->code_align : 0;

	if (!bytes)
		return;
	if (!delta || bytes % enc->cie->code_align || delta > UINT32_MAX) {
		enc->failed = true;
	} else if (delta < 0x40) {
		buf__put_u8(enc->out, (uint8_t)(DW_CFA_advance_loc | delta));
	} else if (delta <= UINT8_MAX) {
		buf__put_u8(enc->out, DW_CFA_advance_loc1);
		buf__put_u8(enc->out, (uint8_t)delta);
	} else if (delta <= UINT16_MAX) {
		buf__put_u8(enc->out, DW_CFA_advance_loc2);
		buf__put_u16(enc->out, (uint16_t)delta);
	} else {
		buf__put_u8(enc->out, DW_CFA_advance_loc4);
		buf__put_u32(enc->out, (uint32_t)delta);
	}
}

static int64_t factored(struct encoder *enc, int64_t offset)
{
	int64_t align = enc->cie->data_align;

	/* INT64_MIN / -1 has no value */
	if (!align || offset == INT64_MIN || offset % align) {
		enc->failed = true;
		return 0;
	}
	return offset / align;
}

static void put_block(struct encoder *enc, const struct cfi_rule *rule)
{
	if (!rule->expression.data && rule->expression.size)
		enc->failed = true;
	buf__put_uleb128(enc->out, rule->expression.size);
	buf__put(enc->out, rule->expression.data, rule->expression.size);
}

static void put_cfa(struct encoder *enc, const struct cfi_rule *from, const struct cfi_rule *to)
{
	bool was_register = from->kind == CFI_RULE_REGISTER;

	if (to->kind == CFI_RULE_EXPRESSION) {
		buf__put_u8(enc->out, DW_CFA_def_cfa_expression);
		put_block(enc, to);
	} else if (to->kind != CFI_RULE_REGISTER) {
		enc->failed = true;
	} else if (was_register && from->offset == to->offset) {
		buf__put_u8(enc->out, DW_CFA_def_cfa_register);
		buf__put_uleb128(enc->out, to->reg);
	} else if (to->offset < 0) {
		buf__put_u8(enc->out, DW_CFA_def_cfa_sf);
		buf__put_uleb128(enc->out, to->reg);
		buf__put_sleb128(enc->out, factored(enc, to->offset));
	} else if (was_register && from->reg == to->reg) {
		buf__put_u8(enc->out, DW_CFA_def_cfa_offset);
		buf__put_uleb128(enc->out, (uint64_t)to->offset);
	} else {
		buf__put_u8(enc->out, DW_CFA_def_cfa);
		buf__put_uleb128(enc->out, to->reg);
		buf__put_uleb128(enc->out, (uint64_t)to->offset);
	}
}

static void put_saved(struct encoder *enc, size_t reg, int64_t offset)
{
	int64_t number = factored(enc, offset);

	if (number < 0) {
		buf__put_u8(enc->out, DW_CFA_offset_extended_sf);
		buf__put_uleb128(enc->out, reg);
		buf__put_sleb128(enc->out, number);
		return;
	}
	buf__put_u8(enc->out, (uint8_t)(DW_CFA_offset | reg));
	buf__put_uleb128(enc->out, (uint64_t)number);
}

static void put_opcode(struct encoder *enc, uint8_t opcode, size_t reg)
{
	buf__put_u8(enc->out, opcode);
	buf__put_uleb128(enc->out, reg);
}

_Static_assert(CFI_ROW_REGISTERS <= PRIMARY_REGISTERS, "all have an opcode of one byte");

static void put_register(struct encoder *enc, size_t reg, const struct cfi_rule *to)
{
	switch (to->kind) {
	case CFI_RULE_UNSPECIFIED:
		if (enc->initial.registers[reg].kind == CFI_RULE_UNSPECIFIED)
			buf__put_u8(enc->out, (uint8_t)(DW_CFA_restore | reg));
		else
			enc->failed = true;
		break;
	case CFI_RULE_UNDEFINED:
		put_opcode(enc, DW_CFA_undefined, reg);
		break;
	case CFI_RULE_SAME:
		put_opcode(enc, DW_CFA_same_value, reg);
		break;
	case CFI_RULE_OFFSET:
		put_saved(enc, reg, to->offset);
		break;
	case CFI_RULE_VAL_OFFSET:
		put_opcode(enc, DW_CFA_val_offset_sf, reg);
		buf__put_sleb128(enc->out, factored(enc, to->offset));
		break;
	case CFI_RULE_REGISTER:
		put_opcode(enc, DW_CFA_register, reg);
		buf__put_uleb128(enc->out, to->reg);
		break;
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		put_opcode(enc,
			   to->kind == CFI_RULE_EXPRESSION ? DW_CFA_expression
							   : DW_CFA_val_expression,
			   reg);
		put_block(enc, to);
		break;
	}
}

static void put_row(struct encoder *enc, const struct cfi_row *from, const struct cfi_row *to)
{
	for (size_t i = 0; i < CFI_ROW_REGISTERS; i++)
		if (!cfi_rule__same(&from->registers[i], &to->registers[i]))
			put_register(enc, i, &to->registers[i]);
	if (!cfi_rule__same(&from->cfa, &to->cfa))
		put_cfa(enc, &from->cfa, &to->cfa);
	if (from->ra_signed != to->ra_signed)
		buf__put_u8(enc->out, DW_CFA_GNU_window_save);
}

/* The row of a CIE's instructions alone. */
static int initial_row(struct encoder *enc, const struct cfi_target *target)
{
	const struct cfi_entry entry = { .cie = enc->cie, .size = 1 };
	struct cfi_rows rows = { 0 };
	int err = cfi_rows__of_entry(&rows, &entry, target, CFI_NONE, NULL);

	if (!err)
		enc->initial = rows.rows.items[0];
	cfi_rows__free(&rows);
	return err == -EBADMSG ? -EINVAL : err;
}

int cfi_rows__encode(const struct cfi_row *rows, size_t count, const struct cfi_cie *cie,
		     const struct cfi_target *target, struct buf *instructions)
{
	struct encoder enc = { .out = instructions, .cie = cie };
	const struct cfi_row *from = &enc.initial;
	int err = initial_row(&enc, target);

	if (err)
		return err;
	instructions->order = target->order;
	for (size_t i = 0; i < count; i++) {
		if (i && rows[i].addr != from->addr + from->size)
			return -EINVAL;
		if (i)
			put_advance(&enc, from->size);
		put_row(&enc, from, &rows[i]);
		from = &rows[i];
	}
	if (instructions->failed)
		return -ENOMEM;
	return enc.failed ? -EINVAL : 0;
}
