// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts records together: what a LOAD has before it is made part of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "jitdump/dump.h"

struct assembler {
	struct jitdump *dump;
	struct unwinding next_unwind;
	ARRAY(struct debug_table) tables;
};

static int push_other(struct jitdump *dump, enum jitdump_event_kind kind,
		      const struct jitdump_record *record, struct jitdump_event **made)
{
	struct jitdump_event *event = arena__alloc(&dump->arena, 1, sizeof(*event));

	if (!event || !array__push(&dump->events, (struct kept_event){ .other = event }))
		return -ENOMEM;
	event->kind = kind;
	event->time = record->time;
	event->offset = record->offset;
	*made = event;
	return 0;
}

static int drop(struct jitdump *dump, const struct jitdump_record *record, const char *kind,
		const char *what)
{
	dump->stats.unusable++;
	jitdump__report(dump, DIAG_WARNING, kind, record->offset, "%s record %s",
			record__kind_name(record->id), what);
	return 0;
}

/* A function without a name is known by its address. */
static const char *address_name(struct jitdump *dump, uint64_t addr, uint64_t offset)
{
	char text[32];

	jitdump__report(dump, DIAG_NOTE, "jitdump.empty-name", offset,
			"a function has no name: called by its address");
	snprintf(text, sizeof(text), "jit@0x%" PRIx64, addr);
	return arena__text(&dump->arena, text, strlen(text));
}

static int add_load(struct assembler *as, const struct jitdump_record *record)
{
	struct jitdump *dump = as->dump;
	uint64_t addr = record->load.code_addr ? record->load.code_addr : record->load.vma;
	const struct code_unwind *unwind = unwinding__take(&as->next_unwind, addr);
	struct code_record *code;
	uint64_t end;

	if (!record->load.code_size)
		return drop(dump, record, "jitdump.empty-code", "has no code");
	if (record->load.code_size > CODE_SIZE_MAX)
		return drop(dump, record, "jitdump.huge-code",
			    "says that one function has more than 256 MiB of code");
	if (!addr)
		return drop(dump, record, "jitdump.no-address", "has no address");
	if (__builtin_add_overflow(addr, record->load.code_size, &end))
		return drop(dump, record, "jitdump.address-overflow",
			    "reaches past the end of the address space");
	code = arena__alloc(&dump->arena, 1, sizeof(*code));
	if (!code || !array__push(&dump->events, (struct kept_event){ .load = code }))
		return -ENOMEM;
	*code = (struct code_record){
		.addr = addr,
		.size = record->load.code_size,
		.time = record->time,
		.index = record->load.code_index,
		.pid = record->load.pid,
		.tid = record->load.tid,
		.name = record->load.name,
		.code = record->load.code,
		.unwind = unwind,
		.offset = record->offset,
	};
	if (!*code->name)
		code->name = address_name(dump, addr, record->offset);
	return code->name ? 0 : -ENOMEM;
}

static int add_move(struct assembler *as, const struct jitdump_record *record)
{
	struct jitdump_event *event;
	uint64_t end;
	int err;

	if (!record->move.code_size)
		return drop(as->dump, record, "jitdump.empty-move", "moves nothing");
	if (__builtin_add_overflow(record->move.new_code_addr, record->move.code_size, &end) ||
	    __builtin_add_overflow(record->move.old_code_addr, record->move.code_size, &end))
		return drop(as->dump, record, "jitdump.address-overflow",
			    "reaches past the end of the address space");
	err = push_other(as->dump, JITDUMP_MOVE, record, &event);
	if (err)
		return err;
	event->move.from = record->move.old_code_addr;
	event->move.to = record->move.new_code_addr;
	event->move.size = record->move.code_size;
	event->move.index = record->move.code_index;
	return 0;
}

static int add_table(struct assembler *as, const struct jitdump_record *record)
{
	struct debug_table table = { .record = *record, .before = as->dump->events.count };

	return array__push(&as->tables, table) ? 0 : -ENOMEM;
}

