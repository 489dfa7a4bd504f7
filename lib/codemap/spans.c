// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spans are sorted by (addr, from). Those that begin at one address share that address' byte and
 * so follow one another in time: a binary search finds the one of a moment. If it is too short to
 * reach the address asked for, nothing else is there either, as that would cover its first byte.
 *
 * A span that reaches over the beginnings of other spans stands in an interval tree over positions
 * in the sorted array as well: at the node in the middle of the positions it reaches over, which
 * is the position among them with the most trailing zero bits. All spans at a node cover its
 * position's address, so they too follow one another in time and a binary search does.
 */
#include "codemap/spans.h"

#include <errno.h>
#include <stdlib.h>

int spans__add(struct spans *spans, const struct span *span)
{
	if (span->addr >= span->addr_end || span->from >= span->to)
		return 0;
	if (spans->items.count >= SPANS_NONE - 1 || !array__push(&spans->items, *span))
		return -ENOMEM;
	return 0;
}

void spans__free(struct spans *spans)
{
	array__free(&spans->items);
	array__free(&spans->crossings);
	free(spans->at_middle);
	*spans = (struct spans){ 0 };
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool is_sorted(const struct spans *spans)
{
	for (size_t i = 1; i < spans->items.count; i++) {
		if (compare_spans(&spans->items.items[i - 1], &spans->items.items[i]) > 0)
			return false;
	}
	return true;
}

/* How many spans begin at addresses below limit, at least known of them. */
static size_t count_below(const struct spans *spans, size_t known, uint64_t limit)
{
	return known + items__count_leading(span, spans->items.items + known,
					    spans->items.count - known, span->addr < limit);
}

/* The number in [first, last] with the most trailing zero bits; first is 1 or more. */
static uint32_t middle_of(uint32_t first, uint32_t last)
{
	unsigned int bit = 31 - (unsigned int)__builtin_clz((first - 1) ^ last);

	return last >> bit << bit;
}

static int compare_crossings(const void *a, const void *b)
{
	const struct span_crossing *x = a, *y = b;

	if (x->middle != y->middle)
		return x->middle < y->middle ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int add_crossings(struct spans *spans)
{
	const struct span *items = spans->items.items;
	size_t count = spans->items.count, next = 0;

	for (size_t i = 0; i < count; i++) {
		struct span_crossing crossing = { .from = items[i].from, .item = (uint32_t)i };
		size_t end;

		/* The first that begins at a higher address, the same for all of one address. */
		while (next < count && items[next].addr == items[i].addr)
			next++;
		if (next == count || items[next].addr >= items[i].addr_end)
			continue;
		end = count_below(spans, next, items[i].addr_end);
		crossing.middle = middle_of((uint32_t)next + 1, (uint32_t)end);
		if (!array__push(&spans->crossings, crossing))
			return -ENOMEM;
	}
	return 0;
}

static int index_crossings(struct spans *spans)
{
	struct span_crossing *crossings = spans->crossings.items;
	size_t nr_middles = spans->items.count + 1, count = spans->crossings.count, at = 0;

	if (!count)
		return 0;
	spans->at_middle = malloc((nr_middles + 1) * sizeof(*spans->at_middle));
	if (!spans->at_middle)
		return -ENOMEM;
	qsort(crossings, count, sizeof(*crossings), compare_crossings);
	for (size_t middle = 0; middle <= nr_middles; middle++) {
		while (at < count && crossings[at].middle < middle)
			at++;
		spans->at_middle[middle] = (uint32_t)at;
	}
	return 0;
}

int spans__build(struct spans *spans)
{
	size_t count = spans->items.count;
	int err;

	if (!count)
		return 0;
	if (!is_sorted(spans))
		qsort(spans->items.items, count, sizeof(*spans->items.items), compare_spans);
	spans->low = spans->items.items[0].addr;
	array__for_each(span, &spans->items) {
		if (spans->high < span->addr_end)
			spans->high = span->addr_end;
	}
	err = add_crossings(spans);
	return err ? err : index_crossings(spans);
}

/* The last of the first count spans that is at or before (addr, moment); there is one at addr. */
static const struct span *last_at(const struct spans *spans, size_t count, uint64_t addr,
				  uint64_t moment)
{
	const struct span *items = spans->items.items;
	size_t before;

	if (items[count - 1].from <= moment)
		return &items[count - 1];
	before =
		items__count_leading(span, items, count, span->addr < addr || span->from <= moment);
	return before ? &items[before - 1] : NULL;
}

/* The span at a node that was last to begin at the moment, or NULL. */
static const struct span *crossing_at(const struct spans *spans, uint64_t middle, uint64_t moment)
{
	size_t first = spans->at_middle[middle];
	const struct span_crossing *crossings = spans->crossings.items + first;
	size_t count =
		items__count_leading(crossing, crossings, spans->at_middle[middle + 1] - first,
				     crossing->from <= moment);

	return count ? &spans->items.items[crossings[count - 1].item] : NULL;
}

/* A span that begins before the last begin at or below addr; count: how many begin up to there. */
static uint32_t find_crossing(const struct spans *spans, size_t count, uint64_t addr,
			      uint64_t moment)
{
	/* The nodes on the way from position count, counted from 1, to the root. */
	for (unsigned int bit = (unsigned int)__builtin_ctzll(count);
	     UINT64_C(1) << bit <= spans->items.count; bit++) {
		uint64_t middle = (count >> bit | 1) << bit;
		const struct span *span;

		if (middle > spans->items.count)
			continue;
		span = crossing_at(spans, middle, moment);
		if (span && moment < span->to && span->addr <= addr && addr < span->addr_end)
			return span->id;
	}
	return SPANS_NONE;
}

uint32_t spans__find(const struct spans *spans, uint64_t addr, uint64_t moment)
{
	const struct span *span;
	uint64_t first;
	size_t count;

	if (addr < spans->low || addr >= spans->high)
		return SPANS_NONE;
	count = count_below(spans, 0, addr + 1);
	first = spans->items.items[count - 1].addr;
	span = last_at(spans, count, first, moment);
	if (span && span->addr == first && moment < span->to)
		return addr < span->addr_end ? span->id : SPANS_NONE;
	return spans->at_middle ? find_crossing(spans, count, addr, moment) : SPANS_NONE;
}
