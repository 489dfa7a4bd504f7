/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains put into samples that carry registers and a copy of the stack, in whose place readers
 * need no unwinder. What is taken out can't be had back: such a profile has no journal.
 */
#ifndef PERFJIT_PERFDATA_BAKE_H
#define PERFJIT_PERFDATA_BAKE_H

#include "perfdata/perfdata.h"

struct perfdata_edits;

enum perfdata_bake_stacks {
	PERFDATA_STACKS_DROPPED, /* registers and stacks are taken out */
	/*
	 * Stacks stay. User registers become those of the interrupt (REGS_INTR), unless the event
	 * has such: readers that find both would unwind and show the user part twice.
	 */
	PERFDATA_STACKS_KEPT,
	/* Samples that get a chain have an empty stack; all others stay as they are. */
	PERFDATA_STACKS_OF_OTHERS,
};

struct perfdata_bake {
	enum perfdata_bake_stacks stacks;
	/*
	 * The user part of the chain of the sample that is the nth record of a walk: u64 each, in
	 * the file's byte order; valid until the next call. False: there is none.
	 */
	bool (*chain)(void *context, uint64_t nth, struct bytes *ips);
	void *context;
};

/* Whether samples of the event carry what a chain can be made of. */
bool perfdata_bake__concerns(const struct perf_event_attr *attr);

/* To be called before perfdata_edits__set_abi, which does it. bake must live until the writing. */
void perfdata_edits__set_bake(struct perfdata_edits *edits, const struct perfdata_bake *bake);

/* Whether chains were put into the profile so, and it can't be restored for that. */
bool perfdata__is_baked(const struct perfdata *perfdata);

#endif
