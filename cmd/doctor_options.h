/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of perfjit-doctor. */
#ifndef PERFJIT_CMD_DOCTOR_OPTIONS_H
#define PERFJIT_CMD_DOCTOR_OPTIONS_H

#include "options.h"
#include "terminal.h"

struct doctor_options {
	ARRAY(const char *) files;
	const char *perf; /* NULL: the one in PATH, if there is one */
	struct where_options where;
	struct unwind_options unwind;
	const char *report_file; /* NULL: standard output */
	bool report;
	bool redact;
	bool json;
	bool quiet;
	unsigned int verbose;
	enum color_when color;
};

/* Ends the process when the command line is wrong, or asks for --help or --version. */
void doctor_options__parse(struct doctor_options *options, int argc, char **argv);
void doctor_options__free(struct doctor_options *options);

#endif
