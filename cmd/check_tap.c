// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts of perfjit-check as TAP 13 (testanything.org). */
#include "base/text.h"
#include "check_result.h"

/* In a description '#' begins a directive, unless a backslash stands before it. */
static void print_description(FILE *stream, const char *text)
{
	char printable[2048];

	text__printable(printable, sizeof(printable), text);
	for (const char *p = printable; *p; p++) {
		if (*p == '#' || *p == '\\')
			putc('\\', stream);
		putc(*p, stream);
	}
}

static void print_diagnostic(FILE *stream, const char *text)
{
	char printable[2048];

	fprintf(stream, "# %s\n", text__printable(printable, sizeof(printable), text));
}

void check_result__print_tap(const struct check_result *result, FILE *stream)
{
	const char *error = check_result__error(result);
	size_t number = 0;

	fputs("TAP version 13\n", stream);
	if (!result->counted) {
		fputs("Bail out!  ", stream);
		print_description(stream, error ? error : "the profile could not be read");
		putc('\n', stream);
		return;
	}
	fprintf(stream, "1..%zu\n", result->verdicts.items.count);
	array__for_each(verdict, &result->verdicts.items) {
		fprintf(stream, "%s %zu - ", verdict->passed ? "ok" : "not ok", ++number);
		print_description(stream, verdict->name);
		fputs(": ", stream);
		print_description(stream, verdict->found);
		putc('\n', stream);
		if (verdict->advice)
			print_diagnostic(stream, verdict->advice);
	}
}
