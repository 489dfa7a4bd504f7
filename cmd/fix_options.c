// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix_options.h"

#include <argp.h>
#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "failure.h"
#include "fix/output.h"

enum {
	OPT_DSO_DIR = 256,
	OPT_LAYOUT,
	OPT_RELOCATE,
	OPT_BUILDID_CACHE,
	OPT_PERF_MAP,
	OPT_PERF_ABI,
	OPT_FOR_PERF,
	OPT_CFI,
	OPT_DRY_RUN,
	OPT_FORCE,
	OPT_IN_PLACE,
	OPT_STRIP,
	OPT_UNWIND,
	OPT_KEEP_STACKS,
	OPT_MAX_STACK,
	OPT_SYMFS,
	OPT_NO_SYNC,
	OPT_REQUIRE_JIT,
	OPT_JSON,
	OPT_COLOR,
	OPT_WITHOUT,
};

/* As many as fit into a record. */
#define MAX_STACK_MAX 8000

static const struct argp_option option_table[] = {
	{ .doc = "Output:", .group = 1 },
	{ "output", 'o', "FILE", 0,
	  "Write the fixed profile to FILE (perf.fixed.data); \"-\", the default for FILE \"-\", is "
	  "standard output",
	  1 },
	{ "dso-dir", OPT_DSO_DIR, "DIR", 0, "Write the DSOs of JIT code to DIR (FILE.jit)", 1 },
	{ "dry-run", OPT_DRY_RUN, NULL, 0, "Say what would be done, write nothing", 1 },
	{ "force", OPT_FORCE, NULL, 0, "Replace an output that perfjit-fix did not write", 1 },
	{ "in-place", OPT_IN_PLACE, NULL, 0, "Replace the input by the output", 1 },
	{ "strip", OPT_STRIP, NULL, 0, "Take out what perfjit-fix once put in: gives its input",
	  1 },
	{ "relocate", OPT_RELOCATE, "DIR", 0,
	  "Name DIR, an absolute path, as the DSOs' folder: move them there; also for a FILE "
	  "that was fixed and moved",
	  1 },
	{ "buildid-cache", OPT_BUILDID_CACHE, "DIR", OPTION_ARG_OPTIONAL,
	  "File the DSOs in perf's build-id cache too (~/.debug), for perf archive", 1 },
	{ "perf-map", OPT_PERF_MAP, "DIR", OPTION_ARG_OPTIONAL,
	  "Instead of DSOs write perf-PID.map files to DIR (FILE.jit), for a perf that can't read "
	  "ELF files",
	  1 },
	{ "no-sync", OPT_NO_SYNC, NULL, 0, "Don't wait until the output is on the disk", 1 },
	{ .doc = "How it is done:", .group = 3 },
	{ "layout", OPT_LAYOUT, "LAYOUT", 0,
	  "auto, trampoline (a DSO for each function) or region (one for each run of code)", 3 },
	{ "perf-abi", OPT_PERF_ABI, "ABI", 0,
	  "What the output is to be read by: perf of a version (5.10 or newer), auto (older ones where "
	  "that costs nothing) or keep (the perf that recorded)",
	  3 },
	{ "for-perf", OPT_FOR_PERF, "PATH", 0,
	  "Find out what this perf can't do, and write the output so that it need not: sets "
	  "--perf-abi, --perf-map and --unwind where they are not given",
	  3 },
	{ "cfi", OPT_CFI, "CFI", 0,
	  "Where unwind tables come from: auto (the runtime's; what the code itself shows where there "
	  "are none), producer (the runtime's alone), synth (the code alone) or none",
	  3 },
	{ "unwind", OPT_UNWIND, "WHICH", OPTION_ARG_OPTIONAL,
	  "Put complete call chains into the samples in place of the stacks that were copied, for "
	  "every perf, with an unwinder or without: all of them, or jit, those that pass through JIT "
	  "code",
	  3 },
	{ "keep-stacks", OPT_KEEP_STACKS, NULL, 0,
	  "With --unwind: leave the copied stacks in the profile", 3 },
	{ "max-stack", OPT_MAX_STACK, "N", 0, "With --unwind: frames of a chain (1024)", 3 },
	{ "symfs", OPT_SYMFS, "DIR", 0, "With --unwind: look for mapped files under DIR", 3 },
	{ "require-jit", OPT_REQUIRE_JIT, NULL, 0,
	  "Without jitdumps write nothing, instead of a copy", 3 },
	{ .doc = "What is said:", .group = 4 },
	{ "quiet", 'q', NULL, 0, "No summary, only what is wrong", 4 },
	{ "verbose", 'v', NULL, 0, "More: notes, processes; twice: DSOs and records", 4 },
	{ "json", OPT_JSON, NULL, 0, "The summary as JSON", 4 },
	{ "color", OPT_COLOR, "WHEN", 0, "auto, always or never", 4 },
	/* for tests that show what each mechanism is for */
	{ "without", OPT_WITHOUT, "MECHANISM", OPTION_HIDDEN, NULL, 3 },
	{ 0 },
};

