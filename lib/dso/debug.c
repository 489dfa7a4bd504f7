// SPDX-License-Identifier: GPL-2.0-or-later
#include "dso/debug.h"

#include <dwarf.h>
#include <errno.h>

#include "cfi/leb128.h"

#define INFO_VERSION    4
#define UNIT_NAME       "JIT code"
#define ARANGES_VERSION 2
#define PRODUCER        "perfjit-fix"
/* What addr2line prints for an unknown file; an empty name would end the file table. */
#define UNKNOWN_FILE "??"

static const uint8_t abbreviations[] = {
	/* clang-format off */
	ABBREV_UNIT, DW_TAG_compile_unit, DW_CHILDREN_yes,
		DW_AT_producer, DW_FORM_string,
		DW_AT_language, DW_FORM_data2,
		DW_AT_name, DW_FORM_string,
		DW_AT_stmt_list, DW_FORM_sec_offset,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4,
		0, 0,
	ABBREV_FUNCTION, DW_TAG_subprogram, DW_CHILDREN_no,
		DW_AT_name, DW_FORM_string,
		DW_AT_external, DW_FORM_flag_present,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4,
		0, 0,
	ABBREV_FUNCTION_PARENT, DW_TAG_subprogram, DW_CHILDREN_yes,
		DW_AT_name, DW_FORM_string,
		DW_AT_external, DW_FORM_flag_present,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4,
		0, 0,
	ABBREV_INLINED_FUNCTION, DW_TAG_subprogram, DW_CHILDREN_no,
		DW_AT_name, DW_FORM_string,
		DW_AT_inline, DW_FORM_data1,
		0, 0,
	ABBREV_INLINED, DW_TAG_inlined_subroutine, DW_CHILDREN_no,
		DW_AT_abstract_origin, DW_FORM_ref4,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4,
		DW_AT_call_file, DW_FORM_udata,
		DW_AT_call_line, DW_FORM_udata,
		DW_AT_call_column, DW_FORM_udata,
		0, 0,
	ABBREV_INLINED_PARENT, DW_TAG_inlined_subroutine, DW_CHILDREN_yes,
		DW_AT_abstract_origin, DW_FORM_ref4,
		DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4,
		DW_AT_call_file, DW_FORM_udata,
		DW_AT_call_line, DW_FORM_udata,
		DW_AT_call_column, DW_FORM_udata,
		0, 0,
	0,
	/* clang-format on */
};

void debug__put_address(const struct debug *debug, struct buf *out, uint64_t address)
{
	if (debug->spec->target.class == ELFCLASS32)
		buf__put_u32(out, (uint32_t)(address - debug->spec->base));
	else
		buf__put_u64(out, address - debug->spec->base);
}

/* The file's number in the table, which it is put into when it is new. */
static uint32_t number_file(struct debug *debug, const char *name)
{
	const uint32_t *number;

	if (!*name)
		name = UNKNOWN_FILE;
	number = strings__number(&debug->file_numbers, name, debug->nr_files + 1);
	if (!number) {
		debug->files.failed = true;
		return 0;
	}
	if (*number > debug->nr_files) {
		debug->nr_files++;
		image__put_name(&debug->files, name);
		buf__put_zeros(&debug->files, 3); /* directory, time, length: not known */
	}
	return *number;
}

static int number_files(struct debug *debug, const struct code_lines *lines)
{
	debug->numbers.count = 0;
	for (size_t i = 0; i < lines->nr_files; i++)
		if (!array__push(&debug->numbers, number_file(debug, lines->files[i])))
			return -ENOMEM;
	return 0;
}

uint32_t debug__file_number(struct debug *debug, uint32_t file)
{
	return file < debug->numbers.count ? debug->numbers.items[file]
					   : number_file(debug, UNKNOWN_FILE);
}

static bool has_lines(const struct dso_function *function)
{
	return function->record->lines && function->record->lines->nr_rows;
}

static int put_function(struct debug *debug, const struct dso_function *function)
{
	struct buf *info = &debug->info;
	size_t entry;
	bool any;
	int err = number_files(debug, function->record->lines);

	if (!err)
		err = debug__put_inlined_functions(debug, function->record->lines);
	if (err)
		return err;
	entry = info->size;
	buf__put_u8(info, ABBREV_FUNCTION);
	image__put_function_name(info, function);
	debug__put_address(debug, info, function->addr);
	buf__put_u32(info, (uint32_t)function->size);
	err = debug__put_inlined_calls(debug, function, &any);
	if (err || info->failed)
		return -ENOMEM;
	if (any) {
		info->data[entry] = ABBREV_FUNCTION_PARENT;
		buf__put_u8(info, 0);
	}
	debug__put_sequence(debug, function);
	/* Offsets are kept in 32 bits; the header of the line table is yet to come. */
	return (info->size | debug->program.size) > INT32_MAX ? -ERANGE : 0;
}

