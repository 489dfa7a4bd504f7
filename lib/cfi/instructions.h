/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of CIEs and FDEs, one after the other (DWARF 4, section 6.4.2 and 7.23). */
#ifndef PERFJIT_CFI_INSTRUCTIONS_H
#define PERFJIT_CFI_INSTRUCTIONS_H

#include "cfi/cfi.h"

enum cfi_verdict {
	CFI_SOUND,
	CFI_CUT_OFF,     /* the last instruction lacks operands */
	CFI_UNKNOWN,     /* an opcode that is not known: what follows can't be read */
	CFI_HAS_SET_LOC, /* DW_CFA_set_loc: holds an address, can't be moved along */
};

/*
 * Walks over the instructions; at is the offset of the last one looked at. When they are sound,
 * padding (DW_CFA_nop) is cut from their end.
 */
enum cfi_verdict cfi__check_instructions(struct bytes *instructions, size_t *at);

#endif
