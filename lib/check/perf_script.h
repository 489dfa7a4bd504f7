/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `perf script` prints of samples and their call chains. */
#ifndef PERFJIT_CHECK_PERF_SCRIPT_H
#define PERFJIT_CHECK_PERF_SCRIPT_H

#include <stdint.h>

#include "check/names.h"

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

#endif
