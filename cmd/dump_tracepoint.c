// SPDX-License-Identifier: GPL-2.0-or-later
/* What the raw bytes of a sample say, where the profile describes them. */
#include "dump_perfdata.h"

static void print_field(struct dump_perfdata *print, const struct tracepoint_field *field,
			struct bytes raw)
{
	struct record_printer *printer = &print->dump->printer;
	char text[1024];

	tracepoint_field__print(field, raw, perfdata__order(print->perfdata), text, sizeof(text));
	printer__begin_item(printer);
	printer__text(printer, "field", field->name);
	printer__text(printer, "value", text);
	printer__end_item(printer);
}

void dump_perfdata__tracepoint(struct dump_perfdata *print, const struct perfdata_sample *sample)
{
	struct record_printer *printer = &print->dump->printer;
	const struct tracepoint *tracepoint;

	if (!sample->raw.size)
		return;
	printer__number(printer, "raw_bytes", sample->raw.size);
	tracepoint = tracepoints__of(print->tracepoints, &sample->attr->attr);
	if (!tracepoint)
		return;
	printer__begin_list(printer, "fields");
	for (size_t i = 0; i < tracepoint->nr_fields; i++)
		if (!tracepoint->fields[i].common)
			print_field(print, &tracepoint->fields[i], sample->raw);
	printer__end_list(printer);
}
