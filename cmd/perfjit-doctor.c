// SPDX-License-Identifier: GPL-2.0-or-later
/* perfjit-doctor: why a perf, a recording or a jitdump does not do what it should. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "doctor_result.h"
#include "failure.h"
#include "jitdump/jitdump.h"
#include "progress.h"
#include "report_file.h"
#include "signals.h"

struct run {
	struct doctor_options *options;
	struct doctor_result *result;
	struct diag *diag;
	struct progress *progress;
	bool has_place; /* for a report in a file of its own */
};

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t length = strcspn(path, ":");
		char file[4096];

		if (snprintf(file, sizeof(file), "%.*s/%s", (int)length, path, name) <
			    (int)sizeof(file) &&
		    access(file, X_OK) == 0)
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* The perf that was named, or the one in PATH if there is one. */
static enum exit_code probe(struct run *run)
{
	const char *perf = run->options->perf ? run->options->perf : "perf";
	int err;

	if (!run->options->perf && !is_in_path(perf)) {
		if (run->options->files.count)
			return EXIT_DONE;
		failure__report(
			run->diag, "doctor.no-perf", NULL,
			"there is no perf in PATH: name one with --perf, or install it (Debian: "
			"linux-perf; Fedora: perf; Ubuntu: linux-tools-generic)");
		return EXIT_INPUT;
	}
	progress__phase(run->progress, "Probing");
	err = perf_probe__run(&run->result->probe, perf, run->diag);
	if (err)
		return failure__code(run->diag, err, EXIT_INPUT);
	run->result->perf = perf;
	return EXIT_DONE;
}

/* One who names a perf as if it were a recording. */
static bool is_program(const char *path)
{
	struct stat stat_;
	/* what comes through a pipe is there but once */
	bool may_be = stat(path, &stat_) == 0 && S_ISREG(stat_.st_mode);
	FILE *file = may_be ? fopen(path, "re") : NULL;
	char magic[SELFMAG] = { 0 };
	bool read_it = file && fread(magic, sizeof(magic), 1, file) == 1;

	if (file)
		fclose(file);
	return read_it && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static bool advance(void *context, uint64_t done, uint64_t total)
{
	struct run *run = context;

	progress__advance(run->progress, done, total);
	return !signals__came();
}

static int examine(struct run *run, struct patient *patient)
{
	const struct doctor_options *options = run->options;
	const struct recording_options recording = {
		.path = patient->path,
		.discover = where_options__discover(&options->where),
		.unwind = options->unwind,
		.probe = run->result->perf ? &run->result->probe : NULL,
		.perf = run->result->perf,
		.progress = advance,
		.context = run,
	};

	if (patient->kind == PATIENT_RECORDING && is_program(patient->path)) {
		failure__report(run->diag, "doctor.program", patient->path,
				"is a program: a perf is named with --perf=PATH");
		return -EINVAL;
	}
	progress__phase(run->progress, "Examining");
	switch (patient->kind) {
	case PATIENT_PERF:
		diagnose__perf(&patient->diagnosis, &run->result->probe, patient->path);
		return patient->diagnosis.failed ? -ENOMEM : 0;
	case PATIENT_DUMP:
		return diagnose__dump(&patient->diagnosis, patient->path, run->diag);
	case PATIENT_RECORDING:
		return diagnose__recording(&patient->diagnosis, &recording, &patient->counts,
					   run->diag);
	}
	return 0;
}

static enum exit_code examine_all(struct run *run)
{
	enum exit_code code = EXIT_DONE;

	array__for_each(patient, &run->result->patients) {
		int err = signals__came() ? -ECANCELED : examine(run, patient);

		if (err) {
			code = failure__code(run->diag, err, EXIT_INPUT);
			continue;
		}
		patient->examined = true;
		diagnosis__sort(&patient->diagnosis);
		if (code == EXIT_DONE && diagnosis__is_bad(&patient->diagnosis))
			code = EXIT_CHECK;
	}
	return code;
}

static bool admit(struct run *run)
{
	struct patient perf = { .kind = PATIENT_PERF, .path = run->result->perf };

	if (!run->options->files.count)
		return array__push(&run->result->patients, perf);
	array__for_each(path, &run->options->files) {
		struct patient patient = {
			.kind = jitdump__is_jitdump(*path) ? PATIENT_DUMP : PATIENT_RECORDING,
			.path = *path,
		};

		if (!array__push(&run->result->patients, patient))
			return false;
	}
	return true;
}

static enum exit_code work(struct run *run)
{
	const char *report = run->options->report_file;
	int err = report ? report_file__check(report, run->diag) : 0;
	enum exit_code code;

	run->has_place = !err;
	if (err)
		return failure__code(run->diag, err, EXIT_OUTPUT);
	/* probing takes a while */
	code = probe(run);
	if (code != EXIT_DONE)
		return code;
	if (!admit(run))
		return failure__code(run->diag, -ENOMEM, EXIT_INPUT);
	return examine_all(run);
}

static int print(const struct doctor_result *result, FILE *stream)
{
	if (result->options->json)
		return doctor_result__print_json(result, stream);
	if (result->options->report)
		doctor_result__print_report(result, stream);
	else
		doctor_result__print_text(result, stream);
	return 0;
}

static enum exit_code write_report(struct run *run)
{
	struct report_file file;
	int err = -ENOMEM;

	report_file__open(&file);
	if (file.stream)
		err = print(run->result, file.stream);
	if (err)
		report_file__abort(&file);
	else
		err = report_file__commit(&file, run->options->report_file, run->diag);
	return err ? failure__code(run->diag, err, EXIT_OUTPUT) : run->result->code;
}

static enum exit_code tell(struct run *run)
{
	int err;

	if (run->options->report_file)
		return run->has_place ? write_report(run) : run->result->code;
	err = print(run->result, stdout);
	if (err)
		return failure__code(run->diag, err, EXIT_OUTPUT);
	if (failure__is_written(stdout))
		return run->result->code;
	diag__errno(run->diag, "output.stdout", NULL, "can't write the report");
	return EXIT_OUTPUT;
}

static void release(struct run *run)
{
	array__for_each(patient, &run->result->patients)
		diagnosis__free(&patient->diagnosis);
	array__free(&run->result->patients);
	diag__free(run->diag);
	doctor_options__free(run->options);
}

int main(int argc, char **argv)
{
	struct doctor_options options = { 0 };
	struct messages messages = { .command = "perfjit-doctor" };
	struct doctor_result result = { .options = &options, .messages = &messages };
	struct run run = { .options = &options, .result = &result };
	enum exit_code code;

	doctor_options__parse(&options, argc, argv);
	run.diag = messages__begin(&messages, options.color, options.quiet, options.verbose);
	run.progress = messages.progress;
	/* folders of its own are to be removed first */
	signals__hold();
	signals__survive_cuts();
	result.code = work(&run);
	messages__end(&messages);
	signals__pass_on();
	code = tell(&run);
	release(&run);
	messages__free(&messages);
	return code;
}
