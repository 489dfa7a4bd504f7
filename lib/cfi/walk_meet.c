// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A call may not return, and nothing in the code says so: what follows it may be reached from
 * elsewhere, with another stack pointer. So code behind calls is taken as reached that way only
 * when all other ways have been followed, and where another way turns up later that disagrees, the
 * call is one that does not return, and all is done again without that path.
 */
#ifdef HAVE_CAPSTONE

#include <errno.h>

#include "cfi/walk_private.h"

/* Each place where paths may meet costs the memory of a state (2 KiB) or two. */
#define MAX_LEADERS 65536

void cfi_walk__contradict(struct cfi_walk *walk, enum cfi_undecided_reason reason, uint64_t pc)
{
	if (!walk->contradicted)
		walk->contradiction = (struct cfi_undecided){ .reason = reason, .pc = pc };
	walk->contradicted = true;
}

bool cfi_walk__work(struct cfi_walk *walk, uint64_t amount)
{
	if (walk->work_left < amount) {
		cfi_walk__contradict(walk, CFI_TOO_COMPLEX, walk->parts.items[0].addr);
		walk->work_left = 0;
		return false;
	}
	walk->work_left -= amount;
	return true;
}

const struct part *cfi_walk__part_at(const struct cfi_walk *walk, uint32_t offset)
{
	/* the first part begins at 0 */
	return &walk->parts.items[array__count_leading(part, &walk->parts, part->start <= offset) -
				  1];
}

static uint64_t address_at(const struct cfi_walk *walk, uint32_t offset)
{
	const struct part *part = cfi_walk__part_at(walk, offset);

	return part->addr + (offset - part->start);
}

bool cfi_walk__offset_of(const struct cfi_walk *walk, uint64_t addr, uint32_t *offset)
{
	array__for_each(part, &walk->parts) {
		if (addr < part->addr || addr - part->addr >= part->bytes.size)
			continue;
		*offset = part->start + (uint32_t)(addr - part->addr);
		return true;
	}
	return false;
}

static struct cfi_state *copy_state(struct cfi_walk *walk, const struct cfi_state *state)
{
	struct cfi_state *copy = malloc(sizeof(*copy));

	if (!copy) {
		walk->err = -ENOMEM;
		return NULL;
	}
	cfi_state__copy(copy, state);
	copy->compared.kind = CFI_COMPARED_NOTHING;
	return copy;
}

static void enqueue(struct cfi_walk *walk, uint32_t index)
{
	struct leader *leader = &walk->leaders.items[index];

	if (leader->queued || !leader->state)
		return;
	leader->queued = true;
	if (!array__push(&walk->queue, index))
		walk->err = -ENOMEM;
}

/* Code that was walked over as one piece has a leader in it now: from there on anew. */
static void split(struct cfi_walk *walk, uint32_t offset)
{
	const struct part *part = cfi_walk__part_at(walk, offset);

	for (uint32_t i = offset; i > part->start && cfi_walk__work(walk, 1); i--)
		if (walk->leader_at[i - 1]) {
			enqueue(walk, walk->leader_at[i - 1] - 1);
			return;
		}
}

/* The leader at offset, made if there is none; NULL without memory or when there are too many. */
static struct leader *leader_at(struct cfi_walk *walk, uint32_t offset)
{
	if (!walk->leader_at[offset]) {
		if (walk->leaders.count == MAX_LEADERS) {
			cfi_walk__contradict(walk, CFI_TOO_COMPLEX, address_at(walk, offset));
			walk->work_left = 0;
			return NULL;
		}
		if (!array__push(&walk->leaders, (struct leader){ .offset = offset })) {
			walk->err = -ENOMEM;
			return NULL;
		}
		walk->leader_at[offset] = (uint32_t)walk->leaders.count;
	}
	return &walk->leaders.items[walk->leader_at[offset] - 1];
}

/* Paths meet that disagree about the stack pointer; true: they can still be joined. */
static bool reconcile(struct cfi_walk *walk, struct leader *leader, const struct cfi_state *state,
		      bool by_call)
{
	if (by_call) {
		walk->marks[leader->offset] |= MARK_NO_RETURN;
		return false;
	}
	if (leader->by_call && !leader->by_path) {
		walk->marks[leader->offset] |= MARK_NO_RETURN;
		walk->restart = true;
		return false;
	}
	if (cfi_state__share_frame(leader->state, state))
		return true;
	cfi_walk__contradict(walk, CFI_PATHS_DIFFER, address_at(walk, leader->offset));
	return false;
}

void cfi_walk__arrive(struct cfi_walk *walk, uint32_t offset, const struct cfi_state *state,
		      bool by_call)
{
	struct leader *leader;
	bool was_walked = walk->marks[offset] & MARK_START && !walk->leader_at[offset];

	if (walk->marks[offset] & MARK_INSIDE)
		return;
	leader = leader_at(walk, offset);
	if (!leader)
		return;
	if (!leader->state) {
		leader->state = copy_state(walk, state);
		enqueue(walk, walk->leader_at[offset] - 1);
	} else if (!cfi_state__same_frame(leader->state, state) &&
		   !reconcile(walk, leader, state, by_call)) {
		return;
	} else if (cfi_state__join(leader->state, state, address_at(walk, offset))) {
		enqueue(walk, walk->leader_at[offset] - 1);
	}
	leader->by_call |= by_call;
	leader->by_path |= !by_call;
	if (was_walked)
		split(walk, offset);
}

/* Behind the nops at offset that align what follows, whether a call in front returns or not. */
static uint32_t skip_nops(struct cfi_walk *walk, uint32_t offset)
{
	const struct part *part = cfi_walk__part_at(walk, offset);
	size_t at = offset - part->start;

	while (at < part->bytes.size && !walk->leader_at[part->start + at]) {
		const struct cfi_insn *insn =
			cfi_walk__insn(walk, part, part->start + (uint32_t)at);

		if (!insn || !insn->is_nop || !cfi_walk__work(walk, 1))
			break;
		at += insn->size;
	}
	return at < part->bytes.size ? part->start + (uint32_t)at : offset;
}

void cfi_walk__return_to(struct cfi_walk *walk, uint32_t offset, const struct cfi_state *state)
{
	struct leader *leader;

	offset = skip_nops(walk, offset);
	if (walk->marks[offset] & (MARK_NO_RETURN | MARK_ENTRY | MARK_INSIDE))
		return;
	leader = leader_at(walk, offset);
	if (!leader)
		return;
	if (leader->state) {
		cfi_walk__arrive(walk, offset, state, true);
		return;
	}
	free(leader->behind);
	leader->behind = copy_state(walk, state);
	walk->marks[offset] |= MARK_PENDING;
	if (offset < walk->pending_from)
		walk->pending_from = offset;
}

bool cfi_walk__take_pending(struct cfi_walk *walk)
{
	for (; walk->pending_from < walk->size; walk->pending_from++) {
		uint32_t offset = walk->pending_from;
		struct cfi_state *behind;
		struct leader *leader;

		if (!(walk->marks[offset] & MARK_PENDING))
			continue;
		walk->marks[offset] &= (uint8_t)~MARK_PENDING;
		leader = &walk->leaders.items[walk->leader_at[offset] - 1];
		behind = leader->behind;
		leader->behind = NULL;
		if (behind)
			cfi_walk__arrive(walk, offset, behind, true);
		free(behind);
		return cfi_walk__work(walk, 1);
	}
	return false;
}

#endif
