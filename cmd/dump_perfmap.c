// SPDX-License-Identifier: GPL-2.0-or-later
/* A perf map: its entries. */
#include <errno.h>

#include "dump.h"
#include "jitdump/perfmap.h"

static int print_entry(void *context, const struct code_record *code)
{
	struct dump *dump = context;
	const struct dump_selection *select = &dump->options->select;
	struct record_printer *printer = &dump->printer;

	if (!dump_selection__name(select, code->name) ||
	    !dump_selection__range(select, code->addr, code->size) ||
	    !dump_selection__type(select, "ENTRY"))
		return 0;
	dump->selected = true;
	printer__begin(printer, "ENTRY", DIAG_NO_OFFSET);
	printer__address(printer, "addr", code->addr);
	printer__number(printer, "size", code->size);
	printer__text(printer, "name", code->name);
	printer__end(printer);
	return printer__stopped(printer);
}

static void print_counts(struct dump *dump, const struct perfmap *map)
{
	printer__begin(&dump->printer, "summary", DIAG_NO_OFFSET);
	printer__number(&dump->printer, "entries", perfmap__stats(map)->entries);
	printer__number(&dump->printer, "unusable", perfmap__stats(map)->unusable);
	printer__end(&dump->printer);
}

int dump__perfmap(struct dump *dump)
{
	const struct dump_options *options = dump->options;
	struct perfmap *map;
	int err = perfmap__open(&map, dump->path, dump->diag);

	if (err)
		return err;
	dump->functions = "entry";
	printer__begin(&dump->printer, "perfmap", DIAG_NO_OFFSET);
	printer__text(&dump->printer, "file", dump->name);
	if (perfmap__pid(map))
		printer__number(&dump->printer, "pid", perfmap__pid(map));
	printer__end(&dump->printer);
	if (!options->header && !options->stats && !options->summary)
		perfmap__for_each(map, print_entry, dump);
	if (!options->header && !dump_selection__is_partial(&options->select))
		print_counts(dump, map);
	perfmap__close(map);
	return 0;
}
