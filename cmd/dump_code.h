/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code printed instruction by instruction, with what is known about each place beside it. */
#ifndef PERFJIT_CMD_DUMP_CODE_H
#define PERFJIT_CMD_DUMP_CODE_H

#include "cfi/row.h"
#include "code/record.h"
#include "dump.h"
#include "dump_cfi.h"

struct code_view {
	struct bytes code;
	uint64_t addr;
	const struct cfi_target *target;
	const struct code_lines *lines; /* or NULL */
	const struct dump_cfi *cfi;     /* or NULL */
};

/* The one for a file's code, which is all of one machine; NULL when there is none. */
struct disassembler *dump_code__disassembler(struct dump *dump, const struct cfi_target *target);
/* Adds the member "instructions", and "verdict" where there is CFI, to the record being printed. */
void dump_code__print(struct dump *dump, const struct code_view *view);

#endif
