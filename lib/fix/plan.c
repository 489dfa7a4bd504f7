// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "fix/emit.h"
#include "fix/function.h"
#include "fix/image.h"
#include "fix/kept.h"
#include "fix/loaded.h"
#include "fix/map_source.h"
#include "fix/region.h"
#include "fix/scan.h"
#include "fix/survey.h"
#include "perfdata/tracepoint.h"

/*
 * Readers open a file for each DSO and look maps up one by one. Up to a hundred or two that shows
 * in no measurement; with 500, perf report unwinds half as fast as from one region, with 1000 a
 * third as fast (perf 6.1, libunwind; 7.2 loses less).
 */
#define SINGLES_MAX 250

static struct plan *new_plan(struct perfdata *perfdata)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->perfdata = perfdata;
	plan->scan = calloc(1, sizeof(*plan->scan));
	plan->discovery = calloc(1, sizeof(*plan->discovery));
	plan->regions = calloc(1, sizeof(*plan->regions));
	plan->functions = calloc(1, sizeof(*plan->functions));
	if (!plan->scan || !plan->discovery || !plan->regions || !plan->functions) {
		plan__free(plan);
		return NULL;
	}
	return plan;
}

void plan__free(struct plan *plan)
{
	if (!plan)
		return;
	array__for_each(dso, &plan->dsos) {
		free((void *)(uintptr_t)dso->spec.functions);
		free((void *)(uintptr_t)dso->spec.cfi);
		free((void *)(uintptr_t)dso->spec.identity.data);
		free(dso->origins);
		free(dso->path);
		free(dso->recorded);
	}
	array__for_each(outline, &plan->outlines) {
		if ((*outline)->usable)
			dso_outline__close(&(*outline)->outline);
		free((*outline)->name);
		free(*outline);
	}
	array__free(&plan->outlines);
	array__free(&plan->dsos);
	array__free(&plan->inserts);
	array__free(&plan->per_process);
	array__free(&plan->per_event);
	if (plan->functions)
		functions__free(plan->functions);
	free(plan->functions);
	if (plan->regions)
		regions__free(plan->regions);
	free(plan->regions);
	if (plan->discovery)
		discovery__free(plan->discovery);
	free(plan->discovery);
	kept__free(plan->kept);
	if (plan->scan)
		scan__free(plan->scan);
	free(plan->scan);
	free(plan->dso_folder);
	free(plan);
}

void plan__forget_dsos(struct plan *plan)
{
	array__for_each(dso, &plan->dsos) {
		free(dso->path);
		dso->path = NULL;
	}
	array__for_each(process, &plan->per_process)
		process->nr_dsos = process->nr_functions = 0;
	plan->inserts.count = 0;
	plan->nr_functions = plan->dso_bytes = 0;
}

const struct marker *plan__marker(const struct plan *plan, const struct process *process)
{
	for (; process; process = process->parent)
		array__for_each(found, &plan->discovery->dumps)
			if (found->process == process && found->marker)
				return found->marker;
	return NULL;
}

static int cut_regions(struct plan *plan, const struct plan_options *options)
{
	struct region_options region_options = {
		.unwinds = plan->scan->unwinds_stack,
		.singles_max = options->layout == FIX_LAYOUT_AUTO ? SINGLES_MAX : 0,
		.force_singles = options->layout == FIX_LAYOUT_TRAMPOLINE,
		.without_pruning = plan->functions->without_pruning,
	};

	for (size_t i = 0; i < processes__count(plan->scan->processes); i++) {
		struct process *process = plan->scan->by_start[i];
		int err = process->codemap ? regions__add(plan->regions, process, &region_options)
					   : 0;

		if (err)
			return err;
	}
	return 0;
}

static struct plan_process *process_of(struct plan *plan, struct process *process)
{
	struct plan_process fresh = { .process = process };

	array__for_each(known, &plan->per_process)
		if (known->process == process)
			return known;
	return array__push(&plan->per_process, fresh)
		       ? &plan->per_process.items[plan->per_process.count - 1]
		       : NULL;
}

static int count_dumps(struct plan *plan)
{
	array__for_each(found, &plan->discovery->dumps) {
		struct plan_process *process =
			found->process ? process_of(plan, found->process) : NULL;

		if (found->process && !process)
			return -ENOMEM;
		if (process)
			process->nr_dumps++;
	}
	return 0;
}

static int count_kept(struct plan *plan)
{
	for (size_t i = 0; plan->kept && i < plan->kept->records.count; i++) {
		struct plan_process *process =
			process_of(plan, plan->kept->records.items[i].process);

		if (!process)
			return -ENOMEM;
		process->kept = true;
	}
	return 0;
}

static int count_dsos(struct plan *plan)
{
	array__for_each(dso, &plan->dsos) {
		struct plan_process *process = process_of(plan, dso->process);

		if (!process)
			return -ENOMEM;
		if (!dso->path) {
			process->nr_unplaced += dso->spec.nr_functions;
			plan->nr_unplaced += dso->spec.nr_functions;
			continue;
		}
		process->nr_dsos++;
		process->nr_functions += dso->spec.nr_functions;
		plan->nr_functions += dso->spec.nr_functions;
	}
	return 0;
}

static void count_late(struct plan *plan)
{
	array__for_each(region, &plan->regions->list)
		array__for_each(member, &region->members)
			plan->nr_late += member->first_reference < member->from;
}

