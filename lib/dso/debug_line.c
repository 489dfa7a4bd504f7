// SPDX-License-Identifier: GPL-2.0-or-later
/* .debug_line (DWARF 4, section 6.2). */
#include <dwarf.h>

#include "dso/debug.h"

#define LINE_VERSION 4
/* Special opcodes advance by -3 to 12 lines and 0 to 14 bytes: most rows take one byte. */
#define LINE_BASE   (-3)
#define LINE_RANGE  16
#define OPCODE_BASE 13

/* The registers of the line number machine that a row sets. */
struct machine {
	uint64_t address;
	uint32_t file, line, column;
};

bool row_walk__next(struct row_walk *walk, struct row_span *span)
{
	const struct dso_function *function = walk->function;
	const struct code_lines *lines = function->record->lines;
	uint64_t start = function->record->addr, offset, next;

	while (walk->next < lines->nr_rows &&
	       lines->rows[walk->next].addr - start >= function->size)
		walk->next++;
	if (walk->next >= lines->nr_rows)
		return false;
	offset = lines->rows[walk->next].addr - start;
	next = function->size;
	for (; walk->next < lines->nr_rows; walk->next++) {
		uint64_t at = lines->rows[walk->next].addr - start;

		if (at < function->size && at > offset) {
			next = at;
			break;
		}
		if (at == offset)
			span->row = &lines->rows[walk->next];
	}
	span->from = function->addr + offset;
	span->to = function->addr + next;
	return true;
}

static void put_extended(struct buf *out, uint8_t opcode, size_t operand_size)
{
	buf__put_u8(out, 0);
	buf__put_uleb128(out, operand_size + 1);
	buf__put_u8(out, opcode);
}

/* Appends a row in the fewest bytes. */
static void put_row(struct buf *out, struct machine *machine, const struct machine *row)
{
	int64_t line_advance = (int64_t)row->line - machine->line;
	uint64_t advance = row->address - machine->address;

	if (row->file != machine->file) {
		buf__put_u8(out, DW_LNS_set_file);
		buf__put_uleb128(out, row->file);
	}
	if (row->column != machine->column) {
		buf__put_u8(out, DW_LNS_set_column);
		buf__put_uleb128(out, row->column);
	}
	if (line_advance < LINE_BASE || line_advance >= LINE_BASE + LINE_RANGE) {
		buf__put_u8(out, DW_LNS_advance_line);
		buf__put_sleb128(out, line_advance);
		line_advance = 0;
	}
	if (advance >
	    (UINT8_MAX - OPCODE_BASE - (uint64_t)(line_advance - LINE_BASE)) / LINE_RANGE) {
		buf__put_u8(out, DW_LNS_advance_pc);
		buf__put_uleb128(out, advance);
		advance = 0;
	}
	buf__put_u8(out, (uint8_t)((uint64_t)(line_advance - LINE_BASE) + LINE_RANGE * advance +
				   OPCODE_BASE));
	*machine = *row;
}

void debug__put_sequence(struct debug *debug, const struct dso_function *function)
{
	struct machine machine = { .address = function->addr, .file = 1, .line = 1 };
	struct row_walk walk = { .function = function };
	struct buf *out = &debug->program;
	struct row_span span;

	put_extended(out, DW_LNE_set_address, debug->spec->target.class == ELFCLASS32 ? 4 : 8);
	debug__put_address(debug, out, function->addr);
	while (row_walk__next(&walk, &span)) {
		struct machine row = { .address = span.from,
				       .file = debug__file_number(debug, span.row->file),
				       .line = span.row->line,
				       .column = span.row->column };

		put_row(out, &machine, &row);
	}
	buf__put_u8(out, DW_LNS_advance_pc);
	buf__put_uleb128(out, function->addr + function->size - machine.address);
	put_extended(out, DW_LNE_end_sequence, 0);
}

void debug__assemble_line(const struct debug *debug, struct buf *line)
{
	static const uint8_t operands[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	/* Instruction length 1, operations 1, rows begin statements, ... */
	static const uint8_t parameters[] = {
		1, 1, 1, (uint8_t)LINE_BASE, LINE_RANGE, OPCODE_BASE
	};
	/* ... the table of directories is empty, and the file table has an end. */
	size_t header = sizeof(parameters) + sizeof(operands) + 1 + debug->files.size + 1;

	buf__put_u32(line, (uint32_t)(2 + 4 + header + debug->program.size));
	buf__put_u16(line, LINE_VERSION);
	buf__put_u32(line, (uint32_t)header);
	buf__put(line, parameters, sizeof(parameters));
	buf__put(line, operands, sizeof(operands));
	buf__put_u8(line, 0);
	buf__put(line, debug->files.data, debug->files.size);
	buf__put_u8(line, 0);
	buf__put(line, debug->program.data, debug->program.size);
}
