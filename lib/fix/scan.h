/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first walk over a profile: processes, what they mapped, and the markers of their jitdumps. */
#ifndef PERFJIT_FIX_SCAN_H
#define PERFJIT_FIX_SCAN_H

#include "base/array.h"
#include "codemap/process.h"
#include "fix/discover.h"
#include "fix/exec.h"
#include "perfdata/perfdata.h"

struct scan {
	struct processes *processes;
	struct process **by_start;    /* all of them, parents before the children they fork */
	ARRAY(struct marker) markers; /* moved into the discovery by the planner */
	struct execs execs;           /* settled */
	bool timed;                   /* records carry times */
	bool unwinds_stack;           /* samples carry stack copies: readers will unwind by CFI */
	bool samples_registers;       /* or at least registers: readers may look a caller up */
	bool namespaces;              /* told of processes when they are forked */
	bool monotonic;               /* perf's clock is CLOCK_MONOTONIC in all events */
	uint64_t first_sample, last_sample; /* ns; first > last: no samples */
	uint64_t nr_samples;
};

/* 0 or a negative errno. On failure scan is released. */
int scan__run(struct scan *scan, struct perfdata *perfdata);
void scan__free(struct scan *scan);

#endif
