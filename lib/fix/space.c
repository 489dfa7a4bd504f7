// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/space.h"

#include <errno.h>

#define PAGE 4096

/* The position of the first range that begins at addr or above. */
static size_t first_from(const struct space_range *ranges, size_t count, uint64_t addr)
{
	return items__count_leading(range, ranges, count, range->start < addr);
}

static void set_reach(struct space_range *ranges, size_t i)
{
	ranges[i].reach =
		i && ranges[i - 1].reach > ranges[i].end ? ranges[i - 1].reach : ranges[i].end;
}

static int add_use(struct space *space, enum space_use use, struct space_range range)
{
	size_t count = space->uses[use].count;
	size_t at = first_from(space->uses[use].items, count, range.start);
	struct space_range *ranges;

	if (!array__push(&space->uses[use], range))
		return -ENOMEM;
	ranges = space->uses[use].items;
	memmove(ranges + at + 1, ranges + at, (count - at) * sizeof(*ranges));
	ranges[at] = range;
	set_reach(ranges, at);
	for (size_t i = at + 1; i <= count && ranges[i].reach < ranges[at].reach; i++)
		ranges[i].reach = ranges[at].reach;
	return 0;
}

static uint64_t page_end(uint64_t addr)
{
	return addr > UINT64_MAX - PAGE ? UINT64_MAX : align_up(addr, PAGE);
}

/* Joins what the range meets or touches into one. */
static int add_used(struct space *space, uint64_t start, uint64_t end)
{
	size_t first = first_from(space->used.items, space->used.count, start), past;
	struct space_range range = { .start = start, .end = page_end(end) };
	struct space_range *ranges;

	if (!array__reserve(&space->used, space->used.count + 1))
		return -ENOMEM;
	ranges = space->used.items;
	if (first && ranges[first - 1].end >= start)
		range.start = ranges[--first].start;
	for (past = first; past < space->used.count && ranges[past].start <= range.end; past++)
		if (ranges[past].end > range.end)
			range.end = ranges[past].end;
	memmove(ranges + first + 1, ranges + past, (space->used.count - past) * sizeof(*ranges));
	space->used.count -= past - first;
	space->used.count++;
	ranges[first] = range;
	return 0;
}

static int read_mapping(struct space *space, const struct mapping *mapping)
{
	struct space_range range = { .start = mapping->start, .end = mapping__end(mapping) };
	int err = range.start < range.end ? add_used(space, range.start, range.end) : 0;

	if (!err && mapping__must_stay(mapping))
		err = add_use(space, SPACE_FILE, range);
	return err;
}

int space__read(struct space *space, const struct process *process)
{
	for (; process; process = process->execed ? NULL : process->parent)
		array__for_each(mapping, &process->mappings) {
			int err = read_mapping(space, mapping);

			if (err)
				return err;
		}
	return 0;
}

int space__take(struct space *space, uint64_t start, uint64_t end, size_t owner)
{
	struct space_range range = { .start = start, .end = end, .owner = owner };
	int err = start < end ? add_used(space, start, end) : 0;

	return err ? err : add_use(space, SPACE_CODE, range);
}

void space__free(struct space *space)
{
	for (size_t use = 0; use < SPACE_USES; use++)
		array__free(&space->uses[use]);
	array__free(&space->used);
}

bool space__is_covered(const struct space *space, uint64_t start, uint64_t end, size_t owner)
{
	for (size_t use = 0; use < SPACE_USES; use++) {
		const struct space_range *ranges = space->uses[use].items;
		size_t i = first_from(ranges, space->uses[use].count, end);

		for (; i > 0 && ranges[i - 1].reach > start; i--)
			if (ranges[i - 1].end > start &&
			    (use == SPACE_FILE || ranges[i - 1].owner != owner))
				return true;
	}
	return false;
}

uint64_t space__find_hole(const struct space *space, uint64_t from, uint64_t size, uint64_t limit)
{
	uint64_t start = page_end(from);
	size_t i = first_from(space->used.items, space->used.count, start);

	if (i && space->used.items[i - 1].end > start)
		start = space->used.items[i - 1].end;
	while (start - from < limit && size < UINT64_MAX - start) {
		if (i == space->used.count || space->used.items[i].start - start >= size)
			return start;
		start = space->used.items[i++].end;
	}
	return 0;
}
