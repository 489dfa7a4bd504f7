/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a perf of this machine with nobody's settings. */
#ifndef PERFJIT_PERF_RUN_H
#define PERFJIT_PERF_RUN_H

#include "base/child.h"

#define PERF_ARGUMENTS_MAX 30

struct perf_run {
	const char *perf;             /* a path, or a name in PATH */
	const char *const *arguments; /* behind it; NULL ends */
	const char *home;             /* its HOME; NULL: a folder that nothing is in */
	const char *path;             /* its PATH; NULL: as it is */
	const char *input;            /* file that is its standard input, or NULL */
	unsigned int timeout;         /* seconds until it is killed */
	/* Called for each line of standard output. Not 0: it is killed. */
	int (*line)(void *context, char *line);
	void *context;
};

/*
 * 0, what line returned, or a negative errno: it can't be started. That it failed or hung is in the
 * result.
 */
int perf__run(const struct perf_run *run, struct child_result *result);

#endif
