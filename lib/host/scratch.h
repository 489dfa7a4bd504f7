/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of its own for a perf to work in: nobody's settings, nobody's caches. */
#ifndef PERFJIT_HOST_SCRATCH_H
#define PERFJIT_HOST_SCRATCH_H

#include "base/child.h"
#include "check/perf_script.h"

struct diag;

struct scratch {
	const char *perf;
	char *folder; /* holds home */
	char *jitted; /* a folder whose name begins as perf inject's files in /tmp; or NULL */
	struct diag *diag;
};

/* perf NULL: the folder alone. 0 or a negative errno, reported. */
int scratch__make(struct scratch *scratch, const char *perf, struct diag *diag);
/* Removes all that is in it. */
void scratch__remove(struct scratch *scratch);

/* "FOLDER/name", to be freed; NULL: memory. */
char *scratch__path(const struct scratch *scratch, const char *name);

struct scratch_run {
	const char *const *arguments; /* behind perf; NULL ends */
	const char *input;            /* file for standard input, or NULL */
	int (*line)(void *context, char *line);
	void *context;
};

/*
 * Runs perf, with the folder's home as HOME. 0 or a negative errno: it can't be started; that it
 * failed or hung is in the result.
 */
int scratch__run(const struct scratch *scratch, const struct scratch_run *run,
		 struct child_result *result);

/* `perf script` of a profile, told by a script; pipe: by standard input. */
int scratch__script(const struct scratch *scratch, const char *profile, bool pipe,
		    struct perf_script *script, struct child_result *result);

#endif
