// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_code.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cfi/disassemble.h"

/* Columns of a line: bytes of most instructions fit. */
#define BYTES_WIDTH 22
#define TEXT_WIDTH  32
/* Bytes of a line where instructions can't be told apart. */
#define PIECE 4u

struct printing {
	struct dump *dump;
	const struct code_view *view;
	const struct cfi_row *row;
	size_t next_line; /* of view->lines: the first that is not printed */
};

static void put_hex(char *out, struct bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		snprintf(out + 3 * i, 4, "%02x ", bytes.data[i]);
	out[bytes.size ? 3 * bytes.size - 1 : 0] = '\0';
}

/* The last row of the line table up to addr that was not told yet, or NULL. */
static const struct code_line *next_line(struct printing *print, uint64_t addr)
{
	const struct code_lines *lines = print->view->lines;
	const struct code_line *line = NULL;

	while (lines && print->next_line < lines->nr_rows &&
	       lines->rows[print->next_line].addr <= addr)
		line = &lines->rows[print->next_line++];
	return line;
}

static const char *file_of(const struct code_lines *lines, const struct code_line *line)
{
	return line->file < lines->nr_files ? lines->files[line->file] : "";
}

static const struct cfi_row *row_at(const struct printing *print, uint64_t addr)
{
	return print->view->cfi ? cfi_rows__find(&print->view->cfi->rows, addr) : NULL;
}

static void print_object(struct printing *print, const struct instruction *instruction,
			 const char *bytes, const struct code_line *line)
{
	struct record_printer *printer = &print->dump->printer;
	const struct cfi_row *row = row_at(print, instruction->addr);
	char text[512];

	printer__begin_item(printer);
	printer__address(printer, "addr", instruction->addr);
	printer__word(printer, "bytes", bytes);
	printer__text(printer, "text", instruction->text);
	if (row) {
		printer__word(printer, "cfa",
			      dump_cfi__cfa(row, print->view->target, text, sizeof(text)));
		printer__word(printer, "registers",
			      dump_cfi__registers(row, print->view->target, text, sizeof(text)));
	}
	if (line) {
		printer__text(printer, "file", file_of(print->view->lines, line));
		printer__number(printer, "line", line->line);
		printer__number(printer, "column", line->column);
	}
	printer__end_item(printer);
}

static void print_line(struct printing *print, const struct instruction *instruction,
		       const char *bytes, const struct code_line *line)
{
	FILE *stream = print->dump->printer.stream;
	char cfa[64], registers[512], file[1024];
	const struct cfi_row *row = row_at(print, instruction->addr);

	if (line)
		fprintf(stream, "\n    %s:%" PRIu32 ":%" PRIu32,
			text__printable(file, sizeof(file), file_of(print->view->lines, line)),
			line->line, line->column);
	fprintf(stream, "\n    %12" PRIx64 ":  %-*s", instruction->addr, BYTES_WIDTH, bytes);
	if (!print->view->cfi) {
		fprintf(stream, " %s", instruction->text);
		return;
	}
	fprintf(stream, " %-*s", TEXT_WIDTH, instruction->text);
	if (row)
		fprintf(stream, " %-8s %s",
			dump_cfi__cfa(row, print->view->target, cfa, sizeof(cfa)),
			dump_cfi__registers(row, print->view->target, registers,
					    sizeof(registers)));
	else
		fputs(" no row", stream);
}

static void print_instruction(struct printing *print, const struct instruction *instruction)
{
	const struct code_view *view = print->view;
	struct bytes bytes = { view->code.data + (instruction->addr - view->addr),
			       instruction->size };
	const struct code_line *line = next_line(print, instruction->addr);
	char hex[3 * INSTRUCTION_MAX + 1];

	put_hex(hex, bytes);
	if (print->dump->printer.json)
		print_object(print, instruction, hex, line);
	else
		print_line(print, instruction, hex, line);
}

/* Up to PIECE bytes for which the same row and line of source hold. */
static uint8_t piece_size(const struct printing *print, uint64_t addr, size_t left)
{
	const struct code_lines *lines = print->view->lines;
	uint64_t end = addr + (left < PIECE ? left : PIECE);

	if (print->view->cfi)
		array__for_each(row, &print->view->cfi->rows.rows) {
			if (row->addr > addr && row->addr < end)
				end = row->addr;
			if (row->addr + row->size > addr && row->addr + row->size < end)
				end = row->addr + row->size;
		}
	for (size_t i = print->next_line; lines && i < lines->nr_rows; i++)
		if (lines->rows[i].addr > addr) {
			end = lines->rows[i].addr < end ? lines->rows[i].addr : end;
			break;
		}
	return (uint8_t)(end - addr);
}

