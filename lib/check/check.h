/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a profile's samples resolve and unwind as perf would do it, counted, with the reason for each
 * frame that has no name and each chain that is not complete.
 */
#ifndef PERFJIT_CHECK_CHECK_H
#define PERFJIT_CHECK_CHECK_H

#include "base/array.h"
#include "check/chain_pattern.h"
#include "check/counts.h"
#include "check/ranges.h"
#include "check/recorded.h"
#include "fix/discover.h"
#include "unwind/unwind.h"

struct diag;
struct perfdata;

enum check_wanted_kind {
	CHECK_EXPECT, /* a frame by that name */
	CHECK_FORBID, /* the same, and there must be none */
	CHECK_EXPECT_CHAIN,
};

/* What frames or chains are looked for, and how many there were. */
struct check_wanted {
	enum check_wanted_kind kind;
	const char *text;           /* as given: a glob, or the chain's pattern */
	struct chain_pattern chain; /* owned by whoever made it */
	uint64_t found;             /* frames that match, or chains */
	char *example;              /* the first name that did; owned by the options */
};

struct check_finding;
struct check_subject;

/* A sample that counts, with what was found of it. */
struct check_seen {
	const struct perfdata_sample *sample;
	const struct unwind_chain *chain;     /* whose frames' jit is set as they are counted */
	const struct check_finding *findings; /* of each frame of the chain */
	const struct check_subject *subject;  /* its process as recorded, or NULL */
	enum check_end end;                   /* of the chain; CHECK_ENDS: none was asked for */
};

/* Told each sample that counts. Not 0: ends the run with that. */
typedef int (*check_visit_fn)(void *context, const struct check_seen *seen);

struct check_options {
	struct discover_options discover;
	struct unwind_options unwind;
	/* What samples count; each list empty: all of them. Commands and events are globs. */
	ARRAY(uint32_t) pids;
	ARRAY(const char *) comms;
	ARRAY(const char *) events;
	ARRAY(struct check_wanted) wanted; /* counted into */
	check_visit_fn visit;              /* or NULL */
	/* Told how much of the file is done, in bytes; false stops. Or NULL. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

enum check_group_kind {
	CHECK_EVENT,
	CHECK_PROCESS,
	CHECK_RUNTIME,
	CHECK_GROUPS,
};

struct check_group {
	enum check_group_kind kind;
	const char *name; /* of the event, command or runtime; lives as long as the result */
	uint32_t pid;     /* CHECK_PROCESS */
	const struct runtime *runtime;
	struct check_counts counts;
};

struct check_subjects;

struct check {
	struct check_counts total;
	ARRAY(struct check_group *) groups; /* by kind, then most samples first */
	struct check_ranges ranges;         /* most frames first */
	uint64_t nr_left_out;               /* samples that the options do not select */
	bool fixed;                         /* perfjit-fix wrote the profile */
	struct check_recorded recorded;
	size_t nr_dumps, nr_missing_dumps, nr_maps;
	ARRAY(char *) event_names;       /* by position of the attr */
	struct check_subjects *subjects; /* private */
};

/*
 * Begins: reads what the profile was before perfjit-fix, or the profile itself, with its dumps. It
 * tells what is JIT code, and may be closed then. 0 or a negative errno, reported.
 */
int check__read(struct check *check, struct perfdata *profile, struct perfdata *original,
		const struct check_options *options, struct diag *diag);
/*
 * Counts over the profile, which is to stay open as long as the result. 0 or a negative errno,
 * reported; -ECANCELED when progress said so.
 */
int check__count(struct check *check, struct perfdata *profile, struct check_options *options,
		 struct diag *diag);
void check__free(struct check *check);

#endif
