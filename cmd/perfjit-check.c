// SPDX-License-Identifier: GPL-2.0-or-later
/* perfjit-check: whether a profile's samples resolve and unwind as they should, for CI. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "check_compare.h"
#include "check_pictures.h"
#include "failure.h"
#include "page_writer.h"
#include "perfdata/edit.h"
#include "progress.h"
#include "report_file.h"
#include "signals.h"

struct run {
	struct check_arguments *arguments;
	struct check_result *result;
	struct diag *diag;
	struct progress *progress;
	struct perfdata *profile, *original;
	struct comparison comparison;
	struct check_pictures pictures;
	bool has_place; /* for files that the user wants written */
};

static bool advance(void *context, uint64_t done, uint64_t total)
{
	struct run *run = context;

	progress__advance(run->progress, done, total);
	return true;
}

/* For what is made of the samples besides counting them. */
static int keep(void *context, const struct check_seen *seen)
{
	struct run *run = context;
	int err = 0;

	if (run->arguments->perfs.count)
		err = comparison__add(&run->comparison, seen->sample, seen->chain);
	if (!err && run->arguments->flamegraph)
		err = check_pictures__add(&run->pictures, seen);
	return err;
}

/* A profile that perfjit-fix wrote is opened a second time as it was before. */
static int open_profile(struct run *run)
{
	const char *input = run->arguments->input;
	int err = perfdata__open(&run->profile, input, run->diag);

	if (err || !perfdata__is_edited(run->profile)) {
		run->original = run->profile;
		return err;
	}
	return perfdata__open_original(&run->original, input, run->diag);
}

static void close_original(struct run *run)
{
	if (run->original != run->profile)
		perfdata__close(run->original);
	run->original = NULL;
}

/*
 * The original, a copy of its size, is let go before the work that takes memory, but for the
 * picture of how it was.
 */
static int count(struct run *run)
{
	struct check *check = &run->result->check;
	struct check_options *options = &run->arguments->check;
	int err = check__read(check, run->profile, run->original, options, run->diag);

	if (!run->arguments->flamegraph)
		close_original(run);
	if (!err)
		err = check__count(check, run->profile, options, run->diag);
	if (!err && run->original && run->original != run->profile)
		err = check_pictures__add_before(&run->pictures, run->original, options, run->diag);
	close_original(run);
	return err;
}

static enum exit_code judge(struct run *run)
{
	const struct check_verdicts *verdicts = &run->result->verdicts;

	if (!verdicts->nr_failed)
		return EXIT_DONE;
	if (!verdicts->implied)
		return EXIT_CHECK;
	return verdicts->no_jit ? EXIT_NO_JIT : EXIT_PARTIAL;
}

/* Before anything is counted: whether there is a place for what the user wants written. */
static enum exit_code check_outputs(struct run *run)
{
	const struct check_arguments *arguments = run->arguments;
	int err = arguments->flamegraph ? page_writer__check(arguments->flamegraph, run->diag) : 0;

	if (!err && arguments->junit_file)
		err = report_file__check(arguments->junit_file, run->diag);
	run->has_place = !err;
	return err ? failure__code(run->diag, err, EXIT_OUTPUT) : EXIT_DONE;
}

static enum exit_code work(struct run *run)
{
	struct check_options *options = &run->arguments->check;
	struct check_result *result = run->result;
	enum exit_code code = check_outputs(run);
	int err;

	if (code != EXIT_DONE)
		return code;
	check_pictures__begin(&run->pictures);
	signals__survive_cuts();
	progress__phase(run->progress, "Reading");
	err = open_profile(run);
	if (err)
		return failure__code(run->diag, err, EXIT_INPUT);
	options->progress = advance;
	options->visit = keep;
	options->context = run;
	err = count(run);
	/* whatever was counted or reported came of what is missing */
	if (perfdata__check_whole(run->profile, run->diag) < 0)
		err = -EBADMSG;
	if (!err)
		err = check__judge(&result->check, options, &run->arguments->demands,
				   &result->verdicts);
	if (err)
		return failure__code(run->diag, err, EXIT_INPUT);
	result->counted = true;
	progress__phase(run->progress, "Comparing");
	err = check_compare__run(result, &run->comparison, run->diag);
	return err ? failure__code(run->diag, err, EXIT_INPUT) : judge(run);
}

static int print(const struct check_result *result, FILE *stream)
{
	switch (result->arguments->form) {
	case CHECK_TEXT:
		check_result__print_text(result, stream);
		return 0;
	case CHECK_JSON:
		return check_result__print_json(result, stream);
	case CHECK_TAP:
		check_result__print_tap(result, stream);
		return 0;
	case CHECK_JUNIT:
		check_result__print_junit(result, stream);
		return 0;
	case CHECK_GITHUB:
		check_result__print_github(result, stream);
		return 0;
	}
	return 0;
}

static int write_junit(struct run *run)
{
	struct report_file file;

	report_file__open(&file);
	if (file.stream)
		check_result__print_junit(run->result, file.stream);
	return report_file__commit(&file, run->arguments->junit_file, run->diag);
}

/* What other steps of the job wrote there stands before it. */
static bool add_to_summary(struct run *run, const char *path)
{
	FILE *file = fopen(path, "ae");
	bool written;

	if (file)
		check_result__print_markdown(run->result, file);
	written = file && !ferror(file);
	if (file)
		written &= fclose(file) == 0;
	if (!written)
		diag__errno(run->diag, "output.write", path, "can't be written");
	return written;
}

/* The page of --flamegraph; there is none when nothing could be counted. */
static enum exit_code draw(struct run *run)
{
	struct check_result *result = run->result;
	int err;

	if (!run->arguments->flamegraph || !result->counted)
		return result->code;
	err = check_pictures__write(&run->pictures, result, run->diag);
	result->drawn = !err;
	return err ? failure__code(run->diag, err, EXIT_OUTPUT) : result->code;
}

/* Tells the result; an output that could not be told is an output that could not be written. */
static enum exit_code tell(struct run *run)
{
	const struct check_arguments *arguments = run->arguments;
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	enum exit_code code = draw(run);
	int err = print(run->result, stdout);

	if (err)
		return failure__code(run->diag, err, EXIT_OUTPUT);
	if (!failure__is_written(stdout)) {
		failure__report(run->diag, "output.stdout", NULL, "can't write to standard output");
		return EXIT_OUTPUT;
	}
	if (arguments->junit_file && run->has_place)
		err = write_junit(run);
	if (err)
		return failure__code(run->diag, err, EXIT_OUTPUT);
	if (arguments->form == CHECK_GITHUB && summary && *summary && !add_to_summary(run, summary))
		return EXIT_OUTPUT;
	return code;
}

int main(int argc, char **argv)
{
	struct check_arguments arguments = { 0 };
	struct messages messages = { .command = "perfjit-check" };
	struct check_result result = { .arguments = &arguments, .messages = &messages };
	struct run run = { .arguments = &arguments, .result = &result };
	enum exit_code code;

	check_arguments__parse(&arguments, argc, argv);
	run.diag = messages__begin(&messages, arguments.color, arguments.quiet, arguments.verbose);
	run.progress = messages.progress;
	result.code = work(&run);
	messages__end(&messages);
	code = tell(&run);
	check_pictures__free(&run.pictures);
	check__free(&result.check);
	check_verdicts__free(&result.verdicts);
	array__free(&result.compared);
	comparison__free(&run.comparison);
	close_original(&run);
	perfdata__close(run.profile);
	diag__free(run.diag);
	messages__free(&messages);
	check_arguments__free(&arguments);
	return code;
}
