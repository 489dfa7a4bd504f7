// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

struct diag_kind {
	enum diag_level level;
	const char *kind;
	char *file; /* or NULL */
	uint64_t count;
};

struct diag {
	diag_report_fn report;
	void *context;
	uint64_t counts[DIAG_LEVELS];
	ARRAY(struct diag_kind) kinds;
};

struct diag *diag__new(diag_report_fn report, void *context)
{
	struct diag *diag = calloc(1, sizeof(*diag));

	if (diag) {
		diag->report = report;
		diag->context = context;
	}
	return diag;
}

void diag__free(struct diag *diag)
{
	if (!diag)
		return;
	array__for_each(kind, &diag->kinds)
		free(kind->file);
	array__free(&diag->kinds);
	free(diag);
}

static bool same_file(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* How often this kind was reported for the file, this time included. 1 when memory is out. */
static uint64_t count_kind(struct diag *diag, enum diag_level level, const char *kind,
			   const char *file)
{
	struct diag_kind fresh = { .level = level, .kind = kind, .count = 1 };

	array__for_each(known, &diag->kinds)
		if (strcmp(known->kind, kind) == 0 && same_file(known->file, file))
			return ++known->count;
	fresh.file = file ? strdup(file) : NULL;
	if (!array__push(&diag->kinds, fresh))
		free(fresh.file);
	return 1;
}

void diag__report(struct diag *diag, enum diag_level level, const char *kind, const char *file,
		  uint64_t offset, const char *format, ...)
{
	struct diag_message message = { level, kind, file, offset, NULL, 0 };
	char raw[1024], text[1024];
	va_list args;

	diag->counts[level]++;
	message.nth = count_kind(diag, level, kind, file);
	if (!diag->report)
		return;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	message.text = text__printable(text, sizeof(text), raw);
	diag->report(diag->context, &message);
}

uint64_t diag__count(const struct diag *diag, enum diag_level level)
{
	return diag->counts[level];
}

void diag__for_each_kind(const struct diag *diag,
			 void (*visit)(void *context, enum diag_level level, const char *kind,
				       const char *file, uint64_t count),
			 void *context)
{
	array__for_each(kind, &diag->kinds)
		visit(context, kind->level, kind->kind, kind->file, kind->count);
}
