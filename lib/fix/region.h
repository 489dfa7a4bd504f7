/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts a process's code into regions (contiguous runs, one DSO's worth each) and, where addresses
 * were used again, into generations: sets of code that do not overlap.
 *
 * Readers that unwind need every generation to be whole: at each moment one DSO must describe the
 * whole region. Readers that only look up symbols do not: there, later generations hold just what
 * the earlier ones could not, and each function is mapped from its own load on.
 */
#ifndef PERFJIT_FIX_REGION_H
#define PERFJIT_FIX_REGION_H

#include "base/array.h"
#include "codemap/process.h"
#include "fix/home.h"

/* Code as it goes into DSOs: identical re-loads are one. */
struct member {
	struct code *code;
	uint64_t addr, end;
	uint64_t from,
		until; /* ns: alive, from the first sample in it if that is before the load */
	uint64_t first_reference, last_reference;
	bool wants_cfi; /* readers may come through it as they unwind */
	bool alone; /* overlaps no other member at any time */
};

struct generation {
	uint64_t start;                 /* ns: mapped from here on */
	ARRAY(struct member *) members; /* by address */
};

struct region {
	struct process *process;
	uint64_t lo, hi;              /* addresses of the first byte and behind the last */
	enum home home;               /* what the code lies in */
	bool single;                  /* a DSO for one function */
	bool whole;                   /* generations are whole: each maps all of the region */
	ARRAY(struct member) members; /* by address */
	ARRAY(struct generation) generations;
	size_t dropped;      /* functions left out: no sample refers to them, and others overlap */
	size_t family;       /* index of the family, struct regions */
	size_t first_number; /* of its first generation, counted over the family */
	size_t first_dso;    /* of its first generation, in the plan */
};

/* Regions of a process and its forked children at the same place: their DSOs must nest. */
struct family {
	uint64_t lo, hi;
	size_t nr_generations;
};

struct regions {
	ARRAY(struct region) list; /* by process, then address */
	ARRAY(struct family) families;
};

struct region_options {
	bool unwinds;       /* readers unwind by CFI: generations must be whole */
	size_t singles_max; /* a region for each function where that is safe and they are so few */
	bool force_singles; /* a region for each function whatever may come of it */
	bool without_pruning; /* treat all functions as if samples referred to them */
};

/* Adds the regions of one process; parents come before their children. 0 or -ENOMEM. */
int regions__add(struct regions *regions, struct process *process,
		 const struct region_options *options);
void regions__free(struct regions *regions);

#endif
