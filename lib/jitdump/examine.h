/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Examines a jitdump as a whole: what is odd about it, whether that matters, and whose doing it
 * looks like. Prints nothing; perfjit-dump and perfjit-doctor do.
 */
#ifndef PERFJIT_JITDUMP_EXAMINE_H
#define PERFJIT_JITDUMP_EXAMINE_H

#include "base/array.h"
#include "base/diag.h"
#include "jitdump/arena.h"
#include "jitdump/jitdump.h"

/* Whom an oddity costs something. */
enum oddity_effect {
	ODDITY_HARMLESS,   /* nobody */
	ODDITY_PERF_WRONG, /* perf inject --jit goes wrong by it; a careful reader does not */
	ODDITY_LOSS,       /* every reader: something is not in the dump */
};

/* Whose doing it looks like. */
enum oddity_origin {
	ORIGIN_PRODUCER,  /* the runtime that wrote the dump */
	ORIGIN_RECORDING, /* how it was recorded: the process was killed, or still ran */
	ORIGIN_COPY,      /* the file was damaged or cut afterwards, or is no dump at all */
	ORIGIN_NOBODY,    /* as it should be, but worth knowing */
};

/* What is known about oddities of one kind. */
struct oddity_kind {
	const char *kind; /* as in reports: "jitdump.resync" */
	enum oddity_effect effect;
	enum oddity_origin origin;
	const char *meaning; /* one or two sentences: what it means, and what can be done */
};

/* What is known about a kind; of one that nothing is known about a general answer. */
const struct oddity_kind *oddity_kind__find(const char *kind);

/* One report, kept. */
struct oddity {
	enum diag_level level;
	const char *kind;
	uint64_t offset; /* of the record or byte it concerns, or DIAG_NO_OFFSET */
	const char *text;
};

/* All oddities of one kind together. */
struct oddity_count {
	const struct oddity_kind *about;
	const char *kind;
	enum diag_level level;
	uint64_t count;
	uint64_t first; /* offset, or DIAG_NO_OFFSET */
};

struct jitdump_examination {
	struct jitdump *dump;              /* open until the examination is freed */
	ARRAY(struct oddity) oddities;     /* by offset; of one kind no more than EXAMINE_KEPT */
	ARRAY(struct oddity_count) counts; /* in order of first report */
	struct jitdump_stats stats;
	uint64_t records;    /* of all kinds, unknown ones included */
	uint64_t code_bytes; /* of all functions */
	uint64_t with_cfi;   /* functions that have an .eh_frame */
	uint64_t with_lines; /* functions that have source lines */
	uint64_t reloaded;   /* functions loaded where another had been */
	uint64_t first_time, last_time;
	const char *producer; /* who wrote it, as names and habits tell; NULL: not known */
	struct arena arena;
};

/* How many oddities of a kind are kept one by one; all are counted. */
#define EXAMINE_KEPT 10000

/*
 * Opens and examines the dump at path; memory grows with its records. What makes it unreadable is
 * reported to diag, all else kept in the examination. 0 or a negative errno.
 */
int jitdump_examination__new(struct jitdump_examination **examination, const char *path,
			     struct diag *diag);
void jitdump_examination__free(struct jitdump_examination *examination);

#endif
