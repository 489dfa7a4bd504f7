// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"

static int fail(struct diag *diag, const char *kind, const char *path, const char *what)
{
	int err = errno;

	diag__report(diag, DIAG_ERROR, kind, path, DIAG_NO_OFFSET, "%s: %s", what, strerror(err));
	return -err;
}

static uint8_t *read_whole(int fd, size_t *size)
{
	uint8_t *copy = malloc(*size ? *size : 1);
	size_t have = 0;

	while (copy && have < *size) {
		ssize_t got = pread(fd, copy + have, *size - have, (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(copy);
			return NULL;
		}
		if (got == 0)
			break;
		have += (size_t)got;
	}
	*size = have;
	return copy;
}

/* An anonymous mapping of the file's present contents, so that unmapping is the same for both. */
static uint8_t *map_copy(int fd, size_t *size)
{
	size_t room = *size;
	uint8_t *copy = read_whole(fd, size);
	uint8_t *mapped = NULL;

	if (copy && *size) {
		mapped = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		if (mapped != MAP_FAILED)
			memcpy(mapped, copy, *size);
	}
	free(copy);
	return mapped;
}

int file_map__open(struct file_map *map, const char *path, bool copy, struct diag *diag)
{
	int err = 0;

	*map = (struct file_map){ .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
	if (map->fd < 0)
		return fail(diag, "file.open", path, "can't open");
	if (fstat(map->fd, &map->stat) < 0) {
		err = fail(diag, "file.open", path, "can't look at it");
	} else if (!S_ISREG(map->stat.st_mode)) {
		diag__report(diag, DIAG_ERROR, "file.open", path, DIAG_NO_OFFSET,
			     S_ISDIR(map->stat.st_mode) ? "is a directory" : "is no regular file");
		err = -EINVAL;
	} else if (map->stat.st_size > 0) {
		size_t size = (size_t)map->stat.st_size;
		uint8_t *data = copy ? map_copy(map->fd, &size)
				     : mmap(NULL, size, PROT_READ, MAP_PRIVATE, map->fd, 0);

		if (!data && copy && size == 0)
			return 0;
		if (!data || data == MAP_FAILED)
			err = fail(diag, "file.read", path, "can't read");
		else
			map->bytes = (struct bytes){ data, size };
	}
	if (err) {
		close(map->fd);
		*map = (struct file_map){ .fd = -1 };
	}
	return err;
}

void file_map__close(struct file_map *map)
{
	if (map->bytes.data)
		munmap((void *)(uintptr_t)map->bytes.data, map->bytes.size);
	if (map->fd >= 0)
		close(map->fd);
	*map = (struct file_map){ .fd = -1 };
}

/* A free name beside path; the file may or may not exist already. */
static char *temporary_name(const char *path, unsigned int attempt)
{
	char *name = NULL;

	if (asprintf(&name, "%s.tmp-%ld-%u", path, (long)getpid(), attempt) < 0)
		return NULL;
	return name;
}

static int open_unnamed(const char *path, mode_t mode)
{
	char *copy = strdup(path);
	int fd;

	if (!copy) {
		errno = ENOMEM;
		return -1;
	}
	fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	free(copy);
	return fd;
}

static int open_named(struct file_out *out, mode_t mode)
{
	for (unsigned int attempt = 0; attempt < 100; attempt++) {
		out->temporary = temporary_name(out->path, attempt);
		if (!out->temporary) {
			errno = ENOMEM;
			return -1;
		}
		out->fd = open(out->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode);
		if (out->fd >= 0)
			return 0;
		free(out->temporary);
		out->temporary = NULL;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

int file_out__open(struct file_out *out, const char *path, mode_t mode, struct diag *diag)
{
	*out = (struct file_out){ .fd = -1, .path = strdup(path) };
	if (!out->path)
		return -ENOMEM;
	out->fd = open_unnamed(path, mode);
	/* ENOENT is what a kernel without O_TMPFILE may say of a folder that exists */
	if (out->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
		open_named(out, mode);
	if (out->fd < 0) {
		int err = fail(diag, "output.create", path, "can't create");

		file_out__abort(out);
		return err;
	}
	return 0;
}

int file_out__take(struct file_out *out, int fd, const char *name)
{
	*out = (struct file_out){ .fd = fd, .path = strdup(name), .stream = true };
	if (out->path)
		return 0;
	close(fd);
	*out = (struct file_out){ .fd = -1 };
	return -ENOMEM;
}

int file_out__write(struct file_out *out, struct bytes bytes, struct diag *diag)
{
	while (bytes.size) {
		ssize_t wrote = write(out->fd, bytes.data, bytes.size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return fail(diag, "output.write", out->path, "can't write");
		bytes.data += wrote;
		bytes.size -= (size_t)wrote;
	}
	return 0;
}

/* Gives an unnamed file a temporary name; rename() alone can replace what stands at path. */
static int give_name(struct file_out *out)
{
	char self[64];

	if (out->temporary)
		return 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
	for (unsigned int attempt = 0; attempt < 100; attempt++) {
		char *name = temporary_name(out->path, attempt);

		if (!name) {
			errno = ENOMEM;
			return -1;
		}
		if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
			out->temporary = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Network file systems may say only now that what was written is not there. */
static int close_stream(struct file_out *out, struct diag *diag)
{
	int err = close(out->fd) < 0 && errno != EINTR
			  ? fail(diag, "output.write", out->path, "can't write")
			  : 0;

	out->fd = -1;
	file_out__abort(out);
	return err;
}

int file_out__commit(struct file_out *out, bool sync, struct diag *diag)
{
	int err = 0;

	if (out->stream)
		return close_stream(out, diag);
	if (sync && fsync(out->fd) < 0)
		err = fail(diag, "output.write", out->path, "can't write");
	else if (give_name(out) < 0 || rename(out->temporary, out->path) < 0)
		err = fail(diag, "output.rename", out->path, "can't put the file in place");
	if (!err) {
		free(out->temporary);
		out->temporary = NULL;
	}
	file_out__abort(out);
	return err;
}

void file_out__abort(struct file_out *out)
{
	if (!out->path)
		return;
	if (out->fd >= 0)
		close(out->fd);
	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	free(out->path);
	*out = (struct file_out){ .fd = -1 };
}
