// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/jit_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check/runtime.h"
#include "check/subject.h"
#include "codemap/codemap.h"
#include "fix/loaded.h"

#define HASH_NONFATAL_OOM 1
/* uthash's own choice falls through from case to case, of which clang warns */
#define HASH_FUNCTION HASH_FNV
#include <uthash.h>

/* More marks are more than there are pixels: then every second one goes. */
#define MARKS_MAX 32768

#define GAP_SIZE 4096
/* Places that are further apart are in different regions. */
#define REGION_DISTANCE UINT64_C(65536)

struct gap_key {
	uint64_t addr;
	uint64_t reason;
};

struct jit_gap_index {
	struct gap_key key;
	size_t position; /* in gaps */
	bool added;
	UT_hash_handle hh;
};

#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) ((element)->added = false)

static struct jit_space *find_space(struct jit_memory *memory, const struct process *process)
{
	struct jit_space *space;

	if (memory->recent && memory->recent->process == process)
		return memory->recent;
	array__for_each(known, &memory->spaces)
		if ((*known)->process == process)
			return memory->recent = *known;
	space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->process = process;
	space->runtime = runtime__of(process);
	space->stride = 1;
	if (array__push(&memory->spaces, space))
		return memory->recent = space;
	free(space);
	return NULL;
}

static int add_mark(struct jit_space *space, const struct jit_mark *mark)
{
	if (space->nr_samples++ % space->stride)
		return 0;
	if (space->marks.count == MARKS_MAX) {
		for (size_t i = 0; i < MARKS_MAX / 2; i++)
			space->marks.items[i] = space->marks.items[2 * i];
		space->marks.count = MARKS_MAX / 2;
		space->stride *= 2;
	}
	return array__push(&space->marks, *mark) ? 0 : -ENOMEM;
}

static struct jit_gap *add_gap(struct jit_space *space, const struct gap_key *key, uint64_t time)
{
	struct jit_gap_index *index = calloc(1, sizeof(*index));
	const struct jit_gap gap = {
		.addr = key->addr,
		.size = GAP_SIZE,
		.reason = (uint32_t)key->reason,
		.first = time,
		.last = time,
	};

	if (!index || !array__push(&space->gaps, gap)) {
		free(index);
		return NULL;
	}
	index->key = *key;
	index->position = space->gaps.count - 1;
	index->added = true;
	HASH_ADD(hh, space->index, key, sizeof(index->key), index);
	if (index->added)
		return &space->gaps.items[index->position];
	space->gaps.count--;
	free(index);
	return NULL;
}

static int count_gap(struct jit_space *space, uint64_t addr, enum check_reason reason,
		     uint64_t time)
{
	const struct gap_key key = { addr - addr % GAP_SIZE, (uint64_t)reason };
	struct jit_gap_index *known;
	struct jit_gap *gap;

	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): both words are set */
	HASH_FIND(hh, space->index, &key, sizeof(key), known);
	gap = known ? &space->gaps.items[known->position] : add_gap(space, &key, time);
	if (!gap)
		return -ENOMEM;
	gap->frames++;
	if (time < gap->first)
		gap->first = time;
	if (time > gap->last)
		gap->last = time;
	return 0;
}

/* The process whose code it is, or else the one that runs it. */
static const struct process *owner_of(const struct process *process)
{
	const struct process *owner = loaded__owner(process);

	return owner ? owner : process;
}

static int add_frame(struct jit_memory *memory, const struct check_seen *seen, size_t i)
{
	const struct unwind_frame *frame = &seen->chain->frames.items[i];
	const struct check_finding *finding = &seen->findings[i];
	uint64_t time = seen->sample->time;
	struct jit_space *space;
	int err = 0;

	space = find_space(memory, owner_of(seen->subject->process));
	if (!space)
		return -ENOMEM;
	if (i == 0)
		err = add_mark(space, &(struct jit_mark){
					      .time = time,
					      .addr = frame->ip,
					      .reason = finding->named ? JIT_RESOLVED
								       : (int32_t)finding->reason,
				      });
	if (!err && !finding->named)
		err = count_gap(space, frame->ip, finding->reason, time);
	return err;
}