static error_t parse_without(struct fix_options *options, const char *arg, struct argp_state *state)
{
	/* by the bits of enum fix_mechanism */
	static const char *const names[] = { "nesting",      "exec-comm",     "pruning",
					     "aliases",      "reemission",    "hole",
					     "empty-header", "frame-pointer", "overlay",
					     "synthesis",    "exec-fork" };
	int choice = options__choice(arg, names, sizeof(names) / sizeof(*names));

	if (choice < 0)
		argp_error(state, "no mechanism is called '%s'", arg);
	else
		options->plan.without |= 1u << choice;
	return 0;
}

static error_t parse_layout(struct fix_options *options, const char *arg, struct argp_state *state)
{
	static const char *const names[] = { "auto", "trampoline", "region" };
	int choice = options__choice(arg, names, sizeof(names) / sizeof(*names));

	if (choice < 0)
		argp_error(state, "--layout is auto, trampoline or region, not '%s'", arg);
	else
		options->plan.layout = (enum fix_layout)choice;
	return 0;
}

static error_t parse_cfi(struct fix_options *options, const char *arg, struct argp_state *state)
{
	/* by enum function_cfi_source */
	static const char *const names[] = { "auto", "producer", "synth", "none" };
	int choice = options__choice(arg, names, sizeof(names) / sizeof(*names));

	if (choice < 0)
		argp_error(state, "--cfi is auto, producer, synth or none, not '%s'", arg);
	else
		options->plan.cfi = (enum function_cfi_source)choice;
	return 0;
}

static error_t parse_abi(struct fix_options *options, const char *arg, struct argp_state *state)
{
	options->abi = perfdata_abi__by_name(arg);
	if (options->abi)
		return 0;
	argp_error(state, "--perf-abi is auto, keep or a version of perf from 5.10 on, not '%s'",
		   arg);
	return EINVAL;
}

static error_t parse_unwind(struct fix_options *options, const char *arg, struct argp_state *state)
{
	if (arg && strcmp(arg, "all") != 0 && strcmp(arg, "jit") != 0) {
		argp_error(state, "--unwind is all or jit, not '%s'", arg);
		return EINVAL;
	}
	options->bake.which = arg && *arg == 'j' ? BAKE_JIT : BAKE_ALL;
	return 0;
}

