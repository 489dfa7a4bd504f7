// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary of perfjit-fix as text. */
#include <inttypes.h>
#include <unistd.h>

#include "base/text.h"
#include "fix/kept.h"
#include "fix_printer.h"

#define S(count) terminal__plural(count)

void printer__label(const struct printer *printer, const char *text)
{
	fprintf(printer->stream, "%-9s ", text);
}

static void print_output(const struct printer *printer)
{
	char name[4096];

	fputs(printer->result->options->to_stream
		      ? "standard output"
		      : text__printable(name, sizeof(name), printer->result->options->output),
	      printer->stream);
}

void printer__path(const struct printer *printer, const char *path)
{
	char name[4096];

	fputs(text__printable(name, sizeof(name), path), printer->stream);
}

const char *printer__from_here(const char *path)
{
	static char cwd[4096];
	size_t length;

	if (!getcwd(cwd, sizeof(cwd)))
		return path;
	length = strlen(cwd);
	if (strncmp(path, cwd, length) == 0 && path[length] == '/')
		return path + length + 1;
	return path;
}

static size_t nr_with_code(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(process, &plan->per_process)
		count += process->nr_dumps || process->nr_dsos || process->kept;
	return count;
}

static void print_read(const struct printer *printer)
{
	const struct plan *plan = printer->plan;
	size_t processes = nr_with_code(plan), dumps = plan->discovery->dumps.count;

	printer__label(printer, "Read");
	printer__path(printer, printer->result->options->input);
	fprintf(printer->stream,
		": %" PRIu64 " sample%s; %zu process%s with JIT code, %zu jitdump%s",
		plan->counts.samples, S(plan->counts.samples), processes,
		processes == 1 ? "" : "es", dumps, S(dumps));
	if (plan->discovery->maps.count)
		fprintf(printer->stream, ", %zu perf map%s", plan->discovery->maps.count,
			S(plan->discovery->maps.count));
	if (plan->discovery->nr_missing)
		fprintf(printer->stream, ", %zu missing", plan->discovery->nr_missing);
	fputc('\n', printer->stream);
}

/* DSOs of an earlier run that are copied to the output's folder; none are where maps are made. */
static size_t nr_copied(const struct fix_result *result)
{
	const struct kept *kept = result->plan->kept;
	size_t count = 0;

	for (size_t i = 0; kept && !result->options->perf_map && i < kept->dsos.count; i++)
		count += kept->dsos.items[i].copied;
	return count;
}

static void print_wrote(const struct printer *printer)
{
	const struct fix_result *result = printer->result;
	size_t dsos = fix_result__nr_dsos(printer->plan), copied = nr_copied(result);
	char size[32];

	printer__label(printer, result->written ? "Wrote" : "To write");
	print_output(printer);
	if (result->output_size)
		fprintf(printer->stream, " (%s)", terminal__bytes(size, result->output_size));
	if (dsos)
		fprintf(printer->stream, ", %zu DSO%s (%s %s)", dsos, S(dsos),
			terminal__bytes(size, result->written ? result->dso_disk_bytes
							      : printer->plan->dso_bytes),
			result->written ? "on disk" : "with holes");
	if (copied)
		fprintf(printer->stream, "%s %zu copied DSO%s", dsos ? " and" : ",", copied,
			S(copied));
	if (dsos || copied) {
		fputs(" in ", printer->stream);
		printer__path(printer, printer__from_here(printer->plan->dso_folder));
	}
	fputc('\n', printer->stream);
}

/* What perf spends on a profile of perf inject is mostly a file opened for each function. */
static void print_gained(const struct printer *printer)
{
	size_t dsos = fix_result__nr_dsos(printer->plan);
	uint64_t functions = printer->plan->nr_functions;

	if (!dsos || functions < 2 * dsos)
		return;
	printer__label(printer, "Gained");
	fprintf(printer->stream,
		"%zu file%s for perf to open, not %" PRIu64
		", one for each function as perf inject makes them\n",
		dsos, S(dsos), functions);
}

static bool samples_have(const struct plan *plan, uint64_t what)
{
	const struct perfdata *perfdata = plan->perfdata;

	for (size_t i = 0; i < perfdata__nr_attrs(perfdata); i++)
		if (perfdata__attr(perfdata, i)->attr.sample_type & what)
			return true;
	return false;
}

