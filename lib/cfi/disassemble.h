/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thin seam over the disassembler library (capstone), which a build may be without: then
 * disassembler__new says -ENOTSUP for every machine, and those that give capstone's own objects
 * are not there.
 */
#ifndef PERFJIT_CFI_DISASSEMBLE_H
#define PERFJIT_CFI_DISASSEMBLE_H

#include "cfi/cfi.h"

/* No instruction of the machines known here is longer, bytes. */
#define INSTRUCTION_MAX 16

struct cfi_insn;
struct cs_insn;
struct disassembler;

struct instruction {
	uint64_t addr;
	uint8_t size;   /* bytes */
	char text[192]; /* mnemonic and operands, without control characters */
};

/* Whether this build can disassemble code of the machine. */
bool disassembler__supports(const struct cfi_target *target);

/* 0, -ENOMEM, or -ENOTSUP: a machine not known, or a build without disassembler. */
int disassembler__new(struct disassembler **disassembler, const struct cfi_target *target);
void disassembler__free(struct disassembler *disassembler);
/*
 * Makes *disassembler one for the machine unless it is one already: making one takes longer than
 * decoding a small function. Errors as of disassembler__new; *disassembler is NULL then.
 */
int disassembler__renew(struct disassembler **disassembler, const struct cfi_target *target);

/* The instruction that code, which stands at addr, begins with; false when it is none. */
bool disassembler__read(struct disassembler *disassembler, struct bytes code, uint64_t addr,
			struct instruction *instruction);

/*
 * The same as capstone's own object, with details, for those who look at operands; valid until the
 * next call. NULL when code begins with no instruction.
 */
const struct cs_insn *disassembler__detail(struct disassembler *disassembler, struct bytes code,
					   uint64_t addr);

/*
 * The same without what nobody asks for when code is followed, and faster: many instructions are in
 * code again and again. Valid until the next call.
 */
const struct cfi_insn *disassembler__insn(struct disassembler *disassembler, struct bytes code,
					  uint64_t addr);

/* Whether the instruction does nothing. */
bool disassembler__is_nop(const struct cs_insn *insn);

#endif
