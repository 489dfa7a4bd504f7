// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile: header, events, features, records. */
#include "dump_perfdata.h"

#include <errno.h>

#include "dump_machine.h"

static void print_header(struct dump_perfdata *print)
{
	static const char *const forms[] = {
		[PERFDATA_FORM_SEEKABLE] = "file",
		[PERFDATA_FORM_PIPE] = "pipe",
		[PERFDATA_FORM_V1] = "file of the first version",
		[PERFDATA_FORM_DIRECTORY] = "directory",
	};
	struct record_printer *printer = &print->dump->printer;
	const struct perfdata *perfdata = print->perfdata;

	printer__begin(printer, "perfdata", 0);
	printer__text(printer, "file", print->dump->name);
	printer__word(printer, "form", forms[perfdata__form(perfdata)]);
	printer__word(printer, "byte_order",
		      perfdata__order(perfdata) == ORDER_LITTLE ? "little" : "big");
	printer__number(printer, "bytes", perfdata__bytes(perfdata).size);
	printer__address(printer, "data_offset", perfdata__data_offset(perfdata));
	printer__number(printer, "data_size", perfdata__data_size(perfdata));
	printer__word(printer, "machine", machine__name(perfdata__machine(perfdata)));
	printer__flag(printer, "compressed", perfdata__compressed(perfdata));
	printer__number(printer, "events", perfdata__nr_attrs(perfdata));
	printer__end(printer);
}

static int print_all(struct dump_perfdata *print)
{
	const struct dump_options *options = print->dump->options;
	bool partial = dump_selection__is_partial(&options->select);

	if (!options->stats && !options->summary && (!partial || options->header)) {
		print_header(print);
		dump_perfdata__attrs(print);
		dump_perfdata__features(print);
	}
	return options->header ? 0 : dump_perfdata__records(print);
}

static int check_options(struct dump *dump)
{
	const char *option = NULL;

	if (dump->options->select.functions.count)
		option = "--function";
	else if (dump->options->code)
		option = "--code, --lines and --cfi";
	if (!option)
		return 0;
	diag__report(dump->diag, DIAG_ERROR, "dump.option", dump->path, DIAG_NO_OFFSET,
		     "is a profile, which holds no code, and for %s there must be some, as in "
		     "jitdumps and DSOs; --address finds samples by their addresses",
		     option);
	return -EINVAL;
}

int dump__perfdata(struct dump *dump)
{
	struct dump_perfdata print = { .dump = dump };
	int err = perfdata__open(&print.perfdata, dump->path, dump->diag);

	if (err)
		return err;
	err = check_options(dump);
	if (!err)
		err = tracepoints__read(&print.tracepoints, print.perfdata, dump->diag);
	if (!err)
		err = print_all(&print);
	if (perfdata__check_whole(print.perfdata, dump->diag) < 0)
		err = -EBADMSG;
	tracepoints__free(print.tracepoints);
	perfdata__close(print.perfdata);
	return err;
}
