// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/emit.h"

#include <errno.h>
#include <stdlib.h>

#include "fix/exec.h"
#include "fix/region.h"
#include "fix/scan.h"
#include "fix/space.h"
#include "perfdata/event.h"

/* A mapping further away from the code than this meets none of its DSOs but CFI in a hole. */
#define HOLE_REACH (UINT64_C(1) << 30)

struct emitter {
	struct plan *plan;
	const struct plan_options *options;
	const struct mapping *cause; /* of mapping something again; or NULL */
};

struct span {
	uint64_t start, end;
};

static int insert_mmap(struct emitter *emitter, const struct process *process, uint64_t time,
		       size_t dso, struct span span, const char *reason)
{
	struct plan *plan = emitter->plan;
	struct plan_insert insert = {
		.kind = PLAN_MMAP2,
		.process = process,
		.time = time,
		.behind = emitter->cause ? emitter->cause->offset : 0,
		.sequence = plan->inserts.count,
		.dso = dso,
		.start = span.start,
		.size = span.end - span.start,
		.pgoff = span.start - plan->dsos.items[dso].spec.base,
		.reason = reason,
	};

	if (span.start >= span.end)
		return 0;
	return array__push(&plan->inserts, insert) ? 0 : -ENOMEM;
}

static int insert_comm(struct emitter *emitter, const struct region *region, uint64_t time)
{
	struct plan_insert insert = {
		.kind = PLAN_COMM,
		.process = region->process,
		.time = time,
		.sequence = emitter->plan->inserts.count,
		.reason = "addresses are used again: readers must forget cached unwind rows",
	};

	return array__push(&emitter->plan->inserts, insert) ? 0 : -ENOMEM;
}

static bool is_written(const struct plan_dso *dso)
{
	return dso->path != NULL;
}

/* The mappings of a DSO: [0] the code with what stands around it, [1] CFI in a hole. */
static size_t spans_of(const struct plan_dso *dso, struct span spans[2])
{
	bool hole = dso->unwind_mapped && dso->spec.unwind;

	spans[0].start = dso->header_mapped ? dso->spec.base : dso->lo;
	spans[0].end = dso->unwind_mapped && !hole ? dso->layout.unwind_end : dso->hi;
	if (hole)
		spans[1] = (struct span){ dso->spec.unwind, dso->layout.unwind_end };
	return hole ? 2 : 1;
}

static bool meets(struct span a, struct span b)
{
	return a.start < b.end && b.start < a.end;
}

static bool code_lives_in(const struct generation *generation, struct span span, uint64_t time)
{
	array__for_each(member, &generation->members) {
		struct span its = { (*member)->addr, (*member)->end };

		if (meets(its, span) && (*member)->until > time)
			return true;
	}
	return false;
}

/* The first file mapped into span until time that no code replaced; NULL: none. */
static const struct mapping *file_in(const struct process *process,
				     const struct generation *generation, struct span span,
				     uint64_t time)
{
	const struct mapping *lowest = NULL;

	for (; process; process = process->execed ? NULL : process->parent) {
		array__for_each(mapping, &process->mappings) {
			struct span its = { mapping->start, mapping__end(mapping) };

			if (!mapping__must_stay(mapping) || mapping->time > time ||
			    !meets(its, span) || (lowest && lowest->start <= mapping->start) ||
			    code_lives_in(generation, its, mapping->time))
				continue;
			lowest = mapping;
		}
		/* what the parent maps after the fork is not in the child */
		if (process->start < time)
			time = process->start;
	}
	return lowest;
}

/* Maps span but for what files hold in it. */
static int map_around_files(struct emitter *emitter, const struct process *process,
			    const struct region *region, size_t g, struct span span, uint64_t time,
			    const char *reason)
{
	size_t dso = region->first_dso + g;
	int err = 0;

	while (!err && span.start < span.end) {
		struct span piece = span;
		const struct mapping *file =
			region->home != HOME_MEMORY
				? NULL
				: file_in(process, &region->generations.items[g], span, time);

		if (file)
			piece.end = file->start > span.start ? file->start : span.start;
		err = insert_mmap(emitter, process, time, dso, piece, reason);
		span.start = file ? mapping__end(file) : span.end;
	}
	return err;
}

