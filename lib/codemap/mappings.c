// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mappings are painted over one another in their order. What is left visible of each, for how
 * long, is a set of spans over addresses and positions in that order. The newest mappings are
 * looked through one by one until that has cost as much as a new index does.
 */
#include "codemap/mappings.h"

#include <stdlib.h>

#include "codemap/slots.h"
#include "codemap/spans.h"

/* How many mappings are looked through in the time that it takes to enter one into an index. */
#define REBUILD_COST 128

struct mapping_index {
	struct spans spans; /* moments and ids are positions in the mappings */
	size_t count;       /* of mappings, from the first, that spans know */
	uint64_t looked_through;
	bool settled; /* look-ups change nothing: what is not in spans is looked through for good */
};

/* A visible part of a mapping, while it is painted. */
struct part {
	uint64_t end;
	uint32_t mapping;
	uint32_t since; /* the mapping that made it as it is */
};

struct painting {
	struct spans spans;
	uint64_t *edges; /* all starts and ends, sorted; their positions are the slots */
	size_t nr_edges;
	struct slots live;
	struct part *parts; /* of a live slot: what begins at its edge */
};

struct mapping_index *mapping_index__new(void)
{
	return calloc(1, sizeof(struct mapping_index));
}

void mapping_index__free(struct mapping_index *index)
{
	if (index)
		spans__free(&index->spans);
	free(index);
}

void mapping_index__forget(struct mapping_index *index, size_t at)
{
	index->settled = false;
	if (at >= index->count)
		return;
	spans__free(&index->spans);
	index->count = 0;
}

static uint64_t end_of(const struct mapping *mapping)
{
	return mapping->size <= UINT64_MAX - mapping->start ? mapping->start + mapping->size
							    : UINT64_MAX;
}

static int compare_edges(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool painting__init(struct painting *painting, const struct mapping *mappings, size_t count)
{
	size_t kept = 0;

	painting->edges = calloc(count, 2 * sizeof(*painting->edges));
	painting->parts = calloc(count, 2 * sizeof(*painting->parts));
	if (!painting->edges || !painting->parts)
		return false;
	for (size_t i = 0; i < count; i++) {
		painting->edges[2 * i] = mappings[i].start;
		painting->edges[2 * i + 1] = end_of(&mappings[i]);
	}
	qsort(painting->edges, 2 * count, sizeof(*painting->edges), compare_edges);
	for (size_t i = 0; i < 2 * count; i++) {
		if (!kept || painting->edges[kept - 1] != painting->edges[i])
			painting->edges[kept++] = painting->edges[i];
	}
	painting->nr_edges = kept;
	return !slots__init(&painting->live, kept);
}

static void painting__free(struct painting *painting)
{
	free(painting->edges);
	free(painting->parts);
	slots__free(&painting->live);
	spans__free(&painting->spans);
}

static size_t slot_of(const struct painting *painting, uint64_t edge)
{
	const uint64_t *found =
		bsearch(&edge, painting->edges, painting->nr_edges, sizeof(edge), compare_edges);

	return (size_t)(found - painting->edges);
}

/* The part at slot is seen no more, as it was, from moment on. */
static bool take(struct painting *painting, size_t slot, uint64_t moment)
{
	const struct part *part = &painting->parts[slot];

	slots__remove(&painting->live, slot);
	return !spans__add(&painting->spans, &(struct span){
						     .addr = painting->edges[slot],
						     .addr_end = part->end,
						     .from = part->since,
						     .to = moment,
						     .id = part->mapping,
					     });
}

static void put(struct painting *painting, size_t slot, uint64_t end, uint32_t mapping,
		uint32_t since)
{
	painting->parts[slot] = (struct part){ end, mapping, since };
	slots__add(&painting->live, slot);
}

/* Paints [start, end) with a mapping; what it covers of others is cut off. */
static bool paint(struct painting *painting, uint64_t start, uint64_t end, uint32_t mapping)
{
	size_t first = slot_of(painting, start), past = slot_of(painting, end);
	size_t slot = slots__before(&painting->live, first);
	struct part part;

	if (slot != SLOTS_NONE && painting->parts[slot].end > start) {
		part = painting->parts[slot];
		if (!take(painting, slot, mapping))
			return false;
		put(painting, slot, start, part.mapping, mapping);
		if (part.end > end)
			put(painting, past, part.end, part.mapping, mapping);
	}
	for (slot = slots__next(&painting->live, first); slot < past;
	     slot = slots__next(&painting->live, slot + 1)) {
		part = painting->parts[slot];
		if (!take(painting, slot, mapping))
			return false;
		if (part.end > end)
			put(painting, past, part.end, part.mapping, mapping);
	}
	put(painting, first, end, mapping, mapping);
	return true;
}

static bool paint_all(struct painting *painting, const struct mapping *mappings, size_t count)
{
	if (!painting__init(painting, mappings, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (mappings[i].size &&
		    !paint(painting, mappings[i].start, end_of(&mappings[i]), (uint32_t)i))
			return false;
	}
	for (size_t slot = slots__next(&painting->live, 0); slot != SLOTS_NONE;
	     slot = slots__next(&painting->live, slot + 1)) {
		if (!take(painting, slot, UINT64_MAX))
			return false;
	}
	return !spans__build(&painting->spans);
}

/* Without memory the index stays as it is, which costs time alone. */
static void rebuild(struct mapping_index *index, const struct mapping *mappings, size_t count)
{
	struct painting painting = { 0 };

	if (count < UINT32_MAX && paint_all(&painting, mappings, count)) {
		spans__free(&index->spans);
		index->spans = painting.spans;
		painting.spans = (struct spans){ 0 };
		index->count = count;
	}
	painting__free(&painting);
}

void mapping_index__settle(struct mapping_index *index, const struct mapping *mappings,
			   size_t count)
{
	if (count > index->count)
		rebuild(index, mappings, count);
	index->settled = true;
}

const struct mapping *mapping_index__find(struct mapping_index *index,
					  const struct mapping *mappings, size_t count,
					  size_t visible, uint64_t addr)
{
	uint32_t id;

	if (visible > index->count && !index->settled) {
		index->looked_through += visible - index->count;
		if (index->looked_through / REBUILD_COST > count) {
			rebuild(index, mappings, count);
			index->looked_through = 0;
		}
	}
	for (; visible > index->count; visible--) {
		const struct mapping *mapping = &mappings[visible - 1];

		if (mapping->start <= addr && addr < end_of(mapping))
			return mapping;
	}
	if (!visible)
		return NULL;
	id = spans__find(&index->spans, addr, visible - 1);
	return id == SPANS_NONE ? NULL : &mappings[id];
}
