/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where frames without a name lie: put together by process, what is mapped there, and reason. */
#ifndef PERFJIT_CHECK_RANGES_H
#define PERFJIT_CHECK_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "check/reason.h"

struct runtime;

struct check_range {
	uint32_t pid;
	enum check_reason reason;
	const char *name;    /* of what is mapped there, "" when nothing is; owned by the ranges */
	uint64_t start, end; /* from the lowest address that was seen to behind the highest */
	uint64_t frames;     /* without a name */
	uint64_t samples;    /* among them: the sample's own address */
	bool jit;            /* JIT code */
	const struct runtime *runtime; /* of the process, or NULL */
};

struct check_ranges {
	ARRAY(struct check_range *) items; /* by frames, most first, once sorted */
	void *index;                       /* private */
};

/*
 * Counts one frame at addr; fresh says the process, reason, name (copied), runtime and jit. The
 * name of a DSO or mapping is the same pointer as long as it is the same one. 0 or -ENOMEM.
 */
int check_ranges__count(struct check_ranges *ranges, const struct check_range *fresh, uint64_t addr,
			bool own_address);
void check_ranges__sort(struct check_ranges *ranges);
void check_ranges__free(struct check_ranges *ranges);

#endif