static int name_events(struct plan *plan, struct diag *diag)
{
	struct tracepoints *tracepoints;
	int err = tracepoints__read(&tracepoints, plan->perfdata, diag);

	for (size_t i = 0; !err && i < perfdata__nr_attrs(plan->perfdata); i++) {
		struct plan_event event = { 0 };

		tracepoints__event_name(tracepoints, plan->perfdata, i, event.name,
					sizeof(event.name));
		err = array__push(&plan->per_event, event) ? 0 : -ENOMEM;
	}
	tracepoints__free(tracepoints);
	return err;
}

/* Finds what there is to tell of code: jitdumps, perf maps, and what an earlier run has made. */
static int find_sources(struct plan *plan, const struct plan_options *options, struct diag *diag)
{
	struct loaded_options loaded_options = {
		.without_aliases = options->without & FIX_ALIASES,
	};
	int err = 0;

	if (options->fixed)
		err = kept__read(&plan->kept, plan->scan, plan->discovery, plan->perfdata,
				 options->fixed, diag);
	plan->discovery->kept = loaded_options.kept = plan->kept;
	if (!err)
		err = discover__open(plan->discovery, plan->scan, plan->perfdata,
				     &options->discover, diag);
	if (!err)
		err = map_source__open(plan->discovery, plan->scan, plan->perfdata,
				       &options->discover, diag);
	if (!err)
		err = loaded__build(plan->scan, plan->discovery, plan->perfdata, &loaded_options,
				    diag);
	if (!err && plan->kept)
		err = kept__find_files(plan->kept, perfdata__path(options->fixed),
				       options->no_dsos ? NULL : options->dso_dir, diag);
	return err;
}

static int fill(struct plan *plan, const struct plan_options *options, struct diag *diag)
{
	int err = scan__run(plan->scan, plan->perfdata);

	if (err)
		return err;
	/* the discovery takes the markers over */
	memcpy(&plan->discovery->markers, &plan->scan->markers, sizeof(plan->scan->markers));
	memset(&plan->scan->markers, 0, sizeof(plan->scan->markers));
	plan->functions->diag = diag;
	plan->functions->source = options->cfi;
	plan->functions->unwinds = plan->scan->unwinds_stack;
	plan->functions->without_frame_pointer_rule = options->without & FIX_FRAME_POINTER;
	plan->functions->without_synthesis = options->without & FIX_SYNTHESIS;
	err = find_sources(plan, options, diag);
	if (!err)
		err = name_events(plan, diag);
	if (!err)
		err = survey__run(plan);
	plan->functions->without_pruning = plan->traced || (options->without & FIX_PRUNING);
	if (!err)
		err = cut_regions(plan, options);
	count_late(plan);
	if (!err)
		err = options->no_dsos ? 0 : images__plan(plan, options, diag);
	if (!err && !options->no_dsos)
		err = emit__records(plan, options);
	if (!err)
		err = emit__find_places(plan);
	if (!err)
		err = count_dumps(plan);
	if (!err)
		err = count_kept(plan);
	if (!err)
		err = count_dsos(plan);
	return err;
}

/*
 * Takes "." and doubled slashes out of an absolute path, and a slash at its end: however the output
 * was named, records name DSOs in one way. ".." stays, as what is before it may be a link.
 */
static void tidy(char *path)
{
	const char *from = path;
	char *to = path;

	while (*from) {
		size_t length;

		from += strspn(from, "/");
		length = strcspn(from, "/");
		if (length && !(length == 1 && *from == '.')) {
			*to++ = '/';
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	if (to == path)
		*to++ = '/';
	*to = 0;
}

/*
 * An absolute path: MMAP2 records must name DSOs so that any reader finds them. 0 or a negative
 * errno.
 */
static int make_absolute(char **absolute, const char *path, struct diag *diag)
{
	char cwd[PATH_MAX];

	*absolute = NULL;
	if (path[0] == '/') {
		*absolute = strdup(path);
	} else if (!getcwd(cwd, sizeof(cwd))) {
		int err = errno;

		diag__report(diag, DIAG_ERROR, "output.cwd", path, DIAG_NO_OFFSET,
			     "the current folder can't be told (%s): give absolute paths, or work "
			     "in a folder that exists",
			     strerror(err));
		return -err;
	} else if (asprintf(absolute, "%s/%s", cwd, path) < 0) {
		*absolute = NULL;
	}
	if (!*absolute)
		return -ENOMEM;
	tidy(*absolute);
	return 0;
}

int plan__dso_folder(char **folder, const struct plan_options *options, struct diag *diag)
{
	char *beside;
	int err;

	if (options->dso_dir)
		return make_absolute(folder, options->dso_dir, diag);
	if (asprintf(&beside, "%s.jit", options->output) < 0)
		return -ENOMEM;
	err = make_absolute(folder, beside, diag);
	free(beside);
	return err;
}

int plan__make(struct plan **plan, struct perfdata *perfdata, const struct plan_options *options,
	       struct diag *diag)
{
	struct plan_options own = *options;
	int err;

	*plan = new_plan(perfdata);
	if (!*plan)
		return -ENOMEM;
	err = plan__dso_folder(&(*plan)->dso_folder, options, diag);
	(*plan)->dso_folder_named = options->dso_dir != NULL;
	own.dso_dir = (*plan)->dso_folder;
	if (!err)
		err = fill(*plan, &own, diag);
	if (err) {
		plan__free(*plan);
		*plan = NULL;
	}
	return err;
}
