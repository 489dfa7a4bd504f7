// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/discover.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/file.h"
#include "codemap/process.h"
#include "fix/kept.h"
#include "fix/search.h"

/* Runtimes map a page of their dump: with 64 KiB of it no page is larger. */
#define MARKER_MAX UINT64_C(65536)

/* Reads a decimal number at *p that fits a pid; false when there is none. */
static bool take_pid(const char **p, uint32_t *pid)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	value = strtoul(*p, &end, 10);
	if (errno || value > INT32_MAX)
		return false;
	*p = end;
	*pid = (uint32_t)value;
	return true;
}

/* ".dump" up to the end, or before " (deleted)". */
static bool ends_as_dump(const char *p)
{
	return strcmp(p, ".dump") == 0 || strcmp(p, ".dump (deleted)") == 0;
}

bool discover__may_be_marker(const char *name, uint64_t size, uint64_t pgoff)
{
	size_t length = strlen(name);

	if (name[0] != '/' || name[1] == '/' || strncmp(name, "/memfd:", 7) == 0 ||
	    strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/SYSV", 5) == 0)
		return false;
	if (pgoff == 0 && size <= MARKER_MAX)
		return true;
	return length > 5 && strcmp(name + length - 5, ".dump") == 0;
}

bool discover__is_marker(const char *name, uint32_t *file_pid)
{
	const char *p = file__base_name(name);

	*file_pid = 0;
	if (strncmp(p, "jit-", 4) != 0)
		return false;
	p += 4;
	if (!take_pid(&p, file_pid))
		return false;
	if (ends_as_dump(p))
		return true;
	/* JavaScriptCore: jit-<tid>-<pid>.dump */
	if (*p++ == '-' && take_pid(&p, file_pid) && ends_as_dump(p))
		return true;
	*file_pid = 0;
	return false;
}

static void report_missing(struct search *search)
{
	const struct marker *marker = search->marker;

	buf__put_u8(&search->tried, 0);
	diag__report(search->diag, DIAG_WARNING, "discover.missing-dump", marker->name,
		     DIAG_NO_OFFSET,
		     "jitdump of pid %u not found%s (looked for %s): its JIT code stays %s; name "
		     "the file with --jitdump=%u=FILE or its folder with --jitdump-dir=DIR",
		     marker->pid, marker->deleted ? ", it was deleted while the program ran" : "",
		     search->tried.failed ? "it" : (const char *)search->tried.data,
		     kept__would_name(search->discovery->kept, marker) ? "as it was fixed before"
								       : "unnamed",
		     marker->pid);
}

static int add_dump(struct discovery *discovery, struct jitdump *dump, uint32_t pid,
		    const struct marker *marker, uint64_t until)
{
	struct found_dump found = {
		.dump = dump,
		.pid = pid,
		.marker = marker,
		.time = marker ? marker->time : 0,
		.until = until,
	};

	if (!array__push(&discovery->dumps, found)) {
		jitdump__close(dump);
		return -ENOMEM;
	}
	return 0;
}

static bool same_file(const struct marker *a, const struct marker *b)
{
	return strcmp(a->name, b->name) == 0 && a->ino == b->ino;
}

/* Each process' markers from the last to the first: positions + 1, 0 where there is none. */
struct marker_chains {
	size_t *last;   /* by process number; behind all of them: of markers without a process */
	size_t *before; /* by marker: of the same process */
	size_t nr_processes;
};

static size_t *last_of(const struct marker_chains *chains, const struct process *process)
{
	return &chains->last[process ? process->number : chains->nr_processes];
}

static void marker_chains__free(struct marker_chains *chains)
{
	free(chains->last);
	free(chains->before);
}

static int marker_chains__init(struct marker_chains *chains, const struct discovery *discovery,
			       const struct scan *scan)
{
	chains->nr_processes = processes__count(scan->processes);
	chains->last = calloc(chains->nr_processes + 1, sizeof(*chains->last));
	chains->before = calloc(discovery->markers.count + 1, sizeof(*chains->before));
	if (!chains->last || !chains->before) {
		marker_chains__free(chains);
		return -ENOMEM;
	}
	for (size_t i = 0; i < discovery->markers.count; i++) {
		size_t *last = last_of(chains, discovery->markers.items[i].process);

		chains->before[i] = *last;
		*last = i + 1;
	}
	return 0;
}

/* A marker that a process has from the one it was forked from: the dump is that one's. */
static bool is_inherited(const struct discovery *discovery, const struct marker_chains *chains,
			 const struct marker *marker)
{
	const struct process *process = marker->process;
	unsigned int forks = 0;

	for (; process && process->parent && forks < PROCESS_MAX_FORKS; forks++) {
		process = process->parent;
		for (size_t i = *last_of(chains, process); i; i = chains->before[i - 1])
			if (same_file(&discovery->markers.items[i - 1], marker))
				return true;
	}
	return false;
}

/* Dumps are mapped more than once; the first time counts, or one of the user's files does. */
static bool is_done(const struct discovery *discovery, const struct marker_chains *chains, size_t i)
{
	const struct marker *marker = &discovery->markers.items[i];

	array__for_each(found, &discovery->dumps)
		if (found->marker && found->marker->process == marker->process &&
		    strcmp(found->marker->name, marker->name) == 0)
			return true;
	for (size_t j = chains->before[i]; j; j = chains->before[j - 1])
		if (strcmp(discovery->markers.items[j - 1].name, marker->name) == 0)
			return true;
	return false;
}

/* A program that calls exec keeps its pid, and what it starts writes the same file anew. */
static bool is_overwritten(const struct discovery *discovery, const struct marker *marker)
{
	array__for_each(found, &discovery->dumps)
		if (found->marker && found->marker->pid == marker->pid &&
		    found->marker->time > marker->time && found->marker->process &&
		    found->marker->process->execed &&
		    strcmp(found->marker->name, marker->name) == 0)
			return true;
	return false;
}

static int open_by_marker(struct discovery *discovery, const struct marker_chains *chains,
			  struct marker *marker, const struct search *model)
{
	struct search search = *model;
	uint64_t until = CODE_FOREVER;
	struct jitdump *dump;
	int err = 0;

	if (is_inherited(discovery, chains, marker)) {
		/* a fork that was seen brings what the parent had then */
		if (!marker->process || marker->process->start)
			return 0;
		/* one before the profile brings no more than what was there when it began */
		until = model->scan->first_sample;
	}
	search.marker = marker;
	dump = search__find(&search);
	if (dump) {
		err = add_dump(discovery, dump, marker->pid, marker, until);
	} else if (search.tried.failed) {
		err = -ENOMEM;
	} else if (!marker->odd && !is_overwritten(discovery, marker)) {
		marker->missing = true;
		discovery->nr_missing++;
		report_missing(&search);
	}
	buf__free(&search.tried);
	return err;
}

static void reverse(struct discovery *discovery, size_t from)
{
	struct found_dump *items = discovery->dumps.items;

	for (size_t i = from, j = discovery->dumps.count; i + 1 < j; i++) {
		struct found_dump swapped = items[i];

		items[i] = items[--j];
		items[j] = swapped;
	}
}

/* From the last to the first: a file that several processes wrote is that of the last. */
static int open_by_markers(struct discovery *discovery, const struct scan *scan,
			   const struct perfdata *perfdata, const struct discover_options *options,
			   struct diag *diag)
{
	const struct search model = {
		.options = options,
		.scan = scan,
		.discovery = discovery,
		.perf_data = perfdata__path(perfdata),
		.diag = diag,
		.tried = BUF(ORDER_HOST),
	};
	size_t named = discovery->dumps.count;
	struct marker_chains chains;
	int err = marker_chains__init(&chains, discovery, scan);

	if (err)
		return err;
	for (size_t i = discovery->markers.count; !err && i--;)
		if (!is_done(discovery, &chains, i))
			err = open_by_marker(discovery, &chains, &discovery->markers.items[i],
					     &model);
	marker_chains__free(&chains);
	reverse(discovery, named);
	return err;
}

/* "PID=FILE" or "FILE". */
static const char *split_argument(const char *argument, uint32_t *pid)
{
	const char *p = argument;

	if (take_pid(&p, pid) && *p == '=')
		return p + 1;
	*pid = 0;
	return argument;
}

/* Whether a file that the user named may be a marker's: by the pid said, by its name, its header.
 */
static bool may_be_of(const struct marker *marker, uint32_t pid, const struct jitdump *dump)
{
	uint32_t own = jitdump__header(dump)->pid;

	if (marker->odd && !pid)
		return false;
	if (pid)
		return marker->pid == pid;
	return strcmp(file__base_name(marker->name), file__base_name(jitdump__path(dump))) == 0 ||
	       marker->file_pid == own || marker->pid == own;
}

/* The marker that a file named by the user belongs to: rather one of a process of its time. */
static const struct marker *marker_of(const struct discovery *discovery, const struct scan *scan,
				      uint32_t pid, struct jitdump *dump)
{
	const char *name = file__base_name(jitdump__path(dump));
	const struct marker *best = NULL;
	int best_rank = 0;

	array__for_each(marker, &discovery->markers) {
		int rank;

		if (!may_be_of(marker, pid, dump))
			continue;
		rank = 1 + (strcmp(file__base_name(marker->name), name) == 0) +
		       2 * search__fits(scan, marker->process, dump);
		if (rank >= best_rank) {
			best = marker;
			best_rank = rank;
		}
	}
	return best;
}

static int open_named(struct discovery *discovery, const struct scan *scan, const char *argument,
		      struct diag *diag)
{
	const struct marker *marker;
	struct jitdump *dump;
	uint32_t pid;
	const char *path = split_argument(argument, &pid);
	int err = jitdump__open(&dump, path, diag);

	if (err)
		return err;
	marker = marker_of(discovery, scan, pid, dump);
	if (!pid)
		pid = marker ? marker->pid : jitdump__header(dump)->pid;
	return add_dump(discovery, dump, pid, marker, CODE_FOREVER);
}

int discover__check_folder(const char *path, const char *option, struct diag *diag)
{
	struct stat folder;
	int err = stat(path, &folder) < 0 ? errno : S_ISDIR(folder.st_mode) ? 0 : ENOTDIR;

	if (err)
		diag__report(diag, DIAG_ERROR, "discover.folder", path, DIAG_NO_OFFSET,
			     "%s names no folder that can be looked into: %s", option,
			     strerror(err));
	return -err;
}

static int check_folders(const struct discover_options *options, struct diag *diag)
{
	int err = options->root ? discover__check_folder(options->root, "--root", diag) : 0;

	for (size_t i = 0; !err && i < options->nr_jitdump_dirs; i++)
		err = discover__check_folder(options->jitdump_dirs[i], "--jitdump-dir", diag);
	for (size_t i = 0; !err && i < options->nr_perf_map_dirs; i++)
		err = discover__check_folder(options->perf_map_dirs[i], "--perf-map-dir", diag);
	return err;
}

int discover__open(struct discovery *discovery, const struct scan *scan,
		   const struct perfdata *perfdata, const struct discover_options *options,
		   struct diag *diag)
{
	int err = check_folders(options, diag);

	if (err)
		return err;
	array__for_each(marker, &discovery->markers)
		marker->process = processes__find(scan->processes, marker->pid, marker->time);
	for (size_t i = 0; i < options->nr_jitdumps; i++) {
		err = open_named(discovery, scan, options->jitdumps[i], diag);

		if (err)
			return err;
	}
	return open_by_markers(discovery, scan, perfdata, options, diag);
}

void discovery__free(struct discovery *discovery)
{
	array__for_each(found, &discovery->dumps)
		jitdump__close(found->dump);
	array__for_each(found, &discovery->maps)
		perfmap__close(found->map);
	array__for_each(marker, &discovery->markers)
		free(marker->name);
	array__free(&discovery->maps);
	array__free(&discovery->dumps);
	array__free(&discovery->markers);
}
