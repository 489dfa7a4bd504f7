// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JIT_CODE_DEBUG_INFO2 ("TMP1"), the one form that tells of inlined calls. Behind the prefix:
 * u64 code_addr, nr_offsets, nr_positions, nr_strings; nr_offsets of {u32 code_offset, position};
 * nr_positions of {i32 caller, u32 function, i32 file, u32 function_line, function_column, line,
 * column}; nr_strings NUL-terminated strings. Source: samply's samply-symbols branch, WebKit.
 */
#include <errno.h>

#include "jitdump/dump.h"

#define OFFSET_SIZE   8u
#define POSITION_SIZE 28u

struct position {
	int32_t caller, file;
	uint32_t function, line, column;
};

/* The parts of a record's body. */
struct tables {
	uint64_t nr_offsets, nr_positions, nr_strings;
	struct cursor offsets;
	const uint8_t *positions;
	const char **strings;
	enum byte_order order;
};

/* Checks the counts against the body; false when they can't be. */
static bool read_counts(struct cursor *cur, struct tables *tables)
{
	uint64_t left;

	cursor__u64(cur); /* code_addr */
	tables->nr_offsets = cursor__u64(cur);
	tables->nr_positions = cursor__u64(cur);
	tables->nr_strings = cursor__u64(cur);
	if (cur->overrun)
		return false;
	left = cursor__left(cur);
	if (tables->nr_offsets > left / OFFSET_SIZE)
		return false;
	left -= tables->nr_offsets * OFFSET_SIZE;
	if (tables->nr_positions > left / POSITION_SIZE)
		return false;
	left -= tables->nr_positions * POSITION_SIZE;
	return tables->nr_strings <= left;
}

bool debug_info2__fits(struct bytes body, enum byte_order order)
{
	struct cursor cur = cursor__at(body, order);
	struct tables tables;

	return read_counts(&cur, &tables);
}

static struct position position_at(const struct tables *tables, uint64_t i)
{
	const uint8_t *p = tables->positions + i * POSITION_SIZE;

	return (struct position){
		.caller = (int32_t)get_u32(p, tables->order),
		.function = get_u32(p + 4, tables->order),
		.file = (int32_t)get_u32(p + 8, tables->order),
		.line = get_u32(p + 20, tables->order),
		.column = get_u32(p + 24, tables->order),
	};
}

/* Index of a position's file; the one behind the last string is the unnamed one. */
static uint32_t file_of(const struct tables *tables, const struct position *position)
{
	return position->file >= 0 && (uint64_t)position->file < tables->nr_strings
		       ? (uint32_t)position->file
		       : (uint32_t)tables->nr_strings;
}

/* 0, -ENOMEM, or 1 when the parts do not fit. */
static int read_tables(struct jitdump *dump, struct bytes body, struct tables *tables)
{
	struct cursor cur = cursor__at(body, dump->header.order);

	tables->order = dump->header.order;
	if (!read_counts(&cur, tables) || tables->nr_strings > INT32_MAX)
		return 1;
	tables->offsets = cursor__at(
		(struct bytes){ cur.pos, (size_t)(tables->nr_offsets * OFFSET_SIZE) }, cur.order);
	cursor__take(&cur, (size_t)(tables->nr_offsets * OFFSET_SIZE));
	tables->positions = cursor__take(&cur, (size_t)(tables->nr_positions * POSITION_SIZE));
	tables->strings =
		arena__alloc(&dump->arena, tables->nr_strings + 1, sizeof(*tables->strings));
	if (!tables->strings)
		return -ENOMEM;
	for (uint64_t i = 0; i < tables->nr_strings; i++) {
		tables->strings[i] = cursor__string(&cur);
		if (!tables->strings[i])
			return 1;
	}
	tables->strings[tables->nr_strings] = "";
	return 0;
}

/* One inlined call for each position that has a caller; others stay unused. */
static int read_inlined(struct jitdump *dump, struct code_lines *lines, const struct tables *tables)
{
	struct code_inlined *inlined =
		arena__alloc(&dump->arena, tables->nr_positions + 1, sizeof(*inlined));

	if (!inlined)
		return -ENOMEM;
	for (uint64_t i = 0; i < tables->nr_positions; i++) {
		struct position position = position_at(tables, i), caller;

		inlined[i].name = position.function < tables->nr_strings
					  ? tables->strings[position.function]
					  : "";
		/* callers come first, so that there is no way round in circles */
		if (position.caller < 0 || (uint64_t)position.caller >= i)
			continue;
		caller = position_at(tables, (uint64_t)position.caller);
		inlined[i].caller = caller.caller >= 0 && caller.caller < position.caller
					    ? (uint32_t)position.caller + 1
					    : 0;
		inlined[i].call_file = file_of(tables, &caller);
		inlined[i].call_line = caller.line;
		inlined[i].call_column = caller.column;
	}
	lines->inlined = inlined;
	lines->nr_inlined = tables->nr_positions;
	return 0;
}

static void read_rows(struct debug_table *table, struct tables *tables)
{
	for (uint64_t i = 0; i < tables->nr_offsets; i++) {
		uint32_t offset = cursor__u32(&tables->offsets);
		uint32_t number = cursor__u32(&tables->offsets);
		struct code_line *row = &table->rows[table->lines->nr_rows];
		struct position position;

		if (number >= tables->nr_positions || offset >= table->code->size)
			continue;
		position = position_at(tables, number);
		*row = (struct code_line){
			.addr = table->code->addr + offset,
			.line = position.line,
			.column = position.column,
			.file = file_of(tables, &position),
		};
		if (position.caller >= 0 && (uint32_t)position.caller < number)
			row->inlined = number + 1;
		table->lines->nr_rows++;
	}
}

int debug_info2__read(struct jitdump *dump, struct debug_table *table)
{
	struct tables tables = { 0 };
	int err = read_tables(dump, table->record.body, &tables);

	if (err > 0) {
		jitdump__report(dump, DIAG_NOTE, "jitdump.damaged-debug-info", table->record.offset,
				"strings of debug info are cut off: not used");
		return 0;
	}
	if (err)
		return err;
	table->lines = arena__alloc(&dump->arena, 1, sizeof(*table->lines));
	table->rows = arena__alloc(&dump->arena, tables.nr_offsets + 1, sizeof(*table->rows));
	if (!table->lines || !table->rows)
		return -ENOMEM;
	table->lines->files = tables.strings;
	table->lines->nr_files = tables.nr_strings + 1;
	err = read_inlined(dump, table->lines, &tables);
	if (!err)
		read_rows(table, &tables);
	return err;
}
