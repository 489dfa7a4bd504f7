/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names in an ELF file, chosen as perf chooses among those of one address. Private.
 * Rules: tools/perf/util/symbol.c and symbol-elf.c.
 */
#ifndef PERFJIT_UNWIND_SYMBOLS_H
#define PERFJIT_UNWIND_SYMBOLS_H

#include <libelf.h>

#include "base/array.h"
#include "base/buf.h"

struct symbol {
	uint64_t start, end; /* vaddrs */
	const char *name;    /* in the ELF file, or owned by the table */
	uint64_t reach;      /* the highest end up to here, in order */
	uint32_t nth;        /* in order of being added */
	uint8_t binding;     /* STB_* */
	bool label;          /* STT_NOTYPE */
	bool sized;          /* the file says where it ends */
};

/* Zero-initialise. The ELF files must live as long. */
struct symbols {
	ARRAY(struct symbol) list; /* by start; each start once */
	ARRAY(char *) made;        /* names that stand in no file */
};

/*
 * Adds those of .symtab and .dynsym of elf. runtime is the file whose addresses count: vaddrs in a
 * separate debug file may be others by a constant.
 */
int symbols__add(struct symbols *symbols, Elf *elf, Elf *runtime);
/* plt.c: adds "name@plt" for each entry of the procedure linkage table; once finished, and before
 * it is finished again. */
int symbols__add_plt(struct symbols *symbols, Elf *elf);
/* Once all are added: those of one address become one, those without a size get one. */
void symbols__finish(struct symbols *symbols);
void symbols__free(struct symbols *symbols);

/*
 * The nearest before vaddr that covers it; one whose size the file tells rather than a label within
 * it. (Where symbols overlap, perf shows the one that its tree happens to have nearer to the root.)
 */
const struct symbol *symbols__find(const struct symbols *symbols, uint64_t vaddr);

#endif
