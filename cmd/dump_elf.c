// SPDX-License-Identifier: GPL-2.0-or-later
/* A DSO: segments, sections, functions with their code and unwind rows. */
#include <errno.h>
#include <string.h>

#include "dump_elf.h"
#include "dump_machine.h"

static void print_header(struct dump_elf *print)
{
	struct record_printer *printer = &print->dump->printer;
	const GElf_Ehdr *ehdr = &print->ehdr;

	printer__begin(printer, "elf", 0);
	printer__text(printer, "file", print->dump->name);
	printer__number(printer, "class", ehdr->e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32);
	printer__word(printer, "byte_order",
		      print->target.order == ORDER_LITTLE ? "little" : "big");
	printer__number(printer, "elf_type", ehdr->e_type);
	printer__word(printer, "machine", machine__name(ehdr->e_machine));
	printer__end(printer);
}

static void print_segments(struct dump_elf *print)
{
	struct record_printer *printer = &print->dump->printer;
	size_t count = 0;

	if (elf_getphdrnum(print->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;
		char flags[4];

		if (!gelf_getphdr(print->elf, (int)i, &phdr))
			break;
		snprintf(flags, sizeof(flags), "%c%c%c", phdr.p_flags & PF_R ? 'r' : '-',
			 phdr.p_flags & PF_W ? 'w' : '-', phdr.p_flags & PF_X ? 'x' : '-');
		printer__begin(printer, "segment", DIAG_NO_OFFSET);
		printer__address(printer, "segment_type", phdr.p_type);
		printer__address(printer, "file_offset", phdr.p_offset);
		printer__address(printer, "vaddr", phdr.p_vaddr);
		printer__address(printer, "file_size", phdr.p_filesz);
		printer__address(printer, "memory_size", phdr.p_memsz);
		printer__word(printer, "flags", flags);
		printer__end(printer);
	}
}

static void print_section(struct record_printer *printer, const struct elf_section *section)
{
	printer__begin(printer, "section", DIAG_NO_OFFSET);
	printer__text(printer, "name", section->name);
	printer__number(printer, "section_type", section->shdr.sh_type);
	printer__address(printer, "addr", section->shdr.sh_addr);
	printer__address(printer, "file_offset", section->shdr.sh_offset);
	printer__address(printer, "bytes", section->shdr.sh_size);
	printer__address(printer, "flags", section->shdr.sh_flags);
	printer__end(printer);
}

static void print_function(struct dump_elf *print, const struct elf_function *function)
{
	struct record_printer *printer = &print->dump->printer;
	const struct dump_options *options = print->dump->options;
	struct dump_cfi cfi = { .verdict = NULL };
	struct code_view view = { .addr = function->addr, .target = &print->target };

	print->dump->selected = true;
	printer__begin(printer, "FUNCTION", DIAG_NO_OFFSET);
	printer__address(printer, "addr", function->addr);
	printer__number(printer, "size", function->size);
	printer__text(printer, "name", function->name);
	view.code = dump_elf__code(print, function->addr, function->size);
	if (options->code && view.code.size) {
		if (options->cfi &&
		    dump_cfi__of_table(&cfi, &print->cfi, view.code, function->addr,
				       strstr(function->name, ".cold") != NULL, &print->target,
				       dump_code__disassembler(print->dump, &print->target)))
			printer->writer.failed = true;
		view.cfi = options->cfi ? &cfi : NULL;
		view.lines = options->lines ? dump_elf__lines(print, function) : NULL;
		dump_code__print(print->dump, &view);
	}
	printer__end(printer);
	dump_cfi__free(&cfi);
}

static void print_functions(struct dump_elf *print)
{
	const struct dump_selection *select = &print->dump->options->select;

	array__for_each(function, &print->functions) {
		if (!dump_selection__type(select, "FUNCTION") ||
		    !dump_selection__name(select, function->name) ||
		    !dump_selection__range(select, function->addr, function->size))
			continue;
		print_function(print, function);
		if (printer__stopped(&print->dump->printer))
			return;
	}
}

static void print_counts(struct dump_elf *print)
{
	struct record_printer *printer = &print->dump->printer;

	printer__begin(printer, "summary", DIAG_NO_OFFSET);
	printer__number(printer, "functions", print->functions.count);
	printer__number(printer, "cies", print->cfi.cies.count);
	printer__number(printer, "fdes", print->cfi.fdes.count);
	printer__end(printer);
}

static void print_all(struct dump_elf *print)
{
	const struct dump_options *options = print->dump->options;
	bool partial = dump_selection__is_partial(&options->select);

	if (!partial || options->header) {
		print_header(print);
		if (!options->stats && !options->summary) {
			print_segments(print);
			array__for_each(section, &print->sections)
				print_section(&print->dump->printer, section);
		}
	}
	if (options->header)
		return;
	if (!options->stats && !options->summary)
		print_functions(print);
	if (!partial)
		print_counts(print);
}

int dump__elf(struct dump *dump)
{
	struct dump_elf print = { .dump = dump };
	int err = dump_elf__open(&print);

	dump->functions = "function";
	if (!err)
		print_all(&print);
	dump_elf__close(&print);
	return err;
}
