/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a perf, a recording or a jitdump, the cause of most of it first. */
#ifndef PERFJIT_DOCTOR_DIAGNOSIS_H
#define PERFJIT_DOCTOR_DIAGNOSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "check/check.h"
#include "host/probe.h"

struct diag;

enum finding_weight {
	FINDING_LOSS, /* it was not recorded, or is gone: no reader can bring it back */
	FINDING_PERF, /* perf goes wrong by it, perfjit-fix does not */
	FINDING_NOTE, /* to be known; nothing is wrong */
};

struct finding {
	const char *slug; /* stable word for machines: "wrong-clock" */
	enum finding_weight weight;
	unsigned int order;   /* causes before what comes of them; the lowest first */
	uint64_t samples, of; /* concerned, of how many; of 0: it is not counted in samples */
	char *what;           /* one sentence without a full stop */
	char *evidence;       /* the same: what shows it */
	char *builds;         /* which versions of perf do so; or NULL */
	char *cure;           /* one sentence: what to do; or NULL */
	char *command;        /* to be typed next; or NULL */
};

struct diagnosis {
	ARRAY(struct finding) findings; /* by effect once sorted */
	ARRAY(char *) places;           /* paths, folders and file names that the texts may hold */
	char *sound;          /* what is said when nothing is wrong, one sentence; or NULL */
	char *next;           /* what to type when nothing is wrong; or NULL */
	bool next_is_for_all; /* or whatever is */
	bool failed;          /* memory ran out */
};

/* Adds a finding, whose texts are to be said; valid until the next. NULL: memory, noted. */
struct finding *diagnosis__add(struct diagnosis *diagnosis, const char *slug,
			       enum finding_weight weight);
/* Sets a text of a finding, or of the diagnosis; *text was NULL. */
void diagnosis__say(struct diagnosis *diagnosis, char **text, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Notes that texts may hold a path, its folder and its last part, for who may not see them. */
void diagnosis__note_place(struct diagnosis *diagnosis, const char *path);
/* Small ones (less than a tenth of the samples) and notes last, else by order. */
void diagnosis__sort(struct diagnosis *diagnosis);
/* Whether there is more than notes and what is small. */
bool diagnosis__is_bad(const struct diagnosis *diagnosis);
/* The command to be typed next, once sorted; NULL: there is none. */
const char *diagnosis__next(const struct diagnosis *diagnosis);
void diagnosis__free(struct diagnosis *diagnosis);

/* Of a perf; path is what it is called. */
void diagnose__perf(struct diagnosis *diagnosis, const struct perf_probe *probe, const char *path);

struct recording_options {
	const char *path;
	struct discover_options discover;
	struct unwind_options unwind;
	const struct perf_probe *probe; /* of the perf that is to read it; or NULL */
	const char *perf;               /* that perf's path */
	/* Told how much of the file is done, in bytes; false stops. Or NULL. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/* Counts of a recording, as it is and as perfjit-fix makes it in a temporary folder. */
struct recording_counts {
	struct check_counts before, after;
	bool fixed;            /* after is set */
	uint64_t jit, unnamed; /* samples with a frame in JIT code; with one that has no name even
				  so */
	uint64_t lost;         /* events that were lost while recording */
	uint64_t stacks, full; /* samples with a stack copy; where that filled its room */
	const char *runtime;   /* of most samples, or NULL */
};

/* 0 or a negative errno: it can't be read, reported; -ECANCELED when progress said so. */
int diagnose__recording(struct diagnosis *diagnosis, const struct recording_options *options,
			struct recording_counts *counts, struct diag *diag);

/* Of a jitdump. 0 or a negative errno, reported. */
int diagnose__dump(struct diagnosis *diagnosis, const char *path, struct diag *diag);

#endif