static error_t parse_flag(int key, struct fix_options *options)
{
	switch (key) {
	case OPT_DRY_RUN:
		options->dry_run = true;
		return 0;
	case OPT_FORCE:
		options->force = true;
		return 0;
	case OPT_IN_PLACE:
		options->in_place = true;
		return 0;
	case OPT_STRIP:
		options->strip = true;
		return 0;
	case OPT_KEEP_STACKS:
		options->bake.keep_stacks = true;
		return 0;
	case OPT_NO_SYNC:
		options->no_sync = true;
		return 0;
	case OPT_REQUIRE_JIT:
		options->require_jit = true;
		return 0;
	case OPT_JSON:
		options->json = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'v':
		options->verbose++;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_folder(const char **folder, const char *option, const char *arg,
			    struct argp_state *state)
{
	if (arg[0] != '/')
		argp_error(state, "%s wants an absolute path, not '%s'", option, arg);
	if (strlen(arg) + NAME_MAX >= PATH_MAX)
		argp_error(state, "%s: no file in a folder of so long a name can be opened",
			   option);
	*folder = arg;
	return 0;
}

static error_t parse_buildid_cache(const char *arg, struct fix_options *options,
				   struct argp_state *state)
{
	const char *home = getenv("HOME");

	if (!arg && (!home || !*home))
		argp_error(state, "--buildid-cache: HOME is not set, name a folder");
	if (!arg && !options->default_cache &&
	    asprintf(&options->default_cache, "%s/.debug", home) < 0) {
		options->default_cache = NULL;
		return ENOMEM;
	}
	return parse_folder(&options->buildid_cache, "--buildid-cache",
			    arg ? arg : options->default_cache, state);
}

static error_t parse_value(int key, const char *arg, struct fix_options *options,
			   struct argp_state *state)
{
	switch (key) {
	case 'o':
		free(options->output);
		options->output = strdup(arg);
		return options->output ? 0 : ENOMEM;
	case OPT_DSO_DIR:
		if (!*arg)
			argp_error(state, "--dso-dir is a folder: '' is none");
		options->plan.dso_dir = arg;
		return 0;
	case OPT_RELOCATE:
		return parse_folder(&options->plan.relocate, "--relocate", arg, state);
	case OPT_BUILDID_CACHE:
		return parse_buildid_cache(arg, options, state);
	case OPT_PERF_MAP:
		options->perf_map = true;
		options->perf_map_dir = arg;
		return 0;
	case OPT_UNWIND:
		return parse_unwind(options, arg, state);
	case OPT_MAX_STACK:
		options->bake.max_stack =
			(unsigned int)options__number("--max-stack", arg, 1, MAX_STACK_MAX, state);
		return 0;
	case OPT_SYMFS:
		options->bake.symfs = arg;
		return 0;
	case OPT_LAYOUT:
		return parse_layout(options, arg, state);
	case OPT_WITHOUT:
		return parse_without(options, arg, state);
	case OPT_CFI:
		return parse_cfi(options, arg, state);
	case OPT_FOR_PERF:
		options->for_perf = arg;
		return 0;
	case OPT_PERF_ABI:
		return parse_abi(options, arg, state);
	case OPT_COLOR:
		options__set_color(&options->color, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void check_unwind(const struct fix_options *options, struct argp_state *state)
{
	const struct bake_options *bake = &options->bake;

	if (bake->which == BAKE_NONE && (bake->keep_stacks || bake->max_stack || bake->symfs))
		argp_error(state, "--keep-stacks, --max-stack and --symfs are for --unwind");
	if (bake->which == BAKE_JIT && bake->keep_stacks)
		argp_error(state, "--unwind=jit keeps the stacks of all other samples: "
				  "--keep-stacks does not go with it");
	if (bake->which != BAKE_NONE && options->strip)
		argp_error(state, "--strip takes changes back: --unwind does not go with it");
}

void fix_options__settle(struct fix_options *options)
{
	options->plan.no_dsos = options->perf_map && options->bake.which == BAKE_NONE;
}

/* What fits together is known only when all is read. */
static void check_together(struct fix_options *options, struct argp_state *state)
{
	if (options->in_place && options->output)
		argp_error(state, "--in-place and --output exclude each other");
	if (options->in_place && output__is_stream(options->input))
		argp_error(state, "standard input can't be replaced: leave --in-place out");
	if (options->output && !*options->output)
		argp_error(state, "--output is a file name: '' is none");
	if (options->strip && (options->plan.relocate || options->buildid_cache))
		argp_error(state, "--strip takes DSOs out: neither --relocate nor "
				  "--buildid-cache goes with it");
	if (options->perf_map &&
	    (options->strip || options->plan.relocate || options->buildid_cache))
		argp_error(state, "--perf-map makes no DSOs: neither --strip nor --relocate nor "
				  "--buildid-cache goes with it");
	check_unwind(options, state);
	fix_options__settle(options);
	if (options->quiet && options->verbose)
		argp_error(state, "--quiet and --verbose exclude each other");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct fix_options *options = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->where;
		return 0;
	case ARGP_KEY_ARG:
		options__set_input(&options->input, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!options->input)
			options->input = "perf.data";
		check_together(options, state);
		return 0;
	}
	err = parse_flag(key, options);
	return err == ARGP_ERR_UNKNOWN ? parse_value(key, arg, options, state) : err;
}

static size_t without_suffix(const char *path, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);
	size_t name = strlen(path) - strlen(file__base_name(path));

	/* a name that is nothing but the suffix keeps it */
	if (length > name + size && memcmp(path + length - size, suffix, size) == 0)
		return length - size;
	return length;
}

char *fix_options__default_output(const char *input, bool strip)
{
	size_t length = strlen(input);
	char *output;

	if (output__is_stream(input))
		return strdup(input);
	while (length > 1 && input[length - 1] == '/')
		length--;
	length = without_suffix(input, length, ".data");
	if (strip)
		length = without_suffix(input, length, ".fixed");
	if (asprintf(&output, "%.*s.%s.data", (int)length, input, strip ? "stripped" : "fixed") < 0)
		return NULL;
	return output;
}

void fix_options__parse(struct fix_options *options, int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = &where_options__argp, .header = "Where jitdumps are:", .group = 2 },
		{ 0 },
	};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[FILE]",
		.doc = "Makes every perf name and unwind the JIT code in a profile: reads FILE "
		       "(perf.data) and the jitdumps of the runtimes it recorded, writes "
		       "perf.fixed.data and a folder of DSOs.\v"
		       "Exit status: 0 done, 2 wrong usage, 3 input can't be read, 4 output can't be "
		       "written, 5 done but a whole dump is missing, 6 no jitdump in the profile. "
		       "perfjit-fix(1) tells more.",
		.children = children,
	};

	options__parse(&argp, "perfjit-fix", argc, argv, options);
	options->output_given = options->in_place || options->output;
	if (options->in_place)
		options->output = strdup(options->input);
	else if (!options->output)
		options->output = fix_options__default_output(options->input, options->strip);
	if (!options->output)
		failure__end_for_memory("perfjit-fix");
	options->to_stream = output__is_stream(options->output);
	/* DSOs are files whatever becomes of the profile */
	options->plan.output = options->to_stream ? "perf.fixed.data" : options->output;
	options->plan.discover = where_options__discover(&options->where);
}

void fix_options__free(struct fix_options *options)
{
	free(options->output);
	free(options->default_cache);
	where_options__free(&options->where);
}
