/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process's addresses are used for, so that DSOs hide nothing they should not. */
#ifndef PERFJIT_FIX_SPACE_H
#define PERFJIT_FIX_SPACE_H

#include "base/array.h"
#include "codemap/process.h"

enum space_use {
	SPACE_FILE, /* a file's contents, or the kernel's code: must stay visible */
	SPACE_CODE, /* JIT code and what DSOs map around it */
	SPACE_USES,
};

/* Of SPACE_CODE: no family's own. */
#define SPACE_NO_OWNER SIZE_MAX

struct space_range {
	uint64_t start, end;
	uint64_t reach; /* the highest end up to here, in order */
	size_t owner;   /* of SPACE_CODE: the family */
};

/* Private but for its being zero-initialised. */
struct space {
	ARRAY(struct space_range) uses[SPACE_USES]; /* by start */
	/* all that is used, anonymous memory too, up to the pages' ends: disjoint, by start */
	ARRAY(struct space_range) used;
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
