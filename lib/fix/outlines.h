/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that a profile's processes had mapped, as far as their outlines are needed. */
#ifndef PERFJIT_FIX_OUTLINES_H
#define PERFJIT_FIX_OUTLINES_H

#include "fix/plan.h"

/*
 * The outline of a mapped file, read once; NULL when the file is not here, or not the one that was
 * recorded. It lives as long as the plan.
 */
const struct dso_outline *plan__outline(struct plan *plan, const char *name,
					const struct cfi_target *target);

#endif