int jit_memory__add(struct jit_memory *memory, const struct check_seen *seen)
{
	uint64_t time = seen->sample->time;
	int err = 0;

	if (!memory->nr_samples++)
		memory->first = memory->last = time;
	if (time < memory->first)
		memory->first = time;
	if (time > memory->last)
		memory->last = time;
	if (!seen->subject)
		return 0;
	for (size_t i = 0; !err && i < seen->chain->frames.count; i++)
		if (!seen->chain->frames.items[i].kernel && seen->findings[i].jit)
			err = add_frame(memory, seen, i);
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct jit_region *x = a, *y = b;

	return x->start == y->start ? 0 : (x->start < y->start ? -1 : 1);
}

static bool add_range(struct jit_space *space, uint64_t addr, uint64_t size)
{
	uint64_t end = size > UINT64_MAX - addr ? UINT64_MAX : addr + size;

	return array__push(&space->regions, (struct jit_region){ .start = addr, .end = end });
}

static bool add_ranges(struct jit_space *space)
{
	const struct codemap *map = space->process->codemap;
	bool ok = true;

	for (size_t i = 0; ok && map && i < codemap__count(map); i++) {
		const struct code *code = codemap__at(map, i);

		ok = add_range(space, code->addr, code->size);
	}
	array__for_each(gap, &space->gaps)
		ok = ok && add_range(space, gap->addr, gap->size);
	array__for_each(mark, &space->marks)
		ok = ok && add_range(space, mark->addr, 1);
	return ok;
}

static int find_regions(struct jit_space *space, uint64_t time)
{
	struct jit_region *last = NULL;

	if (!add_ranges(space))
		return -ENOMEM;
	if (!space->regions.count)
		return 0;
	qsort(space->regions.items, space->regions.count, sizeof(*space->regions.items), by_start);
	array__for_each(region, &space->regions) {
		if (!last ||
		    (region->start > last->end && region->start - last->end > REGION_DISTANCE)) {
			last = last ? last + 1 : space->regions.items;
			*last = *region;
		} else if (region->end > last->end) {
			last->end = region->end;
		}
	}
	space->regions.count = (size_t)(last - space->regions.items) + 1;
	array__for_each(region, &space->regions) {
		const struct mapping *mapping =
			process__mapping(space->process, region->start, time);

		region->mapped = mapping ? mapping->name : "";
	}
	return 0;
}

int jit_memory__finish(struct jit_memory *memory, const struct check *check)
{
	struct processes *processes = check->subjects->scan.processes;
	int err = 0;

	for (size_t i = 0; i < processes__count(processes); i++) {
		const struct process *process = processes__at(processes, i);

		if (process->codemap && codemap__count(process->codemap) &&
		    !find_space(memory, process))
			return -ENOMEM;
	}
	array__for_each(space, &memory->spaces)
		if (!err)
			err = find_regions(*space, memory->last);
	return err;
}

size_t jit_space__first_from(const struct jit_space *space, uint64_t addr)
{
	return array__count_leading(region, &space->regions, region->end <= addr);
}

size_t jit_space__region(const struct jit_space *space, uint64_t addr)
{
	size_t low = jit_space__first_from(space, addr);

	if (low < space->regions.count && space->regions.items[low].start <= addr)
		return low;
	return space->regions.count;
}

static void free_space(struct jit_space *space)
{
	struct jit_gap_index *index, *next;

	HASH_ITER(hh, space->index, index, next)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(space->index, index);
		free(index);
	}
	array__free(&space->marks);
	array__free(&space->gaps);
	array__free(&space->regions);
	free(space);
}

void jit_memory__free(struct jit_memory *memory)
{
	array__for_each(space, &memory->spaces)
		free_space(*space);
	array__free(&memory->spaces);
}
