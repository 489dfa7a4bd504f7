// SPDX-License-Identifier: GPL-2.0-or-later
/* Words and texts that all forms of the result have in common. */
#include "doctor_result.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "perfjit.h"

#define TEXT_MAX 4096

const char *patient_kind__word(enum patient_kind kind)
{
	static const char *const words[] = { "perf", "recording", "jitdump" };

	return words[kind];
}

const char *finding_weight__word(enum finding_weight weight)
{
	static const char *const words[] = { "loss", "perf", "note" };

	return words[weight];
}

const char *probe_status__word(enum probe_status status)
{
	static const char *const words[] = { "unknown", "ok", "faulty" };

	return words[status];
}

/* Whether a path may begin here: behind a blank, a bracket or an equals sign. */
static bool begins_word(const char *text, const char *at)
{
	return at == text || strchr(" (='\"", at[-1]);
}

/* Of a path: one that no known place has is taken to end at a blank. */
static size_t path_length(const char *word)
{
	size_t length = strcspn(word, " ,;:()'\"");

	return length > 1 && memchr(word, '/', length) && strchr("/.~", word[0]) ? length : 0;
}

/* What every perf has of these is no secret, and what findings are about. */
static size_t common_length(const char *word)
{
	static const char *const common[] = { "/tmp/jitted-", "~/.debug/jit", "~/.debug",
					      "/proc/sys/kernel/perf_event_paranoid" };

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++) {
		size_t length = strlen(common[i]);

		if (strncmp(word, common[i], length) == 0 &&
		    (!word[length] || strchr(" ,;:.)", word[length])))
			return length;
	}
	return 0;
}

/* How much of the text here is the place, as a whole; 0: it is not. */
static size_t place_length(const char *text, const char *at, const char *place)
{
	size_t length = strlen(place);

	if (!length || strncmp(at, place, length) != 0 || isalnum((unsigned char)at[length]) ||
	    (at > text && isalnum((unsigned char)at[-1])))
		return 0;
	return length;
}

/* The longest place that stands here. */
static size_t known_length(const struct doctor_result *result, const char *text, const char *at)
{
	const struct doctor_options *options = result->options;
	const char *home = getenv("HOME");
	const char *const given[] = { result->perf,
				      options->unwind.symfs,
				      options->unwind.debug_dir,
				      options->unwind.buildid_dir,
				      options->report_file,
				      home && home[0] && home[1] ? home : NULL };
	size_t longest = 0, length;

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		length = given[i] && strchr(given[i], '/') ? place_length(text, at, given[i]) : 0;
		longest = length > longest ? length : longest;
	}
	array__for_each(patient, &result->patients)
		array__for_each(place, &patient->diagnosis.places) {
			length = place_length(text, at, *place);
			longest = length > longest ? length : longest;
		}
	return longest;
}

/* Paths become "<path>"; what perfjit-fix and perf themselves are told stays. */
static void redact(const struct doctor_result *result, char *out, size_t size, const char *text)
{
	size_t at = 0;

	for (const char *c = text; *c && at + 8 < size;) {
		size_t known = known_length(result, text, c);
		size_t common = begins_word(text, c) && !known ? common_length(c) : 0;
		size_t path = known || !begins_word(text, c) ? known : path_length(c);

		if (common && common + at + 8 < size) {
			memcpy(out + at, c, common);
			at += common;
			c += common;
		} else if (path) {
			/* folder and name, one behind the other, are one */
			if (at < 7 || strncmp(out + at - 7, "<path>/", 7) != 0) {
				memcpy(out + at, "<path>", 6);
				at += 6;
			} else {
				at--;
			}
			c += path;
		} else {
			out[at++] = *c++;
		}
	}
	out[at] = '\0';
}

const char *doctor_result__text(const struct doctor_result *result, const char *text)
{
	static char texts[4][TEXT_MAX];
	static unsigned int next;
	char *out = texts[next++ % 4];
	char redacted[TEXT_MAX];

	if (!result->options->redact)
		return text__printable(out, TEXT_MAX, text);
	redact(result, redacted, sizeof(redacted), text);
	return text__printable(out, TEXT_MAX, redacted);
}

void doctor_result__print_versions(const struct doctor_result *result, FILE *stream)
{
	const struct perf_build *build = &result->probe.build;
	static const char *const words[] = { "not said", "no", "yes" };
	struct utsname system;

	fprintf(stream, "perfjit-doctor %s\n", perfjit__version());
	if (uname(&system) == 0)
		fprintf(stream, "%s %s %s\n", system.sysname, system.release, system.machine);
	if (!result->perf) {
		fputs("No perf was examined.\n", stream);
		return;
	}
	fprintf(stream, "perf %s: %s\n", *build->version ? build->version : "of unknown version",
		doctor_result__text(result, result->perf));
	fprintf(stream,
		"it says of itself: libelf %s, libdw %s, libunwind %s, unwinder %s, libcrypto %s\n",
		words[build->libelf], words[build->libdw], words[build->libunwind],
		words[build->unwinder], words[build->libcrypto]);
	fprintf(stream, "it unwinds by: %s; reads event attributes of up to %u bytes\n",
		perf_unwinder__text(result->probe.unwinder), result->probe.accepted_attr);
}
