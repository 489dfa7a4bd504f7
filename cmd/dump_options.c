// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum {
	OPT_FUNCTION = 256,
	OPT_ADDRESS,
	OPT_PID,
	OPT_TIME,
	OPT_TYPE,
	OPT_CFI,
	OPT_CODE,
	OPT_LINES,
	OPT_STATS,
	OPT_SUMMARY,
	OPT_HEADER,
	OPT_JSON,
	OPT_COLOR,
};

static const struct argp_option option_table[] = {
	{ .doc = "What is printed:", .group = 1 },
	{ "header", OPT_HEADER, NULL, 0, "Only what describes the file, no records", 1 },
	{ "summary", OPT_SUMMARY, NULL, 0, "Only what is odd about the file and what it means", 1 },
	{ "stats", OPT_STATS, NULL, 0, "Only how many records of each type there are", 1 },
	{ "hex", 'x', NULL, 0, "The bytes of records, too", 1 },
	{ "code", OPT_CODE, NULL, 0, "The instructions of functions, too", 1 },
	{ "lines", OPT_LINES, NULL, 0, "Instructions, and the source lines they come from", 1 },
	{ "cfi", OPT_CFI, NULL, 0,
	  "Instructions, what the unwind table says at each, and whether it is right", 1 },
	{ .doc = "Of what (repeated: of all that are named):", .group = 2 },
	{ "function", OPT_FUNCTION, "GLOB", 0, "Functions whose name matches", 2 },
	{ "address", OPT_ADDRESS, "ADDR[-ADDR]", 0, "What covers any of these addresses", 2 },
	{ "pid", OPT_PID, "PID", 0, "Records of this process", 2 },
	{ "time", OPT_TIME, "FROM-TO", 0,
	  "Records of that time, in seconds as perf script prints them; either end may be left "
	  "out",
	  2 },
	{ "type", OPT_TYPE, "TYPE", 0, "Records of this type: LOAD, MMAP2 ...", 2 },
	{ .doc = "How it is printed:", .group = 3 },
	{ "json", OPT_JSON, NULL, 0, "As JSON, an object a line", 3 },
	{ "color", OPT_COLOR, "WHEN", 0, "auto, always or never", 3 },
	{ 0 },
};

static bool read_address(const char **text, uint64_t *value)
{
	char *end;

	/* addresses are hexadecimal everywhere, with or without 0x */
	if (!**text || strchr("+- \t", **text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 16);
	if (end == *text || errno)
		return false;
	*text = end;
	return true;
}

static bool parse_address(struct dump_selection *select, const char *arg)
{
	if (!read_address(&arg, &select->first))
		return false;
	select->last = select->first;
	select->by_address = true;
	if (*arg == '-') {
		arg++;
		if (!read_address(&arg, &select->last))
			return false;
	}
	return !*arg && select->first <= select->last;
}

/* Seconds with up to 9 digits behind the point: no double holds them all. */
static bool read_seconds(const char **text, uint64_t *ns)
{
	const char *p = *text;
	uint64_t value = 0, unit = 1000000000;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return false;
	if (__builtin_mul_overflow(value, unit, &value))
		return false;
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++) {
			unit /= 10;
			value += (uint64_t)(*p - '0') * unit;
		}
	}
	*text = p;
	*ns = value;
	return true;
}

static bool parse_time(struct dump_selection *select, const char *arg)
{
	select->by_time = true;
	select->from = 0;
	select->to = UINT64_MAX;
	if (*arg != '-' && !read_seconds(&arg, &select->from))
		return false;
	if (*arg++ != '-')
		return false;
	if (*arg && !read_seconds(&arg, &select->to))
		return false;
	return !*arg && select->from <= select->to;
}

static error_t parse_selection(int key, const char *arg, struct dump_selection *select,
			       struct argp_state *state)
{
	uint32_t pid;

	switch (key) {
	case OPT_FUNCTION:
		return array__push(&select->functions, arg) ? 0 : ENOMEM;
	case OPT_TYPE:
		return array__push(&select->types, arg) ? 0 : ENOMEM;
	case OPT_ADDRESS:
		if (!parse_address(select, arg))
			argp_error(state, "--address wants ADDR or ADDR-ADDR, not '%s'", arg);
		return 0;
	case OPT_TIME:
		if (!parse_time(select, arg))
			argp_error(state, "--time wants FROM-TO in seconds, not '%s'", arg);
		return 0;
	case OPT_PID:
		/* a damaged profile's may be anything of 32 bits */
		pid = (uint32_t)options__number("--pid", arg, 0, UINT32_MAX, state);
		return array__push(&select->pids, pid) ? 0 : ENOMEM;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_flag(int key, const char *arg, struct dump_options *options,
			  struct argp_state *state)
{
	switch (key) {
	case OPT_HEADER:
		options->header = true;
		return 0;
	case OPT_SUMMARY:
		options->summary = true;
		return 0;
	case OPT_STATS:
		options->stats = true;
		return 0;
	case 'x':
		options->hex = true;
		return 0;
	case OPT_CODE:
		options->code = true;
		return 0;
	case OPT_LINES:
		options->lines = options->code = true;
		return 0;
	case OPT_CFI:
		options->cfi = options->code = true;
		return 0;
	case OPT_JSON:
		options->json = true;
		return 0;
	case OPT_COLOR:
		options__set_color(&options->color, arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_options *options = state->input;
	error_t err;

	switch (key) {
	case ARGP_KEY_ARG:
		options__set_input(&options->input, arg, state);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? - is standard input");
		return EINVAL;
	case ARGP_KEY_END:
		if (options->header + options->summary + options->stats > 1)
			argp_error(state, "--header, --summary and --stats exclude each other");
		if ((options->header || options->summary || options->stats) &&
		    (options->code || options->hex))
			argp_error(state,
				   "--code, --lines, --cfi and --hex print records: --header, "
				   "--summary and --stats do not");
		return 0;
	}
	err = parse_flag(key, arg, options, state);
	return err == ARGP_ERR_UNKNOWN ? parse_selection(key, arg, &options->select, state) : err;
}

void dump_options__parse(struct dump_options *options, int argc, char **argv)
{
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "FILE",
		.doc = "Prints a jitdump, a perf.data, a DSO of JIT code or a perf map, and says what "
		       "is wrong with it.\v"
		       "Exit status: 0 done, 1 nothing is there of what was selected, or an unwind table "
		       "does not fit its code (--cfi), 2 wrong usage, 3 input can't be read, 4 output "
		       "can't be written. perfjit-dump(1) tells more.",
	};

	options__parse(&argp, "perfjit-dump", argc, argv, options);
}

void dump_options__free(struct dump_options *options)
{
	array__free(&options->select.functions);
	array__free(&options->select.types);
	array__free(&options->select.pids);
}
