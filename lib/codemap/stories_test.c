// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scenarios whose look-ups were reasoned out by hand. A map's story is told one event a line;
 * records are named by a letter, and a look-up expects a letter or nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codemap/codemap_model.h"

struct event {
	enum { NOTHING, IS_LOAD, IS_MOVE, IS_UNMAP, IS_CLOSE } what;
	uint64_t time;
	const char *name;
	uint64_t addr, size;
	uint64_t from;  /* MOVE */
	uint64_t index; /* LOAD, MOVE */
};

#define LOAD(time, name, addr, size)                  \
	{                                             \
		IS_LOAD, time, name, addr, size, 0, 0 \
	}
#define LOAD_INDEX(time, name, addr, size, index)         \
	{                                                 \
		IS_LOAD, time, name, addr, size, 0, index \
	}
#define MOVE(time, from, to, size, index)                  \
	{                                                  \
		IS_MOVE, time, NULL, to, size, from, index \
	}
#define UNMAP(time, addr, size)                        \
	{                                              \
		IS_UNMAP, time, NULL, addr, size, 0, 0 \
	}
#define CLOSE(time)                              \
	{                                        \
		IS_CLOSE, time, NULL, 0, 0, 0, 0 \
	}

struct lookup {
	uint64_t addr, time;
	const char *name;  /* NULL: nothing */
	const char *early; /* what find_early gives; NULL: nothing */
};

struct story {
	const char *title;
	struct event events[12];
	struct lookup lookups[24]; /* up to one with addr 0 */
};

static const struct story stories[] = {
	{
		"code lives from its load on, to its last byte",
		{ LOAD(10, "a", 100, 10) },
		{
			{ 99, 10, NULL, NULL },
			{ 100, 9, NULL, "a" },
			{ 100, 10, "a", NULL },
			{ 109, 10, "a", NULL },
			{ 110, 10, NULL, NULL },
			{ 109, UINT64_MAX - 1, "a", NULL },
		},
	},
	{
		"a load ends what it covers as a whole: right part of a, left part of b, all of c",
		{
			LOAD(1, "a", 100, 20),
			LOAD(2, "c", 125, 5),
			LOAD(3, "b", 130, 20),
			LOAD(9, "n", 110, 30),
		},
		{
			{ 105, 8, "a", NULL },
			{ 105, 9, NULL, NULL },
			{ 110, 8, "a", NULL },
			{ 110, 9, "n", NULL },
			{ 122, 8, NULL, "n" },
			{ 127, 8, "c", NULL },
			{ 127, 9, "n", NULL },
			{ 127, 1, NULL, "c" },
			{ 139, 9, "n", NULL },
			{ 140, 8, "b", NULL },
			{ 140, 9, NULL, NULL },
		},
	},
	{
		"a load inside of other code ends it; neighbours stay",
		{
			LOAD(1, "a", 100, 100),
			LOAD(1, "l", 90, 10),
			LOAD(1, "r", 200, 10),
			LOAD(5, "i", 140, 10),
		},
		{
			{ 99, 6, "l", NULL },
			{ 100, 4, "a", NULL },
			{ 100, 5, NULL, NULL },
			{ 145, 4, "a", NULL },
			{ 145, 5, "i", NULL },
			{ 199, 4, "a", NULL },
			{ 199, 5, NULL, NULL },
			{ 200, 9, "r", NULL },
		},
	},
	{
		"of loads at one time the last holds",
		{
			LOAD(5, "a", 100, 20),
			LOAD(5, "b", 110, 20),
			LOAD(5, "c", 100, 20),
		},
		{
			{ 100, 4, NULL, "c" },
			{ 100, 5, "c", NULL },
			{ 119, 5, "c", NULL },
			{ 120, 5, NULL, NULL },
			{ 125, 4, NULL, NULL },
		},
	},
	{
		"events out of order are put in order",
		{
			LOAD(30, "c", 100, 10),
			LOAD(10, "a", 100, 10),
			LOAD(20, "b", 105, 10),
		},
		{
			{ 105, 5, NULL, "a" },
			{ 105, 10, "a", NULL },
			{ 105, 19, "a", NULL },
			{ 105, 20, "b", NULL },
			{ 102, 20, NULL, NULL },
			{ 105, 30, "c", NULL },
			{ 112, 29, "b", NULL },
			{ 112, 30, NULL, NULL },
		},
	},
	{
		"a move takes its code along and ends what was there",
		{
			LOAD_INDEX(1, "a", 100, 10, 1),
			LOAD_INDEX(1, "b", 200, 10, 2),
			MOVE(5, 100, 205, 10, 1),
		},
		{
			{ 100, 4, "a", NULL },
			{ 100, 5, NULL, NULL },
			{ 200, 4, "b", NULL },
			{ 200, 5, NULL, NULL },
			{ 205, 4, "b", NULL },
			{ 205, 5, "a", NULL },
			{ 214, 5, "a", NULL },
			{ 214, 4, NULL, "a" },
		},
	},
	{
		"a collector moves code to where the next to be moved still is",
		{
			LOAD_INDEX(1, "a", 200, 10, 1),
			LOAD_INDEX(1, "b", 300, 10, 2),
			MOVE(5, 200, 300, 10, 1),
			MOVE(5, 300, 400, 10, 2),
		},
		{
			{ 200, 5, NULL, NULL },
			{ 300, 4, "b", NULL },
			{ 300, 5, "a", NULL },
			{ 400, 5, "b", NULL },
		},
	},
	{
		"a move whose index is wrong means what is there; one of nothing is lost",
		{
			LOAD_INDEX(1, "a", 100, 10, 1),
			MOVE(2, 100, 200, 10, 7),
			MOVE(3, 400, 100, 10, 1),
		},
		{
			{ 100, 2, NULL, NULL },
			{ 200, 2, "a", NULL },
			{ 100, 3, NULL, NULL },
			{ 200, 3, "a", NULL },
		},
	},
	{
		"a move within its own old place",
		{
			LOAD_INDEX(1, "a", 100, 20, 1),
			MOVE(2, 100, 90, 20, 1),
			MOVE(3, 90, 90, 20, 1),
		},
		{
			{ 105, 1, "a", NULL },
			{ 105, 2, "a", NULL },
			{ 115, 1, "a", NULL },
			{ 115, 2, NULL, NULL },
			{ 95, 1, NULL, "a" },
			{ 95, 3, "a", NULL },
		},
	},
	{
		"a mapped file ends what it covers, closing the dump nothing",
		{
			LOAD(1, "a", 100, 10),
			LOAD(1, "b", 110, 10),
			LOAD(1, "c", 120, 10),
			CLOSE(2),
			UNMAP(3, 109, 2),
			UNMAP(4, 120, 0),
			LOAD(5, "d", 110, 5),
			UNMAP(5, 129, UINT64_MAX),
		},
		{
			{ 100, 2, "a", NULL },
			{ 100, 3, NULL, NULL },
			{ 110, 2, "b", NULL },
			{ 110, 3, NULL, NULL },
			{ 110, 5, "d", NULL },
			{ 120, 4, "c", NULL },
			{ 120, 5, NULL, NULL },
		},
	},
};

