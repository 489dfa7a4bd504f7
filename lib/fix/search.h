/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for the dump of one marker: where it may be, and whether what is there is it. */
#ifndef PERFJIT_FIX_SEARCH_H
#define PERFJIT_FIX_SEARCH_H

#include "base/buf.h"
#include "fix/discover.h"
#include "fix/scan.h"

struct search {
	const struct discover_options *options;
	const struct scan *scan;
	const struct discovery *discovery;
	const char *perf_data; /* path */
	const struct marker *marker;
	struct diag *diag;
	struct buf tried; /* paths that did not have it and why, ", " between; failed: memory ran
			     out while it was looked for. Freed by the caller */
};

/* The dump, opened, or NULL. */
struct jitdump *search__find(struct search *search);

/*
 * Whether some of the dump's code came while the process lived. True when that can't be said: the
 * clocks differ, or there is no code.
 */
bool search__fits(const struct scan *scan, const struct process *process, struct jitdump *dump);

#endif
