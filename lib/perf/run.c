// SPDX-License-Identifier: GPL-2.0-or-later
#include "perf/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scratch.h"

static int run_at(const struct perf_run *run, const char *home, struct child_result *result)
{
	static const char *const unset[] = { "PERF_BUILDID_DIR", "PERF_BUILDID_STYLE", "JITDUMPDIR",
					     NULL };
	char *home_is = NULL, *path_is = NULL;
	const char *argv[PERF_ARGUMENTS_MAX + 2] = { run->perf };
	int err = -ENOMEM;

	for (size_t i = 0; i < PERF_ARGUMENTS_MAX && run->arguments[i]; i++)
		argv[i + 1] = run->arguments[i];
	if (asprintf(&home_is, "HOME=%s", home) >= 0 &&
	    (!run->path || asprintf(&path_is, "PATH=%s", run->path) >= 0)) {
		const char *const set[] = { "PERF_CONFIG=/dev/null",
					    "DEBUGINFOD_URLS=",
					    "LC_ALL=C",
					    "TERM=dumb",
					    "PERF_PAGER=cat",
					    home_is,
					    run->path ? path_is : NULL,
					    NULL };
		const struct child_options options = {
			.argv = argv,
			.set = set,
			.unset = unset,
			.input = run->input,
			.timeout = run->timeout,
			.line = run->line,
			.context = run->context,
		};

		err = child__run(&options, result);
	}
	free(home_is);
	free(path_is);
	return err;
}

int perf__run(const struct perf_run *run, struct child_result *result)
{
	struct scratch home;
	int err;

	if (run->home)
		return run_at(run, run->home, result);
	err = scratch__make(&home, NULL, "perfjit-home");
	if (err)
		return err;
	err = run_at(run, home.folder, result);
	scratch__remove(&home);
	return err;
}
