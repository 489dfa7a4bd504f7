// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/counts.h"

#include <stddef.h>

/* All members are counts, so that they can be added one by one. */
void check_counts__add(struct check_counts *sum, const struct check_counts *more)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)more;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}
