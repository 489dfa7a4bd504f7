/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fixed profile whose folder of DSOs was moved: its records are made to name the new place. What
 * the profile was before it was fixed can still be restored from the result. Needs no jitdumps.
 */
#ifndef PERFJIT_FIX_RELOCATE_H
#define PERFJIT_FIX_RELOCATE_H

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct perfdata;

struct relocate_options {
	const char *output; /* appears complete or not at all; "-": a stream */
	const char *folder; /* absolute path where the DSOs now are */
	bool no_sync;       /* don't wait for the disk */
};

struct relocate_result {
	size_t nr_records; /* mappings of DSOs that were rewritten */
	size_t nr_missing; /* among them: whose file is not in the folder, on this machine */
};

/* 0 or a negative errno, reported: -EINVAL when the profile was not fixed. */
int relocate__write(struct perfdata *fixed, const struct relocate_options *options,
		    struct relocate_result *result, struct diag *diag);

#endif