/* What can't be disassembled has rows and lines all the same. */
static void print_pieces(struct printing *print)
{
	const struct code_view *view = print->view;
	struct instruction piece = { .addr = view->addr };

	while (piece.addr - view->addr < view->code.size) {
		piece.size =
			piece_size(print, piece.addr, view->code.size - (piece.addr - view->addr));
		print_instruction(print, &piece);
		piece.addr += piece.size;
	}
}

/* What is no instruction is told byte by byte. */
static void print_instructions(struct printing *print, struct disassembler *disassembler)
{
	const struct code_view *view = print->view;

	for (size_t at = 0; at < view->code.size;) {
		struct bytes rest = { view->code.data + at, view->code.size - at };
		struct instruction instruction;

		if (!disassembler__read(disassembler, rest, view->addr + at, &instruction) ||
		    !instruction.size) {
			instruction.addr = view->addr + at;
			instruction.size = 1;
			strcpy(instruction.text, "(bad)");
		}
		print_instruction(print, &instruction);
		at += instruction.size;
	}
}

static void print_problem_object(struct record_printer *printer, const struct cfi_problem *problem)
{
	printer__begin_item(printer);
	printer__word(printer, "kind", problem->kind);
	if (problem->pc)
		printer__address(printer, "pc", problem->pc);
	printer__text(printer, "text", problem->text);
	printer__word(printer, "effect", problem->effect);
	printer__end_item(printer);
}

/* What comes of it is said once of those that come together. */
static void print_problem_lines(struct record_printer *printer, const struct cfi_problem *problem,
				bool last)
{
	fprintf(printer->stream, "\n    ! %s%s%s [%s]", printer__color(printer, problem->level),
		problem->text, printer__plain(printer), problem->kind);
	if (last || strcmp(problem[1].kind, problem->kind) != 0)
		fprintf(printer->stream, "\n      so %s", problem->effect);
}

static void print_problems(struct dump *dump, const struct dump_cfi *cfi)
{
	struct record_printer *printer = &dump->printer;

	printer__begin_list(printer, "problems");
	for (size_t i = 0; i < cfi->problems.count; i++) {
		if (printer->json)
			print_problem_object(printer, &cfi->problems.items[i]);
		else
			print_problem_lines(printer, &cfi->problems.items[i],
					    i + 1 == cfi->problems.count);
	}
	printer__end_list(printer);
}

static void print_verdict(struct dump *dump, const struct dump_cfi *cfi)
{
	struct record_printer *printer = &dump->printer;
	bool disagrees = cfi->problems.count > 0;

	dump->disagrees |= disagrees;
	if (printer->json) {
		printer__word(printer, "verdict", cfi->verdict);
		printer__word(printer, "words", cfi->words);
	} else {
		fprintf(printer->stream, "\n    %sThe unwind table %s%s",
			disagrees ? printer__color(printer, DIAG_ERROR) : "", cfi->words,
			disagrees ? printer__plain(printer) : "");
	}
	print_problems(dump, cfi);
}

struct disassembler *dump_code__disassembler(struct dump *dump, const struct cfi_target *target)
{
	if (!dump->disassembler && disassembler__new(&dump->disassembler, target) == -ENOMEM)
		dump->printer.writer.failed = true;
	return dump->disassembler;
}

void dump_code__print(struct dump *dump, const struct code_view *view)
{
	struct record_printer *printer = &dump->printer;
	struct printing print = { .dump = dump, .view = view };
	struct disassembler *disassembler = dump_code__disassembler(dump, view->target);

	if (disassembler || view->cfi || view->lines) {
		printer__begin_list(printer, "instructions");
		if (disassembler)
			print_instructions(&print, disassembler);
		else
			print_pieces(&print);
		printer__end_list(printer);
	} else {
		printer__bytes(printer, "code", view->code);
	}
	if (view->cfi)
		print_verdict(dump, view->cfi);
}
