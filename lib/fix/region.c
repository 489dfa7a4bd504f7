// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/generation.h"
#include "fix/space.h"

/*
 * Code closer than this is one region. Arenas grow by pages and runtimes leave guard pages, so a
 * page or two between functions is no reason for another DSO.
 */
#define REGION_GAP 8192
/* What reaches further is cut where functions do not overlap: a DSO's parts lie within 2 GiB. */
#define REGION_MAX (UINT64_C(1) << 29)
/* In a file the bytes between are the file's own code, which keeps its names. */
#define REGION_GAP_IN_FILE 64

/* ELF header of a DSO for one function, and what is fixed of its CFI: search table, CIE, padding.
 */
#define SINGLE_HEADER 0x40
#define SINGLE_CFI    0x30

#define NO_FAMILY SIZE_MAX

/* Whether a file was ever mapped to some of [start, end). */
static bool file_between(const struct process *process, uint64_t start, uint64_t end)
{
	for (; process; process = process->execed ? NULL : process->parent)
		array__for_each(mapping, &process->mappings)
			if (mapping__must_stay(mapping) && mapping->start < end &&
			    start < mapping__end(mapping))
				return true;
	return false;
}

static bool is_ancestor(const struct process *ancestor, const struct process *process)
{
	while (process && !process->execed) {
		process = process->parent;
		if (process == ancestor)
			return true;
	}
	return false;
}

/* How much may be between code of one region. */
static uint64_t gap_of(enum home home)
{
	return home == HOME_MEMORY ? REGION_GAP : REGION_GAP_IN_FILE;
}

static bool is_near(const struct region *region, const struct family *family)
{
	uint64_t gap = gap_of(region->home);

	if (region->single)
		return region->lo < family->hi && family->lo < region->hi;
	return region->lo <= family->hi + gap && family->lo <= region->hi + gap;
}

/* How far apart they are; 0 where they meet. */
static uint64_t distance(const struct region *region, const struct family *family)
{
	if (region->lo >= family->hi)
		return region->lo - family->hi + 1;
	return family->lo >= region->hi ? family->lo - region->hi + 1 : 0;
}

/* The family of an ancestor's region that this one meets, or is nearest to; NO_FAMILY: none. */
static size_t find_family(const struct regions *regions, const struct region *region)
{
	uint64_t least = UINT64_MAX;
	size_t nearest = NO_FAMILY;

	array__for_each(other, &regions->list) {
		const struct family *family;

		if (other->process == region->process)
			break;
		family = &regions->families.items[other->family];
		if (other->home != region->home || !is_near(region, family) ||
		    distance(region, family) >= least ||
		    !is_ancestor(other->process, region->process))
			continue;
		nearest = other->family;
		least = distance(region, family);
	}
	return nearest;
}

/*
 * Where another family's place begins above a region that has but one function: a region that
 * reached from one into the other would make their DSOs overlap.
 */
static uint64_t limit_of(const struct regions *regions, const struct region *region)
{
	uint64_t limit = UINT64_MAX;
	size_t own = find_family(regions, region);

	array__for_each(other, &regions->list) {
		const struct family *its;

		if (other->process == region->process)
			break;
		its = &regions->families.items[other->family];
		if (other->family != own && its->lo > region->lo && its->lo < limit &&
		    is_ancestor(other->process, region->process))
			limit = its->lo;
	}
	return limit;
}

static bool continues(const struct region *region, const struct code *code, enum home home,
		      const struct region_options *options)
{
	if (options->force_singles)
		return code->addr < region->hi;
	if (home != region->home ||
	    (code->addr > region->hi && code->addr - region->hi > gap_of(home)) ||
	    (code->addr >= region->hi && code->addr + code->size - region->lo > REGION_MAX))
		return false;
	return code->addr <= region->hi || home != HOME_MEMORY ||
	       !file_between(region->process, region->hi, code->addr);
}

static bool is_reload_of(const struct code *code, const struct member *member)
{
	return member->until == code->load && member->addr == code->addr &&
	       member->end == code->addr + code->size;
}

