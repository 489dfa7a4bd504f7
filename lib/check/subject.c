// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/subject.h"

#include <errno.h>

#include "base/diag.h"
#include "check/runtime.h"
#include "fix/loaded.h"
#include "fix/map_source.h"
#include "jitdump/perfmap.h"
#include "session/session.h"

static void note_dumps(struct check_subjects *subjects)
{
	array__for_each(marker, &subjects->discovery.markers)
		if (marker->missing && marker->process)
			subjects->subjects[marker->process->number].own_missing = true;
	array__for_each(found, &subjects->discovery.dumps)
		if (found->refused && found->process)
			subjects->subjects[found->process->number].own_refused = true;
}

int check_subjects__read(struct check_subjects *subjects, struct perfdata *original,
			 const struct discover_options *options, struct diag *diag)
{
	const struct loaded_options loaded_options = { 0 };
	struct scan *scan = &subjects->scan;
	struct discovery *discovery = &subjects->discovery;
	int err = scan__run(scan, original);

	subjects->options = options;
	if (err)
		return err;
	/* the discovery takes the markers over */
	memcpy(&discovery->markers, &scan->markers, sizeof(scan->markers));
	memset(&scan->markers, 0, sizeof(scan->markers));
	err = discover__open(discovery, scan, original, options, diag);
	if (!err)
		err = map_source__open(discovery, scan, original, options, diag);
	if (!err)
		err = loaded__build(scan, discovery, original, &loaded_options, diag);
	if (err)
		return err;
	subjects->subjects =
		calloc(processes__count(scan->processes) + 1, sizeof(*subjects->subjects));
	if (!subjects->subjects)
		return -ENOMEM;
	note_dumps(subjects);
	return 0;
}

void check_subjects__free(struct check_subjects *subjects)
{
	free(subjects->subjects);
	discovery__free(&subjects->discovery);
	if (subjects->scan.processes)
		scan__free(&subjects->scan);
	diag__free(subjects->silent);
}

/* What perfjit-fix has mapped is not in the original; a profile of baked chains has none. */
static bool maps_dsos(const struct process *process)
{
	array__for_each(mapping, &process->mappings)
		if (session__is_jit_dso(mapping->name))
			return true;
	return false;
}

static bool is_in(const char *path, const char *dir)
{
	size_t length = strlen(dir);
	const char *base = strrchr(path, '/');

	while (length > 1 && dir[length - 1] == '/')
		length--;
	return base && (size_t)(base - path) >= length && strncmp(path, dir, length) == 0 &&
	       strspn(path + length, "/") == (size_t)(base - path) - length + 1;
}

/* perf reads the maps in /tmp. */
static bool is_map_shown(const struct check_subjects *subjects, const struct process *process)
{
	const struct discover_options *options = subjects->options;
	const char *path = NULL;
	bool shown;

	array__for_each(found, &subjects->discovery.maps)
		if (found->process == process)
			path = perfmap__path(found->map);
	shown = path && is_in(path, "/tmp");
	for (size_t i = 0; path && i < options->nr_perf_map_dirs; i++)
		shown = shown || is_in(path, options->perf_map_dirs[i]);
	return shown;
}

static void prepare(const struct check_subjects *subjects, struct check_subject *subject,
		    struct process *process, bool fixed)
{
	subject->process = process;
	subject->runtime = runtime__of(process);
	subject->described = loaded__owner(process) != NULL;
	subject->has_dsos = fixed || maps_dsos(process);
	subject->map_shown = is_map_shown(subjects, process);
	for (; process; process = process->execed ? NULL : process->parent) {
		subject->dump_missing |= subjects->subjects[process->number].own_missing;
		subject->refused |= subjects->subjects[process->number].own_refused;
	}
	subject->prepared = true;
}

struct check_subject *check_subjects__find(struct check_subjects *subjects, uint32_t pid,
					   uint64_t time, bool fixed)
{
	struct process *process = processes__find(subjects->scan.processes, pid, time);
	struct check_subject *subject;

	if (!process)
		return NULL;
	subject = &subjects->subjects[process->number];
	if (!subject->prepared)
		prepare(subjects, subject, process, fixed);
	return subject;
}
