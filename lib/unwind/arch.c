// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/arch.h"

#include <elf.h>

#define NO ARCH_NO_REGISTER

/* PERF_REG_X86_AX, BX, CX, DX, SI, DI, BP, SP, IP, FLAGS, CS ... GS, R8 ... R15 */
static const uint8_t x86_64[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, NO, NO, NO, NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15,
};

/* X0 ... X29, LR, SP, PC; the pc has no number of its own in DWARF */
static const uint8_t aarch64[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

static const struct unwind_arch arches[] = {
	{ EM_X86_64, x86_64, sizeof(x86_64), .sp = 7, .fp = 6, .pc = 16, .code_mask = UINT64_MAX },
	/* user addresses of 48 bits; those of 52 must be asked for, and code is not put there */
	{ EM_AARCH64, aarch64, sizeof(aarch64), .sp = 31, .fp = 29, .pc = 32, .lr = 30,
	  .code_mask = (1ull << 48) - 1 },
};

const struct unwind_arch *unwind_arch__of(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(*arches); i++)
		if (arches[i].machine == machine)
			return &arches[i];
	return NULL;
}