static int add_member(struct region *region, struct code *code)
{
	struct member member = {
		.code = code,
		.addr = code->addr,
		.end = code->addr + code->size,
		.from = code->load,
		.until = code->end,
		.first_reference = code->first_reference,
		.last_reference = code->last_reference,
		.wants_cfi = code->wants_cfi,
	};

	/* entries come by (address, time), so what this is a re-load of is among the last ones */
	for (size_t i = region->members.count; code->identical && i > 0; i--) {
		struct member *before = &region->members.items[i - 1];

		if (before->addr != code->addr)
			break;
		if (!is_reload_of(code, before))
			continue;
		before->until = code->end;
		if (code->first_reference < before->first_reference)
			before->first_reference = code->first_reference;
		if (code->last_reference > before->last_reference)
			before->last_reference = code->last_reference;
		before->wants_cfi |= code->wants_cfi;
		return 0;
	}
	if (member.end > region->hi)
		region->hi = member.end;
	return array__push(&region->members, member) ? 0 : -ENOMEM;
}

/*
 * Of a file's second mapping nothing may stay in sight: readers by libunwind take the lowest
 * mapping of a file, what is left of this one included, for where the file is.
 */
static void cover_mapping(struct region *region, const struct code *code)
{
	const struct mapping *mapping = process__mapping(region->process, code->addr, code->load);

	region->lo = mapping->start;
	region->hi = mapping__end(mapping);
}

static int open_region(struct regions *regions, struct process *process, const struct code *code,
		       enum home home, const struct region_options *options)
{
	struct region region = {
		.process = process,
		.lo = code->addr,
		.hi = code->addr + code->size,
		.home = home,
		.whole = options->unwinds,
		.single = options->force_singles,
	};

	if (home == HOME_ALIAS)
		cover_mapping(&region, code);
	return array__push(&regions->list, region) ? 0 : -ENOMEM;
}

static struct region *last_region(struct regions *regions)
{
	return &regions->list.items[regions->list.count - 1];
}

static int cut(struct regions *regions, struct process *process,
	       const struct region_options *options)
{
	size_t first = regions->list.count;
	struct home_memory memory = { 0 };
	uint64_t limit = 0;

	for (size_t i = 0; i < codemap__count(process->codemap); i++) {
		struct code *code = codemap__at(process->codemap, i);
		enum home home = home__of(&memory, process, code);
		int err = 0;

		if (regions->list.count == first || code->addr >= limit ||
		    !continues(last_region(regions), code, home, options)) {
			err = open_region(regions, process, code, home, options);
			limit = err ? 0 : limit_of(regions, last_region(regions));
		}
		if (!err)
			err = add_member(last_region(regions), code);
		if (err)
			return err;
	}
	return 0;
}

static void free_region(struct region *region)
{
	array__for_each(generation, &region->generations)
		array__free(&generation->members);
	array__free(&region->generations);
	array__free(&region->members);
}

/* Takes over what another region of the process has, which lies behind this one. */
static int absorb(struct region *region, const struct region *other)
{
	array__for_each(member, &other->members)
		if (!array__push(&region->members, *member))
			return -ENOMEM;
	if (other->hi > region->hi)
		region->hi = other->hi;
	return 0;
}

/*
 * Finds the families of a process' regions. Those of one family are one region: each of its DSOs is
 * mapped over all of the family's place, and would hide the others.
 */
static int unite(struct regions *regions, size_t first)
{
	struct region *items = regions->list.items;
	size_t kept = first;
	int err = 0;

	for (size_t i = first; i < regions->list.count; i++) {
		struct region *before = kept > first ? &items[kept - 1] : NULL;

		items[i].family = find_family(regions, &items[i]);
		if (before && before->family != NO_FAMILY && before->family == items[i].family) {
			err = err ? err : absorb(before, &items[i]);
			free_region(&items[i]);
		} else {
			items[kept++] = items[i];
		}
	}
	regions->list.count = kept;
	return err;
}

/* Code that is all the parent's is already mapped by the parent's DSOs. */
static bool all_inherited(const struct region *region)
{
	array__for_each(member, &region->members)
		if (!member->code->inherited)
			return false;
	return true;
}

