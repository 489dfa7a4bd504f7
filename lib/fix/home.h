/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What JIT code lies in: memory of its own, a file's mapping, or a second mapping of that file. */
#ifndef PERFJIT_FIX_HOME_H
#define PERFJIT_FIX_HOME_H

#include "codemap/process.h"

enum home {
	HOME_MEMORY,
	HOME_FILE,  /* a file's mapping, where the file was linked or loaded to be */
	HOME_ALIAS, /* another mapping of that part of the file (V8's embedded builtins) */
};

/* The answer for the code before: neighbours lie in the same mapping. Zero-initialise. */
struct home_memory {
	const struct mapping *mapping;
	enum home home;
};

enum home home__of(struct home_memory *memory, const struct process *process,
		   const struct code *code);

#endif
