/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoded pointers of .eh_frame: DW_EH_PE_* (LSB 5.0 core, 10.5.1). */
#ifndef PERFJIT_CFI_POINTER_H
#define PERFJIT_CFI_POINTER_H

#include "cfi/cfi.h"

/* How a pointer is encoded: a format (low four bits), what it is relative to, and a flag. */
enum {
	CFI_PE_ABSPTR = 0x00,
	CFI_PE_ULEB128 = 0x01,
	CFI_PE_UDATA2 = 0x02,
	CFI_PE_UDATA4 = 0x03,
	CFI_PE_UDATA8 = 0x04,
	CFI_PE_SIGNED = 0x08,
	CFI_PE_SLEB128 = 0x09,
	CFI_PE_SDATA2 = 0x0a,
	CFI_PE_SDATA4 = 0x0b,
	CFI_PE_SDATA8 = 0x0c,
	CFI_PE_FORMAT = 0x0f,
	CFI_PE_PCREL = 0x10,
	CFI_PE_TEXTREL = 0x20,
	CFI_PE_DATAREL = 0x30,
	CFI_PE_FUNCREL = 0x40,
	CFI_PE_ALIGNED = 0x50,
	CFI_PE_BASE = 0x70,
	CFI_PE_INDIRECT = 0x80,
	CFI_PE_OMIT = 0xff,
};

/* Whether the place of code can be read with the encoding: absolute or pcrel, a known format. */
bool cfi_pointer__usable(uint8_t encoding);

/*
 * Reads the number alone, sign-extended as the format says and as wide as the target's addresses.
 * An unknown format overruns the cursor.
 */
uint64_t cfi_pointer__read_number(struct cursor *cur, uint8_t encoding,
				  const struct cfi_target *target);

/* Reads a pointer of a usable encoding; field_address is that of its first byte. */
uint64_t cfi_pointer__read(struct cursor *cur, uint8_t encoding, const struct cfi_target *target,
			   uint64_t field_address);

#endif
