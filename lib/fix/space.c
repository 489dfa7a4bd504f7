// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/space.h"

#include <errno.h>

#define PAGE 4096

static int add(struct space *space, uint64_t start, uint64_t end, enum space_use use, size_t owner)
{
	struct space_range range = { start, end, use, owner };

	return array__push(&space->ranges, range) ? 0 : -ENOMEM;
}

int space__read(struct space *space, const struct process *process)
{
	for (; process; process = process->execed ? NULL : process->parent)
		array__for_each(mapping, &process->mappings) {
			int err =
				add(space, mapping->start, mapping__end(mapping),
				    mapping__must_stay(mapping) ? SPACE_FILE : SPACE_ANONYMOUS, 0);

			if (err)
				return err;
		}
	return 0;
}

int space__take(struct space *space, uint64_t start, uint64_t end, size_t owner)
{
	return add(space, start, end, SPACE_CODE, owner);
}

void space__free(struct space *space)
{
	array__free(&space->ranges);
}

bool space__is_covered(const struct space *space, uint64_t start, uint64_t end, size_t owner)
{
	array__for_each(range, &space->ranges) {
		if (range->use == SPACE_ANONYMOUS || range->start >= end || start >= range->end)
			continue;
		if (range->use == SPACE_FILE || range->owner != owner)
			return true;
	}
	return false;
}

/* The range that [start, end) meets and that reaches highest, or NULL. */
static const struct space_range *highest_met(const struct space *space, uint64_t start,
					     uint64_t end)
{
	const struct space_range *highest = NULL;

	array__for_each(range, &space->ranges)
		if (range->start < end && start < range->end &&
		    (!highest || range->end > highest->end))
			highest = range;
	return highest;
}

uint64_t space__find_hole(const struct space *space, uint64_t from, uint64_t size, uint64_t limit)
{
	uint64_t start = align_up(from, PAGE);

	while (start >= from && start - from < limit && size < UINT64_MAX - start) {
		const struct space_range *met = highest_met(space, start, start + size);

		if (!met)
			return start;
		if (met->end > UINT64_MAX - PAGE)
			return 0;
		start = align_up(met->end, PAGE);
	}
	return 0;
}
