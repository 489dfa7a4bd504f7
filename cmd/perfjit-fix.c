// SPDX-License-Identifier: GPL-2.0-or-later
/* perfjit-fix: from a profile and its jitdumps to a profile that every perf can read. */
#include <errno.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/file.h"
#include "exit.h"
#include "fix/apply.h"
#include "fix/buildid_cache.h"
#include "fix/output.h"
#include "fix/perf_map.h"
#include "fix/relocate.h"
#include "fix_output.h"
#include "fix_result.h"
#include "messages.h"
#include "perfdata/bake.h"
#include "perfdata/edit.h"
#include "progress.h"
#include "signals.h"

static bool advance(void *context, uint64_t done, uint64_t total)
{
	struct fix_run *run = context;

	progress__advance(run->progress, done, total);
	return !signals__came();
}

/* Known once they are written: file systems have their own ways with holes. */
static uint64_t disk_bytes(const struct plan *plan)
{
	uint64_t blocks = 0;
	struct stat dso;

	array__for_each(planned, &plan->dsos)
		if (planned->path && stat(planned->path, &dso) == 0)
			blocks += (uint64_t)dso.st_blocks;
	return blocks * S_BLKSIZE;
}

static void note_written(struct fix_run *run)
{
	struct stat output;

	run->result->written = true;
	if (!run->options->to_stream && stat(run->options->output, &output) == 0 &&
	    S_ISREG(output.st_mode))
		run->result->output_size = (uint64_t)output.st_size;
	if (run->plan)
		run->result->dso_disk_bytes = disk_bytes(run->plan);
}

static int strip_file(struct fix_run *run)
{
	const struct fix_options *options = run->options;
	struct file_out out;
	int err = output__open(&out, run->perfdata, options->output, run->diag);

	if (err)
		return err;
	err = perfdata__restore(run->perfdata, &out, run->diag);
	/* once it is in place it is too late to stop */
	if (!err && signals__came())
		err = -ECANCELED;
	if (!err)
		err = output__commit(&out, run->perfdata, !options->no_sync, run->diag);
	file_out__abort(&out);
	return err;
}

static int strip_directory(struct fix_run *run)
{
	return perfdata__restore_directory(run->perfdata, run->options->output,
					   !run->options->no_sync, run->diag);
}

static enum exit_code strip(struct fix_run *run)
{
	const struct fix_options *options = run->options;
	bool directory = perfdata__form(run->perfdata) == PERFDATA_FORM_DIRECTORY;
	int err;

	if (perfdata__is_baked(run->perfdata)) {
		fix_run__complain(
			run, "perfdata.baked", options->input,
			"had call chains put in the place of stacks (--unwind), which can't be "
			"taken back: fix the profile it was made from anew");
		return EXIT_INPUT;
	}
	if (!perfdata__is_edited(run->perfdata)) {
		fix_run__complain(run, "perfdata.not-edited", options->input,
				  "was not written by perfjit-fix: there is nothing to strip");
		return EXIT_INPUT;
	}
	if (options->dry_run)
		return EXIT_DONE;
	signals__hold();
	err = directory ? strip_directory(run) : strip_file(run);
	if (err)
		return fix_run__failed(run, err, EXIT_OUTPUT);
	note_written(run);
	return EXIT_DONE;
}

/* A profile that was fixed before is made to name another folder of DSOs. */
static enum exit_code relocate(struct fix_run *run)
{
	const struct fix_options *options = run->options;
	struct relocate_options moved = {
		.output = options->output,
		.folder = options->plan.relocate,
		.no_sync = options->no_sync,
	};
	int err;

	run->result->relocated = true;
	if (!options->output_given && !options->to_stream) {
		fix_run__complain(
			run, "relocate.output", options->input,
			"is fixed already: say where to write it with -o, or use --in-place");
		return EXIT_USAGE;
	}
	if (options->dry_run)
		return EXIT_DONE;
	signals__hold();
	err = relocate__write(run->perfdata, &moved, &run->result->moves, run->diag);
	if (err)
		return fix_run__failed(run, err, EXIT_OUTPUT);
	note_written(run);
	return EXIT_DONE;
}

static enum exit_code cache(struct fix_run *run)
{
	int err = buildid_cache__add(run->plan, run->options->buildid_cache,
				     &run->result->nr_cached, run->diag);

