// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members of a region told one a line, and the generations they must make: reasoned from the rules
 * that a generation holds no overlaps, that only code which samples refer to makes one, and that
 * at each moment one DSO must hold all that is referred to then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fix/generation.h"

#define FOREVER CODE_FOREVER
#define NEVER   UINT64_MAX, 0 /* no sample refers to it */

struct line {
	char name;
	uint64_t addr, end, from, until, first_reference, last_reference;
};

struct expected {
	uint64_t start;
	const char *members;
};

struct story {
	const char *title;
	bool layers, without_pruning;
	struct line lines[8]; /* by address, then time; up to one without a name */
	size_t dropped;
	const char *alone;
	struct expected generations[6]; /* up to one without members */
};

#define NR_LINES       8
#define NR_GENERATIONS 6

static const struct story stories[] = {
	{
		.title = "code at places of its own is one generation from the first load on",
		.lines = { { 'a', 100, 110, 20, FOREVER, NEVER },
			   { 'b', 110, 120, 10, FOREVER, 30, 40 } },
		.alone = "ab",
		.generations = { { 10, "ab" } },
	},
	{
		.title = "code over other code begins the next generation",
		.lines = { { 'a', 100, 120, 10, 30, 15, 15 },
			   { 'b', 119, 130, 30, FOREVER, 35, 35 } },
		.alone = "",
		.generations = { { 10, "a" }, { 30, "b" } },
	},
	{
		.title = "a later generation takes over what lives and is referred to later",
		.lines = { { 'm', 200, 210, 10, 30, 15, 15 },
			   { 'n', 200, 210, 30, FOREVER, 35, 60 },
			   { 'p', 400, 410, 5, 50, 6, 45 },
			   { 'q', 400, 410, 50, FOREVER, 55, 55 } },
		.alone = "",
		.generations = { { 5, "mp" }, { 30, "np" }, { 50, "nq" } },
	},
	{
		.title = "what is referred to no more is not taken over",
		.lines = { { 'm', 200, 210, 10, 30, 15, 15 },
			   { 'n', 200, 210, 30, FOREVER, 35, 49 },
			   { 'p', 400, 410, 5, 50, 6, 29 },
			   { 'q', 400, 410, 50, FOREVER, 55, 55 } },
		.alone = "",
		/* when q comes, p is in no generation any more that q could not be in */
		.generations = { { 5, "mp" }, { 30, "nq" } },
	},
	{
		.title = "code without references gives way, whoever was first",
		.lines = { { 'a', 100, 110, 10, 30, NEVER },
			   { 'b', 100, 110, 30, 50, 40, 40 },
			   { 'c', 105, 115, 50, FOREVER, NEVER } },
		.dropped = 2,
		.alone = "b",
		.generations = { { 30, "b" } },
	},
	{
		.title = "of code without references that overlaps, one is kept",
		.lines = { { 'a', 100, 110, 10, 30, NEVER },
			   { 'b', 105, 115, 30, FOREVER, NEVER } },
		.dropped = 1,
		.alone = "a",
		.generations = { { 10, "a" } },
	},
	{
		.title = "without pruning all code counts, and what lives is taken over",
		.without_pruning = true,
		.lines = { { 'a', 100, 110, 10, 30, NEVER },
			   { 'b', 100, 110, 30, 50, 40, 40 },
			   { 'c', 105, 115, 50, FOREVER, NEVER },
			   { 'd', 300, 310, 5, FOREVER, NEVER } },
		.alone = "d",
		.generations = { { 5, "ad" }, { 30, "bd" }, { 50, "cd" } },
	},
	{
		.title = "without pruning, too, what died is not taken over",
		.without_pruning = true,
		.lines = { { 'a', 100, 110, 10, 30, NEVER },
			   { 'b', 100, 110, 30, FOREVER, NEVER },
			   { 'e', 400, 410, 5, 20, NEVER },
			   { 'f', 400, 410, 60, FOREVER, NEVER } },
		.alone = "",
		.generations = { { 5, "ae" }, { 30, "bf" } },
	},
	{
		.title = "later generations hold only what samples of their time refer to",
		.lines = { { 'a', 100, 110, 5, FOREVER, 52, 52 },
			   { 'b', 150, 160, 5, FOREVER, NEVER },
			   { 'm', 200, 210, 10, 30, 15, 15 },
			   { 'n', 200, 210, 30, 50, 35, 35 },
			   { 'o', 200, 210, 50, FOREVER, 55, 55 } },
		.alone = "ab",
		.generations = { { 5, "abm" }, { 30, "n" }, { 50, "ao" } },
	},
	{
		.title =
			"code that died unseen by others conflicts as well: one DSO is one content",
		.lines = { { 'a', 100, 110, 10, 20, 15, 15 },
			   { 'b', 109, 120, 25, FOREVER, 26, 26 } },
		.alone = "",
		.generations = { { 10, "a" }, { 25, "b" } },
	},
	{
		.title = "one load over two functions takes the place of both",
		.lines = { { 'a', 100, 110, 10, 30, 15, 15 },
			   { 'c', 100, 130, 30, FOREVER, 35, 35 },
			   { 'b', 110, 130, 20, 30, 25, 25 },
			   { 'd', 130, 140, 20, FOREVER, 25, 35 } },
		.alone = "d",
		.generations = { { 10, "abd" }, { 30, "cd" } },
	},
	{
		.title =
			"layers: who has a place alone is in the first, others where theirs is free",
		.layers = true,
		.lines = { { 'a', 100, 110, 60, FOREVER, 70, 70 },
			   { 'm', 200, 210, 10, 30, 15, 15 },
			   { 'n', 200, 210, 30, FOREVER, 35, 35 },
			   { 'p', 300, 310, 40, 50, 45, 45 },
			   { 'q', 305, 315, 50, FOREVER, 55, 55 },
			   { 'r', 315, 325, 60, FOREVER, 65, 65 } },
		.alone = "ar",
		.generations = { { 10, "ar" }, { 10, "mp" }, { 30, "nq" } },
	},
};

