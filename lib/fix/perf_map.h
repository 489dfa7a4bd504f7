/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-PID.map files: names of code by address, for a perf that can't read symbols from ELF files.
 * Stock perf reads them from /tmp only, and for code in anonymous memory only, so that a profile
 * for it must have no DSOs mapped over that. They know no times: at addresses that were used again
 * the newest code that samples refer to is named.
 */
#ifndef PERFJIT_FIX_PERF_MAP_H
#define PERFJIT_FIX_PERF_MAP_H

#include "fix/plan.h"

struct diag;

struct perf_map_result {
	size_t nr_maps, nr_functions;
	size_t nr_hidden; /* functions left out for others at their addresses */
};

/* Writes a map for each process with JIT code to dir, which is made. 0 or a negative errno. */
int perf_maps__write(const struct plan *plan, const char *dir, struct perf_map_result *result,
		     struct diag *diag);

#endif
