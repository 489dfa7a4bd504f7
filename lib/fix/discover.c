// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/discover.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag.h"

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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ".dump" up to the end, or before " (deleted)". */
static bool ends_as_dump(const char *p)
{
	return strcmp(p, ".dump") == 0 || strcmp(p, ".dump (deleted)") == 0;
}

bool discover__is_marker(const char *name, uint32_t *file_pid)
{
	const char *p = base_name(name);

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

/* What opening one process's dump needs, and a record of where it was looked for. */
struct search {
	const struct discover_options *options;
	const char *perf_data;
	struct diag *diag;
	const struct marker *marker;
	struct buf tried;
};

static void note_tried(struct search *search, const char *path)
{
	if (search->tried.size)
		buf__put(&search->tried, ", ", 2);
	buf__put(&search->tried, path, strlen(path));
}

/*
 * A file of that name may be another process's: pids come round again. A copy has another inode
 * than the one that was mapped, so the pid in the header decides.
 */
static bool is_right_dump(struct search *search, const struct jitdump *dump, const char *path)
{
	const struct jitdump_header *header = jitdump__header(dump);
	const struct marker *marker = search->marker;

	if (header->total_size == 0 || !marker->file_pid || header->pid == marker->file_pid ||
	    header->pid == marker->pid)
		return true;
	diag__report(search->diag, DIAG_WARNING, "discover.other-process", path, DIAG_NO_OFFSET,
		     "is the dump of pid %u, not of pid %u: not used for %s", header->pid,
		     marker->file_pid, marker->name);
	return false;
}

static struct jitdump *try_file(struct search *search, const char *path)
{
	struct jitdump *dump = NULL;

	if (access(path, F_OK) != 0) {
		note_tried(search, path);
		return NULL;
	}
	if (jitdump__open(&dump, path, search->diag) < 0) {
		note_tried(search, path);
		return NULL;
	}
	if (!is_right_dump(search, dump, path)) {
		note_tried(search, path);
		jitdump__close(dump);
		return NULL;
	}
	return dump;
}

/* dir/name, and dir/name.gz when that is not there. */
static struct jitdump *try_in(struct search *search, const char *dir, size_t dir_length,
			      const char *name)
{
	static const char *const suffixes[] = { "", ".gz" };
	struct jitdump *dump = NULL;

	for (size_t i = 0; !dump && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *path = NULL;

		if (asprintf(&path, "%.*s/%s%s", (int)dir_length, dir, name, suffixes[i]) < 0)
			return NULL;
		if (i == 0 || access(path, F_OK) == 0)
			dump = try_file(search, path);
		free(path);
	}
	return dump;
}

static struct jitdump *try_recorded_path(struct search *search)
{
	const char *root = search->options->root;
	const char *name = search->marker->name;

	if (root)
		return try_in(search, root, strlen(root), name[0] == '/' ? name + 1 : name);
	return try_file(search, name);
}

static struct jitdump *try_beside_profile(struct search *search)
{
	const char *slash = strrchr(search->perf_data, '/');
	const char *name = base_name(search->marker->name);

	if (!slash)
		return try_in(search, ".", 1, name);
	return try_in(search, search->perf_data,
		      slash == search->perf_data ? 1 : (size_t)(slash - search->perf_data), name);
}

static struct jitdump *find_dump(struct search *search)
{
	const struct discover_options *options = search->options;
	struct jitdump *dump = NULL;

	for (size_t i = 0; !dump && i < options->nr_jitdump_dirs; i++)
		dump = try_in(search, options->jitdump_dirs[i], strlen(options->jitdump_dirs[i]),
			      base_name(search->marker->name));
	if (!dump)
		dump = try_recorded_path(search);
	if (!dump)
		dump = try_beside_profile(search);
	return dump;
}

static void report_missing(struct search *search)
{
	const struct marker *marker = search->marker;

	buf__put_u8(&search->tried, 0);
	diag__report(
		search->diag, DIAG_WARNING, "discover.missing-dump", marker->name, DIAG_NO_OFFSET,
		"jitdump of pid %u not found%s (looked for %s): its JIT code stays unnamed; name "
		"the file with --jitdump=%u=FILE or its folder with --jitdump-dir=DIR",
		marker->pid, marker->deleted ? ", it was deleted while the program ran" : "",
		search->tried.failed ? "it" : (const char *)search->tried.data, marker->pid);
}

static bool already_found(const struct discovery *discovery, const struct marker *marker)
{
	array__for_each(found, &discovery->dumps)
		if (found->pid == marker->pid && found->marker &&
		    strcmp(found->marker->name, marker->name) == 0)
			return true;
	return false;
}

/*
 * A program that calls exec keeps its pid, and what it starts writes the same file anew: it tells
 * of the one that mapped it last.
 */
static uint64_t last_time(const struct discovery *discovery, const struct marker *marker)
{
	uint64_t time = marker->time;

	array__for_each(other, &discovery->markers)
		if (other->pid == marker->pid && strcmp(other->name, marker->name) == 0 &&
		    other->time > time)
			time = other->time;
	return time;
}

static int add_dump(struct discovery *discovery, struct jitdump *dump, uint32_t pid,
		    const struct marker *marker)
{
	struct found_dump found = { .dump = dump, .pid = pid, .marker = marker };

	if (marker)
		found.time = last_time(discovery, marker);
	if (!array__push(&discovery->dumps, found)) {
		jitdump__close(dump);
		return -ENOMEM;
	}
	return 0;
}

static bool missing_already(const struct discovery *discovery, size_t i)
{
	const struct marker *marker = &discovery->markers.items[i];

	for (size_t j = 0; j < i; j++)
		if (discovery->markers.items[j].pid == marker->pid &&
		    strcmp(discovery->markers.items[j].name, marker->name) == 0)
			return true;
	return false;
}

static int open_by_markers(struct discovery *discovery, const struct perfdata *perfdata,
			   const struct discover_options *options, struct diag *diag)
{
	for (size_t i = 0; i < discovery->markers.count; i++) {
		struct search search = {
			.options = options,
			.perf_data = perfdata__path(perfdata),
			.diag = diag,
			.marker = &discovery->markers.items[i],
			.tried = BUF(ORDER_HOST),
		};
		struct jitdump *dump;
		int err = 0;

		if (already_found(discovery, search.marker) || missing_already(discovery, i))
			continue;
		dump = find_dump(&search);
		if (dump) {
			err = add_dump(discovery, dump, search.marker->pid, search.marker);
		} else {
			discovery->nr_missing++;
			report_missing(&search);
		}
		buf__free(&search.tried);
		if (err)
			return err;
	}
	return 0;
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

/* The marker a file that the user named belongs to, by pid or by the pid in the dump's header. */
static const struct marker *marker_of(const struct discovery *discovery, uint32_t pid,
				      const struct jitdump *dump, const char *path)
{
	const struct jitdump_header *header = jitdump__header(dump);
	const struct marker *best = NULL;

	array__for_each(marker, &discovery->markers) {
		if (pid ? marker->pid == pid
			: strcmp(base_name(marker->name), base_name(path)) == 0)
			return marker;
		if (!pid && !best &&
		    (marker->file_pid == header->pid || marker->pid == header->pid))
			best = marker;
	}
	return best;
}

static int open_named(struct discovery *discovery, const char *argument, struct diag *diag)
{
	const struct marker *marker;
	struct jitdump *dump;
	uint32_t pid;
	const char *path = split_argument(argument, &pid);
	int err = jitdump__open(&dump, path, diag);

	if (err)
		return err;
	marker = marker_of(discovery, pid, dump, path);
	if (!pid)
		pid = marker ? marker->pid : jitdump__header(dump)->pid;
	return add_dump(discovery, dump, pid, marker);
}

int discover__open(struct discovery *discovery, const struct perfdata *perfdata,
		   const struct discover_options *options, struct diag *diag)
{
	for (size_t i = 0; i < options->nr_jitdumps; i++) {
		int err = open_named(discovery, options->jitdumps[i], diag);

		if (err)
			return err;
	}
	return open_by_markers(discovery, perfdata, options, diag);
}

void discovery__free(struct discovery *discovery)
{
	array__for_each(found, &discovery->dumps)
		jitdump__close(found->dump);
	array__for_each(marker, &discovery->markers)
		free(marker->name);
	array__free(&discovery->dumps);
	array__free(&discovery->markers);
}
