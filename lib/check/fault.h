/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known faults of perf builds, by which differences are explained. */
#ifndef PERFJIT_CHECK_FAULT_H
#define PERFJIT_CHECK_FAULT_H

#include "check/compare.h"

struct fault {
	const char *slug;
	const char *text; /* what that perf does, one sentence without a full stop */
	const char *cure; /* what to do about it, the same */
};

/* The likeliest one, or NULL: none that is known. fixed: perfjit-fix wrote the profile. */
const struct fault *fault__of(const struct compared *compared, bool fixed);

#endif