static void make_region(const struct story *story, struct region *region, struct code *codes)
{
	*region = (struct region){ .whole = !story->layers };
	for (size_t i = 0; i < NR_LINES && story->lines[i].name; i++) {
		const struct line *line = &story->lines[i];
		struct member member = {
			.code = &codes[i],
			.addr = line->addr,
			.end = line->end,
			.from = line->from,
			.until = line->until,
			.first_reference = line->first_reference,
			.last_reference = line->last_reference,
		};

		codes[i] = (struct code){ .serial = (uint32_t)i };
		assert_true(array__push(&region->members, member));
	}
}

static void free_region(struct region *region)
{
	array__for_each(generation, &region->generations)
		array__free(&generation->members);
	array__free(&region->generations);
	array__free(&region->members);
}

static char name_of(const struct story *story, const struct region *region,
		    const struct member *member)
{
	return story->lines[member - region->members.items].name;
}

static void check(const struct story *story, const struct region *region)
{
	char names[NR_LINES + 1];
	size_t count = 0;

	array__for_each(member, &region->members)
		if (member->alone)
			names[count++] = name_of(story, region, member);
	names[count] = 0;
	if (strcmp(names, story->alone) != 0)
		fail_msg("%s: alone are \"%s\", not \"%s\"", story->title, names, story->alone);
	if (region->dropped != story->dropped)
		fail_msg("%s: %zu dropped", story->title, region->dropped);
	for (size_t g = 0; g < region->generations.count; g++) {
		const struct generation *generation = &region->generations.items[g];
		const struct expected *expected = &story->generations[g];

		count = 0;
		array__for_each(member, &generation->members)
			names[count++] = name_of(story, region, *member);
		names[count] = 0;
		if (g >= NR_GENERATIONS || !expected->members ||
		    strcmp(names, expected->members) != 0 || generation->start != expected->start)
			fail_msg("%s: generation %zu holds \"%s\" from %lu on", story->title, g,
				 names, generation->start);
	}
	if (region->generations.count < NR_GENERATIONS &&
	    story->generations[region->generations.count].members)
		fail_msg("%s: only %zu generations", story->title, region->generations.count);
}

