/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between machines: registers' numbers and what the ABI promises. */
#ifndef PERFJIT_UNWIND_ARCH_H
#define PERFJIT_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_arch {
	uint16_t machine; /* EM_* */
	/* The DWARF number for each bit of perf's sample_regs_user. Source: arch/.../perf_regs.h */
	const uint8_t *dwarf_of_perf;
	size_t nr_perf;
	uint8_t sp, fp;     /* DWARF numbers */
	uint8_t pc;         /* where the pc is kept: x86-64's return address column */
	uint8_t lr;         /* 0: return addresses are on the stack */
	uint64_t code_mask; /* the bits of an address that a signed one has too */
};

#define ARCH_NO_REGISTER 0xff

/* NULL: a machine that is not known here. */
const struct unwind_arch *unwind_arch__of(uint16_t machine);

#endif
