/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows: per range of code where the frame begins (CFA) and where the caller's registers are. What
 * call frame instructions say, what the unwinder applies, what tracking of code finds.
 * Source: DWARF 4, section 6.4.1.
 */
#ifndef PERFJIT_CFI_ROW_H
#define PERFJIT_CFI_ROW_H

#include <elfutils/libdw.h>

#include "cfi/cfi.h"

/* DWARF numbers below it have a place in a row; rules for others (vector registers) are left out.
 */
#define CFI_ROW_REGISTERS 33

enum cfi_rule_kind {
	CFI_RULE_UNSPECIFIED,    /* nothing was said; the ABI's default holds */
	CFI_RULE_UNDEFINED,      /* lost; of the return address: the outermost frame */
	CFI_RULE_SAME,           /* still in the register */
	CFI_RULE_OFFSET,         /* saved at CFA + offset */
	CFI_RULE_VAL_OFFSET,     /* is CFA + offset */
	CFI_RULE_REGISTER,       /* is in register reg; of the CFA: reg + offset */
	CFI_RULE_EXPRESSION,     /* saved where the expression says; of the CFA: its value */
	CFI_RULE_VAL_EXPRESSION, /* is what the expression says */
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	uint16_t reg;
	union {
		int64_t offset;          /* bytes, factors applied */
		struct bytes expression; /* of rows read from instructions: view into them */
		struct {
			const Dwarf_Op *items;
			size_t count;
		} ops; /* of cfi_row__of_frame: the expression decoded, owned by the Dwarf_CFI */
	};
};

/* Whose word a row is. */
enum cfi_origin {
	CFI_NONE,
	CFI_PRODUCER,
	CFI_REPAIRED,
	CFI_SYNTHESISED,   /* shown by the code, see track.h */
	CFI_FRAME_POINTER, /* the frame-pointer rule */
};

struct cfi_row {
	uint64_t addr, size;
	struct cfi_rule cfa; /* CFI_RULE_REGISTER or CFI_RULE_EXPRESSION; _UNSPECIFIED: not said */
	struct cfi_rule registers[CFI_ROW_REGISTERS]; /* by DWARF number, the return address too */
	bool ra_signed; /* aarch64: the return address carries an authentication code */
	enum cfi_origin origin;
};

/* Of one function. Each costs about 1 KiB; the longest of node and the JVM make some thousands. */
#define CFI_ROWS_MAX 65536

/* By address, without overlaps; gaps where nothing is known. Zero-initialise. */
struct cfi_rows {
	ARRAY(struct cfi_row) rows;
	ARRAY(uint8_t *) expressions; /* owned, of rows that were not read: see cfi_rows__keep */
};

void cfi_rows__free(struct cfi_rows *rows);
/*
 * A copy of an expression that lives as long as the rows, or the one that was made shortly before;
 * NULL: no memory.
 */
const uint8_t *cfi_rows__keep(struct cfi_rows *rows, struct bytes expression);
/* The row that covers pc, or NULL. */
const struct cfi_row *cfi_rows__find(const struct cfi_rows *rows, uint64_t pc);

/* An FDE as the entry it makes where it stands. */
struct cfi_entry cfi_table__entry(const struct cfi_table *table, const struct cfi_fde *fde);

/*
 * Appends the rows that an FDE's instructions make of its CIE's, for all of its range. Rows that
 * say the same stand once. 0, -ENOMEM, or -EBADMSG (nothing appended) when the instructions can't
 * be followed; problem then says why in a few words, when it is not NULL.
 */
int cfi_rows__of_entry(struct cfi_rows *rows, const struct cfi_entry *entry,
		       const struct cfi_target *target, enum cfi_origin origin,
		       const char **problem);

/*
 * One row as libdw sees it, for ELF files (dwfl_module_eh_cfi, dwarf_cfi_addrframe). 0, or -EBADMSG
 * when libdw cannot say what the rules are.
 */
int cfi_row__of_frame(struct cfi_row *row, Dwarf_Frame *frame);

/* Whether two rows say the same, wherever they stand and whosever word they are. */
bool cfi_row__same(const struct cfi_row *a, const struct cfi_row *b);
bool cfi_rule__same(const struct cfi_rule *a, const struct cfi_rule *b);

/*
 * Appends the FDE instructions for count rows that follow one another without gaps; the FDE's
 * range begins at the first row's. Where there are gaps, several FDEs are needed. 0, -ENOMEM, or
 * -EINVAL: a gap, an address or offset that is no multiple of the CIE's factors, or ops of libdw.
 */
int cfi_rows__encode(const struct cfi_row *rows, size_t count, const struct cfi_cie *cie,
		     const struct cfi_target *target, struct buf *instructions);

#endif