static int add_record(struct assembler *as, const struct jitdump_record *record)
{
	struct jitdump_event *event;

	/* what was lost in between may be the function that the CFI is for */
	if (as->dump->gap)
		as->next_unwind.unwind = NULL;
	switch (record->id) {
	case JIT_CODE_LOAD:
		return add_load(as, record);
	case JIT_CODE_MOVE:
		return add_move(as, record);
	case JIT_CODE_CLOSE:
		return push_other(as->dump, JITDUMP_CLOSE, record, &event);
	case JIT_CODE_UNWINDING_INFO:
		return unwinding__set(&as->next_unwind, as->dump, record);
	case JIT_CODE_DEBUG_INFO:
	case JIT_CODE_DEBUG_INFO2:
		return add_table(as, record);
	default:
		return 0;
	}
}

static uint64_t table_addr(const struct debug_table *table)
{
	return table->record.debug_info.code_addr;
}

static int by_addr_then_order(const void *a, const void *b)
{
	const struct debug_table *x = a, *y = b;

	if (table_addr(x) != table_addr(y))
		return table_addr(x) < table_addr(y) ? -1 : 1;
	return (x->record.offset > y->record.offset) - (x->record.offset < y->record.offset);
}

/*
 * The last table for addr that came before event number before, or NULL. Of two for one function
 * it is the one that tells of inlined calls.
 */
static struct debug_table *find_table(struct assembler *as, uint64_t addr, uint64_t before)
{
	size_t count = array__count_leading(
		table, &as->tables,
		table_addr(table) < addr || (table_addr(table) == addr && table->before <= before));
	struct debug_table *last;

	if (!count || table_addr(&as->tables.items[count - 1]) != addr)
		return NULL;
	last = &as->tables.items[count - 1];
	if (count > 1 && table_addr(last - 1) == addr && last[-1].before == last->before &&
	    last[-1].record.id == JIT_CODE_DEBUG_INFO2)
		return last - 1;
	return last;
}

/*
 * Tables have an address, so they are matched by it: a producer may write several before the
 * functions they are for. Each is for the first function at its address that comes after it.
 */
static int match_tables(struct assembler *as)
{
	struct jitdump *dump = as->dump;

	if (!as->tables.count)
		return 0;
	qsort(as->tables.items, as->tables.count, sizeof(*as->tables.items), by_addr_then_order);
	for (size_t i = 0; i < dump->events.count; i++) {
		/* made by add_load, const only for others */
		struct code_record *code = (void *)(uintptr_t)dump->events.items[i].load;
		struct debug_table *table = code ? find_table(as, code->addr, i) : NULL;

		if (table && !table->code)
			table->code = code;
	}
	array__for_each(table, &as->tables) {
		int err;

		if (!table->code) {
			jitdump__report(
				dump, DIAG_NOTE, "jitdump.debug-info-unused", table->record.offset,
				"no function is loaded at 0x%" PRIx64 " after its debug info",
				table_addr(table));
			continue;
		}
		err = table->record.id == JIT_CODE_DEBUG_INFO ? debug_info__read(dump, table)
							      : debug_info2__read(dump, table);
		if (err)
			return err;
	}
	return debug_info__finish(dump, as->tables.items, as->tables.count);
}

static int assemble(struct jitdump *dump)
{
	struct assembler as = { .dump = dump };
	struct jitdump_record record;
	int status;

	jitdump__rewind(dump);
	dump->events.count = 0;
	while ((status = jitdump__next_record(dump, &record)) > 0) {
		status = add_record(&as, &record);
		if (status)
			break;
	}
	if (!status)
		status = match_tables(&as);
	dump->assembled = !status;
	dump->totals = dump->stats;
	unwinding__free(&as.next_unwind);
	array__free(&as.tables);
	return status;
}

int jitdump__for_each_event(struct jitdump *dump,
			    int (*visit)(void *context, const struct jitdump_event *event),
			    void *context)
{
	if (!dump->assembled) {
		int err = assemble(dump);

		if (err)
			return err;
	}
	array__for_each(kept, &dump->events) {
		const struct code_record *code = kept->load;
		struct jitdump_event load = { .kind = JITDUMP_LOAD, .code = code };
		int stop;

		if (code) {
			load.time = code->time;
			load.offset = code->offset;
		}
		stop = visit(context, code ? &load : kept->other);
		if (stop)
			return stop;
	}
	return 0;
}
