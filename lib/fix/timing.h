/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the times of each found dump become perf's, by what the whole profile shows. */
#ifndef PERFJIT_FIX_TIMING_H
#define PERFJIT_FIX_TIMING_H

#include "fix/discover.h"
#include "fix/scan.h"

struct diag;

/*
 * Fills in clock, repair and refused of each dump that has a process, and reports what was decided.
 * Samples are walked only when an offset is to be found. 0 or a negative errno.
 */
int timing__settle(const struct scan *scan, struct discovery *discovery, struct perfdata *perfdata,
		   struct diag *diag);

/* A time in a dump as perf's clock has it; conv may be NULL unless the dump is CLOCK_TSC. */
uint64_t timing__perf_time(const struct found_dump *found, const struct perfdata_time_conv *conv,
			   uint64_t time);

#endif
