// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of a jitdump, each with its members as they stand in the file. */
#include "dump_code.h"
#include "dump_jitdump.h"
#include "dump_machine.h"

/* Addresses of a table that was read right lie no farther from its code. */
#define NEAR ((uint64_t)1 << 20)

const char *dump_jitdump__type(uint32_t id)
{
	switch (id) {
	case JIT_CODE_LOAD:
		return "LOAD";
	case JIT_CODE_MOVE:
		return "MOVE";
	case JIT_CODE_DEBUG_INFO:
		return "DEBUG_INFO";
	case JIT_CODE_CLOSE:
		return "CLOSE";
	case JIT_CODE_UNWINDING_INFO:
		return "UNWINDING_INFO";
	case JIT_CODE_DEBUG_INFO2:
		return "DEBUG_INFO2";
	default:
		return "UNKNOWN";
	}
}

static void print_load(struct record_printer *printer, const struct jitdump_record *record)
{
	printer__number(printer, "pid", record->load.pid);
	printer__number(printer, "tid", record->load.tid);
	printer__address(printer, "vma", record->load.vma);
	printer__address(printer, "code_addr", record->load.code_addr);
	printer__number(printer, "code_size", record->load.code_size);
	printer__number(printer, "code_index", record->load.code_index);
	printer__text(printer, "name", record->load.name);
}

static void print_move(struct record_printer *printer, const struct jitdump_record *record)
{
	printer__number(printer, "pid", record->move.pid);
	printer__number(printer, "tid", record->move.tid);
	printer__address(printer, "vma", record->move.vma);
	printer__address(printer, "old_code_addr", record->move.old_code_addr);
	printer__address(printer, "new_code_addr", record->move.new_code_addr);
	printer__number(printer, "code_size", record->move.code_size);
	printer__number(printer, "code_index", record->move.code_index);
}

static void print_unwinding(struct record_printer *printer, const struct jitdump_record *record)
{
	struct bytes frame = record->unwinding_info.eh_frame;
	struct bytes hdr = record->unwinding_info.eh_frame_hdr;

	printer__number(printer, "unwinding_size", record->unwinding_info.unwinding_size);
	printer__number(printer, "eh_frame_hdr_size", record->unwinding_info.eh_frame_hdr_size);
	printer__number(printer, "mapped_size", record->unwinding_info.mapped_size);
	printer__number(printer, "eh_frame_size", frame.size);
	if (frame.size && hdr.size)
		printer__word(printer, "order", hdr.data < frame.data ? "hdr,frame" : "frame,hdr");
}

static void print_row(struct record_printer *printer, uint64_t addr, uint32_t line, uint32_t column,
		      const char *file)
{
	printer__begin_item(printer);
	printer__address(printer, "addr", addr);
	printer__number(printer, "line", line);
	printer__number(printer, "column", column);
	printer__text(printer, "file", file);
	printer__end_item(printer);
}

/* Goes from NUL to NUL; false when that leads astray, where a name holds NULs. */
static bool walk_rows(struct record_printer *printer, const struct jitdump_record *record,
		      enum byte_order order)
{
	struct cursor cur = cursor__at(record->debug_info.entries, order);
	const char *before = "";

	for (uint64_t i = 0; i < record->debug_info.nr_entry; i++) {
		uint64_t addr = cursor__u64(&cur);
		uint32_t line = cursor__u32(&cur);
		uint32_t column = cursor__u32(&cur);
		const char *file = cursor__string(&cur);

		if (!file || addr - (record->debug_info.code_addr - NEAR) > 2 * NEAR)
			return false;
		/* as the file before, by the specification */
		if (file[0] == '\xff' && !file[1])
			file = before;
		if (printer)
			print_row(printer, addr, line, column, file);
		before = file;
	}
	return true;
}

static void print_mended_rows(struct record_printer *printer, const struct code_lines *lines)
{
	for (size_t i = 0; lines && i < lines->nr_rows; i++) {
		const struct code_line *row = &lines->rows[i];

		print_row(printer, row->addr, row->line, row->column,
			  row->file < lines->nr_files ? lines->files[row->file] : "");
	}
}

/* Rows as they stand there, or, where a table can't be read so, as what was made of it. */
static void print_debug_info(struct dump_jitdump *print, const struct jitdump_record *record)
{
	struct record_printer *printer = &print->dump->printer;
	const struct code_record *code = dump_functions__after(
		&print->functions, record->debug_info.code_addr, record->offset);
	bool as_written =
		record->id == JIT_CODE_DEBUG_INFO && walk_rows(NULL, record, print->header->order);

	printer__address(printer, "code_addr", record->debug_info.code_addr);
	printer__number(printer, "nr_entry", record->debug_info.nr_entry);
	if (code)
		printer__text(printer, "function", code->name);
	printer__word(printer, "rows_are", as_written ? "as_written" : "mended");
	printer__begin_list(printer, "rows");
	if (as_written)
		walk_rows(printer, record, print->header->order);
	else
		print_mended_rows(printer, code ? code->lines : NULL);
	printer__end_list(printer);
}

static void print_members(struct dump_jitdump *print, const struct jitdump_record *record)
{
	struct record_printer *printer = &print->dump->printer;

	switch (record->id) {
	case JIT_CODE_LOAD:
		print_load(printer, record);
		break;
	case JIT_CODE_MOVE:
		print_move(printer, record);
		break;
	case JIT_CODE_UNWINDING_INFO:
		print_unwinding(printer, record);
		break;
	case JIT_CODE_DEBUG_INFO:
	case JIT_CODE_DEBUG_INFO2:
		print_debug_info(print, record);
		break;
	case JIT_CODE_CLOSE:
		break;
	default:
		printer__address(printer, "id", record->id);
	}
}

/* The instructions of what was loaded. */
static void print_code(struct dump_jitdump *print, const struct jitdump_record *record)
{
	const struct dump_options *options = print->dump->options;
	const struct code_record *code = dump_functions__at(
		&print->functions,
		record->load.code_addr ? record->load.code_addr : record->load.vma, record->offset);
	struct cfi_target target = machine__target(print->header->elf_mach, print->header->order);
	struct dump_cfi cfi = { .verdict = NULL };
	struct code_view view = { .target = &target };

	if (!code)
		return;
	view.code = code->code;
	view.addr = code->addr;
	view.lines = options->lines ? code->lines : NULL;
	if (options->cfi) {
		if (dump_cfi__of_function(&cfi, code, &target,
					  dump_code__disassembler(print->dump, &target)))
			print->dump->printer.writer.failed = true;
		view.cfi = &cfi;
	}
	if (!print->dump->printer.writer.failed)
		dump_code__print(print->dump, &view);
	dump_cfi__free(&cfi);
}

void dump_jitdump__record(struct dump_jitdump *print, const struct jitdump_record *record)
{
	struct record_printer *printer = &print->dump->printer;

	printer__begin(printer, dump_jitdump__type(record->id), record->offset);
	printer__number(printer, "size", record->size);
	if (print->header->flags & JITDUMP_FLAG_ARCH_TIMESTAMP)
		printer__number(printer, "tsc", record->time);
	else
		printer__time(printer, "time", record->time);
	print_members(print, record);
	if (print->dump->options->hex)
		printer__bytes(printer, "body", record->body);
	if (record->id == JIT_CODE_LOAD && print->dump->options->code)
		print_code(print, record);
	printer__end(printer);
}
