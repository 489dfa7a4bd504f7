// SPDX-License-Identifier: GPL-2.0-or-later
/* The map of JIT memory, as data of the page of --flamegraph. */
#include <errno.h>

#include "check/runtime.h"
#include "check_pictures.h"
#include "codemap/codemap.h"
#include "page_writer.h"

/* In cmd/flamegraph/memory.js too. */
enum { CODE_MOVED = 1, CODE_INHERITED = 2, CODE_AGAIN = 4 };

struct memory_writer {
	struct page_writer *page;
	struct names *names;
	const struct jit_space *space;
	uint64_t first; /* ns: times are told from it on */
};

/* false: it lies in no region. */
static bool put_place(const struct memory_writer *writer, uint64_t addr)
{
	size_t region = jit_space__region(writer->space, addr);

	if (region == writer->space->regions.count)
		return false;
	page_writer__number(writer->page, NULL, (int64_t)region);
	page_writer__number(writer->page, NULL,
			    (int64_t)(addr - writer->space->regions.items[region].start));
	return true;
}

static void put_time(const struct memory_writer *writer, uint64_t time)
{
	if (time == CODE_FOREVER)
		page_writer__null(writer->page, NULL);
	else
		page_writer__number(writer->page, NULL, (int64_t)(time - writer->first));
}

static void put_name(const struct memory_writer *writer, const char *name)
{
	uint32_t number = names__number(writer->names, name);

	if (!number && !writer->page->err)
		writer->page->err = -ENOMEM;
	page_writer__number(writer->page, NULL, number);
}

static void put_regions(const struct memory_writer *writer)
{
	page_writer__begin(writer->page, "regions", '[');
	array__for_each(region, &writer->space->regions) {
		page_writer__begin(writer->page, NULL, '[');
		page_writer__address(writer->page, NULL, region->start);
		page_writer__number(writer->page, NULL, (int64_t)(region->end - region->start));
		put_name(writer, region->mapped);
		page_writer__end(writer->page, ']');
	}
	page_writer__end(writer->page, ']');
}

static void put_codes(const struct memory_writer *writer)
{
	const struct codemap *map = writer->space->process->codemap;

	page_writer__begin(writer->page, "codes", '[');
	for (size_t i = 0; map && i < codemap__count(map); i++) {
		const struct code *code = codemap__at(map, i);

		if (!put_place(writer, code->addr))
			continue;
		page_writer__number(writer->page, NULL, (int64_t)code->size);
		put_time(writer, code->load);
		put_time(writer, code->end);
		put_name(writer, code->record->name);
		page_writer__number(writer->page, NULL,
				    (code->moved ? CODE_MOVED : 0) |
					    (code->inherited ? CODE_INHERITED : 0) |
					    (code->identical ? CODE_AGAIN : 0));
	}
	page_writer__end(writer->page, ']');
}

static void put_marks(const struct memory_writer *writer)
{
	page_writer__number(writer->page, "samples", (int64_t)writer->space->nr_samples);
	page_writer__number(writer->page, "stride", (int64_t)writer->space->stride);
	page_writer__begin(writer->page, "marks", '[');
	array__for_each(mark, &writer->space->marks) {
		if (!put_place(writer, mark->addr))
			continue;
		put_time(writer, mark->time);
		page_writer__number(writer->page, NULL, mark->reason);
	}
	page_writer__end(writer->page, ']');
}

static void put_gaps(const struct memory_writer *writer)
{
	page_writer__begin(writer->page, "gaps", '[');
	array__for_each(gap, &writer->space->gaps) {
		if (!put_place(writer, gap->addr))
			continue;
		page_writer__number(writer->page, NULL, (int64_t)gap->size);
		put_time(writer, gap->first);
		put_time(writer, gap->last);
		page_writer__number(writer->page, NULL, gap->reason);
		page_writer__number(writer->page, NULL, (int64_t)gap->frames);
	}
	page_writer__end(writer->page, ']');
}

/* The part of it from the first region that it reaches to the last one. */
static void put_mapping(const struct memory_writer *writer, const struct mapping *mapping)
{
	const struct jit_space *space = writer->space;
	const struct jit_region *regions = space->regions.items;
	uint64_t last = mapping->start + (mapping->size - 1);
	size_t from = jit_space__first_from(space, mapping->start);
	size_t to = jit_space__first_from(space, last);
	uint64_t end;

	if (!mapping->size || last < mapping->start)
		return;
	if (to == space->regions.count || regions[to].start > last)
		to--;
	if (from == space->regions.count || from > to || to == SIZE_MAX)
		return;
	end = last < regions[to].end ? last + 1 : regions[to].end;
	put_place(writer,
		  mapping->start > regions[from].start ? mapping->start : regions[from].start);
	page_writer__number(writer->page, NULL, (int64_t)to);
	page_writer__number(writer->page, NULL, (int64_t)(end - regions[to].start));
	page_writer__address(writer->page, NULL, mapping->start);
	page_writer__number(writer->page, NULL, (int64_t)mapping->size);
	put_time(writer, mapping->time);
	put_name(writer, mapping->name);
}

/* Where the kernel put something while code was known: what may hide or replace it. */
static void put_mappings(const struct memory_writer *writer)
{
	page_writer__begin(writer->page, "mappings", '[');
	array__for_each(mapping, &writer->space->process->mappings)
		if (mapping->exec)
			put_mapping(writer, mapping);
	page_writer__end(writer->page, ']');
}

static void put_space(const struct memory_writer *writer)
{
	const struct process *process = writer->space->process;
	const struct runtime *runtime = writer->space->runtime;

	page_writer__begin(writer->page, NULL, '{');
	page_writer__number(writer->page, "pid", process->pid);
	page_writer__text(writer->page, "command", process->comm);
	page_writer__text(writer->page, "runtime", runtime ? runtime->name : "other");
	put_regions(writer);
	put_codes(writer);
	put_marks(writer);
	put_gaps(writer);
	put_mappings(writer);
	page_writer__end(writer->page, '}');
}

void check_pictures__put_memory(struct check_pictures *pictures, struct page_writer *writer)
{
	const struct jit_memory *memory = &pictures->memory;

	page_writer__number(writer, "duration", (int64_t)(memory->last - memory->first));
	page_writer__begin(writer, "memory", '[');
	array__for_each(space, &memory->spaces) {
		const struct memory_writer one = {
			.page = writer,
			.names = &pictures->names,
			.space = *space,
			.first = memory->first,
		};

		put_space(&one);
	}
	page_writer__end(writer, ']');
}
