// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a recording twice: as it is, and as perfjit-fix makes it, for what is wrong with call
 * chains is seen only where JIT code no longer ends them.
 */
#include "doctor/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"
#include "check/subject.h"
#include "fix/apply.h"
#include "perfdata/edit.h"

static void hear(void *context, const struct diag_message *message)
{
	struct recording *recording = context;
	struct heard heard = { .kind = message->kind };

	if (message->level == DIAG_ERROR) {
		diag__report(recording->diag, message->level, message->kind, message->file,
			     message->offset, "%s", message->text);
		return;
	}
	if (*recording__heard(recording, message->kind))
		return;
	heard.text = strdup(message->text);
	heard.file = strdup(message->file ? message->file : "");
	if (!heard.text || !heard.file || !array__push(&recording->heard, heard)) {
		free(heard.text);
		free(heard.file);
		recording->diagnosis->failed = true;
	}
}

const struct heard *recording__report_of(const struct recording *recording, const char *kind)
{
	array__for_each(heard, &recording->heard)
		if (strcmp(heard->kind, kind) == 0)
			return heard;
	return NULL;
}

const char *recording__heard(const struct recording *recording, const char *kind)
{
	const struct heard *heard = recording__report_of(recording, kind);

	return heard ? heard->text : "";
}

/* ---- records --------------------------------------------------------------------------------- */

static void note_attrs(struct recording *recording)
{
	recording->user_only = perfdata__nr_attrs(recording->perfdata) > 0;
	for (size_t i = 0; i < perfdata__nr_attrs(recording->perfdata); i++) {
		const struct perfdata_attr *attr = perfdata__attr(recording->perfdata, i);

		recording->has_chains |= (attr->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		recording->has_stacks |= (attr->attr.sample_type & PERF_SAMPLE_STACK_USER) != 0;
		recording->user_only &= attr->attr.exclude_kernel;
		if (attr->recorded_size > recording->attr_size)
			recording->attr_size = attr->recorded_size;
	}
}

/* LOST: id, count. LOST_SAMPLES: count. */
static void note_lost(struct recording *recording, const struct perfdata_record *record)
{
	size_t at = record->type == PERFDATA_LOST ? 16 : 8;

	if (record->size >= at + 8)
		recording->counts->lost +=
			get_u64(record->data + at, perfdata__order(recording->perfdata));
}

static void note_sample(struct recording *recording, const struct perfdata_record *record)
{
	struct perfdata_sample sample;

	if (!perfdata__parse_sample(recording->perfdata, record, &sample) ||
	    !sample.user_stack.size)
		return;
	recording->counts->stacks++;
	recording->counts->full += sample.user_stack_full;
}

/* "python3.11", "libpython3.11.so.1.0" */
static void note_python(struct recording *recording, const struct perfdata_record *record)
{
	struct perfdata_mmap mmap;
	const char *name;
	unsigned int minor;

	if (!perfdata__parse_mmap(recording->perfdata, record, &mmap))
		return;
	name = file__base_name(mmap.name);
	if (strncmp(name, "lib", 3) == 0)
		name += 3;
	if (sscanf(name, "python3.%3u", &minor) == 1 && minor > recording->python)
		recording->python = minor;
}

static int read_records(struct recording *recording)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	int got;

	perfdata_walk__begin(&walk, recording->perfdata);
	while ((got = perfdata_walk__next(&walk, &record)) > 0) {
		if (record.type == PERFDATA_LOST || record.type == PERFDATA_LOST_SAMPLES)
			note_lost(recording, &record);
		else if (record.type == PERFDATA_SAMPLE && recording->has_stacks)
			note_sample(recording, &record);
		else if (record.type == PERFDATA_MMAP || record.type == PERFDATA_MMAP2)
			note_python(recording, &record);
	}
	perfdata_walk__end(&walk);
	return got;
}

uint64_t recording__count_unnamed(const struct recording *recording, uint32_t pid)
{
	uint64_t count = 0;

	array__for_each(of, &recording->unnamed)
		count += *of == pid;
	return count;
}

/* ---- before and after ------------------------------------------------------------------------ */

struct frames {
	struct recording *recording;
	uint64_t jit; /* samples */
};

static bool advance(void *context, uint64_t done, uint64_t total)
{
	struct frames *frames = context;
	const struct recording_options *options = frames->recording->options;

	return !options->progress || options->progress(options->context, done, total);
}

/* Notes a chain whose last frame is in a file that is not the one that ran. */
static int note_no_file(struct no_file *no_file, const struct check_seen *seen)
{
	size_t count = seen->chain->frames.count;
	const struct check_finding *last = count ? &seen->findings[count - 1] : NULL;

	if (no_file->name || !last || seen->end != CHECK_NO_FILE)
		return 0;
	no_file->reason = last->reason;
	no_file->name = strdup(last->place);
	return no_file->name ? 0 : -ENOMEM;
}

static int count_jit(void *context, const struct check_seen *seen)
{
	struct frames *frames = context;
	bool jit = false, unnamed = false;

	array__for_each(frame, &seen->chain->frames) {
		jit |= frame->jit;
		unnamed |= frame->jit && !frame->symbol;
	}
	frames->jit += jit;
	if (unnamed && !array__push(&frames->recording->unnamed, seen->sample->pid))
		return -ENOMEM;
	return note_no_file(&frames->recording->no_file, seen);
}

static void note_runtime(struct recording *recording, const struct check *check)
{
	array__for_each(group, &check->groups)
		if ((*group)->kind == CHECK_RUNTIME && (*group)->runtime && !recording->runtime)
			recording->runtime = (*group)->runtime;
	recording->counts->runtime = recording->runtime ? recording->runtime->name : NULL;
}

