// SPDX-License-Identifier: GPL-2.0-or-later
/* What a frame is, and why it has no name. */
#include <stdio.h>
#include <limits.h>
#include <unistd.h>

#include "base/text.h"
#include "check/subject.h"
#include "fix/loaded.h"
#include "session/session.h"

/* A frame with all that is known of its place. */
struct place {
	const struct check_subject *subject;
	const struct unwind_frame *frame;
	const struct mapping
		*recorded;           /* by the kernel: what perfjit-fix mapped is not among them */
	const struct process *shown; /* as the profile maps it, DSOs of JIT code included */
	const struct code *code;     /* that a dump or map describes, or NULL */
	bool early;                  /* it was loaded only later */
};

/* perf inject -j takes the memory's own mapping out: before the DSO's there is none. */
static bool is_before_its_dso(const struct place *place)
{
	const struct mapping *later = NULL;

	if (place->frame->reason == UNWIND_MAPPED_LATER && place->shown)
		later = process__mapping(place->shown, place->frame->ip, CODE_FOREVER - 1);
	return later && session__is_jit_dso(later->name);
}

static bool is_jit(const struct place *place)
{
	const struct mapping *recorded = place->recorded;

	return place->code || place->frame->jit || is_before_its_dso(place) ||
	       (recorded && recorded->exec && !recorded->file && !recorded->kernel) ||
	       (recorded && session__is_jit_dso(recorded->name));
}

/* A name that perfjit-fix or perf inject gave the code of a dump, and that is not the dump's. */
static bool is_misnamed(const struct place *place)
{
	const struct code *code = place->code;

	return code && !place->early && code->record->code.size && place->frame->jit &&
	       place->frame->symbol && strcmp(place->frame->symbol, code->record->name) != 0 &&
	       !text__is_printable_of(place->frame->symbol, code->record->name);
}

static bool exists(const char *name, const char *symfs)
{
	char path[PATH_MAX];

	if (!symfs)
		return access(name, F_OK) == 0;
	return snprintf(path, sizeof(path), "%s/%s", symfs, name) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

static enum check_reason reason_of_file(const struct unwind_frame *frame, const char *symfs)
{
	switch (frame->reason) {
	case UNWIND_NO_FILE:
		return exists(frame->mapping->name, symfs) ? CHECK_DSO_UNREADABLE
							   : CHECK_DSO_MISSING;
	case UNWIND_NOT_ELF:
		return CHECK_DSO_UNREADABLE;
	case UNWIND_OTHER_FILE:
		return CHECK_BUILD_ID;
	default:
		return CHECK_NO_SYMBOL;
	}
}

/* How many mappings over a DSO are looked through. */
#define LAYERS_MAX 64

/* Whether there is a file, a DSO most likely, under the memory that is mapped there. */
static bool is_hidden(const struct place *place)
{
	const struct mapping *mapping = place->frame->mapping;

	for (int i = 0; i < LAYERS_MAX && place->shown && mapping && mapping->time; i++) {
		mapping = process__mapping(place->shown, place->frame->ip, mapping->time - 1);
		if (mapping && mapping->file && mapping->exec)
			return true;
	}
	return false;
}

/* perf looks into a process' own map for what is in executable memory without a file. */
static bool is_named_by_map(const struct place *place)
{
	const struct mapping *mapping = place->frame->mapping;

	return !place->frame->symbol && place->code &&
	       code_record__is_of_perf_map(place->code->record) && place->subject->map_shown &&
	       mapping && mapping->exec && !mapping->file && !mapping->kernel;
}

/* Of code that nothing describes. */
static enum check_reason reason_of_unknown(const struct check_subject *subject)
{
	if (!subject)
		return CHECK_NO_DUMP;
	if (subject->dump_missing)
		return CHECK_DUMP_MISSING;
	if (subject->refused)
		return CHECK_CLOCK;
	return subject->described ? CHECK_NO_RECORD : CHECK_NO_DUMP;
}

static enum check_reason reason_of(const struct place *place, const char *symfs)
{
	const struct unwind_frame *frame = place->frame;
	bool has_dsos = place->subject && place->subject->has_dsos;

	if (is_misnamed(place))
		return CHECK_WRONG_NAME;
	if (place->code && !has_dsos)
		return code_record__is_of_perf_map(place->code->record) ? CHECK_PERF_MAP
									: CHECK_NOT_FIXED;
	if (frame->mapping && frame->mapping->file)
		return reason_of_file(frame, symfs);
	if (frame->reason == UNWIND_HIDDEN || (place->code && is_hidden(place)))
		return CHECK_HIDDEN;
	if ((place->code && place->early) || is_before_its_dso(place))
		return CHECK_LOADED_LATER;
	if (place->code)
		return CHECK_NOT_FIXED;
	if (is_jit(place))
		return reason_of_unknown(place->subject);
	/* [vdso] and [vsyscall] */
	return frame->mapping && frame->mapping->kernel ? CHECK_KERNEL : CHECK_NO_MAP;
}

void check__classify(const struct check_subject *subject, const struct unwind_frame *frame,
		     uint64_t time, const struct check_view *view, struct check_finding *finding)
{
	struct place place = {
		.subject = subject,
		.frame = frame,
		.shown = subject ? processes__find(view->processes, subject->process->pid, time)
				 : NULL,
	};
	uint64_t loaded = time;

	if (subject) {
		place.recorded = process__mapping(subject->process, frame->ip, time);
		if (subject->described)
			place.code =
				loaded__find(subject->process, frame->ip, &loaded, &place.early);
	}
	*finding = (struct check_finding){
		.jit = is_jit(&place),
		.named = frame->symbol && !is_misnamed(&place),
		.place = frame->mapping ? frame->mapping->name : "",
	};
	if (is_named_by_map(&place)) {
		finding->named = true;
		finding->symbol = place.code->record->name;
		finding->symbol_offset = frame->ip - place.code->addr;
	}
	if (!finding->named)
		finding->reason = reason_of(&place, view->symfs);
}
