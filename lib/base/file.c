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
#include "base/spool.h"

/* What is bigger is copied to a file instead of memory. */
#define COPY_MAX ((size_t)16 << 20)

#define OWN_DESCRIPTORS "/proc/self/fd"

const char *file__base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Up to size bytes from the file's beginning; fewer if it has become shorter. -1 and errno. */
static ssize_t read_whole(int fd, uint8_t *data, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = pread(fd, data + have, size - have, (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

static int map_file(struct file_map *map, int fd, size_t size)
{
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (data == MAP_FAILED)
		return -1;
	map->bytes = (struct bytes){ data, size };
	map->mapped = size;
	return 0;
}

/* What is in the file now, in memory of its own. */
static int copy_to_memory(struct file_map *map, size_t size)
{
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t have = data == MAP_FAILED ? -1 : read_whole(map->fd, data, size);

	if (have < 0) {
		int err = errno;

		if (data != MAP_FAILED)
			munmap(data, size);
		errno = err;
		return -1;
	}
	map->bytes = (struct bytes){ data, (size_t)have };
	map->mapped = size;
	return 0;
}

/* The same in a file without a name, as memory is dearer than a disk. */
static int copy_to_file(struct file_map *map, const char *path, struct diag *diag)
{
	int fd = spool__create(path, diag);
	struct stat stat;
	int err;

	if (fd < 0)
		return fd;
	err = spool__copy_file(fd, map->fd, (uint64_t)map->stat.st_size, path, diag);
	if (!err &&
	    (fstat(fd, &stat) < 0 || (stat.st_size && map_file(map, fd, (size_t)stat.st_size) < 0)))
		err = diag__errno(diag, "file.read", path, "can't read");
	/* what is mapped is the copy: so are its holes */
	close(map->fd);
	map->fd = fd;
	return err;
}

static int read_file(struct file_map *map, const char *path, bool copy, struct diag *diag)
{
	size_t size;
	int err;

	if (fstat(map->fd, &map->stat) < 0)
		return diag__errno(diag, "file.open", path, "can't look at it");
	if (!S_ISREG(map->stat.st_mode)) {
		diag__report(diag, DIAG_ERROR, "file.open", path, DIAG_NO_OFFSET,
			     S_ISDIR(map->stat.st_mode) ? "is a directory" : "is no regular file");
		return -EINVAL;
	}
	size = (size_t)map->stat.st_size;
	if (!size)
		return 0;
	if (copy && size > COPY_MAX)
		return copy_to_file(map, path, diag);
	err = copy ? copy_to_memory(map, size) : map_file(map, map->fd, size);
	return err < 0 ? diag__errno(diag, "file.read", path, "can't read") : 0;
}

#define OPEN_TO_MAP (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int map_opened(struct file_map *map, int fd, const char *path, bool copy, struct diag *diag)
{
	int err;

	*map = (struct file_map){ .fd = fd };
	if (fd < 0)
		return diag__errno(diag, "file.open", path, "can't open");
	err = read_file(map, path, copy, diag);
	if (err)
		file_map__close(map);
	return err;
}

int file_map__open(struct file_map *map, const char *path, bool copy, struct diag *diag)
{
	return map_opened(map, open(path, OPEN_TO_MAP), path, copy, diag);
}

int file_map__open_in(struct file_map *map, int folder, const char *path, bool copy,
		      struct diag *diag)
{
	int fd = openat(folder, file__base_name(path), OPEN_TO_MAP | O_NOFOLLOW);

	return map_opened(map, fd, path, copy, diag);
}

uint64_t file_map__data_from(const struct file_map *map, uint64_t pos)
{
	off_t data;

	/* memory that a file was copied to has no holes */
	if (map->mapped <= COPY_MAX || pos > (uint64_t)INT64_MAX)
		return pos;
	data = lseek(map->fd, (off_t)pos, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? map->bytes.size : pos;
	return (uint64_t)data;
}

void file_map__close(struct file_map *map)
{
	if (map->mapped)
		munmap((void *)(uintptr_t)map->bytes.data, map->mapped);
	if (map->fd >= 0)
		close(map->fd);
	*map = (struct file_map){ .fd = -1 };
}

/* A free name beside the target; the file may or may not exist already. */
static char *temporary_name(const struct file_out *out, unsigned int attempt)
{
	char *name = NULL;

	if (asprintf(&name, "%s.tmp-%ld-%u", out->name, (long)getpid(), attempt) >= 0)
		return name;
	errno = ENOMEM;
	return NULL;
}

static void open_named(struct file_out *out, mode_t mode)
{
	for (unsigned int attempt = 0; attempt < 100; attempt++) {
		out->temporary = temporary_name(out, attempt);
		if (!out->temporary)
			return;
		out->fd = openat(out->folder, out->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
				 mode);
		if (out->fd >= 0)
			return;
		free(out->temporary);
		out->temporary = NULL;
		if (errno != EEXIST)
			return;
	}
}

/* What is written is put in the place of what was there: of a device that would be its end. */
static bool would_replace_device(const struct file_out *out)
{
	struct stat stat;

	return fstatat(out->folder, out->name, &stat, 0) == 0 && !S_ISREG(stat.st_mode) &&
	       !S_ISDIR(stat.st_mode);
}

static bool prepare(struct file_out *out, int folder, const char *path)
{
	*out = (struct file_out){ .fd = -1, .path = strdup(path) };
	if (!out->path)
		return false;
	out->folder = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	out->name = file__base_name(out->path);
	return true;
}

static void open_unnamed(struct file_out *out, mode_t mode)
{
	/* it is through /proc that it gets its name, and a chroot may be without */
	if (access(OWN_DESCRIPTORS, X_OK) == 0)
		out->fd = openat(out->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	else
		errno = EOPNOTSUPP;
}

/* Makes the file in its folder. On failure it is aborted. */
static int create(struct file_out *out, mode_t mode, struct diag *diag)
{
	int err;

	if (out->folder >= 0) {
		open_unnamed(out, mode);
		/* ENOENT is what a kernel without O_TMPFILE may say of a folder that exists */
		if (out->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
			open_named(out, mode);
	}
	if (out->fd >= 0)
		return 0;
	err = diag__errno(diag, "output.create", out->path, "can't create");
	file_out__abort(out);
	return err;
}

int file_out__open_in(struct file_out *out, int folder, const char *path, mode_t mode,
		      struct diag *diag)
{
	if (!prepare(out, folder, path))
		return -ENOMEM;
	if (out->folder >= 0 && would_replace_device(out)) {
		diag__report(diag, DIAG_ERROR, "output.no-file", path, DIAG_NO_OFFSET,
			     "is a device or a pipe, which no file is put in the place of: name "
			     "another output");
		file_out__abort(out);
		return -EINVAL;
	}
	return create(out, mode, diag);
}

/* The folder that path is in, or a negative errno, reported. */
static int open_folder(const char *path, struct diag *diag)
{
	char *copy = strdup(path);
	int folder;

	if (!copy)
		return -ENOMEM;
	folder = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		folder = diag__errno(diag, "output.create", path,
				     "can't open the folder it is to be in");
	free(copy);
	return folder;
}

int file_out__open(struct file_out *out, const char *path, mode_t mode, struct diag *diag)
{
	int folder = open_folder(path, diag), err;

	*out = (struct file_out){ .fd = -1 };
	if (folder < 0)
		return folder;
	err = file_out__open_in(out, folder, path, mode, diag);
	close(folder);
	return err;
}

int file_out__check(const char *path, struct diag *diag)
{
	int folder = open_folder(path, diag), err;
	struct file_out out;

	if (folder < 0)
		return folder;
	err = prepare(&out, folder, path) ? create(&out, 0600, diag) : -ENOMEM;
	close(folder);
	file_out__abort(&out);
	return err;
}

bool file__is_stream(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

int file__open_stream(const char *path)
{
	return file__is_stream(path) ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
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
			return diag__errno(diag, "output.write", out->path, "can't write");
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
	snprintf(self, sizeof(self), OWN_DESCRIPTORS "/%d", out->fd);
	for (unsigned int attempt = 0; attempt < 100; attempt++) {
		char *name = temporary_name(out, attempt);

		if (!name)
			return -1;
		if (linkat(AT_FDCWD, self, out->folder, name, AT_SYMLINK_FOLLOW) == 0) {
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
			  ? diag__errno(diag, "output.write", out->path, "can't write")
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
		err = diag__errno(diag, "output.write", out->path, "can't write");
	else if (give_name(out) < 0 ||
		 renameat(out->folder, out->temporary, out->folder, out->name) < 0)
		err = diag__errno(diag, "output.rename", out->path, "can't put the file in place");
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
		unlinkat(out->folder, out->temporary, 0);
	if (out->name)
		close(out->folder);
	free(out->temporary);
	free(out->path);
	*out = (struct file_out){ .fd = -1 };
}
