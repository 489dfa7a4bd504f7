/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the recorded kernel's code. Private. */
#ifndef PERFJIT_UNWIND_KALLSYMS_H
#define PERFJIT_UNWIND_KALLSYMS_H

#include <pthread.h>

#include "perfdata/event.h"
#include "unwind/symbols.h"

struct unwinder;

struct kernel_symbols {
	/* As recorded: the symbol by which the kernel's place is known ("_text"), and that place. */
	char reference[32];
	uint64_t place;
	pthread_mutex_t lock; /* for what follows */
	bool opened;
	struct symbols symbols;
};

/* Takes the reference from the mapping of the kernel, if mmap is that. */
void kernel_symbols__note(struct kernel_symbols *kernel, const struct perfdata_mmap *mmap);
/*
 * The symbol that covers an address of the kernel, or NULL. They are read when first asked for:
 * from /proc/kallsyms if this kernel is the one that was recorded and stands where that stood, else
 * from the copy that perf record made in the build-id cache.
 */
const struct symbol *kernel_symbols__find(struct kernel_symbols *kernel,
					  const struct unwinder *unwinder, uint64_t ip);
void kernel_symbols__free(struct kernel_symbols *kernel);

#endif
