/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JIT code that has no frame of its own. PHP's virtual machine (when it was compiled by GCC) jumps
 * into JIT code and is jumped back to, so that such code runs in the frame of the function that it
 * came from, and its rows are that function's. What frame that is, a stub of the JIT code tells:
 * it does nothing but jump back into the program, where the program's own CFI holds.
 */
#ifndef PERFJIT_FIX_HOST_FRAME_H
#define PERFJIT_FIX_HOST_FRAME_H

#include "cfi/row.h"
#include "code/record.h"
#include "dso/outline.h"

/* Where JIT code jumps back into its program, if a record is the stub that does; else 0. */
uint64_t host_frame__exit(const struct code_record *record);

/*
 * The row that holds at vaddr of a program, by its .eh_frame. False when it has none there, or one
 * that can't be taken over.
 */
bool host_frame__read(struct cfi_row *row, const struct dso_outline *program, uint64_t vaddr,
		      const struct cfi_target *target);

/* The row at the first instruction of a record's code that is jumped to from the host. */
void host_frame__entry(struct cfi_row *row, const struct cfi_row *host,
		       const struct code_record *record, const struct cfi_target *target);

#endif
