// SPDX-License-Identifier: GPL-2.0-or-later
/* What the functions of a dump are to each other. */
#include <inttypes.h>
#include <string.h>

#include "jitdump/dump.h"
#include "jitdump/examine_records.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct examined_load *x = a, *y = b;
	int order = compare(x->addr, y->addr);

	return order ? order : compare(x->offset, y->offset);
}

static int by_code(const void *a, const void *b)
{
	const struct examined_load *x = a, *y = b;
	int order = compare(x->hash, y->hash);

	if (!order)
		order = compare(x->size, y->size);
	return order ? order : compare(x->offset, y->offset);
}

static bool is_repeat(const struct examined_load *a, const struct examined_load *b)
{
	return a->addr == b->addr && a->size == b->size && a->time == b->time &&
	       a->index == b->index;
}

/* perf maps a function rounded up to 8 bytes, and mapped_size more behind it. */
static bool reaches_into(const struct examined_load *load, const struct examined_load *next)
{
	uint64_t end;

	return load->mapped_size && load->size < UINT32_MAX && load->mapped_size < UINT32_MAX &&
	       !__builtin_add_overflow(load->addr, align_up(load->size, 8) + load->mapped_size,
				       &end) &&
	       next->addr >= load->addr + load->size && next->addr < end;
}

static void examine_places(struct jitdump_examination *ex, const struct examined_loads *loads)
{
	for (size_t i = 0; i + 1 < loads->list.count; i++) {
		const struct examined_load *load = &loads->list.items[i];
		const struct examined_load *next = load + 1;

		if (is_repeat(load, next))
			jitdump__report(ex->dump, DIAG_NOTE, "jitdump.repeated-record",
					next->offset, "the function stands at byte %" PRIu64 " too",
					load->offset);
		else if (next->addr - load->addr < load->size)
			ex->reloaded++;
		else if (reaches_into(load, next))
			jitdump__report(ex->dump, DIAG_WARNING, "jitdump.crowded", load->offset,
					"its unwind data is to be mapped over the function at "
					"0x%" PRIx64,
					next->addr);
	}
}

static void examine_equal_code(struct jitdump_examination *ex, const struct examined_loads *loads)
{
	uint64_t equal = 0;

	for (size_t i = 1; i < loads->list.count; i++) {
		const struct examined_load *load = &loads->list.items[i];

		equal += load->hash == load[-1].hash && load->size == load[-1].size &&
			 !is_repeat(load, load - 1);
	}
	if (equal)
		jitdump__report(ex->dump, DIAG_NOTE, "jitdump.equal-code", DIAG_NO_OFFSET,
				"%" PRIu64 " of %zu functions have the code of another one", equal,
				loads->list.count);
}

void examine_code(struct jitdump_examination *ex, struct examined_loads *loads)
{
	if (!loads->list.count)
		return;
	qsort(loads->list.items, loads->list.count, sizeof(*loads->list.items), by_place);
	examine_places(ex, loads);
	qsort(loads->list.items, loads->list.count, sizeof(*loads->list.items), by_code);
	examine_equal_code(ex, loads);
}

const char *examine__producer(const struct jitdump_header *header, const char *name)
{
	static const struct {
		const char *prefix, *producer;
	} habits[] = {
		{ "py::", "CPython" },
		{ "JS:", "V8" },
		{ "BytecodeHandler:", "V8" },
		{ "Builtin:", "V8" },
		{ "Stub:", "V8" },
		{ "JIT$", "PHP" },
		{ "JSC-", "JavaScriptCore" },
		{ "guest-0x", "QEMU" },
		{ "flush_icache_stub", "the JVM's agent of perf" },
		{ "Interpreter", "the JVM's agent of perf" },
		{ "instance void [", ".NET" },
	};

	if (header->pad1 == 0xdeadbeef)
		return "V8";
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++)
		if (strncmp(name, habits[i].prefix, strlen(habits[i].prefix)) == 0)
			return habits[i].producer;
	return NULL;
}
