/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another program, run without a shell, its output read line by line. */
#ifndef PERFJIT_BASE_CHILD_H
#define PERFJIT_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/* Longer lines are cut. */
#define CHILD_LINE_MAX 65536
/* Of standard error, what comes first is kept. */
#define CHILD_ERRORS_MAX 2048

struct child_options {
	const char *const *argv;  /* argv[0] is a path, or a name to be found in PATH; NULL ends */
	const char *const *set;   /* "NAME=value" in its environment, NULL ends; or NULL */
	const char *const *unset; /* names to leave out of it, NULL ends; or NULL */
	unsigned int timeout;     /* seconds until it is killed; 0: none */
	/* Called for each line of standard output, without its end. Not 0: it is killed. */
	int (*line)(void *context, char *line);
	void *context;
	const char *input; /* file that is its standard input; NULL: nothing */
};

struct child_result {
	int status; /* exit code; 128 + number of the signal that ended it */
	bool timed_out;
	char errors[CHILD_ERRORS_MAX]; /* of its standard error, always terminated */
};

/*
 * Runs it to its end, in a process group of its own that is killed as one. 0, what line returned,
 * or a negative errno when it can't be started.
 */
int child__run(const struct child_options *options, struct child_result *result);

#endif
