// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/chain_pattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

/* Where the part that begins at text ends: at a semicolon that no backslash stands before. */
static const char *part_end(const char *text)
{
	for (; *text && *text != ';'; text++)
		if (*text == '\\' && text[1])
			text++;
	return text;
}

static int add_part(struct chain_pattern *pattern, const char *text, size_t length)
{
	char *part = NULL;

	if (!length)
		return -EINVAL;
	/* fnmatch takes "\;" for a semicolon as well */
	if (length != 3 || memcmp(text, "...", 3) != 0) {
		part = strndup(text, length);
		if (!part)
			return -ENOMEM;
	}
	if (!array__push(&pattern->parts, part)) {
		free(part);
		return -ENOMEM;
	}
	return 0;
}

static bool names_a_frame(const struct chain_pattern *pattern)
{
	array__for_each(part, &pattern->parts)
		if (*part)
			return true;
	return false;
}

int chain_pattern__parse(struct chain_pattern *pattern, const char *text)
{
	int err = 0;

	*pattern = (struct chain_pattern){ 0 };
	for (;;) {
		const char *end = part_end(text);

		err = add_part(pattern, text, (size_t)(end - text));
		if (err || !*end)
			break;
		text = end + 1;
	}
	if (!err && !names_a_frame(pattern))
		err = -EINVAL;
	if (err)
		chain_pattern__free(pattern);
	return err;
}

void chain_pattern__free(struct chain_pattern *pattern)
{
	array__for_each(part, &pattern->parts)
		free(*part);
	array__free(&pattern->parts);
}

bool chain_pattern__matches_name(const char *glob, const char *name)
{
	return fnmatch(glob, name ? name : CHAIN_UNKNOWN, 0) == 0;
}

/* How many parts stand together from first on, up to the next "...". */
static size_t run_length(const struct chain_pattern *pattern, size_t first)
{
	size_t length = 0;

	while (first + length < pattern->parts.count && pattern->parts.items[first + length])
		length++;
	return length;
}

static bool run_matches(char *const *run, size_t length, const char *const *names)
{
	for (size_t i = 0; i < length; i++)
		if (!chain_pattern__matches_name(run[i], names[i]))
			return false;
	return true;
}

/* What may stand anywhere behind what came before is best taken as early as it can be. */
bool chain_pattern__matches(const struct chain_pattern *pattern, const char *const *names,
			    size_t count)
{
	size_t at = 0;

	for (size_t part = 0; part < pattern->parts.count; part++) {
		size_t length = run_length(pattern, part);

		while (at + length <= count &&
		       !run_matches(pattern->parts.items + part, length, names + at))
			at++;
		if (at + length > count)
			return false;
		at += length;
		part += length;
	}
	return true;
}