static int map_dso(struct emitter *emitter, const struct region *region, size_t g, uint64_t time)
{
	struct span spans[2];
	size_t count = spans_of(&emitter->plan->dsos.items[region->first_dso + g], spans);
	int err = map_around_files(emitter, region->process, region, g, spans[0], time,
				   g ? "addresses are used again: next generation"
				     : "code is loaded");

	if (!err && count > 1)
		err = insert_mmap(emitter, region->process, time, region->first_dso + g, spans[1],
				  "CFI in a hole");
	return err;
}

/*
 * The time from which on something can be mapped in a process. Readers make a child anew when they
 * see its FORK, as at some execs: what was mapped in it before that is lost.
 */
static uint64_t mappable(const struct process *process, uint64_t time)
{
	bool anew = process->parent || (process->execed && process->start);

	return anew && time <= process->start ? process->start + 1 : time;
}

/* From when on generation g is the mapped one. */
static uint64_t start_of(const struct region *region, size_t g)
{
	return mappable(region->process, region->generations.items[g].start);
}

/* Until when generation g is the mapped one. */
static uint64_t end_of(const struct region *region, size_t g)
{
	return g + 1 < region->generations.count ? start_of(region, g + 1) : CODE_FOREVER;
}

static bool drops_rows(const struct emitter *emitter, const struct region *region, size_t g)
{
	return region->whole && region->first_number + g > 0 &&
	       !(emitter->options->without & FIX_EXEC_COMM);
}

static int map_generations(struct emitter *emitter, const struct region *region)
{
	for (size_t g = 0; g < region->generations.count; g++) {
		uint64_t start = start_of(region, g);
		int err = 0;

		if (!is_written(&emitter->plan->dsos.items[region->first_dso + g]) ||
		    (region->whole && start >= end_of(region, g) && emitter->plan->scan->timed))
			continue;
		if (!region->whole && g > 0)
			continue;
		if (drops_rows(emitter, region, g))
			err = insert_comm(emitter, region, start);
		if (!err)
			err = map_dso(emitter, region, g, start);
		if (err)
			return err;
	}
	return 0;
}

/* Where nobody unwinds, functions of later layers are mapped one by one. */
static int map_layers(struct emitter *emitter, const struct region *region)
{
	for (size_t g = 1; !region->whole && g < region->generations.count; g++)
		array__for_each(member, &region->generations.items[g].members) {
			struct span span = { (*member)->addr, (*member)->end };
			int err = 0;

			if (is_written(&emitter->plan->dsos.items[region->first_dso + g]))
				err = insert_mmap(emitter, region->process,
						  mappable(region->process, (*member)->from),
						  region->first_dso + g, span,
						  "addresses are used again: function by function");
			if (err)
				return err;
		}
	return 0;
}

/* Maps again what the kernel's mapping hid of generation g's DSO. */
static int remap_dso(struct emitter *emitter, const struct process *process,
		     const struct region *region, size_t g, struct span hidden, uint64_t time)
{
	struct span spans[2];
	size_t count;
	int err = 0;

	if (!is_written(&emitter->plan->dsos.items[region->first_dso + g]))
		return 0;
	count = spans_of(&emitter->plan->dsos.items[region->first_dso + g], spans);
	for (size_t i = 0; !err && i < count; i++) {
		if (!meets(spans[i], hidden))
			continue;
		if (spans[i].start < hidden.start)
			spans[i].start = hidden.start;
		if (spans[i].end > hidden.end)
			spans[i].end = hidden.end;
		err = map_around_files(emitter, process, region, g, spans[i], time,
				       "the kernel mapped memory over it");
	}
	return err;
}

