// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/diagnosis.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finding *diagnosis__add(struct diagnosis *diagnosis, const char *slug,
			       enum finding_weight weight)
{
	struct finding finding = { .slug = slug, .weight = weight };

	finding.order = (unsigned int)diagnosis->findings.count;
	if (!array__push(&diagnosis->findings, finding)) {
		diagnosis->failed = true;
		return NULL;
	}
	return &diagnosis->findings.items[diagnosis->findings.count - 1];
}

void diagnosis__say(struct diagnosis *diagnosis, char **text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(text, format, args) < 0) {
		*text = NULL;
		diagnosis->failed = true;
	}
	va_end(args);
}

static void note(struct diagnosis *diagnosis, const char *text, size_t length)
{
	char *place;

	/* "." and ".." stand in any text */
	if (strspn(text, "./") >= length)
		return;
	place = strndup(text, length);
	if (!place || !array__push(&diagnosis->places, place)) {
		free(place);
		diagnosis->failed = true;
	}
}

void diagnosis__note_place(struct diagnosis *diagnosis, const char *path)
{
	const char *slash = strrchr(path, '/');

	note(diagnosis, path, strlen(path));
	if (slash && slash[1])
		note(diagnosis, slash + 1, strlen(slash + 1));
	if (slash && slash > path)
		note(diagnosis, path, (size_t)(slash - path));
}

static bool is_small(const struct finding *finding)
{
	return finding->of && finding->samples < finding->of / 10;
}

static int compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	bool note_x = x->weight == FINDING_NOTE, note_y = y->weight == FINDING_NOTE;

	if (note_x != note_y)
		return note_x ? 1 : -1;
	if (is_small(x) != is_small(y))
		return is_small(x) ? 1 : -1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void diagnosis__sort(struct diagnosis *diagnosis)
{
	if (diagnosis->findings.count)
		qsort(diagnosis->findings.items, diagnosis->findings.count,
		      sizeof(*diagnosis->findings.items), compare);
}

bool diagnosis__is_bad(const struct diagnosis *diagnosis)
{
	array__for_each(finding, &diagnosis->findings)
		if (finding->weight != FINDING_NOTE && !is_small(finding))
			return true;
	return false;
}

const char *diagnosis__next(const struct diagnosis *diagnosis)
{
	if (diagnosis__is_bad(diagnosis) && !diagnosis->next_is_for_all)
		return diagnosis->findings.items[0].command;
	return diagnosis->next;
}

void diagnosis__free(struct diagnosis *diagnosis)
{
	array__for_each(finding, &diagnosis->findings) {
		free(finding->what);
		free(finding->evidence);
		free(finding->builds);
		free(finding->cure);
		free(finding->command);
	}
	array__free(&diagnosis->findings);
	array__for_each(place, &diagnosis->places)
		free(*place);
	array__free(&diagnosis->places);
	free(diagnosis->sound);
	free(diagnosis->next);
}
