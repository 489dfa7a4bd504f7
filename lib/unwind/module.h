/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that was mapped: found, read once, and asked for names and unwind rows. Private. */
#ifndef PERFJIT_UNWIND_MODULE_H
#define PERFJIT_UNWIND_MODULE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>

#include "base/bytes.h"
#include "unwind/elf_file.h"
#include "unwind/rows.h"
#include "unwind/symbols.h"
#include "unwind/unwind.h"

struct module_segment {
	uint64_t offset, size; /* in the file */
	uint64_t vaddr;
};

struct unwind_module {
	const char *name;
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE]; /* recorded */
	size_t build_id_size;                     /* 0: none was */
	bool jit;

	pthread_mutex_t lock; /* for all that follows, until opened; then for rows and symbols */
	bool opened;
	enum unwind_reason reason; /* UNWIND_NAMED: the file is there and right */
	char *path;
	struct module_file file, debug;
	Dwfl *packed; /* holds symbols that are packed into the file; or NULL */
	Dwarf *dwarf; /* for .debug_frame */
	Dwarf_CFI *eh_frame, *debug_frame;
	ARRAY(struct module_segment) segments; /* that are loaded */
	struct symbols symbols;
	bool has_symbols;
	struct row_table rows;
};

/* Finds and reads the file, if that was not done yet. 0 or -ENOMEM. */
int unwind_module__open(struct unwind_module *module, const struct unwinder *unwinder);
void unwind_module__close(struct unwind_module *module);

/* The vaddr of what stands at an offset of the file. */
uint64_t unwind_module__vaddr(const struct unwind_module *module, uint64_t offset);
/* The symbol that covers vaddr, or NULL. Of an open module. */
const struct symbol *unwind_module__symbol(struct unwind_module *module, uint64_t vaddr);
/* The unwind row for the instruction at vaddr; NULL: there is none. Of an open module. */
const struct unwind_row *unwind_module__row(struct unwind_module *module, uint64_t vaddr);

/* locate.c */
/* Finds the file, and sets reason, path and file. 0 or -ENOMEM. */
int unwind_module__locate(struct unwind_module *module, const struct unwinder *unwinder);
/* Finds the file of separate debug information. */
void unwind_module__locate_debug(struct unwind_module *module, const struct unwinder *unwinder);

#endif