/*
 * Whether a sample from time on is in the member. Runtimes that enlarge their memory again and
 * again would otherwise have all functions mapped again each time. What children refer to is
 * noted as of their fork.
 */
static bool is_needed(const struct emitter *emitter, const struct process *process,
		      const struct region *region, const struct member *member, uint64_t time)
{
	return process != region->process || !emitter->plan->scan->timed ||
	       emitter->options->without & FIX_PRUNING || member->last_reference >= time;
}

/* at: the time in the region's process that counts; for its children, when they were forked. */
static int remap_layers(struct emitter *emitter, const struct process *process,
			const struct region *region, struct span hidden, uint64_t time, uint64_t at)
{
	for (size_t g = 1; g < region->generations.count; g++)
		array__for_each(member, &region->generations.items[g].members) {
			struct span span = { (*member)->addr, (*member)->end };
			int err = 0;

			if ((*member)->from <= at && (*member)->until > at && meets(span, hidden) &&
			    is_needed(emitter, process, region, *member, time) &&
			    is_written(&emitter->plan->dsos.items[region->first_dso + g]))
				err = insert_mmap(emitter, process, time, region->first_dso + g,
						  span, "the kernel mapped memory over it");
			if (err)
				return err;
		}
	return 0;
}

/* The generation that is mapped at time, or none before the first. */
static bool generation_at(const struct region *region, uint64_t time, size_t *g)
{
	size_t count = region->whole ? region->generations.count : 1;

	if (!count || start_of(region, 0) > time)
		return false;
	for (*g = count - 1; start_of(region, *g) > time; --*g)
		;
	return true;
}

static int remap_after(struct emitter *emitter, const struct process *process,
		       const struct region *region, const struct mapping *mapping, uint64_t until)
{
	struct span hidden = { mapping->start, mapping__end(mapping) };
	/* it takes effect with the next generation, if that comes at once */
	uint64_t time = mapping->time + 1, at = time < until ? time : until;
	size_t g;
	int err;

	if (!generation_at(region, at, &g))
		return 0;
	/* a file that takes the code's place stays; the file that the code lies in does not hide it
	 */
	if (mapping__must_stay(mapping) &&
	    !(region->home != HOME_MEMORY &&
	      code_lives_in(&region->generations.items[g], hidden, mapping->time)))
		return 0;
	emitter->cause = mapping;
	err = remap_dso(emitter, process, region, g, hidden, time);
	if (!err && !region->whole)
		err = remap_layers(emitter, process, region, hidden, time, at);
	emitter->cause = NULL;
	return err;
}

static int remap_in(struct emitter *emitter, const struct process *process,
		    const struct region *region, uint64_t from, uint64_t to, uint64_t until)
{
	const struct family *family = &emitter->plan->regions->families.items[region->family];

	array__for_each(mapping, &process->mappings) {
		int err = 0;

		if (mapping->time >= from && mapping->time < to &&
		    mapping->start < family->hi + HOLE_REACH &&
		    (mapping__end(mapping) > UINT64_MAX - HOLE_REACH ||
		     family->lo < mapping__end(mapping) + HOLE_REACH))
			err = remap_after(emitter, process, region, mapping, until);
		if (err)
			return err;
	}
	return 0;
}

/* When process forked off the line of children that begins at ancestor; false: it is of no line. */
static bool forked_at(const struct process *ancestor, const struct process *process, uint64_t *time)
{
	while (process && !process->execed && process->parent) {
		*time = process->start;
		process = process->parent;
		if (process == ancestor)
			return true;
	}
	return false;
}

/* When process gets DSOs of its own at the region's place; CODE_FOREVER: never. */
static uint64_t own_from(const struct plan *plan, const struct process *process,
			 const struct region *region)
{
	uint64_t time = CODE_FOREVER;

	array__for_each(other, &plan->regions->list)
		if (other->process == process && other->family == region->family &&
		    other->generations.count && start_of(other, 0) < time)
			time = start_of(other, 0);
	return time;
}

