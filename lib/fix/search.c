// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/search.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "codemap/process.h"

/* How deep below the user's folders dumps lie: LLVM and the JVM write jit/NAME-DATE/jit-PID.dump.
 */
#define DEPTH 2

/* How far a dump's times may be outside of its process's life, ns: records are written late. */
#define SLACK UINT64_C(1000000000)

static void note_tried(struct search *search, const char *path, const char *why)
{
	if (search->tried.size)
		buf__put(&search->tried, ", ", 2);
	buf__put(&search->tried, path, strlen(path));
	if (why) {
		buf__put(&search->tried, ": ", 2);
		buf__put(&search->tried, why, strlen(why));
	}
}

/* asprintf whose failure is remembered: a search that could not look has not found nothing. */
static bool __attribute__((format(printf, 3, 4)))
format(struct search *search, char **text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(text, format, args);
	va_end(args);
	search->tried.failed |= length < 0;
	return length >= 0;
}

static DIR *open_dir(struct search *search, const char *path)
{
	DIR *stream = opendir(path);

	search->tried.failed |= !stream && errno == ENOMEM;
	return stream;
}

struct life {
	uint64_t begin, end;
	bool any_load, fits;
};

static int look_at(void *context, const struct jitdump_event *event)
{
	struct life *life = context;

	if (event->kind != JITDUMP_LOAD)
		return 0;
	life->any_load = true;
	life->fits = event->time >= life->begin && event->time <= life->end;
	return life->fits;
}

bool search__fits(const struct scan *scan, const struct process *process, struct jitdump *dump)
{
	bool arch = jitdump__header(dump)->flags & JITDUMP_FLAG_ARCH_TIMESTAMP;
	struct life life = { 0 };

	if (!process || !scan->timed || !scan->monotonic || arch)
		return true;
	life.begin = process->start > SLACK ? process->start - SLACK : 0;
	life.end = process->end < CODE_FOREVER - SLACK ? process->end + SLACK : CODE_FOREVER;
	if (jitdump__for_each_event(dump, look_at, &life) < 0)
		return true;
	return life.fits || !life.any_load;
}

/* Whether two processes may have the same file: one mapped it, the other inherited that. */
static bool may_share(const struct marker *a, const struct marker *b)
{
	return a->process == b->process || (a->ino ? a->ino == b->ino : !a->time && !b->time);
}

/* A marker that the file at path is known to be of, and that has nothing to do with this one. */
static const struct marker *other_owner(const struct search *search, const char *path)
{
	const struct marker *marker = search->marker;
	struct stat file, used;

	if (stat(path, &file) < 0 || (marker->ino && marker->ino == file.st_ino))
		return NULL;
	array__for_each(other, &search->discovery->markers)
		if (other->ino && other->ino == file.st_ino && !may_share(marker, other) &&
		    strcmp(other->name, marker->name) == 0)
			return other;
	array__for_each(found, &search->discovery->dumps)
		if (found->marker && !may_share(marker, found->marker) &&
		    stat(jitdump__path(found->dump), &used) == 0 && used.st_ino == file.st_ino &&
		    used.st_dev == file.st_dev)
			return found->marker;
	return NULL;
}

static bool reject(struct search *search, const char *path, const char *why)
{
	note_tried(search, path, why);
	diag__report(search->diag, DIAG_NOTE, "discover.other-process", path, DIAG_NO_OFFSET,
		     "is %s: not used for %s of pid %u", why, search->marker->name,
		     search->marker->pid);
	return false;
}

/*
 * A file of that name may be another process's: pids come round again, and every container has a
 * pid 1. A copy has another inode than the one that was mapped, so that tells only whose it is not.
 */
static bool is_right_dump(struct search *search, struct jitdump *dump, const char *path)
{
	const struct jitdump_header *header = jitdump__header(dump);
	const struct marker *marker = search->marker, *owner;
	char why[96];

	if (header->total_size && marker->file_pid && header->pid != marker->file_pid &&
	    header->pid != marker->pid) {
		snprintf(why, sizeof(why), "the dump of pid %u", header->pid);
		return reject(search, path, why);
	}
	owner = other_owner(search, path);
	if (owner) {
		snprintf(why, sizeof(why), "the dump of another process, pid %u", owner->pid);
		return reject(search, path, why);
	}
	if (!search__fits(search->scan, marker->process, dump))
		return reject(search, path, "a dump of another time");
	return true;
}

static struct jitdump *try_file(struct search *search, const char *path)
{
	struct jitdump *dump = NULL;
	int err;

	if (access(path, F_OK) != 0) {
		note_tried(search, path, NULL);
		return NULL;
	}
	/* what only might be a dump is asked without a word */
	if (search->marker->odd && !jitdump__is_jitdump(path))
		return NULL;
	err = jitdump__open(&dump, path, search->diag);
	if (err) {
		search->tried.failed |= err == -ENOMEM;
		note_tried(search, path, "no jitdump");
		return NULL;
	}
	if (is_right_dump(search, dump, path))
		return dump;
	jitdump__close(dump);
	return NULL;
}

/* path, and path.gz when there is nothing right. */
static struct jitdump *try_both(struct search *search, const char *path)
{
	struct jitdump *dump = try_file(search, path);
	char *wrapped = NULL;

	if (dump || !format(search, &wrapped, "%s.gz", path))
		return dump;
	if (access(wrapped, F_OK) == 0)
		dump = try_file(search, wrapped);
	free(wrapped);
	return dump;
}

