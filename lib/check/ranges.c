// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/ranges.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct check_range *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->reason != y->reason)
		return x->reason < y->reason ? -1 : 1;
	if (x->jit != y->jit)
		return x->jit ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void free_range(struct check_range *range)
{
	free((void *)(uintptr_t)range->name);
	free(range);
}

static struct check_range *add(struct check_ranges *ranges, const struct check_range *fresh)
{
	struct check_range *range = malloc(sizeof(*range));

	if (!range)
		return NULL;
	*range = *fresh;
	range->frames = range->samples = 0;
	range->start = UINT64_MAX;
	range->end = 0;
	range->name = strdup(fresh->name);
	if (!range->name || !array__push(&ranges->items, range)) {
		free_range(range);
		return NULL;
	}
	if (!tsearch(range, &ranges->index, compare)) {
		ranges->items.count--;
		free_range(range);
		return NULL;
	}
	return range;
}

int check_ranges__count(struct check_ranges *ranges, const struct check_range *fresh, uint64_t addr,
			bool own_address)
{
	struct check_range *const *known = tfind(fresh, &ranges->index, compare);
	struct check_range *range = known ? *known : add(ranges, fresh);

	if (!range)
		return -ENOMEM;
	range->frames++;
	range->samples += own_address;
	if (addr < range->start)
		range->start = addr;
	if (addr >= range->end)
		range->end = addr < UINT64_MAX ? addr + 1 : addr;
	return 0;
}

static int by_frames(const void *a, const void *b)
{
	const struct check_range *x = *(struct check_range *const *)a;
	const struct check_range *y = *(struct check_range *const *)b;

	if (x->frames != y->frames)
		return x->frames > y->frames ? -1 : 1;
	return compare(x, y);
}

void check_ranges__sort(struct check_ranges *ranges)
{
	if (ranges->items.count)
		qsort(ranges->items.items, ranges->items.count, sizeof(*ranges->items.items),
		      by_frames);
}

static void keep(void *range)
{
	(void)range;
}

void check_ranges__free(struct check_ranges *ranges)
{
	tdestroy(ranges->index, keep);
	ranges->index = NULL;
	array__for_each(range, &ranges->items)
		free_range(*range);
	array__free(&ranges->items);
}
