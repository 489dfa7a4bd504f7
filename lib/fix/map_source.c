// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/map_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/diag.h"
#include "codemap/process.h"

#define SECOND UINT64_C(1000000000)

struct opener {
	struct discovery *discovery;
	const struct scan *scan;
	const struct perfdata *perfdata;
	const struct discover_options *options;
	struct diag *diag;
};

static int add_map(struct opener *opener, const char *path, struct process *process)
{
	struct found_map found = { .pid = process->pid, .process = process };
	int err = perfmap__open(&found.map, path, opener->diag);

	if (err)
		return err == -ENOMEM ? err : 0;
	if (!array__push(&opener->discovery->maps, found)) {
		perfmap__close(found.map);
		return -ENOMEM;
	}
	return 1;
}

/*
 * Anyone may leave a map in /tmp, for whatever process is to come. Root, who looks at everyone's
 * processes, has to take everyone's.
 */
static bool is_strangers(const struct opener *opener, const char *path, const struct stat *file)
{
	uid_t self = geteuid();

	if (self == 0 || file->st_uid == self || file->st_uid == 0 ||
	    file->st_uid == perfdata__stat(opener->perfdata)->st_uid)
		return false;
	diag__report(opener->diag, DIAG_WARNING, "perfmap.strangers", path, DIAG_NO_OFFSET,
		     "is another user's: not used; name its folder with --perf-map-dir if it is "
		     "to be trusted");
	return true;
}

/* 1 when the map is there, 0 when it is not; named: the user has said that it is to be taken. */
static int try_dir(struct opener *opener, const char *dir, size_t length, struct process *process,
		   time_t newer, bool named)
{
	char *path = NULL;
	struct stat file;
	int err = 0;

	if (asprintf(&path, "%.*s/perf-%u.map", (int)length, dir, process->pid) < 0)
		return -ENOMEM;
	if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && file.st_mtime >= newer &&
	    (named || !is_strangers(opener, path, &file)))
		err = add_map(opener, path, process);
	free(path);
	return err;
}

static bool recorded_here(const struct perfdata *perfdata)
{
	const char *host = perfdata__feature_string(perfdata, PERFDATA_FEAT_HOSTNAME);
	struct utsname here;

	return host && uname(&here) == 0 && strcmp(host, here.nodename) == 0;
}

/* When the process began at the latest, by the wall clock: the profile was written after it. */
static time_t begin_of(const struct opener *opener, const struct process *process)
{
	uint64_t start = process->start ? process->start : opener->scan->first_sample;
	uint64_t ns = opener->scan->last_sample > start ? opener->scan->last_sample - start : 0;

	return perfdata__stat(opener->perfdata)->st_mtime - (time_t)(ns / SECOND) - 1;
}

static int try_tmp(struct opener *opener, struct process *process)
{
	const char *root = opener->options->root;
	char *path = NULL;
	int err;

	if (!root)
		return recorded_here(opener->perfdata) ? try_dir(opener, "/tmp", 4, process,
								 begin_of(opener, process), false)
						       : 0;
	if (asprintf(&path, "%s/tmp", root) < 0)
		return -ENOMEM;
	err = try_dir(opener, path, strlen(path), process, 0, true);
	free(path);
	return err;
}

static int try_beside(struct opener *opener, struct process *process)
{
	const char *profile = perfdata__path(opener->perfdata), *slash = strrchr(profile, '/');

	if (!slash)
		return try_dir(opener, ".", 1, process, 0, false);
	return try_dir(opener, profile, (size_t)(slash - profile), process, 0, false);
}

static int open_map(struct opener *opener, struct process *process)
{
	const struct discover_options *options = opener->options;
	int got = 0;

	for (size_t i = 0; !got && i < options->nr_perf_map_dirs; i++)
		got = try_dir(opener, options->perf_map_dirs[i], strlen(options->perf_map_dirs[i]),
			      process, 0, true);
	if (!got)
		got = try_beside(opener, process);
	return got ? got : try_tmp(opener, process);
}

int map_source__open(struct discovery *discovery, const struct scan *scan,
		     const struct perfdata *perfdata, const struct discover_options *options,
		     struct diag *diag)
{
	struct opener opener = { discovery, scan, perfdata, options, diag };
	size_t count = processes__count(scan->processes);
	int got = 0;

	for (size_t i = 0; got >= 0 && i < count; i++) {
		struct process *process = processes__at(scan->processes, i);

		/* the last one of its pid has written what is there */
		if (i + 1 == count || processes__at(scan->processes, i + 1)->pid != process->pid)
			got = open_map(&opener, process);
	}
	return got < 0 ? got : 0;
}

struct range {
	uint64_t addr, end;
};

struct loading {
	struct found_map *found;
	ARRAY(struct range) described; /* by dumps: by address, apart from each other */
};

static int note_described(void *context, const struct jitdump_event *event)
{
	struct loading *loading = context;
	struct range range;

	if (event->kind == JITDUMP_LOAD)
		range = (struct range){ event->code->addr, event->code->addr + event->code->size };
	else if (event->kind == JITDUMP_MOVE)
		range = (struct range){ event->move.to, event->move.to + event->move.size };
	else
		return 0;
	return array__push(&loading->described, range) ? 0 : -ENOMEM;
}

static int by_addr(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void join(struct loading *loading)
{
	struct range *ranges = loading->described.items;
	size_t count = 0;

	if (loading->described.count)
		qsort(ranges, loading->described.count, sizeof(*ranges), by_addr);
	array__for_each(range, &loading->described) {
		if (count && range->addr <= ranges[count - 1].end) {
			if (range->end > ranges[count - 1].end)
				ranges[count - 1].end = range->end;
		} else {
			ranges[count++] = *range;
		}
	}
	loading->described.count = count;
}

static bool is_described(const struct loading *loading, const struct code_record *record)
{
	size_t first = array__count_leading(range, &loading->described, range->end <= record->addr);

	return first < loading->described.count &&
	       loading->described.items[first].addr < record->addr + record->size;
}

static bool holds_code(const struct mapping *mapping, uint64_t addr)
{
	return mapping->exec && !mapping->file && !mapping->kernel && addr >= mapping->start &&
	       addr - mapping->start < mapping->size;
}

/* The first executable memory at addr that is no file. */
static const struct mapping *memory_at(const struct process *process, uint64_t addr)
{
	const struct mapping *mapping;

	array__for_each(own, &process->mappings)
		if (holds_code(own, addr))
			return own;
	mapping = process__mapping(process, addr, process->start);
	return mapping && holds_code(mapping, addr) ? mapping : NULL;
}

static int load_entry(void *context, const struct code_record *record)
{
	struct loading *loading = context;
	struct process *process = loading->found->process;
	const struct mapping *memory = memory_at(process, record->addr);
	uint64_t time;

	if (!memory || is_described(loading, record))
		return 0;
	time = memory->time > process->start ? memory->time : process->start;
	loading->found->used++;
	return codemap__load(process->codemap, time, record);
}

int map_source__load(struct found_map *found, const struct discovery *discovery)
{
	struct loading loading = { .found = found };
	int err = 0;

	array__for_each(dump, &discovery->dumps)
		if (!err && dump->process == found->process)
			err = jitdump__for_each_event(dump->dump, note_described, &loading);
	join(&loading);
	if (!err)
		err = perfmap__for_each(found->map, load_entry, &loading);
	array__free(&loading.described);
	return err == -EINVAL ? 0 : err;
}
