// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/perf_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* perf of a gigabyte takes minutes; one that takes longer hangs. */
#define SCRIPT_TIMEOUT  3600
#define VERSION_TIMEOUT 60

/* A folder that nothing is in, for perf to call HOME. */
static char *make_home(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path;

	if (asprintf(&path, "%s/perfjit-check-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		return NULL;
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

/* perf may have made its cache in it, as empty folders. */
static void remove_home(char *home)
{
	char cache[4096];

	if (snprintf(cache, sizeof(cache), "%s/.debug", home) < (int)sizeof(cache))
		rmdir(cache);
	rmdir(home);
	free(home);
}

static int run(const char *const *argv, unsigned int timeout,
	       int (*line)(void *context, char *line), void *context, struct child_result *result)
{
	static const char *const unset[] = { "PERF_BUILDID_DIR", "PERF_BUILDID_STYLE", NULL };
	const char *set[] = { NULL,
			      "PERF_CONFIG=/dev/null",
			      "DEBUGINFOD_URLS=",
			      "LC_ALL=C",
			      "TERM=dumb",
			      "PERF_PAGER=cat",
			      NULL };
	struct child_options options = { argv, set, unset, timeout, line, context, NULL };
	char *home = make_home(), *variable = NULL;
	int err;

	if (!home || asprintf(&variable, "HOME=%s", home) < 0) {
		if (home)
			remove_home(home);
		return -ENOMEM;
	}
	set[0] = variable;
	err = child__run(&options, result);
	remove_home(home);
	free(variable);
	return err;
}

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
	const char *argv[] = { perf, "version", "--build-options", NULL };
	struct child_result result;

	*build = (struct perf_build){ 0 };
	return run(argv, VERSION_TIMEOUT, take_line, build, &result);
}

static int script_line(void *context, char *line)
{
	return perf_script__line(context, line);
}

int perf_build__script(const struct perf_script_options *options, struct perf_script *script,
		       struct child_result *result)
{
	const char *argv[24] = { options->perf };
	size_t n = 1;
	int err;

	if (options->buildid_dir) {
		argv[n++] = "--buildid-dir";
		argv[n++] = options->buildid_dir;
	}
	argv[n++] = "script";
	if (options->symfs) {
		argv[n++] = "--symfs";
		argv[n++] = options->symfs;
	}
	argv[n++] = "--force";
	argv[n++] = "--no-inline";
	argv[n++] = "--no-demangle";
	argv[n++] = "--max-stack";
	argv[n++] = "127";
	argv[n++] = "--ns";
	argv[n++] = "-F";
	argv[n++] = PERF_SCRIPT_FIELDS;
	argv[n++] = "-i";
	argv[n++] = options->profile;
	err = run(argv, SCRIPT_TIMEOUT, script_line, script, result);
	return err ? err : perf_script__end(script);
}
