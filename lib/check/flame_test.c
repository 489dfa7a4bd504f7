// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees of made chains, beside counts of their beginnings by the plainest means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check/flame.h"
#include "check/subject.h"

#define CHAINS 3000
#define DEPTH  6

/* Chains as texts, callers first: "cab" are three frames. */
struct story {
	struct names names;
	struct flame_frames frames;
	struct flame flame;
	char chains[CHAINS][DEPTH + 1];
	char path[DEPTH + 2]; /* of the node that is visited */
	size_t nr_nodes;
	uint64_t samples;
};

static void add_chain(struct story *story, const char *text)
{
	static const char *const symbols[] = { "a", "b", "c", "d" };
	struct perfdata_sample sample = { .time = 1 };
	struct check_finding findings[DEPTH];
	struct unwind_frame frames[DEPTH];
	struct unwind_chain chain = { 0 };
	size_t depth = strlen(text);
	const struct check_seen seen = { .sample = &sample, .chain = &chain, .findings = findings };

	memset(frames, 0, sizeof(frames));
	for (size_t i = 0; i < depth; i++) {
		char letter = text[depth - 1 - i];

		frames[i].symbol = letter == 'x' ? NULL : symbols[letter - 'a'];
		findings[i] = (struct check_finding){ .named = letter != 'x',
						      .reason = CHECK_NO_SYMBOL,
						      .place = "/lib/x.so" };
	}
	chain.frames.items = frames;
	chain.frames.count = depth;
	assert_int_equal(flame__add(&story->flame, &seen), 0);
}

static uint64_t count(const struct story *story, const char *text)
{
	uint64_t equal = 0;

	for (size_t i = 0; i < CHAINS; i++)
		equal += strcmp(story->chains[i], text) == 0;
	return equal;
}

static int visit(void *context, const struct flame_node *node)
{
	struct story *story = context;
	const struct flame_frame *frame = &story->frames.items.items[node->frame];
	const char *name = frame->name ? names__text(&story->names, frame->name) : "x";

	story->nr_nodes++;
	story->samples += node->self;
	assert_true(node->depth <= DEPTH);
	/* a callee follows its caller */
	assert_true(node->depth <= strlen(story->path));
	if (node->depth == 0) {
		assert_string_equal(name, "unknown command");
		assert_int_equal(frame->kind, FLAME_COMMAND);
		strcpy(story->path, " ");
	} else {
		story->path[node->depth] = *name;
		story->path[node->depth + 1] = '\0';
		assert_int_equal(frame->reason, *name == 'x' ? CHECK_NO_SYMBOL : FLAME_RESOLVED);
	}
	assert_int_equal(node->self, count(story, story->path + 1));
	return 0;
}

/* How many different beginnings there are, the empty one among them. */
static size_t nr_beginnings(const struct story *story)
{
	size_t beginnings = 1;

	for (size_t i = 0; i < CHAINS; i++) {
		for (size_t length = 1; length <= strlen(story->chains[i]); length++) {
			size_t j = 0;

			while (j < i && strncmp(story->chains[i], story->chains[j], length) != 0)
				j++;
			beginnings += j == i;
		}
	}
	return beginnings;
}

static void begin(struct story *story)
{
	memset(story, 0, sizeof(*story));
	story->frames.names = &story->names;
	story->flame.frames = &story->frames;
}

static void end(struct story *story)
{
	flame__free(&story->flame);
	flame_frames__free(&story->frames);
	names__free(&story->names);
}

static void test_counts(void **state)
{
	static struct story story;
	uint32_t random = 1;

	(void)state;
	begin(&story);
	for (size_t i = 0; i < CHAINS; i++) {
		size_t depth;

		random = random * 1103515245 + 12345;
		depth = (random >> 16) % (DEPTH + 1);
		for (size_t j = 0; j < depth; j++) {
			random = random * 1103515245 + 12345;
			story.chains[i][j] = "abcdx"[(random >> 16) % 5];
		}
		add_chain(&story, story.chains[i]);
	}
	assert_int_equal(flame__walk(&story.flame, visit, &story), 0);
	assert_int_equal(story.samples, CHAINS);
	assert_int_equal(story.nr_nodes, nr_beginnings(&story));
	end(&story);
}

static int stop(void *context, const struct flame_node *node)
{
	(void)node;
	return ++*(int *)context == 3 ? -7 : 0;
}

static void test_stops(void **state)
{
	static struct story story;
	int visited = 0;

	(void)state;
	begin(&story);
	assert_int_equal(flame__walk(&story.flame, stop, &visited), 0);
	assert_int_equal(visited, 0);
	add_chain(&story, "abc");
	add_chain(&story, "abd");
	assert_int_equal(flame__walk(&story.flame, stop, &visited), -7);
	assert_int_equal(visited, 3);
	end(&story);
}

/* The kernel's frames without names are one; those with names, and others between, are kept. */
static void test_kernel(void **state)
{
	static struct story story;
	struct perfdata_sample sample = { .time = 1 };
	struct unwind_frame frames[] = {
		{ .kernel = true }, { .kernel = true, .symbol = "a" },
		{ .kernel = true }, { .kernel = true },
		{ .symbol = "a" },
	};
	struct check_finding findings[5] = { 0 };
	struct unwind_chain chain = { .frames = { frames, 5, 5 }, .nr_kernel = 4 };
	const struct check_seen seen = { .sample = &sample, .chain = &chain, .findings = findings };
	const uint32_t kinds[] = { FLAME_COMMAND, FLAME_NATIVE, FLAME_KERNEL, FLAME_KERNEL,
				   FLAME_KERNEL };

	(void)state;
	begin(&story);
	for (size_t i = 0; i < 5; i++)
		findings[i] = (struct check_finding){ .named = frames[i].symbol,
						      .reason = CHECK_KERNEL,
						      .place = "" };
	assert_int_equal(flame__add(&story.flame, &seen), 0);
	assert_int_equal(story.flame.path.count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(story.frames.items.items[story.flame.path.items[i]].kind,
				 kinds[i]);
	end(&story);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
