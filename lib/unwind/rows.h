/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rows in the form they are applied in: what the usual row says fits a cache line. One is
 * made for each pc that is met, once. Private.
 */
#ifndef PERFJIT_UNWIND_ROWS_H
#define PERFJIT_UNWIND_ROWS_H

#include "cfi/row.h"

/* Saved registers that a row has room for: x86-64 saves 7 at most, aarch64 12 but vectors. */
#define ROW_SAVES 12

struct unwind_row {
	uint64_t saved; /* DWARF numbers of the registers at CFA + offset, as bits */
	uint64_t lost;  /* of those that are not known in the caller */
	int32_t cfa_offset;
	uint8_t cfa_register;
	uint8_t ra_register;
	bool outermost;    /* there is no caller */
	bool signal_frame; /* the caller was interrupted, and did not call */
	int32_t offsets[ROW_SAVES]; /* of saved, in order of the registers' numbers */
	const struct cfi_row *full; /* not NULL: says it all, and of the above the rest only */
};

/* Rows of one module by vaddr; the row of a vaddr that has none is NULL. Zero-initialise. */
struct row_table {
	struct row_entry {
		uint64_t vaddr;
		const struct unwind_row *row;
		bool used;
	} * entries;
	size_t count, size; /* size: a power of two, or 0 */
	ARRAY(struct unwind_row *) rows;
	ARRAY(struct cfi_row *) full;
};

void row_table__free(struct row_table *table);
/* Whether vaddr was entered, and which row is its. */
bool row_table__find(const struct row_table *table, uint64_t vaddr, const struct unwind_row **row);
/*
 * Asks libdw for the row at vaddr, first of eh_frame, then of debug_frame, either of which may be
 * NULL, and enters it. -ENOMEM.
 */
int row_table__add(struct row_table *table, uint64_t vaddr, Dwarf_CFI *eh_frame,
		   Dwarf_CFI *debug_frame, const struct unwind_row **row);

#endif
