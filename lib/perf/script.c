// SPDX-License-Identifier: GPL-2.0-or-later
#include "perf/script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/run.h"

/* perf of a gigabyte takes minutes; one that takes longer hangs. */
#define USUAL_TIMEOUT 3600

static int end_sample(struct perf_script *script)
{
	bool open = script->open;

	script->open = false;
	return open ? script->visit(script->context, &script->sample) : 0;
}

/*
 * Where the symbol ends in "SYMBOL+0xOFFSET (DSO)": both may hold spaces and brackets. Sets offset
 * and dso; NULL for "[unknown] (DSO)" and the like, which have none.
 */
static char *end_of_symbol(char *text, uint64_t *offset, char **dso)
{
	char *plus = text;

	*offset = 0;
	while ((plus = strstr(plus, "+0x"))) {
		char *end;

		*offset = strtoull(plus + 3, &end, 16);
		if (end > plus + 3 && strncmp(end, " (", 2) == 0) {
			*dso = end + 2;
			return plus;
		}
		plus++;
	}
	*dso = strstr(text, " (");
	if (*dso)
		*dso += 2;
	return NULL;
}

/* "7f3c5a2b1c40 symbol+0x10 (/path/of the/dso)" */
static int read_frame(struct perf_script *script, char *line)
{
	struct script_frame frame = { 0 };
	char *text, *end, *dso;

	frame.ip = strtoull(line, &text, 16);
	if (text == line || *text != ' ' || frame.ip >= PERF_SCRIPT_KERNEL_SPACE)
		return 0;
	text++;
	end = end_of_symbol(text, &frame.offset, &dso);
	if (end) {
		*end = '\0';
		frame.symbol = names__number(script->names, text);
		if (!frame.symbol)
			return -ENOMEM;
	}
	if (dso && *dso) {
		dso[strlen(dso) - 1] = '\0';
		frame.dso = names__number(script->names, dso);
		if (!frame.dso)
			return -ENOMEM;
	}
	return array__push(&script->sample.frames, frame) ? 0 : -ENOMEM;
}

/* " 1234/1235  12.345678901: ", and a frame behind it when there are no chains. */
static bool read_head(struct perf_script *script, const char *line, int *length)
{
	struct script_sample *sample = &script->sample;
	int32_t pid, tid;
	uint64_t seconds;
	char ns[10];

	*length = 0;
	if (sscanf(line, " %" SCNd32 "/%" SCNd32 " %" SCNu64 ".%9[0-9]: %n", &pid, &tid, &seconds,
		   ns, length) < 4 ||
	    !*length || strlen(ns) != 9)
		return false;
	sample->pid = (uint32_t)pid;
	sample->tid = (uint32_t)tid;
	sample->time = seconds * UINT64_C(1000000000) + strtoull(ns, NULL, 10);
	sample->frames.count = 0;
	return true;
}

static char *skip_space(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

int perf_script__line(struct perf_script *script, char *line)
{
	char *text = skip_space(line);
	int length, err = 0;

	if (!*text)
		return end_sample(script);
	if (line[0] == '\t')
		return script->open ? read_frame(script, text) : 0;
	err = end_sample(script);
	if (err || !read_head(script, line, &length))
		return err;
	script->open = true;
	return line[length] ? read_frame(script, skip_space(line + length)) : 0;
}

int perf_script__end(struct perf_script *script)
{
	return end_sample(script);
}

void perf_script__free(struct perf_script *script)
{
	array__free(&script->sample.frames);
}

static int take_line(void *context, char *line)
{
	return perf_script__line(context, line);
}

int perf_script__run(struct perf_script *script, const struct perf_script_options *options,
		     struct child_result *result)
{
	static const char *const usual[] = {
		"--force", "--no-inline", "--no-demangle",    "--max-stack", "127",
		"--ns",    "-F",          PERF_SCRIPT_FIELDS, "-i",
	};
	const char *arguments[PERF_ARGUMENTS_MAX + 1] = { NULL };
	const struct perf_run run = {
		.perf = options->perf,
		.arguments = arguments,
		.home = options->home,
		.input = options->pipe ? options->profile : NULL,
		.timeout = options->timeout ? options->timeout : USUAL_TIMEOUT,
		.line = take_line,
		.context = script,
	};
	size_t n = 0;
	int err;

	if (options->buildid_dir) {
		arguments[n++] = "--buildid-dir";
		arguments[n++] = options->buildid_dir;
	}
	arguments[n++] = "script";
	if (options->symfs) {
		arguments[n++] = "--symfs";
		arguments[n++] = options->symfs;
	}
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		arguments[n++] = usual[i];
	arguments[n] = options->pipe ? "-" : options->profile;
	err = perf__run(&run, result);
	return err ? err : perf_script__end(script);
}
