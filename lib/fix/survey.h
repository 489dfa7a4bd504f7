/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk over a profile's samples: how many are in JIT code, and which code they refer to. */
#ifndef PERFJIT_FIX_SURVEY_H
#define PERFJIT_FIX_SURVEY_H

#include "fix/plan.h"

/*
 * Counts into plan->counts, plan->per_process and plan->per_event, and notes in each struct code
 * when samples refer to it: by their ip and their call chain; where a process uses addresses
 * again, or has much code that is to be followed, by where branches went too, and by any word of
 * a stack copy that could be a return address. Code of other processes wants CFI in any case.
 * 0 or a negative errno.
 */
int survey__run(struct plan *plan);

#endif