static void drop_inherited(struct regions *regions, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < regions->list.count; i++) {
		if (all_inherited(&regions->list.items[i]))
			free_region(&regions->list.items[i]);
		else
			regions->list.items[kept++] = regions->list.items[i];
	}
	regions->list.count = kept;
}

static int join_family(struct regions *regions, struct region *region)
{
	struct family *family;

	if (region->family == NO_FAMILY) {
		struct family fresh = { .lo = region->lo, .hi = region->hi };

		region->family = regions->families.count;
		if (!array__push(&regions->families, fresh))
			return -ENOMEM;
	}
	family = &regions->families.items[region->family];
	region->first_number = family->nr_generations;
	family->nr_generations += region->generations.count;
	if (region->lo < family->lo)
		family->lo = region->lo;
	if (region->hi > family->hi)
		family->hi = region->hi;
	return 0;
}

/* Bytes that a DSO of its own needs behind a function for its CFI, and before it for its header. */
static uint64_t room_around(const struct code_record *record)
{
	/* a rule made here instead of the producer's CFI takes no more than that */
	uint64_t cfi = record->unwind ? record->unwind->eh_frame.size : 0;

	return SINGLE_HEADER + SINGLE_CFI + (cfi > SINGLE_CFI ? cfi : SINGLE_CFI);
}

/*
 * A DSO for each function is what users know, and it works with every perf as long as no DSO
 * reaches into its neighbour and no address is used twice.
 */
static bool is_safe_for_singles(const struct region *region)
{
	if (region->home != HOME_MEMORY || region->family != NO_FAMILY)
		return false;
	for (size_t i = 0; i < region->members.count; i++) {
		const struct member *member = &region->members.items[i];
		uint64_t room = room_around(member->code->record);

		if (member->code->inherited)
			return false;
		if (i + 1 < region->members.count &&
		    (member[1].addr < member->end || member[1].addr - member->end < room))
			return false;
	}
	return true;
}

static int push_single(struct regions *regions, const struct region *from, struct member member)
{
	struct region region = {
		.process = from->process,
		.lo = member.addr,
		.hi = member.end,
		.whole = from->whole,
		.single = true,
		.family = NO_FAMILY,
	};

	if (!array__push(&region.members, member))
		return -ENOMEM;
	if (array__push(&regions->list, region))
		return 0;
	array__free(&region.members);
	return -ENOMEM;
}

/* Replaces the regions from first on by single functions if that is safe for all of them. */
static int split(struct regions *regions, size_t first, const struct region_options *options)
{
	struct regions whole = { 0 };
	size_t functions = 0;
	int err = 0;

	for (size_t i = first; i < regions->list.count; i++) {
		functions += regions->list.items[i].members.count;
		if (functions > options->singles_max ||
		    !is_safe_for_singles(&regions->list.items[i]))
			return 0;
	}
	for (size_t i = first; i < regions->list.count; i++)
		if (!array__push(&whole.list, regions->list.items[i]))
			err = -ENOMEM;
	if (err) {
		array__free(&whole.list);
		return err;
	}
	regions->list.count = first;
	array__for_each(region, &whole.list)
		array__for_each(member, &region->members)
			if (!err)
				err = push_single(regions, region, *member);
	regions__free(&whole);
	return err;
}

static int build_generations(struct regions *regions, size_t first,
			     const struct region_options *options)
{
	for (size_t i = first; i < regions->list.count; i++) {
		struct region *region = &regions->list.items[i];
		int err = generations__build(region, options->without_pruning);

		if (!err)
			err = join_family(regions, region);
		if (err)
			return err;
	}
	return 0;
}

int regions__add(struct regions *regions, struct process *process,
		 const struct region_options *options)
{
	size_t first = regions->list.count;
	int err = cut(regions, process, options);

	if (!err)
		err = unite(regions, first);
	if (err)
		return err;
	drop_inherited(regions, first);
	if (!options->force_singles)
		err = split(regions, first, options);
	return err ? err : build_generations(regions, first, options);
}

void regions__free(struct regions *regions)
{
	array__for_each(region, &regions->list)
		free_region(region);
	array__free(&regions->list);
	array__free(&regions->families);
}
