/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call chains of a profile's samples, through the JIT code that was planned for. */
#ifndef PERFJIT_FIX_BAKE_H
#define PERFJIT_FIX_BAKE_H

#include "fix/plan.h"
#include "perfdata/bake.h"
#include "unwind/unwind.h"

struct diag;

enum bake_which {
	BAKE_NONE,
	BAKE_ALL, /* every sample that has registers and a stack */
	BAKE_JIT, /* those whose chain passes through JIT code; others keep their stacks */
};

struct bake_options {
	enum bake_which which;
	bool keep_stacks;
	unsigned int max_stack; /* user frames; 0: BAKE_MAX_STACK */
	const char *symfs;      /* folder that mapped files are looked up under; NULL: none */
	unsigned int threads;   /* 0: as many as there are processors */
};

/* More than perf shows unless told to (127): what is left out now can't be had back. */
#define BAKE_MAX_STACK 1024

struct bake_counts {
	uint64_t samples;           /* with a stack */
	uint64_t baked;             /* that got a chain */
	uint64_t jit;               /* whose chain passes through JIT code */
	uint64_t frames;            /* user frames put in */
	uint64_t ends[UNWIND_ENDS]; /* how the chains of all of them end */
};

/* A chain of a sample. */
struct baked_chain {
	uint64_t nth;  /* record of the walk */
	size_t begin;  /* in baked.ips, bytes */
	uint32_t size; /* bytes */
};

struct baked {
	struct perfdata_bake bake; /* for perfdata_edits__set_bake */
	struct bake_counts counts;
	ARRAY(struct baked_chain) chains; /* by nth */
	struct buf ips;
	size_t next; /* position in chains where the next look-up is likely to be */
};

/*
 * Unwinds all samples, on all processors. DSOs of the plan must have been written. 0 or a negative
 * errno, reported; progress as in struct apply_options, done and total being bytes of the profile.
 */
int baked__make(struct baked *baked, const struct plan *plan, const struct bake_options *options,
		bool (*progress)(void *context, uint64_t done, uint64_t total), void *context,
		struct diag *diag);
void baked__free(struct baked *baked);

#endif
