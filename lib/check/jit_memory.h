/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JIT memory of a profile's processes over address and time: where code is, where samples were
 * taken, and where there are frames without a name.
 */
#ifndef PERFJIT_CHECK_JIT_MEMORY_H
#define PERFJIT_CHECK_JIT_MEMORY_H

#include <stdint.h>

#include "base/array.h"
#include "check/check.h"

/* A sample whose own address is in JIT code. */
struct jit_mark {
	uint64_t time, addr;
	int32_t reason; /* enum check_reason, or JIT_RESOLVED */
};

#define JIT_RESOLVED (-1)

/* A page in which frames have no name, for one reason. */
struct jit_gap {
	uint64_t addr, size;
	uint32_t reason;      /* enum check_reason */
	uint64_t first, last; /* ns: of the samples */
	uint64_t frames;
};

/* A range of addresses with code or gaps in it; far from the next one. */
struct jit_region {
	uint64_t start, end;
	const char *mapped; /* the name of what is mapped there, "" when nothing is known */
};

struct jit_gap_index;

/* One process, with those forked from it that run its code. */
struct jit_space {
	const struct process *process;
	const struct runtime *runtime; /* or NULL */
	ARRAY(struct jit_mark) marks;  /* every stride-th sample, in the order of the profile */
	uint64_t nr_samples, stride;
	ARRAY(struct jit_gap) gaps;
	ARRAY(struct jit_region) regions; /* by address */
	struct jit_gap_index *index;      /* private */
};

/* Zero-initialise. */
struct jit_memory {
	ARRAY(struct jit_space *) spaces;
	struct jit_space *recent; /* private */
	uint64_t first, last;     /* ns: of the samples that count */
	uint64_t nr_samples;
};

/* 0 or -ENOMEM. */
int jit_memory__add(struct jit_memory *memory, const struct check_seen *seen);
/*
 * After the last sample: adds processes whose code was not sampled, and finds the regions. check is
 * what was counted, and to live as long. 0 or -ENOMEM.
 */
int jit_memory__finish(struct jit_memory *memory, const struct check *check);
void jit_memory__free(struct jit_memory *memory);

/* The first region that ends behind an address, as its position; regions.count: none. */
size_t jit_space__first_from(const struct jit_space *space, uint64_t addr);
/* The region that an address is in, in the same way. */
size_t jit_space__region(const struct jit_space *space, uint64_t addr);

#endif