static void test_stories(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(stories) / sizeof(stories[0]); s++) {
		struct code codes[NR_LINES];
		struct region region;

		make_region(&stories[s], &region, codes);
		assert_int_equal(generations__build(&region, stories[s].without_pruning), 0);
		check(&stories[s], &region);
		free_region(&region);
	}
}

/* Where all code shares places, nothing is left for the first layer, which still is there. */
static void test_first_layer_may_be_empty(void **state)
{
	static const struct story story = {
		.layers = true,
		.lines = { { 'm', 200, 210, 10, 30, 15, 15 },
			   { 'n', 200, 210, 30, FOREVER, 35, 35 } },
	};
	struct code codes[NR_LINES];
	struct region region;

	(void)state;
	make_region(&story, &region, codes);
	assert_int_equal(generations__build(&region, false), 0);
	assert_int_equal(region.generations.count, 3);
	assert_int_equal(region.generations.items[0].members.count, 0);
	assert_int_equal(region.generations.items[1].members.count, 1);
	assert_int_equal(region.generations.items[2].members.count, 1);
	free_region(&region);
}

/*
 * 2000 functions of which each next one replaces the one before at one place, beside 50 that live
 * and are used all the time: what is written grows with the generations, not with their square.
 */
static void test_many_generations(void **state)
{
	enum { MANY = 2000, STEADY = 50 };
	struct region region = { .whole = true };
	struct code *codes = calloc(MANY, sizeof(*codes));

	(void)state;
	assert_non_null(codes);
	for (uint32_t i = 0; i < MANY; i++) {
		struct member member = {
			.code = &codes[i],
			.addr = 100,
			.end = 110,
			.from = 10 * i,
			.until = 10 * (i + 1),
			.first_reference = 10 * i + 5,
			.last_reference = 10 * i + 5,
		};

		codes[i].serial = i;
		assert_true(array__push(&region.members, member));
	}
	for (uint32_t i = 0; i < STEADY; i++) {
		struct member member = {
			.code = &codes[0],
			.addr = 200 + 10 * i,
			.end = 210 + 10 * i,
			.until = FOREVER,
			.first_reference = 5,
			.last_reference = 10 * MANY,
		};

		assert_true(array__push(&region.members, member));
	}
	assert_int_equal(generations__build(&region, false), 0);
	assert_int_equal(region.generations.count, MANY);
	array__for_each(generation, &region.generations)
		assert_int_equal(generation->members.count, 1 + STEADY);
	free_region(&region);
	free(codes);
}

/*
 * One place that was a million functions' in turn, of which samples refer to every 250000th. All
 * pairs of them could not be looked at while anyone waits.
 */
static void check_one_place(bool whole)
{
	enum { MANY = 1000000, STEP = 250000 };
	struct region region = { .whole = whole };
	struct code *codes = calloc(MANY, sizeof(*codes));

	assert_non_null(codes);
	for (uint32_t i = 0; i < MANY; i++) {
		bool used = i % STEP == STEP / 2;
		struct member member = {
			.code = &codes[i],
			.addr = 100,
			.end = 110 + i % 7,
			.from = i,
			.until = i + 1,
			.first_reference = used ? i : UINT64_MAX,
			.last_reference = used ? i : 0,
		};

		codes[i].serial = i;
		assert_true(array__push(&region.members, member));
	}
	assert_int_equal(generations__build(&region, false), 0);
	assert_int_equal(region.dropped, MANY - MANY / STEP);
	/* layers have an empty one before them */
	assert_int_equal(region.generations.count, MANY / STEP + !whole);
	for (size_t g = !whole; g < region.generations.count; g++) {
		const struct generation *generation = &region.generations.items[g];

		assert_int_equal(generation->members.count, 1);
		assert_int_equal(generation->start, (g - !whole) * STEP + STEP / 2);
	}
	free_region(&region);
	free(codes);
}

static void test_one_place(void **state)
{
	(void)state;
	check_one_place(true);
	check_one_place(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stories),
		cmocka_unit_test(test_first_layer_may_be_empty),
		cmocka_unit_test(test_many_generations),
		cmocka_unit_test(test_one_place),
	};

	return cmocka_run_group_tests_name("generation", tests, NULL, NULL);
}
