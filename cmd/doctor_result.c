// SPDX-License-Identifier: GPL-2.0-or-later
/* Words and texts that all forms of the result have in common. */
#include "doctor_result.h"

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

static size_t word_length(const char *word)
{
	return strcspn(word, " ,;:()'\"");
}

/* Whether the word is one of the names that the user gave. */
static bool is_given(const struct doctor_result *result, const char *word, size_t length)
{
	array__for_each(patient, &result->patients)
		if (patient->kind != PATIENT_PERF && strlen(patient->path) == length &&
		    strncmp(patient->path, word, length) == 0)
			return true;
	return false;
}

static bool is_path(const struct doctor_result *result, const char *word, size_t length)
{
	if (is_given(result, word, length))
		return true;
	return length > 1 && memchr(word, '/', length) &&
	       (word[0] == '/' || word[0] == '.' || word[0] == '~');
}

/* Paths become "<path>"; what perfjit-fix and perf themselves are told stays. */
static void redact(const struct doctor_result *result, char *out, size_t size, const char *text)
{
	size_t at = 0;

	for (const char *c = text; *c && at + 8 < size;) {
		size_t length = word_length(c);

		if (begins_word(text, c) && length && is_path(result, c, length)) {
			memcpy(out + at, "<path>", 6);
			at += 6;
			c += length;
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
	char printable[TEXT_MAX];

	if (!result->options->redact)
		return text__printable(out, TEXT_MAX, text);
	text__printable(printable, sizeof(printable), text);
	redact(result, out, TEXT_MAX, printable);
	return out;
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
