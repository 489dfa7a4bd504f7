// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"

/* A probe is done in a fraction of a second; on a loaded machine it may take longer. */
#define PROBE_TIMEOUT 120
#define ARGUMENTS_MAX 24
#define REMOVE_FDS    16

static char *make_folder(const char *parent, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s-XXXXXX", parent, name) < 0)
		return NULL;
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

int scratch__make(struct scratch *scratch, const char *perf, struct diag *diag)
{
	const char *tmp = getenv("TMPDIR");
	char *home;
	int err = 0;

	*scratch = (struct scratch){ .perf = perf, .diag = diag };
	scratch->folder = make_folder(tmp && *tmp ? tmp : "/tmp", "perfjit-doctor");
	if (!scratch->folder) {
		err = -errno;
		diag__report(diag, DIAG_ERROR, "host.folder", NULL, DIAG_NO_OFFSET,
			     "can't make a folder for probing: %s", strerror(errno));
		return err;
	}
	home = scratch__path(scratch, "home");
	if (!home || mkdir(home, 0700) < 0)
		err = home ? -errno : -ENOMEM;
	free(home);
	scratch->jitted = perf ? make_folder("/tmp", "jitted") : NULL;
	if (err)
		scratch__remove(scratch);
	return err;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static void remove_folder(char *folder)
{
	if (folder)
		nftw(folder, remove_one, REMOVE_FDS, FTW_DEPTH | FTW_PHYS);
	free(folder);
}

void scratch__remove(struct scratch *scratch)
{
	remove_folder(scratch->folder);
	remove_folder(scratch->jitted);
	scratch->folder = scratch->jitted = NULL;
}

char *scratch__path(const struct scratch *scratch, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", scratch->folder, name) < 0 ? NULL : path;
}

int scratch__run(const struct scratch *scratch, const struct scratch_run *run,
		 struct child_result *result)
{
	static const char *const unset[] = { "PERF_BUILDID_DIR", "PERF_BUILDID_STYLE", "JITDUMPDIR",
					     NULL };
	const char *set[] = { NULL,
			      "PERF_CONFIG=/dev/null",
			      "DEBUGINFOD_URLS=",
			      "LC_ALL=C",
			      "TERM=dumb",
			      "PERF_PAGER=cat",
			      NULL };
	const char *argv[ARGUMENTS_MAX + 2] = { scratch->perf };
	struct child_options options = {
		.argv = argv,
		.set = set,
		.unset = unset,
		.input = run->input,
		.timeout = PROBE_TIMEOUT,
		.line = run->line,
		.context = run->context,
	};
	char *home;
	int err;

	for (size_t i = 0; run->arguments[i] && i < ARGUMENTS_MAX; i++)
		argv[i + 1] = run->arguments[i];
	if (asprintf(&home, "HOME=%s/home", scratch->folder) < 0)
		return -ENOMEM;
	set[0] = home;
	err = child__run(&options, result);
	free(home);
	return err;
}

static int script_line(void *context, char *line)
{
	return perf_script__line(context, line);
}

int scratch__script(const struct scratch *scratch, const char *profile, bool pipe,
		    struct perf_script *script, struct child_result *result)
{
	const char *arguments[] = {
		"script", "--force",          "--no-inline", "--no-demangle",      "--ns",
		"-F",     PERF_SCRIPT_FIELDS, "-i",          pipe ? "-" : profile, NULL
	};
	const struct scratch_run run = {
		.arguments = arguments,
		.input = pipe ? profile : NULL,
		.line = script_line,
		.context = script,
	};
	int err = scratch__run(scratch, &run, result);

	return err ? err : perf_script__end(script);
}
