/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of perfjit-check. */
#ifndef PERFJIT_CMD_CHECK_OPTIONS_H
#define PERFJIT_CMD_CHECK_OPTIONS_H

#include "check/judge.h"
#include "options.h"
#include "terminal.h"

/* What goes to standard output. */
enum check_form {
	CHECK_TEXT,
	CHECK_JSON,
	CHECK_TAP,
	CHECK_JUNIT,
	CHECK_GITHUB,
};

struct check_arguments {
	const char *input;
	struct check_options check;
	struct check_demands demands;
	struct where_options where;
	enum check_form form;
	const char *junit_file;    /* besides; or NULL */
	const char *flamegraph;    /* the same */
	ARRAY(const char *) perfs; /* to compare with */
	double max_differ;         /* per cent of samples that may */
	bool quiet;
	unsigned int verbose;
	enum color_when color;
};

/* Ends the process when the command line is wrong, or asks for --help or --version. */
void check_arguments__parse(struct check_arguments *arguments, int argc, char **argv);
void check_arguments__free(struct check_arguments *arguments);

#endif
