/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `perf script` prints of samples and their call chains. */
#ifndef PERFJIT_PERF_SCRIPT_H
#define PERFJIT_PERF_SCRIPT_H

#include <stdint.h>

#include "base/child.h"
#include "base/names.h"

/* The fields that perf is asked for with -F. */
#define PERF_SCRIPT_FIELDS "pid,tid,time,ip,sym,symoff,dso"

/* Addresses of the upper half are the kernel's, and the all-ones that ends some chains: no frames.
 */
#define PERF_SCRIPT_KERNEL_SPACE (UINT64_C(1) << 63)

struct script_frame {
	uint32_t symbol; /* number in names; 0: "[unknown]" */
	uint32_t dso;    /* the same */
	uint64_t ip;     /* as printed: an address, or a place in the DSO */
	uint64_t offset; /* bytes from the symbol's beginning */
};

struct script_sample {
	uint32_t pid, tid;
	uint64_t time;                     /* ns */
	ARRAY(struct script_frame) frames; /* of user space, innermost first */
};

/* Reads line by line. Zero-initialise, but for what stands first. */
struct perf_script {
	struct names *names;
	/* Called for each sample; not 0: what perf_script__line returns. */
	int (*visit)(void *context, const struct script_sample *sample);
	void *context;

	struct script_sample sample; /* private */
	bool open;
};

/* line is changed. 0, what visit returned, or -ENOMEM. Lines of another form are skipped. */
int perf_script__line(struct perf_script *script, char *line);
/* After the last line. */
int perf_script__end(struct perf_script *script);
void perf_script__free(struct perf_script *script);

struct perf_script_options {
	const char *perf, *profile;
	const char *home;        /* NULL: a folder that nothing is in */
	const char *symfs;       /* or NULL */
	const char *buildid_dir; /* or NULL */
	unsigned int timeout;    /* seconds until it is killed; 0: an hour */
	bool pipe;               /* the profile is its standard input */
};

/*
 * Runs `perf script` on a profile with nobody's settings; what it prints goes to script. 0, what
 * visit returned, or a negative errno: perf can't be started.
 */
int perf_script__run(struct perf_script *script, const struct perf_script_options *options,
		     struct child_result *result);

#endif
