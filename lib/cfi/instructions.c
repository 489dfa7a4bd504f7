// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/instructions.h"

#include <dwarf.h>

#include "cfi/leb128.h"

/* DW_CFA_advance_loc, _offset and _restore: an opcode in two bits, an operand in the other six. */
#define PRIMARY_MASK 0xc0

/* What an instruction's operands are. */
enum operands {
	OPERANDS_UNKNOWN,
	OPERANDS_NONE,
	OPERANDS_1,
	OPERANDS_2,
	OPERANDS_4,
	OPERANDS_8,
	OPERANDS_ADDRESS,
	OPERANDS_LEB, /* signed or unsigned: as long either way */
	OPERANDS_LEB_LEB,
	OPERANDS_BLOCK,
	OPERANDS_LEB_BLOCK,
};

static const uint8_t operands_of[0x40] = {
	[DW_CFA_nop] = OPERANDS_NONE,
	[DW_CFA_set_loc] = OPERANDS_ADDRESS,
	[DW_CFA_advance_loc1] = OPERANDS_1,
	[DW_CFA_advance_loc2] = OPERANDS_2,
	[DW_CFA_advance_loc4] = OPERANDS_4,
	[DW_CFA_offset_extended] = OPERANDS_LEB_LEB,
	[DW_CFA_restore_extended] = OPERANDS_LEB,
	[DW_CFA_undefined] = OPERANDS_LEB,
	[DW_CFA_same_value] = OPERANDS_LEB,
	[DW_CFA_register] = OPERANDS_LEB_LEB,
	[DW_CFA_remember_state] = OPERANDS_NONE,
	[DW_CFA_restore_state] = OPERANDS_NONE,
	[DW_CFA_def_cfa] = OPERANDS_LEB_LEB,
	[DW_CFA_def_cfa_register] = OPERANDS_LEB,
	[DW_CFA_def_cfa_offset] = OPERANDS_LEB,
	[DW_CFA_def_cfa_expression] = OPERANDS_BLOCK,
	[DW_CFA_expression] = OPERANDS_LEB_BLOCK,
	[DW_CFA_offset_extended_sf] = OPERANDS_LEB_LEB,
	[DW_CFA_def_cfa_sf] = OPERANDS_LEB_LEB,
	[DW_CFA_def_cfa_offset_sf] = OPERANDS_LEB,
	[DW_CFA_val_offset] = OPERANDS_LEB_LEB,
	[DW_CFA_val_offset_sf] = OPERANDS_LEB_LEB,
	[DW_CFA_val_expression] = OPERANDS_LEB_BLOCK,
	[DW_CFA_MIPS_advance_loc8] = OPERANDS_8,
	[0x2c] = OPERANDS_NONE, /* DW_CFA_AARCH64_negate_ra_state_with_pc */
	/* On aarch64 the same number is DW_CFA_AARCH64_negate_ra_state. */
	[DW_CFA_GNU_window_save] = OPERANDS_NONE,
	[DW_CFA_GNU_args_size] = OPERANDS_LEB,
	[DW_CFA_GNU_negative_offset_extended] = OPERANDS_LEB_LEB,
};

/* Numbers wider than 64 bits are the matter of who reads them. */
static void skip_leb(struct cursor *cur)
{
	const uint8_t *byte;

	do
		byte = cursor__take(cur, 1);
	while (byte && (*byte & 0x80));
}

static void skip_block(struct cursor *cur)
{
	uint64_t size = cursor__uleb128(cur);

	if (size > cursor__left(cur))
		size = SIZE_MAX;
	cursor__take(cur, (size_t)size);
}

static enum cfi_verdict skip_operands(struct cursor *cur, enum operands operands)
{
	static const uint8_t fixed[] = {
		[OPERANDS_1] = 1,
		[OPERANDS_2] = 2,
		[OPERANDS_4] = 4,
		[OPERANDS_8] = 8,
	};

	switch (operands) {
	case OPERANDS_UNKNOWN:
		return CFI_UNKNOWN;
	case OPERANDS_ADDRESS:
		return CFI_HAS_SET_LOC;
	case OPERANDS_NONE:
		break;
	case OPERANDS_1:
	case OPERANDS_2:
	case OPERANDS_4:
	case OPERANDS_8:
		cursor__take(cur, fixed[operands]);
		break;
	case OPERANDS_LEB_LEB:
		skip_leb(cur);
		skip_leb(cur);
		break;
	case OPERANDS_LEB:
		skip_leb(cur);
		break;
	case OPERANDS_LEB_BLOCK:
		skip_leb(cur);
		skip_block(cur);
		break;
	case OPERANDS_BLOCK:
		skip_block(cur);
		break;
	}
	return cur->overrun ? CFI_CUT_OFF : CFI_SOUND;
}

enum cfi_verdict cfi__check_instructions(struct bytes *instructions, size_t *at)
{
	struct cursor cur = cursor__at(*instructions, ORDER_HOST);
	const uint8_t *end = cur.pos;

	while (cursor__left(&cur)) {
		enum operands operands = OPERANDS_NONE;
		enum cfi_verdict verdict;
		uint8_t opcode;

		*at = (size_t)(cur.pos - instructions->data);
		opcode = cursor__u8(&cur);
		if (!(opcode & PRIMARY_MASK))
			operands = operands_of[opcode];
		else if ((opcode & PRIMARY_MASK) == DW_CFA_offset)
			operands = OPERANDS_LEB;
		verdict = skip_operands(&cur, operands);
		if (verdict != CFI_SOUND)
			return verdict;
		if (opcode != DW_CFA_nop)
			end = cur.pos;
	}
	instructions->size = (size_t)(end - instructions->data);
	return CFI_SOUND;
}
