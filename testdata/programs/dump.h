/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a jitdump the way CPython does. */
#ifndef JITPROG_DUMP_H
#define JITPROG_DUMP_H

#include <stdbool.h>

#include "emit.h"

enum unwinding_record {
	UNWINDING_WRITTEN,
	UNWINDING_NONE, /* no record at all, as the JVM agent */
};

struct dump {
	int fd;
	uint64_t next_index;
};

/* jit-PID.dump in the current folder, with its executable marker mapping. */
void dump__open(struct dump *dump);
/* The records of a function that stands at func->addr. */
void dump__load(struct dump *dump, const struct func *func, enum unwinding_record unwinding);

#endif
