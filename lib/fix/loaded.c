// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/loaded.h"

#include <errno.h>

#include "base/diag.h"
#include "fix/kept.h"
#include "fix/map_source.h"
#include "fix/space.h"
#include "fix/timing.h"

struct loader {
	const struct scan *scan;
	const struct perfdata *perfdata;
	const struct loaded_options *options;
	struct diag *diag;
	struct process *process;
	const struct found_dump *found;
};

/* A jitdump's time as perf's clock has it. */
static uint64_t perf_time(const struct loader *loader, uint64_t time)
{
	if (!loader->scan->timed)
		return 0;
	return timing__perf_time(loader->found, perfdata__time_conv(loader->perfdata), time);
}

/* Code in a file that is mapped twice is at both places (V8's embedded builtins). */
static int load_aliases(struct loader *loader, uint64_t time, const struct code_record *record)
{
	const struct mapping *home = process__mapping(loader->process, record->addr, time);
	uint64_t in_file;

	if (!home || !home->file || !home->exec)
		return 0;
	in_file = record->addr - home->start + home->pgoff;
	array__for_each(other, &loader->process->mappings) {
		uint64_t addr = other->start + (in_file - other->pgoff);
		int err;

		if (!other->exec || !mapping__same_file(home, other) || addr == record->addr ||
		    in_file < other->pgoff || in_file - other->pgoff >= other->size ||
		    record->size > other->size - (in_file - other->pgoff))
			continue;
		err = codemap__alias(loader->process->codemap,
				     other->time > time ? other->time : time, record, addr);
		if (err)
			return err;
	}
	return 0;
}

