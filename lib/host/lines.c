// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a perf asks for source lines: one that starts addr2line for each address takes seconds, and
 * with a large program minutes, over what others do at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/made.h"
#include "host/private.h"

#define PID       4001
#define BASE      UINT64_C(0x7f0000100000)
#define ADDRESSES 12

/* Where addr2line is, or NULL: it is not in PATH. To be freed. */
static char *find_addr2line(void)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t length = strcspn(path, ":");
		char *file;

		if (asprintf(&file, "%.*s/addr2line", (int)length, path) < 0)
			return NULL;
		if (access(file, X_OK) == 0)
			return file;
		free(file);
		path += length + (path[length] == ':');
	}
	return NULL;
}

/* An addr2line that notes each of its starts in a file. */
static int write_command(const char *folder, const char *notes)
{
	char *real = find_addr2line(), *path = NULL;
	FILE *file = NULL;
	int err = -ENOENT;

	if (real && asprintf(&path, "%s/addr2line", folder) >= 0 && mkdir(folder, 0700) == 0)
		file = fopen(path, "we");
	if (file) {
		fprintf(file, "#!/bin/sh\necho >>'%s'\nexec '%s' \"$@\"\n", notes, real);
		err = fclose(file) == 0 && chmod(path, 0700) == 0 ? 0 : -errno;
	}
	free(real);
	free(path);
	return err;
}

/* One byte for each start. */
static unsigned int count_starts(const char *notes)
{
	struct stat stat_;

	return stat(notes, &stat_) == 0 ? (unsigned int)stat_.st_size : 0;
}

static int write_profile(const struct probing *probing, const char *path)
{
	struct made_code code = { .form = MADE_REGION, .base = BASE, .prefix = "jit" };
	char *dso = scratch__path(&probing->scratch, "lines.so");
	struct made_profile profile;
	int err = dso ? made_code__write(&code, dso, probing->diag) : -ENOMEM;

	made_profile__begin(&profile, MADE_STACKS);
	made_profile__comm(&profile, PID);
	if (!err)
		made_profile__map(&profile, PID, BASE, align_up(code.size, 0x1000), 0, dso);
	for (unsigned int i = 0; !err && i < ADDRESSES; i++) {
		struct made_stack stack = made_code__stack(&code);

		stack.ip += i;
		made_profile__sample(&profile, PID, &stack);
	}
	if (!err)
		err = made_profile__write(&profile, MADE_FILE, path, probing->diag);
	made_profile__free(&profile);
	free(dso);
	return err;
}

static int run_script(const struct probing *probing, const char *profile, const char *folder,
		      struct child_result *result)
{
	const char *const arguments[] = {
		"script", "--force", "-F", "ip,sym", "-i", profile, NULL
	};
	const char *old = getenv("PATH");
	char *path;
	int err;

	if (asprintf(&path, "%s:%s", folder, old ? old : "") < 0)
		return -ENOMEM;
	err = probing__run(probing, arguments, path, result);
	free(path);
	return err;
}

int probe__lines(struct perf_probe *probe, const struct probing *probing)
{
	char *folder = scratch__path(&probing->scratch, "bin");
	char *notes = scratch__path(&probing->scratch, "starts");
	char *profile = scratch__path(&probing->scratch, "lines.data");
	struct child_result result;
	int err = folder && notes && profile ? 0 : -ENOMEM;

	if (!err && write_command(folder, notes) < 0) {
		probe__set(probe, PROBE_LINES, PROBE_UNKNOWN, "there is no addr2line");
	} else if (!err) {
		err = write_profile(probing, profile);
		if (!err)
			err = run_script(probing, profile, folder, &result);
		if (!err) {
			unsigned int starts = count_starts(notes);

			probe__set(probe, PROBE_LINES,
				   starts >= ADDRESSES ? PROBE_FAULTY : PROBE_OK,
				   "%u starts of addr2line for %u addresses", starts,
				   ADDRESSES + MADE_FUNCTIONS - 1);
		}
	}
	free(folder);
	free(notes);
	free(profile);
	return err;
}
