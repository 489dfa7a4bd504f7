/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of perfjit-fix. */
#ifndef PERFJIT_CMD_FIX_OPTIONS_H
#define PERFJIT_CMD_FIX_OPTIONS_H

#include "fix/bake.h"
#include "fix/plan.h"
#include "options.h"
#include "perfdata/abi_level.h"
#include "terminal.h"

#define FIX_CHOSEN_MAX 256

struct diag;

struct fix_options {
	const char *input;
	char *output; /* given or made from the input's name */
	struct plan_options plan;
	const struct perfdata_abi *abi; /* NULL: auto */
	struct bake_options bake;
	struct where_options where;
	const char *buildid_cache; /* folder to file DSOs in; NULL: don't */
	char *default_cache;
	const char *for_perf;        /* the perf that is to read the output; or NULL */
	char chosen[FIX_CHOSEN_MAX]; /* for it: which perf and which options, for people; or "" */
	bool perf_map;
	const char *perf_map_dir; /* NULL: the folder that DSOs would be in */
	bool output_given;        /* by --output or --in-place */
	bool to_stream;           /* output is "-": standard output */
	bool dry_run;
	bool force;
	bool in_place;
	bool strip;
	bool no_sync;
	bool require_jit;
	bool quiet;
	bool json;
	unsigned int verbose;
	enum color_when color;
};

/* Ends the process when the command line is wrong, or asks for --help or --version. */
void fix_options__parse(struct fix_options *options, int argc, char **argv);
/*
 * Probes options->for_perf and sets what was not said on the command line as it needs it. 0 or a
 * negative errno, reported.
 */
int fix_options__choose(struct fix_options *options, struct diag *diag);
/* Sets what follows from several options together. */
void fix_options__settle(struct fix_options *options);
void fix_options__free(struct fix_options *options);

/* "perf.data" gives "perf.fixed.data", "x" "x.fixed.data", "-" itself. NULL: memory. */
char *fix_options__default_output(const char *input, bool strip);

#endif
