/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report in a file of its own, which is there when it is whole. */
#ifndef PERFJIT_CMD_REPORT_FILE_H
#define PERFJIT_CMD_REPORT_FILE_H

#include <stdio.h>

struct diag;

struct report_file {
	FILE *stream; /* to print to, in memory; NULL: memory */
	char *text;
	size_t size;
};

/* Whether one could be put at path: to be asked before long work. 0 or a negative errno, reported.
 */
int report_file__check(const char *path, struct diag *diag);
void report_file__open(struct report_file *file);
/*
 * Puts what was printed in the place of what is at path; a device or pipe gets it as it comes.
 * 0, or a negative errno, reported but for -ENOMEM. The file is closed.
 */
int report_file__commit(struct report_file *file, const char *path, struct diag *diag);
/* Forgets what was printed. Safe after commit. */
void report_file__abort(struct report_file *file);

#endif
