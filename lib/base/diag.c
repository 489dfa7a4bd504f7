// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM      1
#define uthash_nonfatal_oom(e) ((e)->count = 0)
#define HASH_FUNCTION          HASH_FNV
#include <uthash.h>

#include "base/text.h"

/* Messages of one kind about one file. */
struct diag_kind {
	uint64_t count; /* 0: not in the table, for want of memory */
	UT_hash_handle hh;
	char key[]; /* "KIND\0FILE", or "KIND" */
};

struct diag {
	diag_report_fn report;
	void *context;
	uint64_t counts[DIAG_LEVELS];
	struct diag_kind *kinds;
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
	struct diag_kind *kind, *next;

	if (!diag)
		return;
	HASH_ITER(hh, diag->kinds, kind, next)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(diag->kinds, kind);
		free(kind);
	}
	free(diag);
}

static struct diag_kind *new_kind(const char *kind, const char *file, size_t size)
{
	struct diag_kind *fresh = malloc(sizeof(*fresh) + size);

	if (!fresh)
		return NULL;
	fresh->count = 1;
	memcpy(fresh->key, kind, strlen(kind) + 1);
	if (file)
		memcpy(fresh->key + strlen(kind) + 1, file, strlen(file));
	return fresh;
}

/* How often this kind was reported for the file, this time included. 1 when memory is out. */
static uint64_t count_kind(struct diag *diag, const char *kind, const char *file)
{
	size_t size = strlen(kind) + 1 + (file ? strlen(file) : 0);
	struct diag_kind *fresh = new_kind(kind, file, size), *known;

	if (!fresh)
		return 1;
	HASH_FIND(hh, diag->kinds, fresh->key, size, known);
	if (known) {
		free(fresh);
		return ++known->count;
	}
	HASH_ADD(hh, diag->kinds, key, size, fresh);
	if (!fresh->count)
		free(fresh);
	return 1;
}

void diag__report(struct diag *diag, enum diag_level level, const char *kind, const char *file,
		  uint64_t offset, const char *format, ...)
{
	struct diag_message message = { level, kind, file, offset, NULL, 0 };
	char raw[1024], text[1024];
	va_list args;

	diag->counts[level]++;
	message.nth = count_kind(diag, kind, file);
	if (!diag->report)
		return;
	va_start(args, format);
	vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	message.text = text__printable(text, sizeof(text), raw);
	diag->report(diag->context, &message);
}

int diag__errno(struct diag *diag, const char *kind, const char *file, const char *what)
{
	int err = errno;

	diag__report(diag, DIAG_ERROR, kind, file, DIAG_NO_OFFSET, "%s: %s", what, strerror(err));
	return -err;
}

uint64_t diag__count(const struct diag *diag, enum diag_level level)
{
	return diag->counts[level];
}
