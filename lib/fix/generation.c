// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/generation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codemap/slots.h"

/* Work on one region's members: their order by address makes overlaps neighbours. */
struct builder {
	struct region *region;
	bool without_pruning;
	bool *kept;
	/* While members are gone through: the end of the kept ones so far, the first one to come */
	uint64_t reach;
	size_t next;
	struct slots present; /* members that are in the newest generation */
};

static bool is_referenced(const struct builder *builder, size_t i)
{
	const struct member *member = &builder->region->members.items[i];

	return builder->without_pruning || member->first_reference <= member->last_reference;
}

static void begin_walk(struct builder *builder)
{
	builder->reach = 0;
	builder->next = 0;
}

/* Whether a kept member overlaps member i; members before it were walked past. */
static bool meets_kept(struct builder *builder, size_t i)
{
	const struct member *members = builder->region->members.items;
	size_t count = builder->region->members.count;

	while (builder->next < count && (builder->next <= i || !builder->kept[builder->next]))
		builder->next++;
	return builder->reach > members[i].addr ||
	       (builder->next < count && members[builder->next].addr < members[i].end);
}

static void walk_past(struct builder *builder, size_t i)
{
	uint64_t end = builder->region->members.items[i].end;

	if (builder->kept[i] && end > builder->reach)
		builder->reach = end;
}

/* A sample before the load can only be in this code if nothing else ever was at its place. */
static void leave_alone(struct member *member)
{
	member->alone = true;
	if (member->first_reference < member->from)
		member->from = member->first_reference;
}

/* What samples refer to stays; of the rest what is at nobody else's place. */
static void choose(struct builder *builder)
{
	struct region *region = builder->region;

	for (size_t i = 0; i < region->members.count; i++)
		builder->kept[i] = is_referenced(builder, i);
	begin_walk(builder);
	for (size_t i = 0; i < region->members.count; i++) {
		if (!builder->kept[i]) {
			builder->kept[i] = !meets_kept(builder, i);
			region->dropped += !builder->kept[i];
		}
		walk_past(builder, i);
	}
	begin_walk(builder);
	for (size_t i = 0; i < region->members.count; i++) {
		if (builder->kept[i] && !meets_kept(builder, i))
			leave_alone(&region->members.items[i]);
		walk_past(builder, i);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->code->serial < y->code->serial ? -1 : x->code->serial > y->code->serial;
}

static int by_address(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_end(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;

	return x->end < y->end ? -1 : x->end > y->end;
}

/* The kept members that are not alone, by address: those that need generations. */
static struct member **contenders(const struct builder *builder, size_t *count)
{
	struct region *region = builder->region;
	struct member **list = calloc(region->members.count + 1, sizeof(struct member *));

	*count = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < region->members.count; i++)
		if (builder->kept[i] && !region->members.items[i].alone)
			list[(*count)++] = &region->members.items[i];
	return list;
}

static struct generation *open_generation(struct region *region, uint64_t start)
{
	struct generation fresh = { .start = start };

	if (!array__push(&region->generations, fresh))
		return NULL;
	return &region->generations.items[region->generations.count - 1];
}

static size_t number_of(const struct builder *builder, const struct member *member)
{
	return (size_t)(member - builder->region->members.items);
}

/* Whether the place of member i is free in the newest generation. */
static bool fits(const struct builder *builder, size_t i)
{
	const struct member *members = builder->region->members.items;
	size_t before = slots__before(&builder->present, i);
	size_t next = slots__next(&builder->present, i);

	return (before == SLOTS_NONE || members[before].end <= members[i].addr) &&
	       (next == SLOTS_NONE || members[next].addr >= members[i].end);
}

static bool put(struct builder *builder, struct generation *generation, struct member *member)
{
	slots__add(&builder->present, number_of(builder, member));
	return array__push(&generation->members, member);
}

/* A later generation takes over what is still alive and referred to. */
static bool carry_over(struct builder *builder, struct generation *fresh,
		       const struct generation *old, const struct member *cause)
{
	array__for_each(member, &old->members)
		slots__remove(&builder->present, number_of(builder, *member));
	array__for_each(member, &old->members) {
		struct member *candidate = *member;
		bool overlaps = candidate->addr < cause->end && cause->addr < candidate->end;

		if (overlaps || candidate->until <= fresh->start)
			continue;
		if (!builder->without_pruning && candidate->last_reference < fresh->start)
			continue;
		if (!put(builder, fresh, candidate))
			return false;
	}
	return true;
}

/* Whether some sample refers to the member while generation g is the one that is mapped. */
static bool referenced_in(const struct region *region, size_t g, const struct member *member)
{
	const struct generation *generation = &region->generations.items[g];

	if (member->last_reference < generation->start)
		return false;
	return g + 1 == region->generations.count || member->first_reference < generation[1].start;
}

/* Takes what no sample needs out of a later generation, or they grow with their number. */
static void prune(const struct builder *builder, size_t g)
{
	struct region *region = builder->region;
	struct generation *generation = &region->generations.items[g];
	size_t kept = 0;

	if (builder->without_pruning || g == 0)
		return;
	for (size_t i = 0; i < generation->members.count; i++)
		if (referenced_in(region, g, generation->members.items[i]))
			generation->members.items[kept++] = generation->members.items[i];
	generation->members.count = kept;
}

/* Generations one after the other in time, each holding all that is then alive. */
static int build_whole(struct builder *builder, struct member **list, size_t count)
{
	struct region *region = builder->region;
	size_t now = 0;

	qsort(list, count, sizeof(struct member *), by_time);
	for (size_t i = 0; i < count; i++) {
		if (!fits(builder, number_of(builder, list[i]))) {
			struct generation *fresh = open_generation(region, list[i]->from);

			if (!fresh || !carry_over(builder, fresh, fresh - 1, list[i]))
				return -ENOMEM;
			prune(builder, now++);
		}
		if (!put(builder, &region->generations.items[now], list[i]))
			return -ENOMEM;
	}
	prune(builder, now);
	return 0;
}

/* The first layer from 1 on that is free, or one more; 0 without memory. */
static size_t free_layer(struct region *region, struct slots *free_layers)
{
	size_t layer = slots__next(free_layers, 0);

	if (layer == SLOTS_NONE)
		return open_generation(region, UINT64_MAX) ? region->generations.count - 1 : 0;
	slots__remove(free_layers, layer);
	return layer;
}

/*
 * Layers: each function goes into the first one that has its place free. Seen by address, a layer
 * is taken from where its last function begins to where that ends.
 */
static int fill_layers(struct builder *builder, struct member **list, size_t count,
		       struct member **ending, size_t *layers)
{
	struct region *region = builder->region;
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		size_t *layer = &layers[number_of(builder, list[i])];
		struct generation *generation;

		for (; ending[ended]->end <= list[i]->addr; ended++)
			slots__add(&builder->present, layers[number_of(builder, ending[ended])]);
		*layer = free_layer(region, &builder->present);
		generation = &region->generations.items[*layer];
		if (!*layer || !array__push(&generation->members, list[i]))
			return -ENOMEM;
		if (list[i]->from < generation->start)
			generation->start = list[i]->from;
	}
	return 0;
}

