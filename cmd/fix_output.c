// SPDX-License-Identifier: GPL-2.0-or-later
/* Where perfjit-fix may write: not over its input, a folder or a file that it did not make. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "fix/output.h"
#include "fix_output.h"
#include "perfdata/bake.h"
#include "perfdata/edit.h"

static bool is_input(const struct fix_run *run, const struct stat *output)
{
	const struct stat *input = perfdata__stat(run->perfdata);
	struct stat folder;

	if (perfdata__form(run->perfdata) == PERFDATA_FORM_DIRECTORY &&
	    stat(run->options->input, &folder) == 0)
		input = &folder;
	return input->st_dev == output->st_dev && input->st_ino == output->st_ino;
}

enum what_is_there { NO_PROFILE, A_PROFILE, OUR_PROFILE };

/* Whether what is at path is a profile, and one that perfjit-fix wrote. 0 or a negative errno. */
static int look_at(const char *path, enum what_is_there *found)
{
	struct diag *silent = diag__new(NULL, NULL);
	struct perfdata *perfdata;
	int err = silent ? perfdata__open(&perfdata, path, silent) : -ENOMEM;

	*found = NO_PROFILE;
	if (!err) {
		bool ours = perfdata__is_edited(perfdata) || perfdata__is_baked(perfdata);

		*found = ours ? OUR_PROFILE : A_PROFILE;
		perfdata__close(perfdata);
	}
	diag__free(silent);
	/* no profile, or a link to nothing */
	return err == -EINVAL || err == -ENOENT ? 0 : err;
}

static enum exit_code cannot_look_at(struct fix_run *run, int err)
{
	char text[256];

	if (err != -ENOMEM) {
		snprintf(text, sizeof(text),
			 "exists, and it can't be seen whether it is by perfjit-fix (%s): replace "
			 "it with --force, or name another output with -o",
			 strerror(-err));
		fix_run__complain(run, "output.exists", run->options->output, text);
	}
	return fix_run__failed(run, err, EXIT_OUTPUT);
}

static enum exit_code check_stream(struct fix_run *run)
{
	if (run->options->dry_run)
		return EXIT_DONE;
	if (isatty(STDOUT_FILENO)) {
		fix_run__complain(
			run, "output.terminal", NULL,
			"a profile is not for the terminal: pipe it to perf report -i -, or name a "
			"file with -o");
		return EXIT_USAGE;
	}
	if (perfdata__form(run->perfdata) == PERFDATA_FORM_PIPE)
		return EXIT_DONE;
	fix_run__complain(
		run, "output.no-stream", run->options->input,
		"was recorded to a file, and perf reads such from files only: name one with -o "
		"(perf record -o - makes profiles for pipes)");
	return EXIT_USAGE;
}

/* Something else than the input is at the output's path, maybe a folder. */
static enum exit_code check_replaced(struct fix_run *run, mode_t mode)
{
	const struct fix_options *options = run->options;
	bool folder = S_ISDIR(mode);
	enum what_is_there found;
	int err;

	/* opening a FIFO waits, reading a device may have no end, and replacing one is no help */
	if (!S_ISREG(mode) && !folder) {
		fix_run__complain(
			run, "output.no-file", options->output,
			"is neither a file nor a folder: name another output with -o ('-' is "
			"standard output)");
		return EXIT_OUTPUT;
	}
	if (folder && perfdata__form(run->perfdata) != PERFDATA_FORM_DIRECTORY) {
		fix_run__complain(run, "output.folder", options->output,
				  "is a folder: name a file with -o");
		return EXIT_OUTPUT;
	}
	err = look_at(options->output, &found);
	if (err && (folder || !options->force))
		return cannot_look_at(run, err);
	/* a folder goes with all that is in it */
	if (folder && found == NO_PROFILE) {
		fix_run__complain(run, "output.folder", options->output,
				  "is a folder and no profile: name another output with -o");
		return EXIT_OUTPUT;
	}
	/* what --strip gives bears no sign of having come from here */
	if (options->dry_run || options->force || found == OUR_PROFILE)
		return EXIT_DONE;
	fix_run__complain(
		run, "output.exists", options->output,
		"exists and is not by perfjit-fix: replace it with --force, or name another "
		"output with -o");
	return EXIT_OUTPUT;
}

static enum exit_code check_new(struct fix_run *run)
{
	const char *output = run->options->output;
	size_t length = strlen(output);

	if (output[length - 1] != '/' || perfdata__form(run->perfdata) == PERFDATA_FORM_DIRECTORY)
		return EXIT_DONE;
	fix_run__complain(run, "output.folder", output,
			  "is the name of a folder: name a file with -o");
	return EXIT_OUTPUT;
}

static enum exit_code check_replaceable(struct fix_run *run)
{
	struct stat input;

	if (stat(run->options->input, &input) < 0 || S_ISREG(input.st_mode) ||
	    S_ISDIR(input.st_mode))
		return EXIT_DONE;
	fix_run__complain(
		run, "output.no-file", run->options->input,
		"is neither a file nor a folder and can't be replaced: name an output with -o "
		"and leave --in-place out");
	return EXIT_OUTPUT;
}

/* Paths of DSOs are absolute: without a current folder there may be none. */
static int check_current_folder(struct fix_run *run)
{
	char *folder = NULL;
	int err =
		run->options->strip ? 0 : plan__dso_folder(&folder, &run->options->plan, run->diag);

	free(folder);
	return err;
}

enum exit_code fix_output__check_place(struct fix_run *run)
{
	const struct fix_options *options = run->options;
	const char *maps = options->perf_map ? options->perf_map_dir : NULL;
	int err = check_current_folder(run);

	if (options->dry_run)
		return err ? fix_run__failed(run, err, EXIT_OUTPUT) : EXIT_DONE;
	if (!err && !options->to_stream)
		err = file_out__check(options->output, run->diag);
	if (!err && !options->strip && options->plan.dso_dir)
		err = output__check_folder(options->plan.dso_dir, run->diag);
	if (!err && maps)
		err = output__check_folder(maps, run->diag);
	return err ? fix_run__failed(run, err, EXIT_OUTPUT) : EXIT_DONE;
}

enum exit_code fix_output__check(struct fix_run *run)
{
	const struct fix_options *options = run->options;
	struct stat output, target;

	if (options->to_stream)
		return check_stream(run);
	if (options->in_place)
		return check_replaceable(run);
	if (lstat(options->output, &output) < 0)
		return check_new(run);
	if (stat(options->output, &target) < 0)
		target = (struct stat){ .st_mode = S_IFREG }; /* a link to nothing is replaced */
	else if (is_input(run, &target)) {
		fix_run__complain(
			run, "output.is-input", options->output,
			"is the input: name another output with -o, or replace it with --in-place");
		return EXIT_USAGE;
	}
	/* a link to a folder is replaced, not what is in the folder */
	if (S_ISLNK(output.st_mode) && S_ISDIR(target.st_mode))
		target.st_mode = S_IFREG;
	return check_replaced(run, target.st_mode);
}
