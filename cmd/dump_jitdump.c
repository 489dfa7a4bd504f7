// SPDX-License-Identifier: GPL-2.0-or-later
/* A jitdump: header, records in file order with what is odd beside them, summary. */
#include "dump_jitdump.h"

#include <errno.h>

#include "dump_machine.h"

static void print_header(struct dump_jitdump *print)
{
	struct record_printer *printer = &print->dump->printer;
	const struct jitdump_header *header = print->header;

	printer__begin(printer, "jitdump", 0);
	printer__text(printer, "file", print->dump->name);
	if (header->total_size) {
		printer__word(printer, "byte_order",
			      header->order == ORDER_LITTLE ? "little" : "big");
		printer__number(printer, "version", header->version);
		printer__number(printer, "header_size", header->total_size);
		printer__number(printer, "elf_mach", header->elf_mach);
		printer__word(printer, "machine", machine__name(header->elf_mach));
		printer__address(printer, "pad1", header->pad1);
		printer__number(printer, "pid", header->pid);
		printer__number(printer, "timestamp", header->timestamp);
		printer__address(printer, "flags", header->flags);
	}
	if (print->examination->producer)
		printer__word(printer, "looks_like", print->examination->producer);
	printer__end(printer);
}

/* Those about places before limit. */
static void print_oddities(struct dump_jitdump *print, uint64_t limit, bool wanted)
{
	const struct jitdump_examination *ex = print->examination;

	for (; print->next_oddity < ex->oddities.count; print->next_oddity++) {
		const struct oddity *oddity = &ex->oddities.items[print->next_oddity];

		if (oddity->offset >= limit)
			break;
		if (wanted)
			printer__oddity(&print->dump->printer, oddity->level, oddity->kind,
					oddity->offset, oddity->text);
	}
}

static void print_record(struct dump_jitdump *print, const struct jitdump_record *record)
{
	const struct dump_selection *select = &print->dump->options->select;
	bool wanted = dump_selection__type(select, dump_jitdump__type(record->id)) &&
		      dump_functions__record_wanted(&print->functions, record);

	/* what stands between the records before it and this one */
	print_oddities(print, record->offset, !dump_selection__is_partial(select));
	print->dump->selected |= wanted;
	if (wanted)
		dump_jitdump__record(print, record);
	print_oddities(print, record->offset + 1, wanted);
}

static int print_records(struct dump_jitdump *print)
{
	struct jitdump *dump = print->examination->dump;
	struct jitdump_record record;
	int status;

	jitdump__rewind(dump);
	while ((status = jitdump__next_record(dump, &record)) > 0) {
		print_record(print, &record);
		if (printer__stopped(&print->dump->printer))
			return 0;
	}
	print_oddities(print, DIAG_NO_OFFSET,
		       !dump_selection__is_partial(&print->dump->options->select));
	return status;
}

static int print_all(struct dump_jitdump *print)
{
	const struct dump_options *options = print->dump->options;
	int err = 0;

	if (!options->stats)
		print_header(print);
	print_oddities(print, print->header->total_size ? print->header->total_size : 1,
		       options->header);
	print->next_oddity = 0;
	if (options->header)
		return 0;
	if (!options->stats && !options->summary)
		err = print_records(print);
	if (!err && !dump_selection__is_partial(&options->select) &&
	    !printer__stopped(&print->dump->printer))
		dump_jitdump__summary(print);
	return err;
}

int dump__jitdump(struct dump *dump)
{
	struct jitdump_examination *examination;
	struct dump_jitdump print = { .dump = dump };
	int err = jitdump_examination__new(&examination, dump->path, dump->diag);

	if (err)
		return err;
	dump->functions = "load";
	print.examination = examination;
	print.header = jitdump__header(examination->dump);
	err = dump_functions__read(&print.functions, examination->dump, &dump->options->select);
	if (!err)
		err = print_all(&print);
	dump_functions__free(&print.functions);
	jitdump_examination__free(examination);
	return err;
}
