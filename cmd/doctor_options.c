// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor_options.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#include "exit.h"

enum {
	OPT_PERF = 256,
	OPT_REPORT,
	OPT_REDACT,
	OPT_JSON,
	OPT_COLOR,
};

static const struct argp_option option_table[] = {
	{ "perf", OPT_PERF, "PATH", 0,
	  "The perf to be examined, or that is to read FILE (the one in PATH)", 1 },
	{ .doc = "What is said:", .group = 6 },
	{ "report", OPT_REPORT, "FILE", OPTION_ARG_OPTIONAL,
	  "All in one text for a bug report, with versions and evidence: to FILE, or standard output",
	  6 },
	{ "redact", OPT_REDACT, NULL, 0, "Leave paths and names of files and functions out", 6 },
	{ "quiet", 'q', NULL, 0, "The first line only", 6 },
	{ "verbose", 'v', NULL, 0, "More: all probes, also of what is right", 6 },
	{ "json", OPT_JSON, NULL, 0, "JSON", 6 },
	{ "color", OPT_COLOR, "WHEN", 0, "auto, always or never", 6 },
	{ 0 },
};

static error_t parse_flag(int key, struct doctor_options *options)
{
	switch (key) {
	case 'q':
		options->quiet = true;
		return 0;
	case 'v':
		options->verbose++;
		return 0;
	case OPT_REDACT:
		options->redact = true;
		return 0;
	case OPT_JSON:
		options->json = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_value(int key, const char *arg, struct doctor_options *options,
			   struct argp_state *state)
{
	switch (key) {
	case OPT_PERF:
		options->perf = arg;
		return 0;
	case OPT_REPORT:
		options->report = true;
		options->report_file = arg;
		return 0;
	case OPT_COLOR:
		options__set_color(&options->color, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct doctor_options *options = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->where;
		state->child_inputs[1] = &options->unwind;
		return 0;
	case ARGP_KEY_ARG:
		if (strcmp(arg, "-") == 0)
			argp_error(state,
				   "FILE is read more than once: it can't be standard input");
		options__check_name("FILE", arg, state);
		return array__push(&options->files, arg) ? 0 : ENOMEM;
	case ARGP_KEY_END:
		if (options->quiet && (options->verbose || options->report))
			argp_error(state, "--quiet goes with neither --verbose nor --report");
		if (options->redact && !options->report)
			argp_error(state, "--redact is for --report");
		return 0;
	}
	err = parse_flag(key, options);
	return err == ARGP_ERR_UNKNOWN ? parse_value(key, arg, options, state) : err;
}

void doctor_options__parse(struct doctor_options *options, int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = &where_options__argp, .header = "Where jitdumps are:", .group = 4 },
		{ .argp = &mapped_options__argp, .header = "Where mapped files are:", .group = 4 },
		{ 0 },
	};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[FILE...]",
		.doc = "Tells why a perf, a recording (perf.data) or a jitdump does not do what it "
		       "should, and what to do: the first line is the cause. Without FILE it tells "
		       "what this machine's perf can't do, by trying it.\v"
		       "Exit status: 0 nothing is wrong, 1 something is, 2 wrong usage, 3 an input can't "
		       "be read or the perf can't be run, 4 the report can't be written. "
		       "perfjit-doctor(1) tells more.",
		.children = children,
	};

	options__parse(&argp, "perfjit-doctor", argc, argv, options);
}

void doctor_options__free(struct doctor_options *options)
{
	array__free(&options->files);
	where_options__free(&options->where);
}