	return err ? fix_run__failed(run, err, EXIT_OUTPUT) : EXIT_DONE;
}

static enum exit_code write_maps(struct fix_run *run)
{
	const char *dir = run->options->perf_map_dir;
	int err = perf_maps__write(run->plan, dir ? dir : run->plan->dso_folder, &run->result->maps,
				   run->diag);

	return err ? fix_run__failed(run, err, EXIT_OUTPUT) : EXIT_DONE;
}

static enum exit_code apply(struct fix_run *run)
{
	struct apply_options options = {
		.output = run->options->output,
		.no_sync = run->options->no_sync,
		.hide_dsos = run->options->perf_map,
		.all_build_ids = run->options->buildid_cache,
		.abi = run->options->abi,
		.bake = run->options->bake,
		.baked = &run->result->baked,
		.progress = advance,
		.context = run,
	};
	int err;

	if (run->options->dry_run && run->options->perf_map)
		plan__forget_dsos(run->plan);
	if (run->options->dry_run)
		return EXIT_DONE;
	progress__phase(run->progress, "Writing");
	signals__hold();
	err = plan__apply(run->plan, &options, run->diag);
	if (options.hide_dsos)
		plan__forget_dsos(run->plan);
	if (err)
		return fix_run__failed(run, err, EXIT_OUTPUT);
	note_written(run);
	if (run->options->perf_map)
		return write_maps(run);
	return run->options->buildid_cache ? cache(run) : EXIT_DONE;
}

static enum exit_code complain_of_no_jit(struct fix_run *run)
{
	if (perfdata__is_baked(run->perfdata))
		fix_run__complain(
			run, "fix.already-fixed", run->options->input,
			"was made by perfjit-fix --unwind, and is copied: for other DSOs, maps or "
			"chains fix the profile it was made from");
	else
		fix_run__complain(
			run, "fix.no-jit", run->options->input,
			"no jitdump is mapped in this profile: was the runtime told to write one, "
			"and recorded from its start? perfjit(7) says how for each runtime; "
			"--jitdump=PID=FILE names one that perf did not see");
	return EXIT_NO_JIT;
}

/* The names in DSOs are not read: that takes the jitdump, whose times say what hides what. */
static bool lacks_maps(struct fix_run *run)
{
	if (!run->options->perf_map || !fix_result__nr_kept(run->plan))
		return false;
	diag__report(run->diag, DIAG_WARNING, "fix.kept-no-map", run->options->input,
		     DIAG_NO_OFFSET,
		     "JIT code whose jitdump is gone gets no perf map: it keeps its DSOs");
	return true;
}

/* What the exit code says when all went well so far. */
static enum exit_code judge(struct fix_run *run)
{
	if (!fix_result__has_jit(run->plan) && run->options->bake.which != BAKE_NONE)
		return EXIT_DONE; /* chains are of use without any JIT code */
	if (!fix_result__has_jit(run->plan))
		return complain_of_no_jit(run);
	array__for_each(found, &run->plan->discovery->dumps)
		if (fix_result__says_nothing(run->plan, found))
			diag__report(run->diag, DIAG_WARNING, "fix.empty-dump",
				     jitdump__path(found->dump), DIAG_NO_OFFSET,
				     "describes no function: JIT code of pid %u stays unnamed",
				     found->pid);
	return lacks_maps(run) || fix_result__is_partial(run->plan) ? EXIT_PARTIAL : EXIT_DONE;
}

static enum exit_code refuse_impassable(struct fix_run *run)
{
	/* a file that was cut short meanwhile looks like that too */
	if (perfdata__check_whole(run->perfdata, run->diag) == 0)
		fix_run__complain(
			run, "fix.impassable", run->options->input,
			"is damaged: no perf gets past the record that is reported above, and "
			"none would read the output");
	return EXIT_INPUT;
}

static enum exit_code check_symfs(struct fix_run *run)
{
	const char *symfs = run->options->bake.symfs;
	int err = symfs ? discover__check_folder(symfs, "--symfs", run->diag) : 0;

	return err ? fix_run__failed(run, err, EXIT_INPUT) : EXIT_DONE;
}

