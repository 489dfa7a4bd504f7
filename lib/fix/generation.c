// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/generation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Work on one region's members: their order by address makes overlaps neighbours. */
struct builder {
	struct region *region;
	bool without_pruning;
	uint64_t *reach; /* reach[i]: the highest end among members 0..i */
	bool *kept;
	size_t *last; /* generation a member was last put in, plus 1; 0: none */
};

static bool is_referenced(const struct builder *builder, size_t i)
{
	const struct member *member = &builder->region->members.items[i];

	return builder->without_pruning || member->first_reference <= member->last_reference;
}

/* Calls visit for members that overlap member i until it returns true, which is returned. */
static bool any_overlap(const struct builder *builder, size_t i,
			bool (*visit)(const struct builder *builder, size_t i, size_t other))
{
	const struct member *members = builder->region->members.items;
	size_t count = builder->region->members.count;

	for (size_t j = i; j > 0 && builder->reach[j - 1] > members[i].addr; j--)
		if (members[j - 1].end > members[i].addr && visit(builder, i, j - 1))
			return true;
	for (size_t j = i + 1; j < count && members[j].addr < members[i].end; j++)
		if (visit(builder, i, j))
			return true;
	return false;
}

static bool other_is_kept(const struct builder *builder, size_t i, size_t other)
{
	(void)i;
	return builder->kept[other];
}

static bool other_is_in_generation(const struct builder *builder, size_t i, size_t other)
{
	(void)i;
	return builder->kept[other] && builder->last[other] == builder->region->generations.count;
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
	for (size_t i = 0; i < region->members.count; i++) {
		if (builder->kept[i])
			continue;
		builder->kept[i] = !any_overlap(builder, i, other_is_kept);
		region->dropped += !builder->kept[i];
	}
	for (size_t i = 0; i < region->members.count; i++)
		if (builder->kept[i] && !any_overlap(builder, i, other_is_kept))
			leave_alone(&region->members.items[i]);
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

/* The kept members that are not alone, by time: those that need generations. */
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
	qsort(list, *count, sizeof(struct member *), by_time);
	return list;
}

static struct generation *open_generation(struct region *region, uint64_t start)
{
	struct generation fresh = { .start = start };

	if (!array__push(&region->generations, fresh))
		return NULL;
	return &region->generations.items[region->generations.count - 1];
}

static bool put(struct builder *builder, struct generation *generation, struct member *member)
{
	builder->last[member - builder->region->members.items] =
		(size_t)(generation - builder->region->generations.items) + 1;
	return array__push(&generation->members, member);
}

/* A later generation takes over what is still alive and referred to. */
static bool carry_over(struct builder *builder, struct generation *fresh,
		       const struct generation *old, const struct member *cause)
{
	array__for_each(member, &old->members) {
		struct member *candidate = *member;
		bool overlaps = candidate->addr < cause->end && cause->addr < candidate->end;

		if (candidate->alone || overlaps || candidate->until <= fresh->start)
			continue;
		if (!builder->without_pruning && candidate->last_reference < fresh->start)
			continue;
		if (!put(builder, fresh, candidate))
			return false;
	}
	return true;
}

/* Generations one after the other in time, each holding all that is then alive. */
static int build_whole(struct builder *builder, struct member **list, size_t count)
{
	struct region *region = builder->region;
	struct generation *now = &region->generations.items[0];

	for (size_t i = 0; i < count; i++) {
		size_t number = (size_t)(list[i] - region->members.items);

		if (any_overlap(builder, number, other_is_in_generation)) {
			struct generation *fresh = open_generation(region, list[i]->from);

			if (!fresh)
				return -ENOMEM;
			now = &region->generations.items[region->generations.count - 1];
			if (!carry_over(builder, now, now - 1, list[i]))
				return -ENOMEM;
		}
		if (!put(builder, now, list[i]))
			return -ENOMEM;
	}
	return 0;
}

/* The end of what the generation holds at each address is not kept: it is looked for. */
static bool fits(const struct generation *generation, const struct member *member)
{
	size_t low = 0, high = generation->members.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (generation->members.items[middle]->end <= member->addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low == generation->members.count ||
	       generation->members.items[low]->addr >= member->end;
}

static bool insert_sorted(struct generation *generation, struct member *member)
{
	size_t i;

	if (!array__push(&generation->members, member))
		return false;
	for (i = generation->members.count - 1;
	     i > 0 && generation->members.items[i - 1]->addr > member->addr; i--)
		generation->members.items[i] = generation->members.items[i - 1];
	generation->members.items[i] = member;
	return true;
}

/* Layers: each function goes into the first one that has its place free. */
static int build_layers(struct region *region, struct member **list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct generation *layer = NULL;

		for (size_t g = 1; !layer && g < region->generations.count; g++)
			if (fits(&region->generations.items[g], list[i]))
				layer = &region->generations.items[g];
		if (!layer)
			layer = open_generation(region, list[i]->from);
		if (!layer || !insert_sorted(layer, list[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Whether some sample refers to the member while generation g is the one that is mapped. */
static bool referenced_in(const struct region *region, size_t g, const struct member *member)
{
	const struct generation *generation = &region->generations.items[g];

	if (member->last_reference < generation->start)
		return false;
	return g + 1 == region->generations.count || member->first_reference < generation[1].start;
}

/* Takes what no sample needs out of the later generations, or they grow with their number. */
static void prune_later(struct region *region)
{
	for (size_t g = 1; g < region->generations.count; g++) {
		struct generation *generation = &region->generations.items[g];
		size_t kept = 0;

		for (size_t i = 0; i < generation->members.count; i++)
			if (referenced_in(region, g, generation->members.items[i]))
				generation->members.items[kept++] = generation->members.items[i];
		generation->members.count = kept;
	}
}

static bool put_alone(const struct builder *builder, size_t g)
{
	struct region *region = builder->region;

	array__for_each(member, &region->members) {
		if (!member->alone ||
		    (g > 0 && !builder->without_pruning && !referenced_in(region, g, member)))
			continue;
		if (!array__push(&region->generations.items[g].members, member))
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
		err = build_layers(region, list, count);
	free(list);
	if (err)
		return err;
	if (region->whole && !builder->without_pruning)
		prune_later(region);
	/* whole generations describe what never changes too; of layers the first one does */
	for (size_t g = 0; g < region->generations.count; g++) {
		if ((g == 0 || region->whole) && !put_alone(builder, g))
			return -ENOMEM;
		sort_members(&region->generations.items[g]);
	}
	return 0;
}

int generations__build(struct region *region, bool without_pruning)
{
	size_t count = region->members.count;
	struct builder builder = {
		.region = region,
		.without_pruning = without_pruning,
		.reach = calloc(count + 1, sizeof(uint64_t)),
		.kept = calloc(count + 1, sizeof(bool)),
		.last = calloc(count + 1, sizeof(size_t)),
	};
	int err = -ENOMEM;

	if (builder.reach && builder.kept && builder.last) {
		for (size_t i = 0; i < count; i++) {
			uint64_t end = region->members.items[i].end;

			builder.reach[i] =
				i && builder.reach[i - 1] > end ? builder.reach[i - 1] : end;
		}
		err = build(&builder);
	}
	free(builder.reach);
	free(builder.kept);
	free(builder.last);
	return err;
}
