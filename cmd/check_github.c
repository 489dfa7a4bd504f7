// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdicts of perfjit-check for GitHub Actions: workflow commands, and Markdown for the step
 * summary. "Workflow commands for GitHub Actions" of GitHub's documentation has their form; what is
 * escaped, and how, is told by @actions/core.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "check_result.h"

/* Properties end at ',' and ':' as well. */
static void print_escaped(FILE *stream, const char *text, bool property)
{
	char printable[4096];
	const char *p = text__printable(printable, sizeof(printable), text);

	for (; *p; p++) {
		if (*p == '%' || (property && (*p == ':' || *p == ',')))
			fprintf(stream, "%%%02X", (unsigned int)*p);
		else
			putc(*p, stream);
	}
}

static void print_command(FILE *stream, const char *command, const char *title, const char *found,
			  const char *advice)
{
	fprintf(stream, "::%s title=", command);
	print_escaped(stream, title, true);
	fputs("::", stream);
	print_escaped(stream, found, false);
	if (advice) {
		fputs("%0A", stream);
		print_escaped(stream, advice, false);
	}
	putc('\n', stream);
}

void check_result__print_github(const struct check_result *result, FILE *stream)
{
	char passed[1024];

	array__for_each(message, &result->messages->kept)
		if (message->level != DIAG_NOTE)
			print_command(stream, messages__level_name(message->level),
				      message->file ? message->file : "perfjit-check",
				      message->text, NULL);
	/* a step shows ten annotations of a kind: those that failed */
	array__for_each(verdict, &result->verdicts.items)
		if (!verdict->passed)
			print_command(stream, "error", verdict->name, verdict->found,
				      verdict->advice);
	if (result->counted && !result->verdicts.nr_failed) {
		snprintf(passed, sizeof(passed), "%zu check%s of %s passed",
			 result->verdicts.items.count,
			 terminal__plural(result->verdicts.items.count), result->arguments->input);
		print_command(stream, "notice", "perfjit-check", passed, NULL);
	}
}

/* In CommonMark a backslash may stand before all ASCII punctuation. */
static void print_cell(FILE *stream, const char *text)
{
	char printable[4096];
	const char *p = text__printable(printable, sizeof(printable), text);

	fputs("| ", stream);
	for (; *p; p++) {
		if (strchr("\\`*_{}[]<>()#+-.!|~&@:$\"'", *p))
			putc('\\', stream);
		putc(*p, stream);
	}
	putc(' ', stream);
}

static void print_number(FILE *stream, uint64_t number)
{
	fprintf(stream, "| %" PRIu64 " ", number);
}

static void print_row(FILE *stream, const char *name, const struct check_counts *counts)
{
	char percent[16];

	print_cell(stream, name);
	print_number(stream, counts->samples);
	print_number(stream, counts->jit_frames);
	print_cell(stream,
		   check_result__percent(percent, counts->jit_frames_named, counts->jit_frames));
	print_number(stream, counts->chains);
	print_cell(stream,
		   check_result__percent(percent, counts->ends[CHECK_COMPLETE], counts->chains));
	fputs("|\n", stream);
}

static void print_counts(const struct check_result *result, FILE *stream)
{
	const struct check *check = &result->check;

	fputs("\n| | samples | frames in JIT code | named % | chains | complete % |\n"
	      "|---|---:|---:|---:|---:|---:|\n",
	      stream);
	print_row(stream, "all", &check->total);
	array__for_each(group, &check->groups)
		if ((*group)->kind == CHECK_RUNTIME)
			print_row(stream, (*group)->name, &(*group)->counts);
}

void check_result__print_markdown(const struct check_result *result, FILE *stream)
{
	fputs("### perfjit-check\n\n| | check | found | what to do |\n|---|---|---|---|\n", stream);
	array__for_each(verdict, &result->verdicts.items) {
		fputs(verdict->passed ? "| ok " : "| **failed** ", stream);
		print_cell(stream, verdict->name);
		print_cell(stream, verdict->found);
		print_cell(stream, verdict->advice ? verdict->advice : "");
		fputs("|\n", stream);
	}
	if (result->counted)
		print_counts(result, stream);
	putc('\n', stream);
}
