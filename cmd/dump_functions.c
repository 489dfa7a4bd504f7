// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_functions.h"

#include <errno.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct code_record *x = *(const struct code_record *const *)a;
	const struct code_record *y = *(const struct code_record *const *)b;
	int order = compare(x->addr, y->addr);

	return order ? order : compare(x->offset, y->offset);
}

static int by_value(const void *a, const void *b)
{
	return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

bool dump_functions__wanted(const struct dump_functions *functions, const struct code_record *code)
{
	return dump_selection__name(functions->select, code->name) &&
	       dump_selection__range(functions->select, code->addr, code->size) &&
	       dump_selection__pid(functions->select, code->pid) &&
	       dump_selection__time(functions->select, code->time);
}

static int take(void *context, const struct jitdump_event *event)
{
	struct dump_functions *functions = context;
	const struct code_record *code = event->code;

	if (event->kind != JITDUMP_LOAD)
		return 0;
	if (!array__push(&functions->by_place, code))
		return -ENOMEM;
	if (code->unwind && dump_functions__wanted(functions, code) &&
	    !array__push(&functions->unwinds, code->unwind->offset))
		return -ENOMEM;
	return 0;
}

int dump_functions__read(struct dump_functions *functions, struct jitdump *dump,
			 const struct dump_selection *select)
{
	int err;

	functions->select = select;
	err = jitdump__for_each_event(dump, take, functions);
	if (err)
		return err;
	if (functions->by_place.count)
		qsort(functions->by_place.items, functions->by_place.count,
		      sizeof(*functions->by_place.items), by_place);
	if (functions->unwinds.count)
		qsort(functions->unwinds.items, functions->unwinds.count, sizeof(uint64_t),
		      by_value);
	return 0;
}

void dump_functions__free(struct dump_functions *functions)
{
	array__free(&functions->by_place);
	array__free(&functions->unwinds);
}

/* The first function that is not before this address and offset. */
static size_t lower_bound(const struct dump_functions *functions, uint64_t addr, uint64_t offset)
{
	return array__count_leading(code, &functions->by_place,
				    (*code)->addr < addr ||
					    ((*code)->addr == addr && (*code)->offset < offset));
}

const struct code_record *dump_functions__after(const struct dump_functions *functions,
						uint64_t addr, uint64_t offset)
{
	size_t i = lower_bound(functions, addr, offset);

	if (i == functions->by_place.count || functions->by_place.items[i]->addr != addr)
		return NULL;
	return functions->by_place.items[i];
}

const struct code_record *dump_functions__at(const struct dump_functions *functions, uint64_t addr,
					     uint64_t offset)
{
	const struct code_record *code = dump_functions__after(functions, addr, offset);

	return code && code->offset == offset ? code : NULL;
}

static bool load_wanted(const struct dump_functions *functions, const struct jitdump_record *record)
{
	struct code_record code = {
		.name = record->load.name,
		.addr = record->load.code_addr,
		.size = record->load.code_size,
		.pid = record->load.pid,
		.time = record->time,
	};

	return dump_functions__wanted(functions, &code);
}

static bool move_wanted(const struct dump_functions *functions, const struct jitdump_record *record)
{
	const struct dump_selection *select = functions->select;
	const struct code_record *code =
		dump_functions__after(functions, record->move.old_code_addr, 0);

	if (select->functions.count && !(code && dump_selection__name(select, code->name)))
		return false;
	return (dump_selection__range(select, record->move.old_code_addr, record->move.code_size) ||
		dump_selection__range(select, record->move.new_code_addr,
				      record->move.code_size)) &&
	       dump_selection__pid(select, record->move.pid) &&
	       dump_selection__time(select, record->time);
}

bool dump_functions__record_wanted(const struct dump_functions *functions,
				   const struct jitdump_record *record)
{
	const struct dump_selection *select = functions->select;
	const struct code_record *code;

	switch (record->id) {
	case JIT_CODE_LOAD:
		return load_wanted(functions, record);
	case JIT_CODE_MOVE:
		return move_wanted(functions, record);
	case JIT_CODE_DEBUG_INFO:
	case JIT_CODE_DEBUG_INFO2:
		code = dump_functions__after(functions, record->debug_info.code_addr,
					     record->offset);
		if (code)
			return dump_functions__wanted(functions, code);
		break;
	case JIT_CODE_UNWINDING_INFO:
		if (!dump_selection__of_code(select) && !select->pids.count)
			return dump_selection__time(select, record->time);
		return functions->unwinds.count &&
		       bsearch(&record->offset, functions->unwinds.items, functions->unwinds.count,
			       sizeof(uint64_t), by_value);
	}
	return !dump_selection__of_code(select) && !select->pids.count &&
	       dump_selection__time(select, record->time);
}
