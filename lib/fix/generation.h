/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of a region's functions share a DSO: generations of re-used addresses. */
#ifndef PERFJIT_FIX_GENERATION_H
#define PERFJIT_FIX_GENERATION_H

#include "fix/region.h"

/*
 * Fills region->generations from region->members. Functions that no sample refers to give way to
 * others at their addresses (dropped), unless without_pruning. 0 or -ENOMEM.
 */
int generations__build(struct region *region, bool without_pruning);

#endif
