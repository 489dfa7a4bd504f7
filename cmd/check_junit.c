// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdicts of perfjit-check as the XML that CI systems take from JUnit. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "check_result.h"

/*
 * XML 1.0 knows no way to write control characters, nor U+FFFE and U+FFFF (2.2 Characters): the
 * former are printable by now, the latter are replaced.
 */
static void print_escaped(FILE *stream, const char *text)
{
	char printable[8192];
	const char *p = text__printable(printable, sizeof(printable), text);

	for (; *p; p++) {
		if (strncmp(p, "\xef\xbf\xbe", 3) == 0 || strncmp(p, "\xef\xbf\xbf", 3) == 0) {
			fputs("\xef\xbf\xbd", stream);
			p += 2;
			continue;
		}
		switch (*p) {
		case '&':
			fputs("&amp;", stream);
			break;
		case '<':
			fputs("&lt;", stream);
			break;
		case '>':
			fputs("&gt;", stream);
			break;
		case '"':
			fputs("&quot;", stream);
			break;
		default:
			putc(*p, stream);
		}
	}
}

static void print_attribute(FILE *stream, const char *name, const char *value)
{
	fprintf(stream, " %s=\"", name);
	print_escaped(stream, value);
	putc('"', stream);
}

static void print_case(const struct check_result *result, const struct check_verdict *verdict,
		       FILE *stream)
{
	fputs("    <testcase", stream);
	print_attribute(stream, "classname", "perfjit-check");
	print_attribute(stream, "name", verdict->name);
	print_attribute(stream, "file", result->arguments->input);
	fputs(">\n", stream);
	if (!verdict->passed) {
		fputs("      <failure", stream);
		print_attribute(stream, "type", "check");
		print_attribute(stream, "message", verdict->found);
		putc('>', stream);
		print_escaped(stream, verdict->advice);
		fputs("</failure>\n", stream);
	} else {
		fputs("      <system-out>", stream);
		print_escaped(stream, verdict->found);
		fputs("</system-out>\n", stream);
	}
	fputs("    </testcase>\n", stream);
}

/* A profile that can't be read is one test that could not be done. */
static void print_error(const struct check_result *result, FILE *stream)
{
	const char *error = check_result__error(result);

	fputs("    <testcase", stream);
	print_attribute(stream, "classname", "perfjit-check");
	print_attribute(stream, "name", "read the profile");
	print_attribute(stream, "file", result->arguments->input);
	fputs(">\n      <error", stream);
	print_attribute(stream, "type", "input");
	print_attribute(stream, "message", error ? error : "the profile could not be read");
	fputs("/>\n    </testcase>\n", stream);
}

void check_result__print_junit(const struct check_result *result, FILE *stream)
{
	size_t tests = result->counted ? result->verdicts.items.count : 1;
	size_t failures = result->counted ? result->verdicts.nr_failed : 0;
	size_t errors = !result->counted;

	fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"perfjit-check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n"
		"  <testsuite",
		tests, failures, errors);
	print_attribute(stream, "name", result->arguments->input);
	fprintf(stream, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n", tests,
		failures, errors);
	if (!result->counted)
		print_error(result, stream);
	else
		array__for_each(verdict, &result->verdicts.items)
			print_case(result, verdict, stream);
	fputs("  </testsuite>\n</testsuites>\n", stream);
}
