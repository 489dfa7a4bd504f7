/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process's addresses are used for, so that DSOs hide nothing they should not. */
#ifndef PERFJIT_FIX_SPACE_H
#define PERFJIT_FIX_SPACE_H

#include "base/array.h"
#include "codemap/process.h"

enum space_use {
	SPACE_ANONYMOUS, /* may be covered: where JIT code lives */
	SPACE_FILE,      /* a file's contents, or the kernel's code: must stay visible */
	SPACE_CODE,      /* a region's own addresses */
};

#define SPACE_NO_OWNER SIZE_MAX

struct space_range {
	uint64_t start, end;
	enum space_use use;
	size_t owner; /* of SPACE_CODE: the family */
};

struct space {
	ARRAY(struct space_range) ranges;
};

/* Whether samples in a mapping have names of their own, which no DSO may hide. */
static inline bool mapping__must_stay(const struct mapping *mapping)
{
	return mapping->file || mapping->kernel;
}

/* The address behind a mapping; records may say any size. */
static inline uint64_t mapping__end(const struct mapping *mapping)
{
	return mapping->size <= UINT64_MAX - mapping->start ? mapping->start + mapping->size
							    : UINT64_MAX;
}

/* All that a process and its ancestors ever mapped. 0 or -ENOMEM. */
int space__read(struct space *space, const struct process *process);
int space__take(struct space *space, uint64_t start, uint64_t end, size_t owner);
void space__free(struct space *space);

/* Whether [start, end) meets a file's mapping or code of another owner. */
bool space__is_covered(const struct space *space, uint64_t start, uint64_t end, size_t owner);

/*
 * The first page-aligned address from on where size bytes meet nothing at all, within limit bytes;
 * 0 when there is none.
 */
uint64_t space__find_hole(const struct space *space, uint64_t from, uint64_t size, uint64_t limit);

#endif
