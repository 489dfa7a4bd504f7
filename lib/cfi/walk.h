/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks all paths through a function's code until what is known everywhere stands. */
#ifndef PERFJIT_CFI_WALK_H
#define PERFJIT_CFI_WALK_H

#include "cfi/state.h"

/*
 * What is in front of one instruction; flow says what it does. Where nothing is known: state is
 * NULL, size that of all such code in a row, why says the reason and padding whether the code is
 * nothing but fillers that no path reaches.
 */
struct cfi_visit {
	uint64_t pc, size;
	const struct cfi_state *state;
	const struct cfi_flow *flow;
	struct cfi_undecided why;
	bool padding;
};

/*
 * Calls visit for all code, by address within each part, until it does not return 0. Other
 * arguments and errors as of cfi__track, which see.
 */
int cfi_walk__over(struct bytes code, uint64_t addr, const struct cfi_target *target,
		   const struct cfi_track_options *options,
		   int (*visit)(void *context, const struct cfi_visit *at), void *context);

#endif