/* From where functions have their unwind tables. */
static void print_cfi(const struct printer *printer)
{
	const uint64_t *by_origin = printer->plan->functions->by_origin;
	const char *separator = "of functions: ";

	printer__label(printer, "CFI");
	for (int origin = 0; origin < FUNCTION_ORIGINS; origin++) {
		if (!by_origin[origin])
			continue;
		fprintf(printer->stream, "%s%" PRIu64 " %s", separator, by_origin[origin],
			fix_result__origin_text((enum function_origin)origin));
		separator = ", ";
	}
	fputc('\n', printer->stream);
}

static void print_named(const struct printer *printer)
{
	const struct plan *plan = printer->plan;
	const struct plan_counts *counts = &plan->counts;
	const char *all = plan->nr_unplaced || plan->nr_late ? "" : ", all now";
	FILE *stream = printer->stream;

	printer__label(printer, "Functions");
	fprintf(stream, "%" PRIu64 " named\n", plan->nr_functions);
	printer__label(printer, "Samples");
	if (counts->jit_samples)
		fprintf(stream,
			"%" PRIu64 " of %" PRIu64 " in JIT code: %" PRIu64 " named before%s\n",
			counts->jit_samples, counts->samples, counts->jit_samples_file, all);
	else
		fprintf(stream, "none of %" PRIu64 " in JIT code itself\n", counts->samples);
	if (counts->jit_samples_map) {
		printer__label(printer, "Perf map");
		fprintf(stream, "%" PRIu64 " of them in code that only a perf map tells of\n",
			counts->jit_samples_map);
	}
	if (counts->jit_frames) {
		printer__label(printer, "Frames");
		fprintf(stream, "%" PRIu64 " of recorded call chains in JIT code%s\n",
			counts->jit_frames, *all ? ", all named now" : "");
	}
	if (samples_have(plan, PERF_SAMPLE_STACK_USER) &&
	    printer->result->options->bake.which == BAKE_NONE) {
		printer__label(printer, "Stacks");
		fputs("were copied: perf unwinds them through JIT code as it reads them\n", stream);
	}
	if (samples_have(plan, PERF_SAMPLE_STACK_USER) || printer->result->options->verbose)
		print_cfi(printer);
}

/* What an earlier run has made stands where jitdumps are gone. */
static void print_kept(const struct printer *printer)
{
	const struct plan *plan = printer->plan;
	const struct plan_counts *counts = &plan->counts;
	size_t count = fix_result__nr_kept(plan), lost;

	if (!count)
		return;
	printer__label(printer, "Kept");
	fprintf(printer->stream,
		"%zu process%s as fixed before, for want of jitdumps: %zu DSO%s, %" PRIu64
		" of %" PRIu64 " sample%s and %" PRIu64 " recorded frame%s in them\n",
		count, count == 1 ? "" : "es", plan->kept->dsos.count, S(plan->kept->dsos.count),
		counts->kept_samples, counts->samples, S(counts->samples), counts->kept_frames,
		S(counts->kept_frames));
	lost = kept__nr_lost(plan->kept);
	if (!lost)
		return;
	printer__label(printer, "Missing");
	fprintf(printer->stream, "%zu of these DSOs %s not there: their code stays unnamed\n", lost,
		lost == 1 ? "is" : "are");
}

static void print_skipped(const struct printer *printer)
{
	const struct plan *plan = printer->plan;
	FILE *stream = printer->stream;

	if (plan->nr_dropped) {
		printer__label(printer, "Left out");
		fprintf(stream, "%" PRIu64 " function%s at addresses used again, in no sample\n",
			plan->nr_dropped, S(plan->nr_dropped));
	}
	if (plan->nr_unplaced) {
		printer__label(printer, "Unnamed");
		fprintf(stream, "%" PRIu64 " function%s where no DSO can be\n", plan->nr_unplaced,
			S(plan->nr_unplaced));
	}
	if (plan->nr_late) {
		printer__label(printer, "Unnamed");
		fprintf(stream,
			"samples of %" PRIu64 " function%s from before the load, at addresses used "
			"again\n",
			plan->nr_late, S(plan->nr_late));
	}
	if (plan->counts.anon_samples) {
		printer__label(printer, "Unnamed");
		fprintf(stream,
			"%" PRIu64 " sample%s in executable memory that no jitdump describes\n",
			plan->counts.anon_samples, S(plan->counts.anon_samples));
	}
}

