// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JIT_CODE_DEBUG_INFO2: offsets that refer to source positions, which refer to the position they
 * are inlined at, and to strings.
 */
#include <errno.h>

#include "jitdump/dump.h"

#define FIXED_SIZE    32u
#define OFFSET_SIZE   8u
#define POSITION_SIZE 28u

bool debug_info2__fits(struct bytes body, enum byte_order order)
{
	uint64_t room, offsets, positions, strings;

	if (body.size < FIXED_SIZE)
		return false;
	room = body.size - FIXED_SIZE;
	offsets = get_u64(body.data + 8, order);
	positions = get_u64(body.data + 16, order);
	strings = get_u64(body.data + 24, order);
	if (offsets > room / OFFSET_SIZE)
		return false;
	room -= offsets * OFFSET_SIZE;
	if (positions > room / POSITION_SIZE)
		return false;
	return strings <= room - positions * POSITION_SIZE;
}

struct position {
	int32_t caller;
	uint32_t func, file, line, column;
};

struct reader2 {
	struct jitdump *dump;
	struct debug_table *table;
	enum byte_order order;
	const uint8_t *offsets, *positions;
	struct bytes text;
	uint64_t nr_offsets, nr_positions, nr_strings;
	const char **strings; /* nr_strings, and one empty */
	struct code_inlined *inlined;
	uint32_t *inlined_of; /* position to index + 1 */
	size_t nr_inlined;
};

static struct position position_at(const struct reader2 *reader, uint64_t i)
{
	const uint8_t *p = reader->positions + i * POSITION_SIZE;
	enum byte_order order = reader->order;

	return (struct position){
		.caller = (int32_t)get_u32(p, order),
		.func = get_u32(p + 4, order),
		.file = get_u32(p + 8, order),
		/* p + 12 and p + 16: where the function itself begins */
		.line = get_u32(p + 20, order),
		.column = get_u32(p + 24, order),
	};
}

static uint32_t string_number(const struct reader2 *reader, uint32_t number)
{
	return number < reader->nr_strings ? number : (uint32_t)reader->nr_strings;
}

static int read_strings(struct reader2 *reader)
{
	struct cursor cur = cursor__at(reader->text, reader->order);
	uint64_t i;

	reader->strings = arena__alloc(&reader->dump->arena, reader->nr_strings + 1,
				       sizeof(*reader->strings));
	if (!reader->strings)
		return -ENOMEM;
	for (i = 0; i < reader->nr_strings; i++) {
		const char *string = cursor__string(&cur);

		reader->strings[i] = string ? string : "";
	}
	reader->strings[i] = "";
	if (cur.overrun)
		jitdump__report(reader->dump, DIAG_NOTE, "jitdump.debug-strings",
				reader->table->record.offset,
				"a debug table has fewer strings than it says");
	return 0;
}

/* Gives every position that is inlined an entry; callers are filled in once all have theirs. */
static int number_inlined(struct reader2 *reader)
{
	struct arena *arena = &reader->dump->arena;

	for (uint64_t i = 0; i < reader->nr_positions; i++) {
		struct position at = position_at(reader, i);

		if (at.caller >= 0 && (uint32_t)at.caller < reader->nr_positions &&
		    (uint32_t)at.caller != i)
			reader->inlined_of[i] = (uint32_t)++reader->nr_inlined;
	}
	reader->inlined = arena__alloc(arena, reader->nr_inlined, sizeof(*reader->inlined));
	return reader->inlined ? 0 : -ENOMEM;
}

static void fill_inlined(struct reader2 *reader)
{
	for (uint64_t i = 0; i < reader->nr_positions; i++) {
		struct position at = position_at(reader, i), call;
		struct code_inlined *inlined;

		if (!reader->inlined_of[i])
			continue;
		call = position_at(reader, (uint32_t)at.caller);
		inlined = &reader->inlined[reader->inlined_of[i] - 1];
		inlined->name = reader->strings[string_number(reader, at.func)];
		inlined->caller = reader->inlined_of[at.caller];
		inlined->call_file = string_number(reader, call.file);
		inlined->call_line = call.line;
		inlined->call_column = call.column;
	}
}

