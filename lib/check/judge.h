/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assertions over what was counted. */
#ifndef PERFJIT_CHECK_JUDGE_H
#define PERFJIT_CHECK_JUDGE_H

#include "check/check.h"

/*
 * A percentage of nothing, or of next to nothing, says nothing: those of fewer frames or chains
 * than this fail, unless another number is asked for.
 */
#define CHECK_LEAST 10

struct check_demands {
	double min_named;     /* per cent of frames in JIT code; negative: not asked for */
	double min_named_all; /* of all user frames */
	double min_complete;  /* of chains */
	bool ignore_short;    /* leave chains out whose stack copy is too small */
	int64_t min_samples;  /* negative: not asked for */
	int64_t min_frames;   /* in JIT code */
	bool others;          /* the caller adds verdicts of its own: none is implied */
};

/* How one assertion came out. */
struct check_verdict {
	char *name; /* as it was asked for: "--min-named=99" */
	bool passed;
	char *found;  /* one sentence without a full stop: what there is */
	char *advice; /* the same: what to do when it failed; NULL when it passed */
};

struct check_verdicts {
	ARRAY(struct check_verdict) items;
	size_t nr_failed;
	/* Nothing was asked for, and the one verdict is on what perfjit-fix is there for. */
	bool implied;
	bool no_jit; /* implied: there is no frame in JIT code */
};

/*
 * One verdict for each demand and each wanted frame or chain, in that order. 0 or -ENOMEM.
 */
int check__judge(const struct check *check, const struct check_options *options,
		 const struct check_demands *demands, struct check_verdicts *verdicts);
void check_verdicts__free(struct check_verdicts *verdicts);

/* The runtime of most chains that are not complete, or NULL: what is advised is for it. */
const struct runtime *check__runtime_of_ends(const struct check *check);

/* Adds a verdict; advice NULL: passed. Texts are copied. 0 or -ENOMEM. */
int check_verdicts__add(struct check_verdicts *verdicts, const char *name, const char *found,
			const char *advice);

#endif
