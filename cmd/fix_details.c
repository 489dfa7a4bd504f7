// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of the summary of perfjit-fix that is printed when -v is given twice. */
#include <inttypes.h>

#include "base/text.h"
#include "fix/kept.h"
#include "fix_printer.h"

#define S(count) terminal__plural(count)

/* Each function of a DSO, with where its CFI is from. */
static void print_members(const struct printer *printer, const struct plan_dso *dso)
{
	for (size_t i = 0; i < dso->spec.nr_functions; i++) {
		const struct dso_function *function = &dso->spec.functions[i];
		char name[1024];

		printer__label(printer, "Function");
		fprintf(printer->stream, "%#" PRIx64 "-%#" PRIx64 ", CFI %s: %s\n", function->addr,
			function->addr + function->size,
			fix_result__origin_text((enum function_origin)dso->origins[i]),
			text__printable(name, sizeof(name), function->record->name));
	}
}

static void print_dsos(const struct printer *printer)
{
	array__for_each(dso, &printer->plan->dsos) {
		if (!dso->path)
			continue;
		printer__label(printer, "DSO");
		printer__path(printer, printer__from_here(dso->path));
		fprintf(printer->stream, ": pid %u, %#" PRIx64 "-%#" PRIx64 ", %zu function%s",
			dso->process->pid, dso->lo, dso->hi, dso->spec.nr_functions,
			S(dso->spec.nr_functions));
		fprintf(printer->stream, dso->reason ? "; %s\n" : "\n", dso->reason);
		print_members(printer, dso);
	}
}

/* What an earlier run has made and what stays. */
static void print_kept(const struct printer *printer, const struct kept *kept)
{
	array__for_each(dso, &kept->dsos) {
		printer__label(printer, "DSO");
		printer__path(printer, dso->source ? printer__from_here(dso->source) : dso->name);
		fputs(dso->source ? ": kept as it is\n" : ": kept, but gone\n", printer->stream);
	}
	array__for_each(record, &kept->records) {
		const struct perfdata_mmap *mmap = &record->mmap;

		printer__label(printer, "Record");
		fprintf(printer->stream, "%s before byte %" PRIu64 ", pid %u",
			record->maps ? "MMAP2" : "COMM", record->offset, record->process->pid);
		if (record->maps)
			fprintf(printer->stream, ", %#" PRIx64 "-%#" PRIx64 " @ %#" PRIx64,
				mmap->start, mmap->start + mmap->size, mmap->pgoff);
		fputs("; kept as it is\n", printer->stream);
	}
}

/* by enum plan_insert_kind */
static const char *const kinds[] = { "COMM", "MMAP2", "FORK" };

static void print_inserts(const struct printer *printer)
{
	array__for_each(insert, &printer->plan->inserts) {
		printer__label(printer, "Record");
		fprintf(printer->stream, "%s before byte %" PRIu64 ", time %" PRIu64 " ns, pid %u",
			kinds[insert->kind], insert->offset, insert->time, insert->process->pid);
		if (insert->kind == PLAN_MMAP2)
			fprintf(printer->stream, ", %#" PRIx64 "-%#" PRIx64 " @ %#" PRIx64,
				insert->start, insert->start + insert->size, insert->pgoff);
		fprintf(printer->stream, insert->reason ? "; %s\n" : "\n", insert->reason);
	}
}

void printer__details(const struct printer *printer)
{
	print_dsos(printer);
	print_inserts(printer);
	if (printer->plan->kept)
		print_kept(printer, printer->plan->kept);
}
