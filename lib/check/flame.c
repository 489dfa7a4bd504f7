// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/subject.h"

#define HASH_NONFATAL_OOM 1
/* uthash's own choice falls through from case to case, of which clang warns */
#define HASH_FUNCTION HASH_FNV
#include <uthash.h>

struct flame_known {
	struct flame_frame frame; /* without padding: it is hashed as bytes */
	uint32_t number;
	bool added;
	UT_hash_handle hh;
};

_Static_assert(sizeof(struct flame_frame) == 4 * sizeof(uint32_t) + sizeof(void *),
	       "padding would be hashed");

#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) ((element)->added = false)

static int number_of(struct flame_frames *frames, const struct flame_frame *frame, uint32_t *number)
{
	struct flame_known *known;

	HASH_FIND(hh, frames->known, frame, sizeof(*frame), known);
	if (known) {
		*number = known->number;
		return 0;
	}
	known = calloc(1, sizeof(*known));
	if (!known || frames->items.count >= UINT32_MAX || !array__push(&frames->items, *frame)) {
		free(known);
		return -ENOMEM;
	}
	known->frame = *frame;
	known->added = true;
	known->number = *number = (uint32_t)frames->items.count - 1;
	HASH_ADD(hh, frames->known, frame, sizeof(known->frame), known);
	if (known->added)
		return 0;
	frames->items.count--;
	free(known);
	return -ENOMEM;
}

static int push(struct flame *flame, const struct flame_frame *frame)
{
	uint32_t number;
	int err = number_of(flame->frames, frame, &number);

	if (err)
		return err;
	return array__push(&flame->path, number) ? 0 : -ENOMEM;
}

static int push_command(struct flame *flame, const struct check_seen *seen)
{
	struct flame_frame frame = { .kind = FLAME_COMMAND, .reason = FLAME_RESOLVED };
	const char *comm = "";

	if (seen->subject)
		comm = process__comm(seen->subject->process, seen->sample->time);
	frame.name = names__number(flame->frames->names, *comm ? comm : "unknown command");
	return frame.name ? push(flame, &frame) : -ENOMEM;
}

static int push_frame(struct flame *flame, const struct check_seen *seen, size_t i)
{
	const struct unwind_frame *source = &seen->chain->frames.items[i];
	const struct check_finding *finding = &seen->findings[i];
	struct names *names = flame->frames->names;
	struct flame_frame frame = { .kind = FLAME_NATIVE, .reason = FLAME_RESOLVED };

	if (source->kernel)
		frame.kind = FLAME_KERNEL;
	if (finding->jit) {
		frame.kind = FLAME_JIT;
		frame.runtime = seen->subject ? seen->subject->runtime : NULL;
	}
	if (source->symbol) {
		frame.name = names__number(names, source->symbol);
		if (!frame.name)
			return -ENOMEM;
	}
	if (!finding->named)
		frame.reason = (int32_t)finding->reason;
	if (!finding->named && *finding->place) {
		frame.place = names__number(names, finding->place);
		if (!frame.place)
			return -ENOMEM;
	}
	return push(flame, &frame);
}

/* The kernel's frames without names say no more than that the kernel ran: one stands for a row. */
static bool is_repeated(const struct unwind_chain *chain, size_t i)
{
	const struct unwind_frame *frame = &chain->frames.items[i];

	return frame->kernel && !frame->symbol && i + 1 < chain->frames.count && frame[1].kernel &&
	       !frame[1].symbol;
}

int flame__add(struct flame *flame, const struct check_seen *seen)
{
	struct flame_stack stack = { .first = flame->path.count };
	int err = push_command(flame, seen);

	for (size_t i = seen->chain->frames.count; !err && i-- > 0;)
		if (!is_repeated(seen->chain, i))
			err = push_frame(flame, seen, i);
	if (err)
		return err;
	stack.depth = flame->path.count - stack.first;
	return array__push(&flame->stacks, stack) ? 0 : -ENOMEM;
}

/* A stack comes before those that go on from it. */
static int compare(const void *a, const void *b)
{
	const struct flame_stack *x = a, *y = b;

	for (size_t i = 0; i < x->depth && i < y->depth; i++)
		if (x->frames[i] != y->frames[i])
			return x->frames[i] < y->frames[i] ? -1 : 1;
	return x->depth == y->depth ? 0 : (x->depth < y->depth ? -1 : 1);
}

static void sort(struct flame *flame)
{
	array__for_each(stack, &flame->stacks)
		stack->frames = flame->path.items + stack->first;
	if (flame->stacks.count)
		qsort(flame->stacks.items, flame->stacks.count, sizeof(*flame->stacks.items),
		      compare);
}

/* How many frames a stack begins with as the one before it does. */
static size_t nr_common(const struct flame_stack *stack, const struct flame_stack *before)
{
	size_t i = 0;

	while (i < stack->depth && i < before->depth && stack->frames[i] == before->frames[i])
		i++;
	return i;
}

int flame__walk(struct flame *flame, int (*visit)(void *context, const struct flame_node *node),
		void *context)
{
	const struct flame_stack none = { 0 }, *before = &none, *stack, *end;
	struct flame_node node;
	int err = 0;

	sort(flame);
	end = flame->stacks.items + flame->stacks.count;
	for (stack = flame->stacks.items; !err && stack < end; before = stack - 1) {
		const struct flame_stack *first = stack;

		while (stack < end && compare(stack, first) == 0)
			stack++;
		for (size_t i = nr_common(first, before); !err && i < first->depth; i++) {
			node.depth = i;
			node.frame = first->frames[i];
			node.self = i + 1 == first->depth ? (uint64_t)(stack - first) : 0;
			err = visit(context, &node);
		}
	}
	return err;
}

void flame__free(struct flame *flame)
{
	array__free(&flame->path);
	array__free(&flame->stacks);
}

void flame_frames__free(struct flame_frames *frames)
{
	struct flame_known *known, *next;

	HASH_ITER(hh, frames->known, known, next)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(frames->known, known);
		free(known);
	}
	array__free(&frames->items);
}
