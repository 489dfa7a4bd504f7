/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the ABI of a machine says about frames: register numbers of DWARF, who saves what. */
#ifndef PERFJIT_CFI_MACHINE_H
#define PERFJIT_CFI_MACHINE_H

#include "cfi/cfi.h"

struct cfi_machine {
	uint16_t sp, fp, ra;      /* DWARF numbers; ra is the column of the return address */
	uint8_t word;             /* bytes */
	bool ra_on_stack;         /* a call pushes it; otherwise it is in register ra at entry */
	uint8_t entry_offset;     /* CFA - sp at a function's first instruction, bytes */
	uint64_t callee_saved;    /* bit mask by DWARF number, fp among them, sp and ra not */
	const char *const *names; /* of registers, for CFI_ROW_REGISTERS of them; may hold NULL */
	struct cfi_cie cie;       /* what FDEs written here build on: the state at entry */
};

/* NULL when the machine is not known here: x86-64 and aarch64 are. */
const struct cfi_machine *cfi_machine__of(const struct cfi_target *target);

#endif