static int build_layers(struct builder *builder, struct member **list, size_t count)
{
	size_t *layers = calloc(builder->region->members.count + 1, sizeof(*layers));
	struct member **ending = calloc(count + 1, sizeof(*ending));
	int err = -ENOMEM;

	if (layers && ending) {
		if (count)
			memcpy(ending, list, count * sizeof(*ending));
		qsort(ending, count, sizeof(*ending), by_end);
		err = fill_layers(builder, list, count, ending, layers);
	}
	free(ending);
	free(layers);
	return err;
}

/* The generation that is mapped at a time; the first one before that. */
static size_t generation_at(const struct region *region, uint64_t time)
{
	size_t count =
		array__count_leading(generation, &region->generations, generation->start <= time);

	return count ? count - 1 : 0;
}

/* What never changes is in the first generation, and in all others whose samples refer to it. */
static bool put_alone(const struct builder *builder, struct member *member)
{
	struct region *region = builder->region;
	size_t g = builder->without_pruning ? 0 : generation_at(region, member->first_reference);

	if (!array__push(&region->generations.items[0].members, member))
		return false;
	/* of layers the first one does */
	for (g = g ? g : 1; region->whole && g < region->generations.count; g++) {
		struct generation *generation = &region->generations.items[g];

		if (!builder->without_pruning && member->last_reference < generation->start)
			break;
		if (!array__push(&generation->members, member))
			return false;
	}
	return true;
}

static void sort_members(struct generation *generation)
{
	if (generation->members.count)
		qsort(generation->members.items, generation->members.count, sizeof(struct member *),
		      by_address);
}

static uint64_t earliest(const struct builder *builder)
{
	uint64_t time = UINT64_MAX;

	for (size_t i = 0; i < builder->region->members.count; i++)
		if (builder->kept[i] && builder->region->members.items[i].from < time)
			time = builder->region->members.items[i].from;
	return time;
}

static int build(struct builder *builder)
{
	struct region *region = builder->region;
	size_t count;
	struct member **list;
	int err = 0;

	choose(builder);
	list = contenders(builder, &count);
	if (!list)
		return -ENOMEM;
	if (!open_generation(region, earliest(builder)))
		err = -ENOMEM;
	else if (region->whole)
		err = build_whole(builder, list, count);
	else
		err = build_layers(builder, list, count);
	free(list);
	if (err)
		return err;
	array__for_each(member, &region->members)
		if (member->alone && !put_alone(builder, member))
			return -ENOMEM;
	array__for_each(generation, &region->generations)
		sort_members(generation);
	return 0;
}

int generations__build(struct region *region, bool without_pruning)
{
	size_t count = region->members.count;
	struct builder builder = {
		.region = region,
		.without_pruning = without_pruning,
		.kept = calloc(count + 1, sizeof(bool)),
	};
	int err = builder.kept ? slots__init(&builder.present, count + 2) : -ENOMEM;

	if (!err)
		err = build(&builder);
	slots__free(&builder.present);
	free(builder.kept);
	return err;
}
