/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind table of one function: its rows, and whether they are right. */
#ifndef PERFJIT_CMD_DUMP_CFI_H
#define PERFJIT_CMD_DUMP_CFI_H

#include "base/array.h"
#include "base/diag.h"
#include "cfi/row.h"
#include "code/record.h"

struct cfi_problem {
	enum diag_level level;
	const char *kind;
	uint64_t pc;        /* of the first instruction, or 0 when the whole table is meant */
	char *text;         /* what is wrong */
	const char *effect; /* what comes of it where perf unwinds */
};

struct disassembler;

struct dump_cfi {
	struct cfi_rows rows;
	ARRAY(struct cfi_problem) problems;
	const char *verdict; /* a word: "agrees", "disagrees", "undecided", "unchecked", "none" */
	char words[256];     /* what that means */
};

/*
 * Of a function of a jitdump. Zero-initialise cfi. The disassembler is of the target's machine, or
 * NULL, as there is none for it. 0 or -ENOMEM.
 */
int dump_cfi__of_function(struct dump_cfi *cfi, const struct code_record *code,
			  const struct cfi_target *target, struct disassembler *disassembler);
/*
 * Of code in an ELF file, whose table was read. is_part: it is jumped to from elsewhere in the
 * function, so that the table has to be believed as to what holds there. 0 or -ENOMEM.
 */
int dump_cfi__of_table(struct dump_cfi *cfi, const struct cfi_table *table, struct bytes code,
		       uint64_t addr, bool is_part, const struct cfi_target *target,
		       struct disassembler *disassembler);
void dump_cfi__free(struct dump_cfi *cfi);

/* What a row says: "rsp+16" and "rbp=c-16 ra=c-8". out has size bytes; return out. */
char *dump_cfi__cfa(const struct cfi_row *row, const struct cfi_target *target, char *out,
		    size_t size);
char *dump_cfi__registers(const struct cfi_row *row, const struct cfi_target *target, char *out,
			  size_t size);

#endif
