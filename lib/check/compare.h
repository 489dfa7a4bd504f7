/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frame by frame, what a perf makes of a profile and what is made of it here. */
#ifndef PERFJIT_CHECK_COMPARE_H
#define PERFJIT_CHECK_COMPARE_H

#include "base/names.h"
#include "perf/build.h"
#include "perf/script.h"
#include "unwind/unwind.h"

/* How the first frame that differs does, from the innermost on. */
enum difference {
	DIFFER_UNNAMED, /* perf has no name for it */
	DIFFER_NAMED,   /* perf has a name for it, here is none */
	DIFFER_NAME,    /* another name */
	DIFFER_SHORTER, /* perf's chain is shorter */
	DIFFER_LONGER,
	DIFFER_ABSENT, /* perf does not show the sample */
	DIFFERENCES,
};

/* "shorter", for machines, and what is so in a few words. */
const char *difference__slug(enum difference difference);
const char *difference__text(enum difference difference);

struct compared_frame {
	uint32_t symbol; /* number in names; 0: none */
	uint32_t offset; /* from the symbol's beginning, lowest 32 bits */
	bool jit;
};

struct compared_sample {
	uint64_t time;
	uint32_t pid, tid;
	size_t first, count; /* frames */
	size_t sequence;     /* in the file */
	bool unwound;        /* not recorded as a chain */
	bool matched;        /* by a sample of the perf that is looked at */
};

/* What is made of the profile here; takes 16 bytes a frame. Zero-initialise. */
struct comparison {
	struct names names;
	ARRAY(struct compared_frame) frames; /* the user's, innermost first */
	ARRAY(struct compared_sample) samples;
	bool sorted;
};

/* One of the first differences. */
struct difference_example {
	enum difference kind;
	uint64_t time;
	uint32_t pid, tid;
	size_t position;                   /* of the frame in the chain, 0 the innermost */
	size_t ours, theirs;               /* lengths of the chains */
	const char *our_name, *their_name; /* of the frame; NULL: none, or no frame */
};

#define DIFFERENCE_EXAMPLES 5

struct compared {
	const char *perf; /* its path */
	struct perf_build build;
	uint64_t samples, samples_differing; /* absent ones are among them */
	uint64_t unwound_differing;          /* among them: with stacks to be unwound */
	uint64_t frames, frames_differing;   /* of the longer chain */
	uint64_t aliases; /* frames by another name for the same address, which is no difference */
	uint64_t kinds[DIFFERENCES];  /* of samples */
	uint64_t at_jit[DIFFERENCES]; /* among them: where JIT code is, or was called */
	uint64_t leaf_only;           /* perf shows one frame, here are more */
	struct difference_example examples[DIFFERENCE_EXAMPLES];
	size_t nr_examples;
	int status; /* exit code of perf */
	bool timed_out;
	char errors[CHILD_ERRORS_MAX]; /* of its standard error */
};

/* 0 or -ENOMEM. */
int comparison__add(struct comparison *comparison, const struct perfdata_sample *sample,
		    const struct unwind_chain *chain);
/*
 * Runs perf on the profile. 0, or a negative errno when it can't be run; that it failed is in the
 * result.
 */
int comparison__run(struct comparison *comparison, const struct perf_script_options *options,
		    struct compared *compared);
void comparison__free(struct comparison *comparison);

#endif