/* Whether memory is one for all who have it from a fork, by how the kernel names such. */
static bool is_shared(const struct mapping *mapping)
{
	static const char *const names[] = { "/dev/zero", "/dev/shm/", "/SYSV" };

	for (size_t i = 0; mapping && i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(mapping->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/*
 * Whether an event is one of the loader's process. What it has by a fork it has as it was then; but
 * what others who have it too put into shared memory is there at once.
 */
static bool concerns(const struct loader *loader, const struct jitdump_event *event, uint64_t time)
{
	const struct process *process = loader->process;
	bool own = loader->found->process == process;

	if (own && time < loader->found->until)
		return true;
	return loader->found->shared && event->kind == JITDUMP_LOAD &&
	       (own || time >= process->start) &&
	       is_shared(process__mapping(process, event->code->addr, time));
}

static int on_event(void *context, const struct jitdump_event *event)
{
	struct loader *loader = context;
	struct codemap *map = loader->process->codemap;
	uint64_t time = perf_time(loader, event->time);
	int err;

	if (!concerns(loader, event, time))
		return 0;
	switch (event->kind) {
	case JITDUMP_LOAD:
		err = codemap__load(map, time, event->code);
		if (!err && !loader->options->without_aliases)
			err = load_aliases(loader, time, event->code);
		return err;
	case JITDUMP_MOVE:
		return codemap__move(map, time, event->move.from, event->move.to, event->move.size,
				     event->move.index);
	case JITDUMP_CLOSE:
		return codemap__close(map, time);
	}
	return 0;
}

/* Whether the process had the same file at this place before: then it is no other memory. */
static bool mapped_before(const struct process *process, const struct mapping *mapping)
{
	const struct mapping *before =
		mapping->time ? process__mapping(process, mapping->start, mapping->time - 1) : NULL;

	return before && mapping__same_file(before, mapping);
}

/* A file that is mapped over code takes its place. Without times it may have been there before. */
static int unload_mapped_over(const struct loader *loader)
{
	struct process *process = loader->process;

	if (!loader->scan->timed)
		return 0;
	array__for_each(mapping, &process->mappings) {
		int err;

		if (!mapping->file || mapped_before(process, mapping))
			continue;
		err = codemap__unmap(process->codemap, mapping->time, mapping->start,
				     mapping->size);
		if (err)
			return err;
	}
	return 0;
}

const struct process *loaded__copied_from(const struct process *process)
{
	return process->execed || !process->start ? NULL : process->parent;
}

const struct process *loaded__owner(const struct process *process)
{
	while (process && !process->codemap)
		process = loaded__copied_from(process);
	return process;
}

/* Whether a process was forked from the one that a dump is of, and such write to it. */
static bool shares(const struct found_dump *found, const struct process *process)
{
	if (!found->shared || found->refused || found->left)
		return false;
	while ((process = loaded__copied_from(process)))
		if (process == found->process)
			return true;
	return false;
}

/*
 * Takes over the code of the nearest process that has any of its own: as it was when the first of
 * those in between was forked from it, for what it did later is not in them.
 */
static int inherit(struct process *process)
{
	const struct process *from = loaded__copied_from(process);
	uint64_t time = process->start;

	for (; from && !from->codemap; from = loaded__copied_from(from))
		if (from->start < time)
			time = from->start;
	return from ? codemap__inherit(process->codemap, from->codemap, time) : 0;
}

static int load_process(struct loader *loader, struct discovery *discovery)
{
	struct process *process = loader->process;
	int err;

	process->codemap = codemap__new();
	if (!process->codemap)
		return -ENOMEM;
	err = inherit(process);
	array__for_each(found, &discovery->dumps) {
		if (err || (found->process != process && !shares(found, process)))
			continue;
		loader->found = found;
		err = jitdump__for_each_event(found->dump, on_event, loader);
	}
	array__for_each(found, &discovery->maps)
		if (!err && found->process == process)
			err = map_source__load(found, discovery);
	if (!err)
		err = unload_mapped_over(loader);
	if (!err)
		err = codemap__finish(process->codemap);
	if (!err && loader->found && codemap__lost_moves(process->codemap))
		diag__report(loader->diag, DIAG_WARNING, "jitdump.move-of-unknown",
			     jitdump__path(loader->found->dump), DIAG_NO_OFFSET,
			     "moves code that was never loaded, %zu times: skipped",
			     codemap__lost_moves(process->codemap));
	return err;
}

static bool is_described(const struct discovery *discovery, const struct process *process)
{
	array__for_each(found, &discovery->dumps)
		if (found->process == process)
			return true;
	array__for_each(found, &discovery->maps)
		if (found->process == process)
			return true;
	array__for_each(found, &discovery->dumps)
		if (shares(found, process))
			return true;
	return false;
}

static bool is_refused(const struct discovery *discovery, const struct process *process)
{
	array__for_each(found, &discovery->dumps)
		if (found->process == process && found->refused)
			return true;
	return false;
}

/* Nothing is known of what was where: not even that it still is what the parent had there. */
static int leave_process(struct process *process)
{
	process->codemap = codemap__new();
	return process->codemap ? codemap__finish(process->codemap) : -ENOMEM;
}

static int is_by_another(void *context, const struct jitdump_event *event)
{
	const struct jitdump_header *header = context;

	return event->kind == JITDUMP_LOAD && header->pid && event->code->pid &&
	       event->code->pid != header->pid;
}

/* 0 or a negative errno. */
static int find_shared(const struct scan *scan, struct discovery *discovery)
{
	array__for_each(found, &discovery->dumps) {
		int got = found->process && scan->timed
				  ? jitdump__for_each_event(
					    found->dump, is_by_another,
					    (void *)(uintptr_t)jitdump__header(found->dump))
				  : 0;

		if (got < 0)
			return got;
		found->shared = got > 0;
	}
	return 0;
}

static void assign_processes(const struct loader *loader, struct discovery *discovery)
{
	array__for_each(found, &discovery->dumps) {
		found->process = found->marker ? found->marker->process
					       : processes__find(loader->scan->processes,
								 found->pid, found->time);
		/* the user named a dump for a pid whose life began after time 0 */
		if (!found->process)
			found->process = processes__find(loader->scan->processes, found->pid,
							 loader->scan->last_sample);
		if (!found->process)
			diag__report(loader->diag, DIAG_WARNING, "discover.no-such-process",
				     jitdump__path(found->dump), DIAG_NO_OFFSET,
				     "pid %u is not in the profile: dump not used", found->pid);
	}
}

int loaded__build(const struct scan *scan, struct discovery *discovery, struct perfdata *perfdata,
		  const struct loaded_options *options, struct diag *diag)
{
	struct loader loader = { scan, perfdata, options, diag, NULL, NULL };
	int err;

	assign_processes(&loader, discovery);
	err = find_shared(scan, discovery);
	if (!err && options->kept)
		err = kept__settle(options->kept, discovery, diag);
	if (!err)
		err = timing__settle(scan, discovery, perfdata, diag);
	for (size_t i = 0; !err && i < processes__count(scan->processes); i++) {
		loader.process = scan->by_start[i];
		if (is_refused(discovery, loader.process) ||
		    kept__stands(options->kept, loader.process))
			err = leave_process(loader.process);
		else if (is_described(discovery, loader.process))
			err = load_process(&loader, discovery);
	}
	return err;
}

/* Whether a file is at addr at one time, and it is not what the code of another time lies in. */
static bool is_in_other_file(const struct process *process, uint64_t addr, uint64_t time,
			     uint64_t time_of_code)
{
	const struct mapping *file = process__mapping(process, addr, time), *its;

	if (!file || !mapping__must_stay(file))
		return false;
	its = process__mapping(process, addr, time_of_code);
	return !its || !mapping__same_file(file, its);
}

struct code *loaded__find(const struct process *process, uint64_t addr, uint64_t *time, bool *early)
{
	const struct process *asked = process;
	uint64_t asked_time = *time;
	struct code *code = NULL;

	*early = false;
	while (process && !process->codemap) {
		/* what the parent loads after the fork is not in the child */
		if (*time >= process->start && process->start)
			*time = process->start - 1;
		process = loaded__copied_from(process);
	}
	if (!process)
		return NULL;
	code = codemap__find(process->codemap, addr, *time);
	if (code && process != asked)
		return is_in_other_file(asked, addr, asked_time, asked->start) ? NULL : code;
	if (!code && process == asked) {
		code = codemap__find_early(process->codemap, addr, *time);
		if (code && is_in_other_file(process, addr, *time, code->load))
			code = NULL;
		*early = code != NULL;
	}
	return code;
}
