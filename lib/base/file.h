/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files read whole through a mapping, and files written so that they appear complete or not at all.
 */
#ifndef PERFJIT_BASE_FILE_H
#define PERFJIT_BASE_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/bytes.h"

struct diag;

/* The part of a path behind its last slash. */
const char *file__base_name(const char *path);

/* A regular file mapped read-only. */
struct file_map {
	struct bytes bytes;
	int fd; /* of the file, or of a copy that is mapped in its place */
	struct stat stat;
	size_t mapped; /* bytes to unmap */
};

/*
 * Fails with a report when path is no readable regular file. An empty file is mapped with size 0.
 * What others may still write to is to be copied: a mapped file that shrinks is the reader's
 * SIGBUS, and one that changes is not what was checked.
 */
int file_map__open(struct file_map *map, const char *path, bool copy, struct diag *diag);
/* The same in a folder that is open, and no symlink; path is what it is called, and its last part
 * the name. */
int file_map__open_in(struct file_map *map, int folder, const char *path, bool copy,
		      struct diag *diag);
/*
 * The first byte from pos on that is not in a hole, the size when none is: a hole's zeros need not
 * be read, which would take memory for them. pos where that is not known.
 */
uint64_t file_map__data_from(const struct file_map *map, uint64_t pos);
void file_map__close(struct file_map *map);

/* Whether a device, pipe or socket is at path: what writes there, or asks whether it can, is seen.
 */
bool file__is_stream(const char *path);
/* A descriptor of the one at path to write to, such as /dev/stdout; -1: there is none. */
int file__open_stream(const char *path);

/*
 * A file under way: without a name where the file system allows it (O_TMPFILE) and there is /proc,
 * else with a temporary one beside the target. Nothing is at path until commit; a symlink at path is
 * replaced, not followed. All happens in the folder that was there when it was opened, even if
 * another takes its place.
 */
struct file_out {
	int fd;
	char *path;
	const char *name; /* the last part of path; NULL of a stream */
	int folder;       /* that name is in */
	char *temporary;  /* in folder; NULL while the file has no name */
	bool stream;      /* it has a reader already: nothing to put in place or to take back */
};

/* Not of a device, pipe or socket, which a file would replace: -EINVAL, reported. */
int file_out__open(struct file_out *out, const char *path, mode_t mode, struct diag *diag);
/* The same in a folder that is open; path is what it is called, and its last part the name. */
int file_out__open_in(struct file_out *out, int folder, const char *path, mode_t mode,
		      struct diag *diag);
/*
 * Whether a file could be made where path is to be: to be asked before long work whose result goes
 * there. Leaves nothing behind. 0 or a negative errno, reported as file_out__open does.
 */
int file_out__check(const char *path, struct diag *diag);
/* A stream that is open already, called name in reports. fd becomes the file's, also on failure. */
int file_out__take(struct file_out *out, int fd, const char *name);
/* Writes all of it at the descriptor's position, short writes and EINTR handled. */
int file_out__write(struct file_out *out, struct bytes bytes, struct diag *diag);
/* fsync unless sync is false, then rename over path. On failure the file is aborted. A stream is
 * closed, which may fail as well. */
int file_out__commit(struct file_out *out, bool sync, struct diag *diag);
/* Leaves nothing behind. Safe after commit and on a zeroed struct. */
void file_out__abort(struct file_out *out);

#endif
