// SPDX-License-Identifier: GPL-2.0-or-later
#include "check_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"

enum {
	OPT_MIN_NAMED = 256,
	OPT_MIN_NAMED_ALL,
	OPT_MIN_COMPLETE,
	OPT_IGNORE_SHORT,
	OPT_EXPECT,
	OPT_FORBID,
	OPT_EXPECT_CHAIN,
	OPT_MIN_SAMPLES,
	OPT_MIN_FRAMES,
	OPT_PID,
	OPT_COMM,
	OPT_EVENT,
	OPT_PERF,
	OPT_MAX_DIFFER,
	OPT_JSON,
	OPT_TAP,
	OPT_JUNIT,
	OPT_GITHUB,
	OPT_FLAMEGRAPH,
	OPT_COLOR,
};

static const struct argp_option option_table[] = {
	{ .doc = "What must be so:", .group = 1 },
	{ "min-named", OPT_MIN_NAMED, "PCT", 0,
	  "At least PCT per cent of the frames in JIT code have their name", 1 },
	{ "min-named-all", OPT_MIN_NAMED_ALL, "PCT", 0, "The same of all user frames", 1 },
	{ "min-complete", OPT_MIN_COMPLETE, "PCT", 0,
	  "At least PCT per cent of the call chains reach the thread's beginning", 1 },
	{ "ignore-short", OPT_IGNORE_SHORT, NULL, 0,
	  "Leave chains out whose stack copy is too small for them", 1 },
	{ "expect", OPT_EXPECT, "GLOB", 0, "A frame by that name must be there; repeatable", 1 },
	{ "forbid", OPT_FORBID, "GLOB", 0, "No frame may have that name; repeatable", 1 },
	{ "expect-chain", OPT_EXPECT_CHAIN, "CHAIN", 0,
	  "A chain must have these frames: names (GLOB) with ';' between them, callers first, "
	  "'...' for any number of others; repeatable",
	  1 },
	{ "min-samples", OPT_MIN_SAMPLES, "N", 0,
	  "At least N samples, and chains for --min-complete (10)", 1 },
	{ "min-frames", OPT_MIN_FRAMES, "N", 0,
	  "At least N frames in JIT code, for --min-named too (10)", 1 },
	{ .doc = "Which samples count:", .group = 2 },
	{ "pid", OPT_PID, "PID", 0, "Those of this process; repeatable", 2 },
	{ "comm", OPT_COMM, "GLOB", 0, "Those of processes of this command; repeatable", 2 },
	{ "event", OPT_EVENT, "GLOB", 0, "Those of this event; repeatable", 2 },
	{ .doc = "Comparison:", .group = 5 },
	{ "perf", OPT_PERF, "PATH", 0,
	  "Compare with what this perf's script makes of the file; repeatable", 5 },
	{ "max-differ", OPT_MAX_DIFFER, "PCT", 0,
	  "Up to PCT per cent of the samples may differ from that perf's (1)", 5 },
	{ .doc = "What is said:", .group = 6 },
	{ "quiet", 'q', NULL, 0, "Only what failed, and what is wrong", 6 },
	{ "verbose", 'v', NULL, 0, "More: notes, all processes, all ranges", 6 },
	{ "json", OPT_JSON, NULL, 0, "JSON", 6 },
	{ "tap", OPT_TAP, NULL, 0, "Test Anything Protocol, a test for each demand", 6 },
	{ "junit", OPT_JUNIT, "FILE", OPTION_ARG_OPTIONAL,
	  "JUnit XML; with FILE it goes there, besides", 6 },
	{ "github", OPT_GITHUB, NULL, 0,
	  "Annotations of GitHub Actions, and its step summary where there is one", 6 },
	{ "flamegraph", OPT_FLAMEGRAPH, "FILE", 0,
	  "Besides, a page for browsers: a flame graph, and JIT memory over time", 6 },
	{ "color", OPT_COLOR, "WHEN", 0, "auto, always or never", 6 },
	{ 0 },
};

static double parse_percent(const char *option, const char *arg, struct argp_state *state)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || (*end && strcmp(end, "%") != 0) || !(value >= 0 && value <= 100))
		argp_error(state, "%s wants a number from 0 to 100, not '%s'", option, arg);
	return value;
}

static error_t add_wanted(struct check_arguments *arguments, enum check_wanted_kind kind,
			  const char *arg, struct argp_state *state)
{
	struct check_wanted wanted = { .kind = kind, .text = arg };

	if (kind == CHECK_EXPECT_CHAIN) {
		int err = chain_pattern__parse(&wanted.chain, arg);

		if (err == -ENOMEM)
			return ENOMEM;
		if (err)
			argp_error(state,
				   "--expect-chain wants names with ';' between them and one that "
				   "is not '...', not '%s'",
				   arg);
	} else if (!*arg) {
		argp_error(state, "%s wants a name",
			   kind == CHECK_EXPECT ? "--expect" : "--forbid");
	}
	if (array__push(&arguments->check.wanted, wanted))
		return 0;
	chain_pattern__free(&wanted.chain);
	return ENOMEM;
}

static error_t parse_demand(int key, const char *arg, struct check_arguments *arguments,
			    struct argp_state *state)
{
	struct check_demands *demands = &arguments->demands;

