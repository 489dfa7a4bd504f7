/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which records map the planned DSOs, at which times, and where in the file they go. */
#ifndef PERFJIT_FIX_EMIT_H
#define PERFJIT_FIX_EMIT_H

#include "fix/plan.h"

/* Fills plan->inserts from plan->dsos, by time; offsets are still to be found. 0 or -ENOMEM. */
int emit__records(struct plan *plan, const struct plan_options *options);

/*
 * Finds each record's place: before the first record in the file that is not earlier. What stands
 * before that place is earlier, so no round of the file is finished too soon by it. In a profile
 * without times: behind the marker of its process, and behind what it undoes. Sorts plan->inserts
 * by place. 0 or a negative errno.
 */
int emit__find_places(struct plan *plan);

#endif
