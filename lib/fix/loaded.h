/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that the found dumps describe, put on the code maps of its processes. */
#ifndef PERFJIT_FIX_LOADED_H
#define PERFJIT_FIX_LOADED_H

#include "fix/discover.h"
#include "fix/scan.h"

struct diag;
struct kept;

struct loaded_options {
	bool without_aliases; /* leave memory that is mapped twice at its first place */
	struct kept *kept;    /* read: is settled, and what stands has an empty map; or NULL */
};

/*
 * Gives each process that a dump describes a code map, finished. Forked children that have a dump
 * of their own start with what they inherit. Of a process that has a dump whose times fit in no way
 * the map is empty: all of it is left as it is. 0 or a negative errno.
 */
int loaded__build(const struct scan *scan, struct discovery *discovery, struct perfdata *perfdata,
		  const struct loaded_options *options, struct diag *diag);

/*
 * The code at addr in a process at *time, inherited code included; early: loaded only later. Where
 * a file was mapped at *time that the code does not lie in there is none: memory of a library is
 * used again once it is unloaded, of which nothing tells. *time becomes the time that counts in the
 * process whose code it is: for inherited code the fork's.
 */
struct code *loaded__find(const struct process *process, uint64_t addr, uint64_t *time,
			  bool *early);

/*
 * The process that this one has its first memory from, or NULL. A fork at time 0 was made up by
 * perf: what that process had then is told, and whether it called exec since is not.
 */
const struct process *loaded__copied_from(const struct process *process);

/* The process whose code map says what is in this one: itself or an ancestor; NULL: none. */
const struct process *loaded__owner(const struct process *process);

#endif
