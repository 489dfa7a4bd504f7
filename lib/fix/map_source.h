/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps as a source of names, for code that no jitdump describes. */
#ifndef PERFJIT_FIX_MAP_SOURCE_H
#define PERFJIT_FIX_MAP_SOURCE_H

#include "fix/discover.h"
#include "fix/scan.h"

struct diag;

/*
 * Opens perf-PID.map of each process that has one: in the user's folders, beside the profile, or
 * in /tmp when the profile was recorded on this machine and the file is newer than the process.
 */
int map_source__open(struct discovery *discovery, const struct scan *scan,
		     const struct perfdata *perfdata, const struct discover_options *options,
		     struct diag *diag);

/*
 * Puts what a map tells on its process' code map, which is being built, from when on the memory is
 * there: for code in anonymous memory that none of the process' dumps describes at any time.
 * Counts into found->used. 0 or -ENOMEM.
 */
int map_source__load(struct found_map *found, const struct discovery *discovery);

#endif