static enum exit_code fix(struct fix_run *run)
{
	struct plan_options options = run->options->plan;
	enum exit_code verdict, code = check_symfs(run);
	int err;

	if (code != EXIT_DONE)
		return code;

	if (run->options->plan.relocate && perfdata__is_edited(run->perfdata))
		return relocate(run);
	if (run->options->plan.relocate && perfdata__is_baked(run->perfdata)) {
		fix_run__complain(
			run, "relocate.baked", run->options->input,
			"was made by perfjit-fix --unwind, and can't be made to name another "
			"folder: give --relocate with --unwind, for the profile it was made from");
		return EXIT_INPUT;
	}
	if (perfdata__is_edited(run->perfdata)) {
		fix_run__complain(
			run, "fix.already-fixed", run->options->input,
			"was fixed more than once: take the changes out with --strip first");
		return EXIT_INPUT;
	}
	/* unwinding looks at all of the stacks, not only at what stands between them */
	if (run->options->bake.which == BAKE_NONE)
		perfdata__keep_mapped(run->perfdata);
	options.fixed = run->fixed;
	err = plan__make(&run->plan, run->perfdata, &options, run->diag);
	if (err)
		return fix_run__failed(run, err, EXIT_INPUT);
	if (perfdata__is_impassable(run->perfdata))
		return refuse_impassable(run);
	run->result->plan = run->plan;
	verdict = judge(run);
	if (verdict == EXIT_NO_JIT && run->options->require_jit)
		return verdict;
	code = apply(run);
	return code == EXIT_DONE ? verdict : code;
}

/* A fixed profile is fixed anew from what it was made from. */
static int open_input(struct fix_run *run)
{
	const struct fix_options *options = run->options;
	int err = perfdata__open(&run->perfdata, options->input, run->diag);

	if (err || options->strip || options->plan.relocate || !perfdata__is_edited(run->perfdata))
		return err;
	run->fixed = run->perfdata;
	return perfdata__original(&run->perfdata, run->fixed, run->diag);
}

static enum exit_code work(struct fix_run *run)
{
	enum exit_code code = fix_output__check_place(run);
	int err;

	if (code != EXIT_DONE)
		return code;
	signals__survive_cuts();
	progress__phase(run->progress, "Reading");
	if (output__is_stream(run->options->input))
		signals__leave_to_writer();
	if (run->options->to_stream)
		signals__ignore_pipe();
	err = open_input(run);
	if (err)
		return fix_run__failed(run, err, EXIT_INPUT);
	code = fix_output__check(run);
	if (code == EXIT_DONE)
		code = run->options->strip ? strip(run) : fix(run);
	return code;
}

/* Tells the result; an output that could not be told is an output that could not be written. */
static enum exit_code tell(struct fix_run *run)
{
	struct fix_result *result = run->result;
	/* where the profile goes there is no place for what is said of it */
	FILE *stream = run->options->to_stream ? stderr : stdout;
	int err = 0;

	if (run->options->json)
		err = fix_result__print_json(result, run->messages, stream);
	else if (!run->options->quiet)
		fix_result__print(result, stream);
	if (err)
		return fix_run__failed(run, err, EXIT_OUTPUT);
	if (fflush(stream) == EOF || ferror(stream)) {
		fix_run__complain(run, "output.stdout", NULL, "can't write what came of it");
		return EXIT_OUTPUT;
	}
	return result->code;
}

int main(int argc, char **argv)
{
	struct fix_options options = { 0 };
	struct messages messages = { .command = "perfjit-fix" };
	struct fix_result result = { .options = &options };
	struct fix_run run = { .options = &options, .messages = &messages, .result = &result };
	enum exit_code code;

	fix_options__parse(&options, argc, argv);
	run.diag = messages__begin(&messages, options.color, options.quiet, options.verbose);
	run.progress = messages.progress;
	if (options.for_perf && fix_options__choose(&options, run.diag) < 0)
		result.code = EXIT_INPUT;
	else
		result.code = work(&run);
	messages__end(&messages);
	if (!result.written)
		signals__pass_on();
	code = tell(&run);
	plan__free(run.plan);
	perfdata__close(run.perfdata);
	perfdata__close(run.fixed);
	diag__free(run.diag);
	messages__free(&messages);
	fix_options__free(&options);
	return code;
}
