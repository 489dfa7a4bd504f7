// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/frame_pointer.h"

#include <dwarf.h>
#include <elf.h>

/* DWARF numbers of x86-64 registers: System V ABI, AMD64 supplement, figure 3.36 */
#define X86_64_RBP 6
#define X86_64_RSP 7
#define X86_64_RA  16
#define WORD       8

/* A prologue stands at the beginning, behind a stack probe or a check at the most. */
#define PROLOGUE_REACH 64

/* At entry: CFA = rsp + 8, return address at CFA - 8. */
static const uint8_t x86_64_entry[] = {
	DW_CFA_def_cfa, X86_64_RSP, 8, DW_CFA_offset | X86_64_RA, 1,
};

static const struct cfi_cie x86_64_cie = {
	.code_align = 1,
	.data_align = -WORD,
	.ra_register = X86_64_RA,
	.instructions = { x86_64_entry, sizeof(x86_64_entry) },
};

const struct cfi_cie *cfi__frame_pointer_cie(const struct cfi_target *target)
{
	return target->machine == EM_X86_64 && target->class == ELFCLASS64 ? &x86_64_cie : NULL;
}

/* Offset of "push %rbp; mov %rsp,%rbp" in either encoding, or the code's size. */
static size_t find_prologue(struct bytes code)
{
	static const uint8_t encodings[][4] = { { 0x55, 0x48, 0x89, 0xe5 },
						{ 0x55, 0x48, 0x8b, 0xec } };

	for (size_t i = 0; i + 4 <= code.size && i < PROLOGUE_REACH; i++)
		if (memcmp(code.data + i, encodings[0], 4) == 0 ||
		    memcmp(code.data + i, encodings[1], 4) == 0)
			return i;
	return code.size;
}

/* Whether the code ends in "pop %rbp; ret" or "leave; ret". */
static bool has_epilogue(struct bytes code)
{
	const uint8_t *end = code.data + code.size;

	return code.size >= 2 && end[-1] == 0xc3 && (end[-2] == 0x5d || end[-2] == 0xc9);
}

static void advance(struct buf *instructions, size_t bytes)
{
	if (bytes == 0)
		return;
	if (bytes < 0x40) {
		buf__put_u8(instructions, (uint8_t)(DW_CFA_advance_loc | bytes));
		return;
	}
	buf__put_u8(instructions, DW_CFA_advance_loc4);
	buf__put_u32(instructions, (uint32_t)bytes);
}

static void saved_rbp(struct buf *instructions)
{
	buf__put_u8(instructions, DW_CFA_offset | X86_64_RBP);
	buf__put_uleb128(instructions, 2);
}

bool cfi__frame_pointer_rows(struct bytes code, bool promised, const struct cfi_target *target,
			     struct buf *instructions)
{
	size_t prologue = find_prologue(code), done;

	if (!cfi__frame_pointer_cie(target) || code.size > UINT32_MAX ||
	    (prologue == code.size && !promised))
		return false;
	instructions->order = target->order;
	if (prologue == code.size) {
		buf__put_u8(instructions, DW_CFA_def_cfa);
		buf__put_uleb128(instructions, X86_64_RBP);
		buf__put_uleb128(instructions, UINT64_C(2) * WORD);
		saved_rbp(instructions);
		return true;
	}
	advance(instructions, prologue + 1);
	buf__put_u8(instructions, DW_CFA_def_cfa_offset);
	buf__put_uleb128(instructions, UINT64_C(2) * WORD);
	saved_rbp(instructions);
	advance(instructions, 3);
	buf__put_u8(instructions, DW_CFA_def_cfa_register);
	buf__put_uleb128(instructions, X86_64_RBP);
	done = prologue + 4;
	if (has_epilogue(code) && code.size - 1 > done) {
		advance(instructions, code.size - 1 - done);
		buf__put_u8(instructions, DW_CFA_def_cfa);
		buf__put_uleb128(instructions, X86_64_RSP);
		buf__put_uleb128(instructions, WORD);
		buf__put_u8(instructions, DW_CFA_same_value);
		buf__put_uleb128(instructions, X86_64_RBP);
	}
	return true;
}