static void print_clocks(const struct printer *printer)
{
	array__for_each(found, &printer->plan->discovery->dumps) {
		const struct clock_repair *repair = &found->repair;
		char bounds[CLOCK_BOUNDS_TEXT];

		if (fix_result__is_refused(printer->plan, found)) {
			printer__label(printer, "Refused");
			fprintf(printer->stream,
				"pid %u: the times of its jitdump fit in no way; record with "
				"-k mono\n",
				found->pid);
		} else if (found->process && !found->refused && !found->left &&
			   found->clock == CLOCK_OFFSET) {
			printer__label(printer, "Clock");
			fprintf(printer->stream,
				"pid %u: %.3f ms added to the jitdump's times (%s)\n", found->pid,
				clock__ms(repair->offset),
				clock_bounds__text(&repair->bounds, bounds, sizeof(bounds)));
		}
	}
}

static void print_process(const struct printer *printer, const struct plan_process *counted)
{
	const struct plan_counts *counts = &counted->counts;
	char comm[80];

	printer__label(printer, "Process");
	fprintf(printer->stream, "%u (%s): ", counted->process->pid,
		text__printable(comm, sizeof(comm), counted->process->comm));
	if (counted->kept)
		fprintf(printer->stream,
			"kept as fixed before, %" PRIu64 " of %" PRIu64 " sample%s in its DSOs\n",
			counts->kept_samples, counts->samples, S(counts->samples));
	else
		fprintf(printer->stream,
			"%zu dump%s, %zu function%s, %zu DSO%s; %" PRIu64 " of %" PRIu64
			" sample%s in JIT code, %" PRIu64 " in unknown code\n",
			counted->nr_dumps, S(counted->nr_dumps), counted->nr_functions,
			S(counted->nr_functions), counted->nr_dsos, S(counted->nr_dsos),
			counts->jit_samples, counts->samples, S(counts->samples),
			counts->anon_samples);
}

static void print_processes(const struct printer *printer)
{
	array__for_each(counted, &printer->plan->per_process)
		if (counted->nr_dumps || counted->nr_dsos || counted->counts.anon_samples ||
		    counted->kept)
			print_process(printer, counted);
}

static size_t nr_events_with_samples(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(event, &plan->per_event)
		count += event->counts.samples != 0;
	return count;
}

static void print_events(const struct printer *printer)
{
	array__for_each(event, &printer->plan->per_event) {
		const struct plan_counts *counts = &event->counts;

		if (!counts->samples)
			continue;
		printer__label(printer, "Event");
		fprintf(printer->stream,
			"%s: %" PRIu64 " sample%s, %" PRIu64 " in JIT code; %" PRIu64
			" frame%s of call chains in it\n",
			event->name, counts->samples, S(counts->samples), counts->jit_samples,
			counts->jit_frames, S(counts->jit_frames));
	}
}

/* Chains that end for another reason than that they are whole, most frequent first. */
static void print_ends(const struct printer *printer)
{
	struct bake_counts left = printer->result->baked;

	left.ends[UNWIND_COMPLETE] = 0;
	for (;;) {
		size_t most = 0;

		for (size_t i = 1; i < UNWIND_ENDS; i++)
			if (left.ends[i] > left.ends[most])
				most = i;
		if (!left.ends[most])
			return;
		printer__label(printer, "Cut short");
		fprintf(printer->stream, "%" PRIu64 " chain%s: %s\n", left.ends[most],
			S(left.ends[most]), unwind_end__text((enum unwind_end)most));
		left.ends[most] = 0;
	}
}

static void print_baked(const struct printer *printer)
{
	const struct bake_counts *baked = &printer->result->baked;

	if (!printer->result->written || printer->result->options->bake.which == BAKE_NONE)
		return;
	printer__label(printer, "Unwound");
	fprintf(printer->stream,
		"%" PRIu64 " of %" PRIu64 " sample%s with a stack, %" PRIu64
		" through JIT code: %" PRIu64 " frame%s, %" PRIu64 " chain%s complete\n",
		baked->baked, baked->samples, S(baked->samples), baked->jit, baked->frames,
		S(baked->frames), baked->ends[UNWIND_COMPLETE], S(baked->ends[UNWIND_COMPLETE]));
	print_ends(printer);
}

static void print_cached(const struct printer *printer)
{
	if (!printer->result->written || !printer->result->options->buildid_cache)
		return;
	printer__label(printer, "Cached");
	fprintf(printer->stream, "%zu new DSO%s in ", printer->result->nr_cached,
		S(printer->result->nr_cached));
	printer__path(printer, printer->result->options->buildid_cache);
	fputc('\n', printer->stream);
}

