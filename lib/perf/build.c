// SPDX-License-Identifier: GPL-2.0-or-later
#include "perf/build.h"

#include <stdio.h>
#include <string.h>

#include "perf/run.h"

#define VERSION_TIMEOUT 60 /* seconds */

/* " libelf: [ on  ]  # HAVE_LIBELF_SUPPORT" */
static void note_option(struct perf_build *build, const char *name, const char *state)
{
	const struct {
		const char *name;
		enum built_with *value;
	} known[] = {
		{ "libelf", &build->libelf },         { "libdw-dwarf-unwind", &build->libdw },
		{ "libunwind", &build->libunwind },   { "libcrypto", &build->libcrypto },
		{ "dwarf-unwind", &build->unwinder },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0)
			*known[i].value =
				strncasecmp(state, "on", 2) == 0 ? BUILT_WITH : BUILT_WITHOUT;
}

void perf_build__line(struct perf_build *build, const char *line)
{
	char name[64], state[16];

	if (sscanf(line, "perf version %63s", build->version) == 1)
		sscanf(build->version, "%u.%u", &build->major, &build->minor);
	else if (sscanf(line, " %63[^: ]: [ %15[^] ]", name, state) == 2)
		note_option(build, name, state);
}

static int take_line(void *context, char *line)
{
	perf_build__line(context, line);
	return 0;
}

int perf_build__ask(struct perf_build *build, const char *perf)
{
	static const char *const arguments[] = { "version", "--build-options", NULL };
	const struct perf_run run = {
		.perf = perf,
		.arguments = arguments,
		.timeout = VERSION_TIMEOUT,
		.line = take_line,
		.context = build,
	};
	struct child_result result;

	*build = (struct perf_build){ 0 };
	return perf__run(&run, &result);
}
