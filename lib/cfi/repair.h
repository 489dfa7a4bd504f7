/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes from a producer's table what is right in content and wrong in encoding: order, pointers,
 * factors, augmentation. What counts as right is what the function's code agrees with.
 */
#ifndef PERFJIT_CFI_REPAIR_H
#define PERFJIT_CFI_REPAIR_H

#include "cfi/check.h"

/* Views point into the producer's bytes or to constants. */
struct cfi_repair {
	bool usable;  /* cie and instructions describe the code, as far as that can be known */
	bool changed; /* not as the producer wrote them, or he wrote where they can't be found */
	bool checked; /* the code was looked at and agrees */
	/* it agrees as code that is jumped to: its frame at entry is what the first row says */
	bool jumped_to;
	struct cfi_cie cie;
	struct bytes instructions; /* of an FDE for all of the code */
};

/* Makes the most of a table, and adds to check what is wrong with it. 0 or -ENOMEM. */
int cfi__repair(struct cfi_repair *repair, struct cfi_check *check,
		const struct cfi_producer *producer, const struct cfi_target *target,
		const struct cfi_track_options *options);

#endif