#define NR_EVENTS  (sizeof(stories[0].events) / sizeof(stories[0].events[0]))
#define NR_LOOKUPS (sizeof(stories[0].lookups) / sizeof(stories[0].lookups[0]))

static void feed(struct codemap *map, const struct event *event, struct code_record *record)
{
	switch (event->what) {
	case NOTHING:
		break;
	case IS_LOAD:
		*record = (struct code_record){
			.addr = event->addr,
			.size = event->size,
			.name = event->name,
			.index = event->index,
		};
		assert_int_equal(codemap__load(map, event->time, record), 0);
		break;
	case IS_MOVE:
		assert_int_equal(codemap__move(map, event->time, event->from, event->addr,
					       event->size, event->index),
				 0);
		break;
	case IS_UNMAP:
		assert_int_equal(codemap__unmap(map, event->time, event->addr, event->size), 0);
		break;
	case IS_CLOSE:
		assert_int_equal(codemap__close(map, event->time), 0);
		break;
	}
}

static void expect(const struct story *story, const struct lookup *lookup, const char *function,
		   const struct code *code, const char *name)
{
	const char *found = code ? code->record->name : NULL;

	if (found == name || (found && name && !strcmp(found, name)))
		return;
	fail_msg("%s: %s at %lu, time %lu: %s, not %s", story->title, function, lookup->addr,
		 lookup->time, found ? found : "nothing", name ? name : "nothing");
}

static void test_stories(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(stories) / sizeof(stories[0]); s++) {
		const struct story *story = &stories[s];
		struct code_record records[NR_EVENTS];
		struct codemap *map = codemap__new();

		assert_non_null(map);
		for (size_t i = 0; i < NR_EVENTS && story->events[i].what; i++)
			feed(map, &story->events[i], &records[i]);
		assert_int_equal(codemap__finish(map), 0);
		for (size_t i = 0; i < NR_LOOKUPS && story->lookups[i].addr; i++) {
			const struct lookup *lookup = &story->lookups[i];

			expect(story, lookup, "find",
			       codemap__find(map, lookup->addr, lookup->time), lookup->name);
			expect(story, lookup, "find_early",
			       codemap__find_early(map, lookup->addr, lookup->time), lookup->early);
		}
		codemap__free(map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stories),
	};

	return cmocka_run_group_tests_name("stories", tests, NULL, NULL);
}
