/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries a plan out: writes the DSOs and the changed profile. */
#ifndef PERFJIT_FIX_APPLY_H
#define PERFJIT_FIX_APPLY_H

#include "fix/bake.h"
#include "fix/plan.h"

struct diag;
struct perfdata_abi;

struct apply_options {
	const char *output; /* the fixed profile; appears complete or not at all; "-": a stream */
	bool no_sync;       /* don't wait for the disk */
	bool hide_dsos;     /* they are for unwinding only: no record names them, and none stays */
	bool all_build_ids; /* enter DSOs into the header however many: the build-id cache has them
			     */
	const struct perfdata_abi *abi; /* what perfs are to read the profile; NULL: "auto" */
	struct bake_options bake; /* whether to put call chains into samples */
	struct bake_counts *baked; /* filled if so; or NULL */
	/* NULL, or called as DSOs and then the profile are written; false: stop and take it back */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/*
 * Nothing that was there before is lost when this fails: new DSOs are removed, the old output
 * stands. 0 or a negative errno, reported; -ECANCELED, not reported, when progress said so.
 */
int plan__apply(const struct plan *plan, const struct apply_options *options, struct diag *diag);

#endif