static struct jitdump *try_in(struct search *search, const char *dir, size_t dir_length,
			      const char *name)
{
	struct jitdump *dump;
	char *path = NULL;

	if (!format(search, &path, "%.*s/%s", (int)dir_length, dir, name))
		return NULL;
	dump = try_both(search, path);
	free(path);
	return dump;
}

struct candidate {
	char *path;
	struct timespec changed;
};

struct candidates {
	ARRAY(struct candidate) items;
};

static int newest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->changed.tv_sec != y->changed.tv_sec)
		return x->changed.tv_sec > y->changed.tv_sec ? -1 : 1;
	if (x->changed.tv_nsec != y->changed.tv_nsec)
		return x->changed.tv_nsec > y->changed.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void add_candidate(struct search *search, struct candidates *candidates, const char *dir,
			  const char *name)
{
	static const char *const suffixes[] = { "", ".gz" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		struct candidate candidate = { NULL, { 0, 0 } };
		struct stat file;

		if (!format(search, &candidate.path, "%s/%s%s", dir, name, suffixes[i]))
			return;
		if (stat(candidate.path, &file) == 0 && S_ISREG(file.st_mode)) {
			candidate.changed = file.st_mtim;
			if (array__push(&candidates->items, candidate))
				continue;
			search->tried.failed = true;
		}
		free(candidate.path);
	}
}

/* Those of that name in the folders below dir, not in dir itself. */
/* NOLINTNEXTLINE(misc-no-recursion): not deeper than depth */
static void collect(struct search *search, struct candidates *candidates, const char *dir,
		    const char *name, int depth)
{
	DIR *stream = open_dir(search, dir);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		char *path = NULL;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		if (!format(search, &path, "%s/%s", dir, entry->d_name))
			break;
		add_candidate(search, candidates, path, name);
		if (depth > 1)
			collect(search, candidates, path, name, depth - 1);
		free(path);
	}
	if (stream)
		closedir(stream);
}

/* Runs leave dumps of the same name in folders with dates: the newest that is right. */
static struct jitdump *try_below(struct search *search, const char *dir, const char *name)
{
	struct candidates candidates = { 0 };
	struct jitdump *dump = NULL;

	collect(search, &candidates, dir, name, DEPTH);
	if (candidates.items.count)
		qsort(candidates.items.items, candidates.items.count, sizeof(struct candidate),
		      newest_first);
	array__for_each(candidate, &candidates.items) {
		if (!dump)
			dump = try_file(search, candidate->path);
		free(candidate->path);
	}
	array__free(&candidates.items);
	return dump;
}

static struct jitdump *try_user_dirs(struct search *search)
{
	const struct discover_options *options = search->options;
	const char *name = file__base_name(search->marker->name);
	struct jitdump *dump = NULL;

	for (size_t i = 0; !dump && i < options->nr_jitdump_dirs; i++) {
		const char *dir = options->jitdump_dirs[i];

		dump = try_in(search, dir, strlen(dir), name);
		if (!dump)
			dump = try_below(search, dir, name);
	}
	return dump;
}

static struct jitdump *try_recorded_path(struct search *search)
{
	const char *root = search->options->root;
	const char *name = search->marker->name;

	if (root)
		return try_in(search, root, strlen(root), name[0] == '/' ? name + 1 : name);
	return try_both(search, name);
}

static bool is_marked_file(const struct marker *marker, const char *path)
{
	struct stat file;

	return marker->ino && stat(path, &file) == 0 && file.st_ino == marker->ino;
}

/* A dump that was deleted while its process has it open still. */
static struct jitdump *try_descriptors(struct search *search)
{
	char path[64];
	struct jitdump *dump = NULL;
	struct dirent *entry;
	DIR *stream;

	snprintf(path, sizeof(path), "/proc/%u/fd", search->marker->pid);
	stream = open_dir(search, path);
	while (!dump && stream && (entry = readdir(stream))) {
		snprintf(path, sizeof(path), "/proc/%u/fd/%.20s", search->marker->pid,
			 entry->d_name);
		if (is_marked_file(search->marker, path))
			dump = try_file(search, path);
	}
	if (stream)
		closedir(stream);
	return dump;
}

/* A process that still runs, in a container or not, shows its own files. */
static struct jitdump *try_living_process(struct search *search)
{
	struct jitdump *dump = NULL;
	char *path = NULL;

	if (search->options->root || !search->marker->ino)
		return NULL;
	if (!format(search, &path, "/proc/%u/root/%s", search->marker->pid, search->marker->name))
		return NULL;
	if (is_marked_file(search->marker, path))
		dump = try_file(search, path);
	free(path);
	return dump ? dump : try_descriptors(search);
}

static struct jitdump *try_beside_profile(struct search *search)
{
	const char *slash = strrchr(search->perf_data, '/');
	const char *name = file__base_name(search->marker->name);

	if (!slash)
		return try_in(search, ".", 1, name);
	return try_in(search, search->perf_data,
		      slash == search->perf_data ? 1 : (size_t)(slash - search->perf_data), name);
}

struct jitdump *search__find(struct search *search)
{
	struct jitdump *dump = try_user_dirs(search);

	if (!dump)
		dump = try_recorded_path(search);
	if (!dump)
		dump = try_living_process(search);
	if (!dump)
		dump = try_beside_profile(search);
	return dump;
}
