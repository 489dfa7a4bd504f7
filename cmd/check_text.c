// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of perfjit-check as text. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "check/fault.h"
#include "check/runtime.h"
#include "check_result.h"

#define S(count) terminal__plural(count)

/* Rows of the table, and ranges, that are shown without --verbose. */
#define ROWS_MAX   12
#define RANGES_MAX 8

#define NAME_WIDTH 26

struct printer {
	const struct check_result *result;
	const struct check *check;
	FILE *stream;
	bool color;
	const char *input; /* printable */
};

enum paint { GOOD, BAD, DIM };

static void paint(const struct printer *printer, enum paint paint, const char *text)
{
	static const char *const codes[] = { "\033[32m", "\033[1;31m", "\033[2m" };

	if (printer->color)
		fprintf(printer->stream, "%s%s\033[0m", codes[paint], text);
	else
		fputs(text, printer->stream);
}

static void print_head(const struct printer *printer)
{
	const struct check *check = printer->check;
	const struct check_counts *total = &check->total;
	FILE *stream = printer->stream;

	fprintf(stream, "%s: %" PRIu64 " sample%s, %" PRIu64 " in JIT code", printer->input,
		total->samples, S(total->samples), total->jit_samples);
	if (check->nr_left_out)
		fprintf(stream, "; %" PRIu64 " left out", check->nr_left_out);
	if (check->nr_dumps)
		fprintf(stream, "; %zu jitdump%s", check->nr_dumps, S(check->nr_dumps));
	if (check->nr_missing_dumps && !check->fixed)
		fprintf(stream, "; %zu missing", check->nr_missing_dumps);
	if (check->nr_maps)
		fprintf(stream, "; %zu perf map%s", check->nr_maps, S(check->nr_maps));
	fputs(check->fixed ? "; by perfjit-fix\n" : "\n", stream);
}

static void print_row(const struct printer *printer, const char *name,
		      const struct check_counts *counts)
{
	char shown[128], named[16], jit_named[16], complete[16];

	fprintf(printer->stream,
		"%-*s %9" PRIu64 " %9" PRIu64 " %7s %9" PRIu64 " %7s %9" PRIu64 " %9s\n",
		NAME_WIDTH, text__printable(shown, NAME_WIDTH + 1, name), counts->samples,
		counts->frames, check_result__percent(named, counts->frames_named, counts->frames),
		counts->jit_frames,
		check_result__percent(jit_named, counts->jit_frames_named, counts->jit_frames),
		counts->chains,
		check_result__percent(complete, counts->ends[CHECK_COMPLETE], counts->chains));
}

static size_t count_groups(const struct check *check, enum check_group_kind kind)
{
	size_t count = 0;

	array__for_each(group, &check->groups)
		count += (*group)->kind == kind;
	return count;
}

static void print_groups(const struct printer *printer, enum check_group_kind kind)
{
	static const char *const titles[] = { "by event", "by process", "by runtime" };
	size_t left = count_groups(printer->check, kind), shown = 0;

	if (left < 2)
		return;
	paint(printer, DIM, titles[kind]);
	putc('\n', printer->stream);
	array__for_each(item, &printer->check->groups) {
		const struct check_group *group = *item;
		char name[64];

		if (group->kind != kind)
			continue;
		if (shown++ == ROWS_MAX && !printer->result->arguments->verbose) {
			fprintf(printer->stream, "  and %zu more; -v shows all\n", left - ROWS_MAX);
			return;
		}
		if (kind == CHECK_PROCESS)
			snprintf(name, sizeof(name), "  %u %s", group->pid, group->name);
		else
			snprintf(name, sizeof(name), "  %s", group->name);
		print_row(printer, name, &group->counts);
	}
}

static void print_table(const struct printer *printer)
{
	fprintf(printer->stream, "\n%-*s %9s %9s %7s %9s %7s %9s %9s\n", NAME_WIDTH, "", "samples",
		"frames", "named%", "JIT", "named%", "chains", "complete%");
	print_row(printer, "all", &printer->check->total);
	print_groups(printer, CHECK_EVENT);
	print_groups(printer, CHECK_RUNTIME);
	print_groups(printer, CHECK_PROCESS);
}

/* The runtime that a reason concerns: of the range in which it is most often seen. */
static const struct runtime *runtime_of(const struct check *check, enum check_reason reason)
{
	array__for_each(range, &check->ranges.items)
		if ((*range)->reason == reason)
			return (*range)->runtime;
	return NULL;
}

static void print_reasons(const struct printer *printer)
{
	const struct check *check = printer->check;
	bool any = false;

	for (enum check_reason i = 0; i < CHECK_REASONS; i++) {
		uint64_t frames = check->total.reasons[i];
		char advice[512];

		if (!frames || (i == CHECK_KERNEL && !printer->result->arguments->verbose))
			continue;
		if (!any)
			fputs("\nFrames without their name:\n", printer->stream);
		any = true;
		fprintf(printer->stream, "%10" PRIu64 "  %s [%s]\n", frames, check_reason__text(i),
			check_reason__slug(i));
		fprintf(printer->stream, "%10s  -> %s\n", "",
			check_reason__advice(i, runtime_of(check, i), &check->recorded, advice,
					     sizeof(advice)));
	}
}

