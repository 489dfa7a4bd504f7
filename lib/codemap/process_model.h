/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: processes by the plainest means, a list of address spaces and one of mappings that
 * every question is answered from, and a comparison over a story read from bytes.
 */
#ifndef PERFJIT_CODEMAP_PROCESS_MODEL_H
#define PERFJIT_CODEMAP_PROCESS_MODEL_H

#include "codemap/codemap_model.h"
#include "codemap/process.h"

struct model_space {
	uint32_t pid;
	uint64_t start, end;
	size_t parent; /* position + 1, or 0 */
	bool execed;
};

struct model_mapping {
	size_t space;
	struct mapping mapping;
};

struct model_comm {
	size_t space;
	uint64_t time;
	char comm[16];
};

struct process_story {
	struct cursor bytes;
	uint64_t clock;
	struct processes *processes;
	ARRAY(struct model_space) spaces; /* in order of making, which is of start for each pid */
	ARRAY(struct model_mapping) mappings;
	ARRAY(struct model_comm) comms;
};

#define MODEL_NO_SPACE SIZE_MAX

static inline size_t process_story__space(const struct process_story *story, uint32_t pid,
					  uint64_t time)
{
	size_t found = MODEL_NO_SPACE;

	for (size_t i = 0; i < story->spaces.count; i++) {
		if (story->spaces.items[i].pid == pid && story->spaces.items[i].start <= time)
			found = i;
	}
	return found;
}

static inline size_t process_story__begin(struct process_story *story, uint32_t pid, uint64_t time)
{
	struct model_space space = { .pid = pid, .start = time, .end = CODE_FOREVER };
	size_t before = process_story__space(story, pid, UINT64_MAX);

	if (before != MODEL_NO_SPACE && story->spaces.items[before].end > time)
		story->spaces.items[before].end = time;
	MODEL_CHECK(array__push(&story->spaces, space));
	return story->spaces.count - 1;
}

static inline size_t process_story__get(struct process_story *story, uint32_t pid)
{
	size_t space = process_story__space(story, pid, UINT64_MAX);

	return space == MODEL_NO_SPACE ? process_story__begin(story, pid, 0) : space;
}

static inline const char *process_story__comm_at(const struct process_story *story, size_t space,
						 uint64_t time)
{
	const char *comm = "";

	array__for_each(item, &story->comms) {
		if (item->space == space && item->time <= time)
			comm = item->comm;
	}
	return comm;
}

static inline void process_story__set_comm(struct process_story *story, size_t space, uint64_t time,
					   const char *comm)
{
	struct model_comm item = { .space = space, .time = time };

	snprintf(item.comm, sizeof(item.comm), "%s", comm);
	MODEL_CHECK(array__push(&story->comms, item));
}

static inline const struct mapping *process_story__mapping(const struct process_story *story,
							   size_t space, uint64_t addr,
							   uint64_t time)
{
	const struct mapping *found = NULL;

	array__for_each(item, &story->mappings) {
		const struct mapping *mapping = &item->mapping;

		if (item->space == space && mapping->time <= time && mapping->start <= addr &&
		    addr < mapping->start + mapping->size)
			found = mapping;
	}
	if (found || !story->spaces.items[space].parent || !story->spaces.items[space].start)
		return found;
	if (time > story->spaces.items[space].start)
		time = story->spaces.items[space].start;
	return process_story__mapping(story, story->spaces.items[space].parent - 1, addr, time);
}

static inline void process_story__compare(const struct process_story *story, uint32_t pid,
					  uint64_t addr, uint64_t time)
{
	const struct process *process = processes__find(story->processes, pid, time);
	size_t space = process_story__space(story, pid, time);
	const struct mapping *a, *b;

	MODEL_CHECK(!process == (space == MODEL_NO_SPACE));
	if (!process)
		return;
	MODEL_CHECK(process->start == story->spaces.items[space].start);
	MODEL_CHECK(process->end == story->spaces.items[space].end);
	MODEL_CHECK(process->execed == story->spaces.items[space].execed);
	MODEL_CHECK(!process->parent == !story->spaces.items[space].parent);
	MODEL_CHECK(
		!strcmp(process__comm(process, time), process_story__comm_at(story, space, time)));
	a = process__mapping(process, addr, time);
	b = process_story__mapping(story, space, addr, time);
	MODEL_CHECK(!a == !b && (!a || a->offset == b->offset));
}

