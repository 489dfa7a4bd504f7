// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sources: System V ABI, AMD64 supplement, figures 3.4 and 3.36; DWARF for the Arm 64-bit
 * Architecture, 4.1; Procedure Call Standard for the Arm 64-bit Architecture, 6.1.
 */
#include "cfi/machine.h"

#include <dwarf.h>
#include <elf.h>

#include "cfi/row.h"

#define X86_64_RSP 7
#define X86_64_RA  16
#define AARCH64_LR 30
#define AARCH64_SP 31

/* CFA = rsp + 8, return address at CFA - 8. */
static const uint8_t x86_64_entry[] = {
	DW_CFA_def_cfa, X86_64_RSP, 8, DW_CFA_offset | X86_64_RA, 1,
};

static const char *const x86_64_names[CFI_ROW_REGISTERS] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra",
};

static const struct cfi_machine x86_64 = {
	.sp = X86_64_RSP,
	.fp = 6,
	.ra = X86_64_RA,
	.word = 8,
	.ra_on_stack = true,
	.entry_offset = 8,
	.callee_saved = 1 << 3 | 1 << 6 | 0xf << 12,
	.names = x86_64_names,
	.cie = { .code_align = 1,
		 .data_align = -8,
		 .ra_register = X86_64_RA,
		 .instructions = { x86_64_entry, sizeof(x86_64_entry) } },
};

/* CFA = sp; the return address is in x30, of which no rule is needed. */
static const uint8_t aarch64_entry[] = { DW_CFA_def_cfa, AARCH64_SP, 0 };

static const char *const aarch64_names[CFI_ROW_REGISTERS] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
};

static const struct cfi_machine aarch64 = {
	.sp = AARCH64_SP,
	.fp = 29,
	.ra = AARCH64_LR,
	.word = 8,
	.callee_saved = UINT64_C(0x7ff) << 19,
	.names = aarch64_names,
	.cie = { .code_align = 4,
		 .data_align = -8,
		 .ra_register = AARCH64_LR,
		 .instructions = { aarch64_entry, sizeof(aarch64_entry) } },
};

const struct cfi_machine *cfi_machine__of(const struct cfi_target *target)
{
	if (target->class != ELFCLASS64)
		return NULL;
	if (target->machine == EM_X86_64)
		return &x86_64;
	return target->machine == EM_AARCH64 ? &aarch64 : NULL;
}
