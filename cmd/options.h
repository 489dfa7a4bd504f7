/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command lines of several commands have in common. */
#ifndef PERFJIT_CMD_OPTIONS_H
#define PERFJIT_CMD_OPTIONS_H

#include <argp.h>

#include "base/array.h"
#include "fix/discover.h"
#include "terminal.h"
#include "unwind/unwind.h"

/*
 * Parses the command line into input. Ends the process when it is wrong, asks for --help or
 * --version, or memory is out.
 */
void options__parse(const struct argp *argp, const char *command, int argc, char **argv,
		    void *input);

/* A parser's answers to what several commands take; wrong usage ends the process. */

/* The one input. */
void options__set_input(const char **input, const char *arg, struct argp_state *state);
/* A file or folder; option is what asks for it. */
void options__check_name(const char *option, const char *arg, struct argp_state *state);
/* A whole number from least to most, which are not below 0. */
int64_t options__number(const char *option, const char *arg, int64_t least, int64_t most,
			struct argp_state *state);
/* Which of the names of choices arg is; -1 for none. */
int options__choice(const char *arg, const char *const *choices, size_t nr_choices);
/* --color=WHEN */
void options__set_color(enum color_when *color, const char *arg, struct argp_state *state);

/* The options that say where jitdumps and perf maps are. */
struct where_options {
	ARRAY(const char *) jitdumps;
	ARRAY(const char *) jitdump_dirs;
	ARRAY(const char *) perf_map_dirs;
	const char *root;
};

/* To be a child of a command's argp; child_inputs holds a struct where_options. */
extern const struct argp where_options__argp;

/* What was said, as the library takes it; valid as long as the options are. */
struct discover_options where_options__discover(const struct where_options *where);
void where_options__free(struct where_options *where);

/*
 * The options that say where mapped files are and what belongs to them. To be a child of a
 * command's argp; child_inputs holds a struct unwind_options.
 */
extern const struct argp mapped_options__argp;

#endif