static void print_ends(const struct printer *printer)
{
	const struct check *check = printer->check;
	bool any = false;

	for (enum check_end i = CHECK_COMPLETE + 1; i < CHECK_ENDS; i++) {
		char advice[512];

		if (!check->total.ends[i])
			continue;
		if (!any)
			fputs("\nChains that are not complete:\n", printer->stream);
		any = true;
		fprintf(printer->stream, "%10" PRIu64 "  %s [%s]\n", check->total.ends[i],
			check_end__text(i), check_end__slug(i));
		fprintf(printer->stream, "%10s  -> %s\n", "",
			check_end__advice(i, check__runtime_of_ends(check), &check->recorded,
					  advice, sizeof(advice)));
	}
}

static void print_ranges(const struct printer *printer)
{
	size_t shown = 0, count = printer->check->ranges.items.count;

	array__for_each(item, &printer->check->ranges.items) {
		const struct check_range *range = *item;
		char place[256];

		if (!shown)
			fputs("\nWhere they are, most first:\n", printer->stream);
		if (shown++ == RANGES_MAX && !printer->result->arguments->verbose) {
			fprintf(printer->stream, "            and %zu more; -v shows all\n",
				count - RANGES_MAX);
			return;
		}
		fprintf(printer->stream,
			"%10" PRIu64 "  %#" PRIx64 "-%#" PRIx64 " pid %u %s [%s]%s\n",
			range->frames, range->start, range->end, range->pid,
			*range->name ? text__printable(place, sizeof(place), range->name)
				     : "(nothing)",
			check_reason__slug(range->reason), range->jit ? " JIT" : "");
	}
}

static const char *name_of(char *out, size_t size, const char *name, bool there)
{
	return name ? text__printable(out, size, name) : there ? CHAIN_UNKNOWN : "no frame";
}

static void print_example(const struct printer *printer, const struct difference_example *example)
{
	char ours[128], theirs[128];

	fprintf(printer->stream,
		"            pid %u at %" PRIu64 ".%09" PRIu64
		", frame %zu: %s, here %s (%zu frames, here %zu)\n",
		example->pid, example->time / 1000000000, example->time % 1000000000,
		example->position,
		name_of(theirs, sizeof(theirs), example->their_name,
			example->position < example->theirs),
		name_of(ours, sizeof(ours), example->our_name, example->position < example->ours),
		example->theirs, example->ours);
}

static void print_compared(const struct printer *printer)
{
	char name[1024];

	array__for_each(compared, &printer->result->compared) {
		const struct fault *fault = fault__of(compared, printer->check->fixed);

		fprintf(printer->stream,
			"\n%s (%s): %" PRIu64 " of %" PRIu64 " samples differ, %" PRIu64
			" of %" PRIu64 " frames\n",
			text__printable(name, sizeof(name), compared->perf),
			*compared->build.version ? compared->build.version : "version unknown",
			compared->samples_differing, compared->samples, compared->frames_differing,
			compared->frames);
		for (enum difference i = 0; i < DIFFERENCES; i++)
			if (compared->kinds[i])
				fprintf(printer->stream,
					"%10" PRIu64 "  %s [%s], %" PRIu64 " at JIT code\n",
					compared->kinds[i], difference__text(i),
					difference__slug(i), compared->at_jit[i]);
		for (size_t i = 0; i < compared->nr_examples; i++)
			print_example(printer, &compared->examples[i]);
		if (fault)
			fprintf(printer->stream, "        why: %s [%s]\n        -> %s\n",
				fault->text, fault->slug, fault->cure);
	}
}

static void print_verdicts(const struct printer *printer)
{
	bool quiet = printer->result->arguments->quiet;
	char text[2048];

	if (!quiet)
		putc('\n', printer->stream);
	array__for_each(verdict, &printer->result->verdicts.items) {
		if (quiet && verdict->passed)
			continue;
		paint(printer, verdict->passed ? GOOD : BAD, verdict->passed ? "ok    " : "FAILED");
		fprintf(printer->stream, "  %s",
			text__printable(text, sizeof(text), verdict->name));
		fprintf(printer->stream, ": %s\n",
			text__printable(text, sizeof(text), verdict->found));
		if (verdict->advice)
			fprintf(printer->stream, "        -> %s\n",
				text__printable(text, sizeof(text), verdict->advice));
	}
}

static void print_page(const struct printer *printer)
{
	char page[4096];

	fprintf(printer->stream, "\nWrote     %s: open it in a browser\n",
		text__printable(page, sizeof(page), printer->result->arguments->flamegraph));
}

void check_result__print_text(const struct check_result *result, FILE *stream)
{
	char input[4096];
	struct printer printer = {
		.result = result,
		.check = &result->check,
		.stream = stream,
		.color = color__wanted(result->arguments->color, stream),
		.input = text__printable(input, sizeof(input), result->arguments->input),
	};

	if (!result->counted)
		return;
	if (!result->arguments->quiet) {
		print_head(&printer);
		print_table(&printer);
		print_reasons(&printer);
		print_ends(&printer);
		print_ranges(&printer);
		print_compared(&printer);
	}
	print_verdicts(&printer);
	if (result->drawn && !result->arguments->quiet)
		print_page(&printer);
}