/*
 * Positions may refer to each other in a circle. Callers normally come first: a circle has an
 * entry that refers to a later one, and is cut there unless that one leads out.
 */
static int cut_circles(struct reader2 *reader)
{
	uint8_t *seen = calloc(reader->nr_inlined + 1, 1);

	if (!seen)
		return -ENOMEM;
	for (size_t i = 1; i <= reader->nr_inlined; i++) {
		size_t at = i;

		/* 1: on the way from i, 2: known to end */
		while (at && !seen[at]) {
			uint32_t caller = reader->inlined[at - 1].caller;

			seen[at] = 1;
			if (caller && seen[caller] == 1)
				reader->inlined[at - 1].caller = 0;
			at = reader->inlined[at - 1].caller;
		}
		for (at = i; at && seen[at] == 1; at = reader->inlined[at - 1].caller)
			seen[at] = 2;
	}
	free(seen);
	return 0;
}

static size_t read_offsets(const struct reader2 *reader, struct code_line *rows)
{
	size_t count = 0;

	for (uint64_t i = 0; i < reader->nr_offsets; i++) {
		const uint8_t *p = reader->offsets + i * OFFSET_SIZE;
		uint64_t offset = get_u32(p, reader->order);
		uint32_t position = get_u32(p + 4, reader->order);
		struct position at;

		if (position >= reader->nr_positions || offset >= reader->table->code->size)
			continue;
		at = position_at(reader, position);
		rows[count++] = (struct code_line){
			.addr = reader->table->code->addr + offset,
			.line = at.line,
			.column = at.column,
			.file = string_number(reader, at.file),
			.inlined = reader->inlined_of[position],
		};
	}
	return count;
}

static void begin(struct reader2 *reader)
{
	struct bytes body = reader->table->record.body;

	reader->nr_offsets = get_u64(body.data + 8, reader->order);
	reader->nr_positions = get_u64(body.data + 16, reader->order);
	reader->nr_strings = get_u64(body.data + 24, reader->order);
	reader->offsets = body.data + FIXED_SIZE;
	reader->positions = reader->offsets + reader->nr_offsets * OFFSET_SIZE;
	reader->text.data = reader->positions + reader->nr_positions * POSITION_SIZE;
	reader->text.size = (size_t)(body.data + body.size - reader->text.data);
}

static int read_all(struct reader2 *reader, struct code_lines *lines)
{
	struct debug_table *table = reader->table;
	int err = read_strings(reader);

	if (!err)
		err = number_inlined(reader);
	if (err)
		return err;
	fill_inlined(reader);
	err = cut_circles(reader);
	if (err)
		return err;
	*lines = (struct code_lines){
		.rows = table->rows,
		.nr_rows = read_offsets(reader, table->rows),
		.files = reader->strings,
		.nr_files = reader->nr_strings + 1,
		.inlined = reader->inlined,
		.nr_inlined = reader->nr_inlined,
	};
	if (lines->nr_rows < reader->nr_offsets)
		jitdump__report(reader->dump, DIAG_NOTE, "jitdump.debug-entries",
				table->record.offset,
				"%zu of %llu entries of a debug table make sense", lines->nr_rows,
				(unsigned long long)reader->nr_offsets);
	return 0;
}

int debug_info2__read(struct jitdump *dump, struct debug_table *table)
{
	struct reader2 reader = { .dump = dump, .table = table, .order = dump->header.order };
	struct code_lines *lines = arena__alloc(&dump->arena, 1, sizeof(*lines));
	int err = -ENOMEM;

	begin(&reader);
	table->rows = arena__alloc(&dump->arena, reader.nr_offsets, sizeof(*table->rows));
	reader.inlined_of = calloc(reader.nr_positions + 1, sizeof(*reader.inlined_of));
	if (lines && table->rows && reader.inlined_of)
		err = read_all(&reader, lines);
	free(reader.inlined_of);
	table->lines = err || !lines->nr_rows ? NULL : lines;
	return err;
}