static inline void process_story__fork(struct process_story *story, uint32_t pid, uint32_t parent)
{
	size_t from, space;
	char comm[16];

	MODEL_CHECK(!processes__fork(story->processes, story->clock, pid, parent));
	if (pid == parent)
		return;
	from = process_story__get(story, parent);
	snprintf(comm, sizeof(comm), "%s", process_story__comm_at(story, from, story->clock));
	space = process_story__begin(story, pid, story->clock);
	story->spaces.items[space].parent = from + 1;
	if (*comm)
		process_story__set_comm(story, space, story->clock, comm);
}

static inline void process_story__exec(struct process_story *story, uint32_t pid, const char *comm)
{
	size_t space;

	MODEL_CHECK(!processes__exec(story->processes, story->clock, pid, comm));
	process_story__get(story, pid);
	space = process_story__begin(story, pid, story->clock);
	story->spaces.items[space].execed = true;
	process_story__set_comm(story, space, story->clock, comm);
}

static inline void process_story__exit(struct process_story *story, uint32_t pid)
{
	size_t space = process_story__get(story, pid);

	MODEL_CHECK(!processes__exit(story->processes, story->clock, pid));
	if (story->spaces.items[space].end > story->clock)
		story->spaces.items[space].end = story->clock;
}

static inline void process_story__map(struct process_story *story, uint32_t pid, uint64_t start,
				      uint64_t size)
{
	struct mapping mapping = { .time = story->clock, .start = start, .size = size };
	size_t space = process_story__get(story, pid);

	mapping.name = size & 1 ? "//anon" : "/bin/true";
	mapping.offset = story->mappings.count;
	MODEL_CHECK(!processes__map(story->processes, pid, &mapping));
	MODEL_CHECK(array__push(&story->mappings, (struct model_mapping){ space, mapping }));
	if (story->spaces.items[space].end <= story->clock)
		story->spaces.items[space].end = CODE_FOREVER;
}

static inline void process_story__step(struct process_story *story)
{
	static const char *const comms[] = { "sh", "python3", "a name that is too long" };
	uint8_t what = cursor__u8(&story->bytes), who = cursor__u8(&story->bytes);
	uint8_t where = cursor__u8(&story->bytes), size = cursor__u8(&story->bytes);
	uint32_t pid = 1 + who % 4, parent = 1 + who / 4 % 4;
	const char *comm = comms[size % 3];

	story->clock += 1 + (what >> 6);
	if (who >= 192)
		story->clock--; /* perhaps the time of the one before */
	what %= 64;
	if (what == 0)
		process_story__fork(story, pid, parent);
	else if (what == 1)
		process_story__exec(story, pid, comm);
	else if (what == 2)
		process_story__exit(story, pid);
	else if (what < 6) {
		size_t space = process_story__get(story, pid);

		MODEL_CHECK(!processes__comm(story->processes, story->clock, pid, comm));
		process_story__set_comm(story, space, story->clock, comm);
	} else if (what < 56)
		process_story__map(story, pid, where, size % (what < 30 ? 8 : 64));
	else
		process_story__compare(story, pid, where, story->clock - size % 16);
}

static inline void process_model__check(struct bytes bytes)
{
	struct process_story story = { .bytes = cursor__at(bytes, ORDER_LITTLE), .clock = 20 };

	story.processes = processes__new();
	MODEL_CHECK(story.processes);
	while (cursor__left(&story.bytes))
		process_story__step(&story);
	MODEL_CHECK(processes__count(story.processes) == story.spaces.count);
	for (size_t i = 0; i < story.spaces.count; i++) {
		const struct process *process = processes__at(story.processes, i);

		if (i) {
			const struct process *last = processes__at(story.processes, i - 1);

			MODEL_CHECK(last->pid < process->pid ||
				    (last->pid == process->pid && last->start <= process->start));
		}
	}
	for (uint64_t time = 0; time <= story.clock + 1; time += 1 + story.clock / 32) {
		for (uint32_t pid = 1; pid <= 4; pid++) {
			for (uint64_t addr = 0; addr < 300; addr += 1 + time % 16)
				process_story__compare(&story, pid, addr, time);
		}
	}
	processes__free(story.processes);
	array__free(&story.spaces);
	array__free(&story.mappings);
	array__free(&story.comms);
}

#endif
