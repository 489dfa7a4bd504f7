/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is odd about an input, said once in one form: which file, where in it, what, and counted.
 *
 * The rule for errors in lib/: a function that can fail returns 0 (or a count) or a negative errno
 * and has reported the reason here before it returns. The caller adds nothing and passes the
 * number on. -ENOMEM alone is returned without a report.
 */
#ifndef PERFJIT_BASE_DIAG_H
#define PERFJIT_BASE_DIAG_H

#include <stddef.h>
#include <stdint.h>

enum diag_level {
	DIAG_NOTE,    /* odd, but nothing is lost */
	DIAG_WARNING, /* something could not be used: a record, a function, a dump */
	DIAG_ERROR,   /* the operation that was asked for fails */
	DIAG_LEVELS,
};

#define DIAG_NO_OFFSET UINT64_MAX

struct diag_message {
	enum diag_level level;
	const char *kind; /* stable word for machines, "jitdump.truncated-record" */
	const char *file; /* or NULL when no file is meant */
	uint64_t offset;  /* bytes from the file's start, or DIAG_NO_OFFSET */
	const char *text; /* one sentence without the file's name; holds no control characters */
	uint64_t nth;     /* 1 for the first message of this kind about this file, 2 ... */
};

struct diag;

typedef void (*diag_report_fn)(void *context, const struct diag_message *message);

/* report gets every message as it comes; NULL only counts. NULL is returned without memory. */
struct diag *diag__new(diag_report_fn report, void *context);
void diag__free(struct diag *diag);

/* kind must be a string constant. */
void diag__report(struct diag *diag, enum diag_level level, const char *kind, const char *file,
		  uint64_t offset, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Reports what failed as an error, and why, which is errno; returns that, negative. */
int diag__errno(struct diag *diag, const char *kind, const char *file, const char *what);

uint64_t diag__count(const struct diag *diag, enum diag_level level);

#endif
