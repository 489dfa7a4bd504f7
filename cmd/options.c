// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfi/track.h"
#include "failure.h"
#include "perfjit.h"

/* Keys that no command uses for options of its own. */
enum {
	OPT_JITDUMP = 0x10000,
	OPT_JITDUMP_DIR,
	OPT_PERF_MAP_DIR,
	OPT_ROOT,
	OPT_SYMFS,
	OPT_DEBUG_DIR,
	OPT_BUILDID_DIR,
	OPT_USAGE,
};

/* argp has these, too, but ends the process with 0 if the answer can't be written. */
static const struct argp_option question_table[] = {
	{ "help", '?', NULL, 0, "Give this help list", -1 },
	{ "usage", OPT_USAGE, NULL, 0, "Give a short usage message", -1 },
	{ "version", 'V', NULL, 0, "Print program version", -1 },
	{ 0 },
};

static void print_version(const struct argp_state *state)
{
	static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

	printf("%s %s\n", state->name, perfjit__version());
	if (!cfi__can_track(&x86_64))
		puts("built without a disassembler: code is not followed for unwind tables");
}

static void end(const struct argp_state *state)
{
	if (failure__is_written(stdout))
		exit(EXIT_DONE);
	fprintf(stderr, "%s: error: can't write to standard output\n", state->name);
	exit(EXIT_OUTPUT);
}

static error_t parse_question(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case '?':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
		end(state);
		return 0;
	case OPT_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE);
		end(state);
		return 0;
	case 'V':
		print_version(state);
		end(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

void options__parse(const struct argp *argp, const char *command, int argc, char **argv,
		    void *input)
{
	const struct argp_child children[] = { { .argp = argp }, { 0 } };
	const struct argp all = {
		.options = question_table,
		.parser = parse_question,
		.children = children,
	};

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&all, argc, argv, ARGP_NO_HELP, NULL, input))
		failure__end_for_memory(command);
}

void options__check_name(const char *option, const char *arg, struct argp_state *state)
{
	if (!*arg)
		argp_error(state, "%s wants a name: '' is none", option);
}

int64_t options__number(const char *option, const char *arg, int64_t least, int64_t most,
			struct argp_state *state)
{
	char *end;
	intmax_t value;

	errno = 0;
	value = strtoimax(arg, &end, 10);
	/* strtoimax skips blanks and takes signs */
	if (*arg >= '0' && *arg <= '9' && !*end && !errno && value >= least && value <= most)
		return value;
	if (most == INT64_MAX)
		argp_error(state, "%s wants a whole number, not '%s'", option, arg);
	else
		argp_error(state, "%s wants a number from %" PRId64 " to %" PRId64 ", not '%s'",
			   option, least, most, arg);
	return least;
}

int options__choice(const char *arg, const char *const *choices, size_t nr_choices)
{
	for (size_t i = 0; i < nr_choices; i++) {
		if (strcmp(arg, choices[i]) == 0)
			return (int)i;
	}
	return -1;
}

void options__set_input(const char **input, const char *arg, struct argp_state *state)
{
	if (*input)
		argp_error(state, "one input at a time: '%s' is too much", arg);
	options__check_name("FILE", arg, state);
	*input = arg;
}

void options__set_color(enum color_when *color, const char *arg, struct argp_state *state)
{
	/* by enum color_when */
	static const char *const names[] = { "auto", "always", "never" };
	int choice = options__choice(arg, names, sizeof(names) / sizeof(*names));

	if (choice < 0)
		argp_error(state, "--color is auto, always or never, not '%s'", arg);
	else
		*color = (enum color_when)choice;
}

static const struct argp_option where_table[] = {
	{ "jitdump", OPT_JITDUMP, "[PID=]FILE", 0, "Use this jitdump (of process PID); repeatable",
	  1 },
	{ "jitdump-dir", OPT_JITDUMP_DIR, "DIR", 0, "Look for jitdumps here first; repeatable", 1 },
	{ "perf-map-dir", OPT_PERF_MAP_DIR, "DIR", 0,
	  "Look for maps (perf-PID.map) of what no jitdump tells of here first; repeatable", 1 },
	{ "root", OPT_ROOT, "DIR", 0, "Recorded paths are below DIR, the root of a container", 1 },
	{ 0 },
};

/* What stands behind "PID=". */
static const char *file_of(const char *arg)
{
	size_t digits = strspn(arg, "0123456789");

	return digits && arg[digits] == '=' ? arg + digits + 1 : arg;
}

static error_t parse_where(int key, char *arg, struct argp_state *state)
{
	struct where_options *where = state->input;

	switch (key) {
	case OPT_JITDUMP:
		options__check_name("--jitdump", file_of(arg), state);
		return array__push(&where->jitdumps, arg) ? 0 : ENOMEM;
	case OPT_JITDUMP_DIR:
		options__check_name("--jitdump-dir", arg, state);
		return array__push(&where->jitdump_dirs, arg) ? 0 : ENOMEM;
	case OPT_PERF_MAP_DIR:
		options__check_name("--perf-map-dir", arg, state);
		return array__push(&where->perf_map_dirs, arg) ? 0 : ENOMEM;
	case OPT_ROOT:
		options__check_name("--root", arg, state);
		where->root = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp where_options__argp = { .options = where_table, .parser = parse_where };

struct discover_options where_options__discover(const struct where_options *where)
{
	return (struct discover_options){
		.jitdumps = where->jitdumps.items,
		.nr_jitdumps = where->jitdumps.count,
		.jitdump_dirs = where->jitdump_dirs.items,
		.nr_jitdump_dirs = where->jitdump_dirs.count,
		.perf_map_dirs = where->perf_map_dirs.items,
		.nr_perf_map_dirs = where->perf_map_dirs.count,
		.root = where->root,
	};
}

void where_options__free(struct where_options *where)
{
	array__free(&where->jitdumps);
	array__free(&where->jitdump_dirs);
	array__free(&where->perf_map_dirs);
}

static const struct argp_option mapped_table[] = {
	{ "symfs", OPT_SYMFS, "DIR", 0, "Look for mapped files under DIR", 1 },
	{ "debug-dir", OPT_DEBUG_DIR, "DIR", 0, "Separate debug files (/usr/lib/debug)", 1 },
	{ "buildid-dir", OPT_BUILDID_DIR, "DIR", 0, "perf's build-id cache (~/.debug)", 1 },
	{ 0 },
};

static error_t parse_mapped(int key, char *arg, struct argp_state *state)
{
	struct unwind_options *unwind = state->input;

	switch (key) {
	case OPT_SYMFS:
		unwind->symfs = arg;
		return 0;
	case OPT_DEBUG_DIR:
		unwind->debug_dir = arg;
		return 0;
	case OPT_BUILDID_DIR:
		unwind->buildid_dir = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp mapped_options__argp = { .options = mapped_table, .parser = parse_mapped };
