// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfjit.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "fix/apply.h"
#include "fix/output.h"
#include "perfdata/edit.h"

const char *perfjit__version(void)
{
	return PERFJIT_VERSION;
}

/* What a caller built with an earlier or later header gave, as this library knows it. */
static int take_options(struct perfjit_fix_options *own, const struct perfjit_fix_options *given)
{
	const uint8_t *bytes = (const uint8_t *)given;
	size_t known = sizeof(*own);

	if (!given || given->size < offsetof(struct perfjit_fix_options, dso_dir))
		return -EINVAL;
	/* what this library does not know must not be asked of it */
	for (size_t i = known; i < given->size; i++)
		if (bytes[i])
			return -EINVAL;
	memset(own, 0, known);
	memcpy(own, given, given->size < known ? given->size : known);
	if (!own->output || !*own->output || (unsigned int)own->layout > PERFJIT_LAYOUT_REGION)
		return -EINVAL;
	return 0;
}

static void give_result(struct perfjit_fix_result *result, const struct plan *plan)
{
	struct perfjit_fix_result own = {
		.size = result->size,
		.samples = plan->counts.samples,
		.jit_samples = plan->counts.jit_samples,
		.jit_frames = plan->counts.jit_frames,
		.unknown_code_samples = plan->counts.anon_samples,
		.functions = plan->nr_functions,
		.jitdumps = plan->discovery->dumps.count,
		.missing_jitdumps = plan->discovery->nr_missing,
	};

	array__for_each(dso, &plan->dsos)
		own.dsos += dso->path != NULL;
	memcpy(result, &own, own.size < sizeof(own) ? own.size : sizeof(own));
}

static void pass_message(void *context, const struct diag_message *message)
{
	const struct perfjit_fix_options *options = context;
	struct perfjit_message own = {
		.level = (enum perfjit_level)message->level,
		.kind = message->kind,
		.file = message->file,
		.offset = message->offset,
		.text = message->text,
	};

	options->message(options->context, &own);
}

/* A run begins with options checked, a diag that passes messages on, and the input opened. */
struct run {
	struct perfjit_fix_options options;
	struct diag *diag;
	struct perfdata *perfdata;
	struct perfdata *fixed; /* perfdata as an earlier run left it; or NULL */
};

static void run__end(struct run *run)
{
	perfdata__close(run->perfdata);
	perfdata__close(run->fixed);
	diag__free(run->diag);
}

static int run__begin(struct run *run, const char *input, const struct perfjit_fix_options *options)
{
	int err;

	memset(run, 0, sizeof(*run));
	err = input ? take_options(&run->options, options) : -EINVAL;
	if (err)
		return err;
	run->diag = diag__new(run->options.message ? pass_message : NULL, &run->options);
	err = run->diag ? perfdata__open(&run->perfdata, input, run->diag) : -ENOMEM;
	if (err) {
		run->perfdata = NULL;
		run__end(run);
	}
	return err;
}

/* A fixed profile is fixed anew from what it was made from. */
static int take_original(struct run *run)
{
	if (!perfdata__is_edited(run->perfdata))
		return 0;
	run->fixed = run->perfdata;
	return perfdata__original(&run->perfdata, run->fixed, run->diag);
}

static int make_plan(struct run *run, struct plan **plan)
{
	const struct perfjit_fix_options *options = &run->options;
	struct plan_options plan_options = {
		.output = options->output,
		.dso_dir = options->dso_dir,
		.layout = (enum fix_layout)options->layout,
		.fixed = run->fixed,
		.discover = {
			.jitdumps = options->jitdumps,
			.nr_jitdumps = options->nr_jitdumps,
			.jitdump_dirs = options->jitdump_dirs,
			.nr_jitdump_dirs = options->nr_jitdump_dirs,
			.root = options->root,
		},
	};

	return plan__make(plan, run->perfdata, &plan_options, run->diag);
}

int perfjit__fix(const char *input, const struct perfjit_fix_options *options,
		 struct perfjit_fix_result *result)
{
	struct apply_options apply_options;
	struct plan *plan;
	struct run run;
	int err = run__begin(&run, input, options);

	if (err)
		return err;
	err = take_original(&run);
	if (!err)
		err = make_plan(&run, &plan);
	if (!err) {
		apply_options = (struct apply_options){
			.output = run.options.output,
			.no_sync = run.options.no_sync,
			.progress = run.options.progress,
			.context = run.options.context,
		};
		if (!run.options.dry_run)
			err = plan__apply(plan, &apply_options, run.diag);
		if (!err && result)
			give_result(result, plan);
		plan__free(plan);
	}
	run__end(&run);
	return err;
}

static int strip_file(struct run *run)
{
	struct file_out out;
	int err = output__open(&out, run->perfdata, run->options.output, run->diag);

	if (err)
		return err;
	err = perfdata__restore(run->perfdata, &out, run->diag);
	if (!err)
		err = output__commit(&out, run->perfdata, !run->options.no_sync, run->diag);
	file_out__abort(&out);
	return err;
}

int perfjit__strip(const char *input, const struct perfjit_fix_options *options)
{
	struct run run;
	int err = run__begin(&run, input, options);

	if (err)
		return err;
	if (perfdata__form(run.perfdata) == PERFDATA_FORM_DIRECTORY)
		err = perfdata__restore_directory(run.perfdata, run.options.output,
						  !run.options.no_sync, run.diag);
	else
		err = strip_file(&run);
	run__end(&run);
	return err;
}
