/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An instruction as capstone decoded it, without what nobody asks for when code is followed: small
 * enough to be kept, as decoding takes most of the time that following does.
 */
#ifndef PERFJIT_CFI_INSN_H
#define PERFJIT_CFI_INSN_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdint.h>

/* Operands behind the last are zero. */
struct cfi_insn {
	uint64_t address;
	uint64_t written; /* general registers that it writes, mask by DWARF number */
	uint32_t id;      /* capstone's number */
	uint8_t size;     /* bytes */
	uint8_t op_count;
	bool is_nop;
	/* of aarch64 alone, as capstone has them */
	bool update_flags, writeback;
	uint8_t cc;
	uint8_t bytes[16];
	union {
		cs_x86_op x86[8];
		cs_arm64_op arm64[8];
	};
};

/* The DWARF number of a general register or part of one; UINT16_MAX of others. */
uint16_t cfi_x86__register(unsigned int reg);
uint16_t cfi_arm64__register(unsigned int reg);

#endif