static int remap_children(struct emitter *emitter, const struct region *region)
{
	struct processes *processes = emitter->plan->scan->processes;

	for (size_t i = 0; i < processes__count(processes); i++) {
		const struct process *process = processes__at(processes, i);
		uint64_t forked;
		int err;

		if (!forked_at(region->process, process, &forked))
			continue;
		err = remap_in(emitter, process, region, process->start,
			       own_from(emitter->plan, process, region), forked);
		if (err)
			return err;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct plan_insert *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

int emit__records(struct plan *plan, const struct plan_options *options)
{
	struct emitter emitter = { plan, options, NULL };
	int err = execs__plan(plan, options);

	if (err)
		return err;
	array__for_each(region, &plan->regions->list) {
		err = map_generations(&emitter, region);
		if (!err)
			err = map_layers(&emitter, region);
		if (!err && !(options->without & FIX_REEMISSION))
			err = remap_in(&emitter, region->process, region, start_of(region, 0),
				       CODE_FOREVER, CODE_FOREVER);
		if (!err && !(options->without & FIX_REEMISSION))
			err = remap_children(&emitter, region);
		if (err)
			return err;
	}
	if (plan->inserts.count)
		qsort(plan->inserts.items, plan->inserts.count, sizeof(*plan->inserts.items),
		      by_time);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct plan_insert *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return by_time(a, b);
}

static int by_predecessor(const void *a, const void *b)
{
	const struct plan_insert *x = a, *y = b;

	if (x->behind != y->behind)
		return x->behind < y->behind ? -1 : 1;
	return by_time(a, b);
}

/*
 * Without times the records take effect in file order: what is mapped is so from the marker on,
 * and what is mapped again right behind the record that hid it.
 */
static int find_places_by_order(struct plan *plan)
{
	struct plan_insert *next = plan->inserts.items, *end = next + plan->inserts.count;
	struct perfdata_walk walk;
	struct perfdata_record record;
	int got = 0;

	array__for_each(insert, &plan->inserts) {
		const struct marker *marker = plan__marker(plan, insert->process);

		insert->offset = perfdata__data_offset(plan->perfdata);
		if (marker && marker->offset > insert->behind)
			insert->behind = marker->offset;
	}
	qsort(next, plan->inserts.count, sizeof(*next), by_predecessor);
	while (next < end && !next->behind)
		next++;
	perfdata_walk__begin(&walk, plan->perfdata);
	while (next < end && (got = perfdata_walk__next(&walk, &record)) > 0)
		for (; next < end && next->behind <= record.offset; next++)
			next->offset = record.end;
	perfdata_walk__end(&walk);
	qsort(plan->inserts.items, plan->inserts.count, sizeof(*next), by_place);
	return got < 0 ? got : 0;
}

static int find_places_by_time(struct plan *plan)
{
	size_t next = 0;
	struct perfdata_walk walk;
	struct perfdata_record record;
	uint64_t time;
	int got = 0;

	perfdata_walk__begin(&walk, plan->perfdata);
	walk.heads = true;
	while (next < plan->inserts.count && (got = perfdata_walk__next(&walk, &record)) > 0) {
		if (!perfdata__record_time(plan->perfdata, &record, &time))
			continue;
		while (next < plan->inserts.count && plan->inserts.items[next].time <= time)
			plan->inserts.items[next++].offset = record.offset;
	}
	perfdata_walk__end(&walk);
	for (; next < plan->inserts.count; next++)
		plan->inserts.items[next].offset =
			perfdata__data_offset(plan->perfdata) + perfdata__data_size(plan->perfdata);
	return got < 0 ? got : 0;
}

int emit__find_places(struct plan *plan)
{
	if (!plan->inserts.count)
		return 0;
	return plan->scan->timed ? find_places_by_time(plan) : find_places_by_order(plan);
}
