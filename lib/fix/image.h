/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides for each generation of each region how its DSO is laid out and where it is mapped. */
#ifndef PERFJIT_FIX_IMAGE_H
#define PERFJIT_FIX_IMAGE_H

#include "fix/plan.h"

/* Fills plan->dsos from plan->regions, one for each generation. 0 or a negative errno, reported. */
int images__plan(struct plan *plan, const struct plan_options *options, struct diag *diag);

#endif