	switch (key) {
	case OPT_MIN_NAMED:
		demands->min_named = parse_percent("--min-named", arg, state);
		return 0;
	case OPT_MIN_NAMED_ALL:
		demands->min_named_all = parse_percent("--min-named-all", arg, state);
		return 0;
	case OPT_MIN_COMPLETE:
		demands->min_complete = parse_percent("--min-complete", arg, state);
		return 0;
	case OPT_IGNORE_SHORT:
		demands->ignore_short = true;
		return 0;
	case OPT_MIN_SAMPLES:
		demands->min_samples = options__number("--min-samples", arg, 0, INT64_MAX, state);
		return 0;
	case OPT_MIN_FRAMES:
		demands->min_frames = options__number("--min-frames", arg, 0, INT64_MAX, state);
		return 0;
	case OPT_EXPECT:
		return add_wanted(arguments, CHECK_EXPECT, arg, state);
	case OPT_FORBID:
		return add_wanted(arguments, CHECK_FORBID, arg, state);
	case OPT_EXPECT_CHAIN:
		return add_wanted(arguments, CHECK_EXPECT_CHAIN, arg, state);
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_selection(int key, const char *arg, struct check_arguments *arguments,
			       struct argp_state *state)
{
	struct check_options *check = &arguments->check;
	uint32_t pid;

	switch (key) {
	case OPT_PID:
		pid = (uint32_t)options__number("--pid", arg, 0, INT32_MAX, state);
		return array__push(&check->pids, pid) ? 0 : ENOMEM;
	case OPT_COMM:
		return array__push(&check->comms, arg) ? 0 : ENOMEM;
	case OPT_EVENT:
		return array__push(&check->events, arg) ? 0 : ENOMEM;
	case OPT_PERF:
		return array__push(&arguments->perfs, arg) ? 0 : ENOMEM;
	case OPT_MAX_DIFFER:
		arguments->max_differ = parse_percent("--max-differ", arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void set_form(struct check_arguments *arguments, enum check_form form,
		     struct argp_state *state)
{
	if (arguments->form != CHECK_TEXT && arguments->form != form)
		argp_error(state, "one of --json, --tap, --junit and --github at a time; "
				  "--junit=FILE goes with any");
	arguments->form = form;
}

static error_t parse_output(int key, const char *arg, struct check_arguments *arguments,
			    struct argp_state *state)
{
	switch (key) {
	case 'q':
		arguments->quiet = true;
		return 0;
	case 'v':
		arguments->verbose++;
		return 0;
	case OPT_JSON:
		set_form(arguments, CHECK_JSON, state);
		return 0;
	case OPT_TAP:
		set_form(arguments, CHECK_TAP, state);
		return 0;
	case OPT_GITHUB:
		set_form(arguments, CHECK_GITHUB, state);
		return 0;
	case OPT_JUNIT:
		if (arg)
			arguments->junit_file = arg;
		else
			set_form(arguments, CHECK_JUNIT, state);
		return 0;
	case OPT_FLAMEGRAPH:
		arguments->flamegraph = arg;
		return 0;
	case OPT_COLOR:
		options__set_color(&arguments->color, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct check_arguments *arguments = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->where;
		state->child_inputs[1] = &arguments->check.unwind;
		return 0;
	case ARGP_KEY_ARG:
		options__set_input(&arguments->input, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->input)
			arguments->input = "perf.data";
		if (arguments->quiet && arguments->verbose)
			argp_error(state, "--quiet and --verbose exclude each other");
		if (arguments->perfs.count && strcmp(arguments->input, "-") == 0)
			argp_error(state, "--perf reads the profile as well: it must be a file");
		return 0;
	}
	err = parse_demand(key, arg, arguments, state);
	if (err == ARGP_ERR_UNKNOWN)
		err = parse_selection(key, arg, arguments, state);
	return err == ARGP_ERR_UNKNOWN ? parse_output(key, arg, arguments, state) : err;
}

void check_arguments__parse(struct check_arguments *arguments, int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = &where_options__argp, .header = "Where jitdumps are:", .group = 4 },
		{ .argp = &mapped_options__argp, .header = "Where mapped files are:", .group = 4 },
		{ 0 },
	};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = "Tells how the samples of a profile (perf.data) resolve to names and unwind "
		       "to call chains, why some do not, and whether that is good enough. For CI, "
		       "on the output of perfjit-fix or on any other profile.\v"
		       "Exit status: 0 all is as demanded, 1 something is not, 2 wrong usage, 3 "
		       "input can't be read, 4 output can't be written; without demands 5 the JIT "
		       "code of a whole process is unnamed, 6 no sample is in JIT code. "
		       "perfjit-check(1) tells more.",
		.children = children,
	};

	arguments->demands = (struct check_demands){
		.min_named = -1,
		.min_named_all = -1,
		.min_complete = -1,
		.min_samples = -1,
		.min_frames = -1,
	};
	arguments->max_differ = 1;
	options__parse(&argp, "perfjit-check", argc, argv, arguments);
	arguments->demands.others = arguments->perfs.count > 0;
	arguments->check.discover = where_options__discover(&arguments->where);
}

void check_arguments__free(struct check_arguments *arguments)
{
	array__for_each(wanted, &arguments->check.wanted) {
		chain_pattern__free(&wanted->chain);
		free(wanted->example);
	}
	array__free(&arguments->check.wanted);
	array__free(&arguments->check.pids);
	array__free(&arguments->check.comms);
	array__free(&arguments->check.events);
	array__free(&arguments->perfs);
	where_options__free(&arguments->where);
}