/*
 * The language is assembler: for want of a better one, and as with it GNU addr2line takes names of
 * inlined functions as they are and does not put that of the symbol in their place. There is no
 * DW_AT_comp_dir: what relative file names are relative to is not known, and many are no paths
 * ("<frozen importlib>"). eu-addr2line wants --relative then, or says "(null)" before them.
 */
static void put_unit_header(struct debug *debug)
{
	const struct dso_spec *spec = debug->spec;
	struct buf *info = &debug->info;

	buf__put_u32(info, 0); /* the length, known at the end */
	buf__put_u16(info, INFO_VERSION);
	buf__put_u32(info, 0);
	buf__put_u8(info, spec->target.class == ELFCLASS32 ? 4 : 8);
	buf__put_u8(info, ABBREV_UNIT);
	buf__put_string(info, PRODUCER);
	buf__put_u16(info, DW_LANG_Mips_Assembler);
	buf__put_string(info, UNIT_NAME);
	buf__put_u32(info, 0);
	debug__put_address(debug, info, spec->functions[0].addr);
	buf__put_u32(info, (uint32_t)(spec->text_end - spec->functions[0].addr));
}

static int make_unit(struct debug *debug)
{
	const struct dso_spec *spec = debug->spec;
	int err = 0;

	put_unit_header(debug);
	for (size_t i = 0; i < spec->nr_functions && !err; i++)
		if (has_lines(&spec->functions[i]))
			err = put_function(debug, &spec->functions[i]);
	buf__put_u8(&debug->info, 0);
	if (debug->info.failed || debug->files.failed || debug->program.failed)
		return -ENOMEM;
	if (!err)
		set_u32(debug->info.data, (uint32_t)debug->info.size - 4, debug->info.order);
	return err;
}

/* .debug_aranges: without it eu-addr2line of elfutils 0.188 finds no unit. */
static void put_aranges(const struct debug *debug, struct buf *aranges)
{
	const struct dso_spec *spec = debug->spec;
	size_t width = spec->target.class == ELFCLASS32 ? 4 : 8;
	/* The tuples are aligned to their size; for both widths that takes 4 bytes of padding. */
	size_t length = 2 + 4 + 1 + 1 + 4 + 4 * width;

	buf__put_u32(aranges, (uint32_t)length);
	buf__put_u16(aranges, ARANGES_VERSION);
	buf__put_u32(aranges, 0);
	buf__put_u8(aranges, (uint8_t)width);
	buf__put_u8(aranges, 0);
	buf__put_zeros(aranges, 4);
	debug__put_address(debug, aranges, spec->functions[0].addr);
	debug__put_address(debug, aranges, spec->base + spec->text_end - spec->functions[0].addr);
	buf__put_zeros(aranges, 2 * width);
}

static void debug__free(struct debug *debug)
{
	buf__free(&debug->files);
	buf__free(&debug->program);
	strings__free(&debug->file_numbers);
	strings__free(&debug->inlined_entries);
	array__free(&debug->numbers);
	array__free(&debug->chain);
	array__free(&debug->open);
}

int image__make_debug(const struct dso_spec *spec, struct buf parts[NR_SECTIONS])
{
	enum byte_order order = spec->target.order;
	struct debug debug = {
		.spec = spec, .info = BUF(order), .files = BUF(order), .program = BUF(order)
	};
	bool any = false;
	int err;

	for (size_t i = 0; i < spec->nr_functions && !any; i++)
		any = has_lines(&spec->functions[i]);
	if (!any)
		return 0;
	for (enum image_section i = NR_PLAIN_SECTIONS; i < NR_SECTIONS; i++)
		parts[i].order = order;
	err = make_unit(&debug);
	parts[SECTION_DEBUG_INFO] = debug.info;
	if (!err) {
		debug__assemble_line(&debug, &parts[SECTION_DEBUG_LINE]);
		put_aranges(&debug, &parts[SECTION_DEBUG_ARANGES]);
		buf__put(&parts[SECTION_DEBUG_ABBREV], abbreviations, sizeof(abbreviations));
	}
	debug__free(&debug);
	return err;
}