static void print_maps(const struct printer *printer)
{
	const struct fix_options *options = printer->result->options;
	const struct perf_map_result *maps = &printer->result->maps;

	if (!printer->result->written || !options->perf_map ||
	    (!maps->nr_maps && printer->result->code == EXIT_OUTPUT))
		return;
	printer__label(printer, "Maps");
	fprintf(printer->stream, "%zu perf-PID.map file%s with %zu function%s in ", maps->nr_maps,
		S(maps->nr_maps), maps->nr_functions, S(maps->nr_functions));
	printer__path(printer, options->perf_map_dir
				       ? options->perf_map_dir
				       : printer__from_here(printer->plan->dso_folder));
	fputs("; put them\n          into /tmp, where perf reads those of its user and of root, "
	      "for code in anonymous\n          memory only\n",
	      printer->stream);
	if (!maps->nr_hidden)
		return;
	printer__label(printer, "Left out");
	fprintf(printer->stream, "%zu function%s at addresses used again: maps know no times\n",
		maps->nr_hidden, S(maps->nr_hidden));
}

static void print_relocated(const struct printer *printer)
{
	const struct relocate_result *moves = &printer->result->moves;

	if (!printer->result->written)
		return;
	printer__label(printer, "Wrote");
	print_output(printer);
	fprintf(printer->stream, ", %zu mapping%s of DSOs now in ", moves->nr_records,
		S(moves->nr_records));
	printer__path(printer, printer->result->options->plan.relocate);
	fputc('\n', printer->stream);
	if (!moves->nr_missing)
		return;
	printer__label(printer, "Missing");
	fprintf(printer->stream, "%zu of them %s not there on this machine\n", moves->nr_missing,
		moves->nr_missing == 1 ? "is" : "are");
}

static bool has_kept_dsos(const struct plan *plan)
{
	return plan->kept && kept__nr_lost(plan->kept) < plan->kept->dsos.count;
}

/* Without a jitdump, a map or chains that were unwound the output is what the input was. */
static bool nothing_was_done(const struct printer *printer)
{
	const struct plan *plan = printer->plan;

	return plan && !plan->discovery->dumps.count && !plan->discovery->maps.count &&
	       !has_kept_dsos(plan) &&
	       printer->result->options->bake.which == BAKE_NONE;
}

static void print_next(const struct printer *printer)
{
	const struct fix_options *options = printer->result->options;

	if (!printer->result->written || options->to_stream)
		return;
	printer__label(printer, "Next");
	if (nothing_was_done(printer)) {
		fputs("perfjit-doctor ", printer->stream);
		terminal__print_quoted(printer->stream, options->output);
		fputc('\n', printer->stream);
		return;
	}
	fputs("perf report ", printer->stream);
	/* perf starts an addr2line for each file of a chain: minutes of it, where one takes seconds
	 */
	if (printer->plan &&
	    samples_have(printer->plan, PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CALLCHAIN))
		fputs("--no-inline ", printer->stream);
	fputs("-i ", printer->stream);
	terminal__print_quoted(printer->stream, options->output);
	fputc('\n', printer->stream);
}

/* Whether there is nothing but what an earlier run has made. */
static bool all_is_kept(const struct plan *plan)
{
	array__for_each(found, &plan->discovery->dumps)
		if (!found->left)
			return false;
	array__for_each(found, &plan->discovery->maps)
		if (!kept__stands(plan->kept, found->process))
			return false;
	return fix_result__nr_kept(plan) > 0;
}

void fix_result__print(const struct fix_result *result, FILE *stream)
{
	struct printer printer = { result, result->plan, stream };
	unsigned int verbose = result->options->verbose;

	if (*result->options->chosen) {
		printer__label(&printer, "For");
		fprintf(stream, "%s\n", result->options->chosen);
	}
	if (result->plan) {
		print_read(&printer);
		if (fix_result__has_jit(result->plan)) {
			if (!result->options->perf_map && !all_is_kept(result->plan))
				print_named(&printer);
			print_kept(&printer);
			print_skipped(&printer);
			print_clocks(&printer);
		}
		if (verbose || nr_with_code(result->plan) > 1)
			print_processes(&printer);
		if (nr_events_with_samples(result->plan) > 1)
			print_events(&printer);
		if (verbose > 1) {
			printer__details(&printer);
		}
		if (result->written || result->options->dry_run) {
			print_wrote(&printer);
			print_gained(&printer);
		}
		print_baked(&printer);
		print_cached(&printer);
		print_maps(&printer);
	} else if (result->relocated) {
		print_relocated(&printer);
	} else if (result->written) {
		printer__label(&printer, "Wrote");
		print_output(&printer);
		fputs(", as it was before perfjit-fix\n", stream);
	}
	print_next(&printer);
}