/* DSOs that are made here are not below --symfs. */
static const char *locate(void *context, const char *name)
{
	const char *folder = context;

	return strncmp(name, folder, strlen(folder)) == 0 ? name : NULL;
}

/* folder: of the DSOs, or NULL. */
static int count(struct recording *recording, struct perfdata *profile, char *folder,
		 struct check_counts *total)
{
	struct frames frames = { .recording = recording };
	struct check_options options = {
		.discover = recording->options->discover,
		.unwind = recording->options->unwind,
		.visit = count_jit,
		.progress = advance,
		.context = &frames,
	};
	struct check check;
	int err;

	free(recording->no_file.name);
	recording->no_file = (struct no_file){ 0 };
	recording->unnamed.count = 0;
	options.unwind.locate = folder ? locate : NULL;
	options.unwind.context = folder;
	err = check__read(&check, profile, recording->perfdata, &options, recording->quiet);
	if (!err)
		err = check__count(&check, profile, &options, recording->quiet);
	if (!err) {
		*total = check.total;
		recording->counts->jit = frames.jit;
		recording->counts->unnamed = recording->unnamed.count;
		note_runtime(recording, &check);
	}
	check__free(&check);
	return err;
}

static bool is_fixable(const struct plan *plan)
{
	return plan->dsos.count > 0;
}

static int count_fixed(struct recording *recording, const char *path)
{
	struct apply_options options = {
		.output = path,
		.no_sync = true,
		.progress = recording->options->progress,
		.context = recording->options->context,
	};
	struct perfdata *fixed;
	int err = plan__apply(recording->plan, &options, recording->quiet);

	if (!err)
		err = perfdata__open(&fixed, path, recording->quiet);
	if (err)
		return err;
	err = count(recording, fixed, recording->plan->dso_folder, &recording->counts->after);
	recording->counts->fixed = !err;
	perfdata__close(fixed);
	return err;
}

static int make_folder(struct scratch *scratch, struct diag *diag)
{
	int err = scratch__make(scratch, NULL, "perfjit-doctor");

	if (err)
		diag__report(diag, DIAG_ERROR, "doctor.folder", NULL, DIAG_NO_OFFSET,
			     "can't make a folder for the fixed profile: %s", strerror(-err));
	return err;
}

static int read_fixed(struct recording *recording)
{
	struct scratch scratch;
	int err = make_folder(&scratch, recording->diag);
	char *path = err ? NULL : scratch__path(&scratch, "perf.fixed.data");
	struct plan_options options = {
		.output = path,
		.discover = recording->options->discover,
	};

	if (err)
		return err;
	err = path ? plan__make(&recording->plan, recording->perfdata, &options, recording->quiet)
		   : -ENOMEM;
	if (!err && is_fixable(recording->plan))
		err = count_fixed(recording, path);
	scratch__remove(&scratch);
	free(path);
	return err;
}

/* What of the machine and the user the findings may tell of. */
static void note_places(struct recording *recording)
{
	const struct discovery *discovery = recording->plan->discovery;

	diagnosis__note_place(recording->diagnosis, recording->options->path);
	diagnosis__note_place(recording->diagnosis, recording->path);
	/* an odd one is told of only if a jitdump was found for it */
	array__for_each(marker, &discovery->markers)
		if (!marker->odd)
			diagnosis__note_place(recording->diagnosis, marker->name);
	array__for_each(found, &discovery->dumps)
		if (found->marker)
			diagnosis__note_place(recording->diagnosis, found->marker->name);
	array__for_each(found, &discovery->dumps)
		diagnosis__note_place(recording->diagnosis, jitdump__path(found->dump));
	if (recording->no_file.name)
		diagnosis__note_place(recording->diagnosis, recording->no_file.name);
}

static int examine(struct recording *recording)
{
	int err = perfdata__open_original(&recording->perfdata, recording->options->path,
					  recording->quiet);

	if (err)
		return err;
	note_attrs(recording);
	err = check_recorded__read(&recording->recorded, recording->perfdata);
	if (!err)
		err = read_records(recording);
	if (!err)
		err = count(recording, recording->perfdata, NULL, &recording->counts->before);
	if (!err)
		err = read_fixed(recording);
	/* fixing it tells as well */
	if (err != -EBADMSG && perfdata__check_whole(recording->perfdata, recording->quiet) < 0)
		err = -EBADMSG;
	if (!err) {
		/* as it is judged */
		recording->recorded.fixed = recording->counts->fixed;
		recording->recorded.described = recording->plan->discovery->dumps.count ||
						recording->plan->discovery->maps.count;
		recording__judge(recording);
		note_places(recording);
	}
	return err;
}

int diagnose__recording(struct diagnosis *diagnosis, const struct recording_options *options,
			struct recording_counts *counts, struct diag *diag)
{
	struct recording recording = {
		.options = options,
		.diagnosis = diagnosis,
		.counts = counts,
		.diag = diag,
	};
	int err = -ENOMEM;

	*counts = (struct recording_counts){ 0 };
	recording.quiet = diag__new(hear, &recording);
	recording.path = text__quoted(options->path);
	recording.perf = options->perf ? text__quoted(options->perf) : NULL;
	if (recording.quiet && recording.path && (recording.perf || !options->perf))
		err = examine(&recording);
	free(recording.path);
	free(recording.perf);
	if (recording.plan)
		plan__free(recording.plan);
	perfdata__close(recording.perfdata);
	diag__free(recording.quiet);
	array__for_each(heard, &recording.heard) {
		free(heard->text);
		free(heard->file);
	}
	array__free(&recording.heard);
	array__free(&recording.unnamed);
	free(recording.no_file.name);
	check_recorded__free(&recording.recorded);
	return err ? err : diagnosis->failed ? -ENOMEM : 0;
}
