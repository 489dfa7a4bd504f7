// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"

#define PIECE (256u << 10)

int spool__create(const char *path, struct diag *diag)
{
	const char *folder = getenv("TMPDIR");
	char *name = NULL;
	int fd;

	folder = folder && *folder ? folder : "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/perfjit-XXXXXX", folder) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		fd = diag__errno(diag, "file.spool", path,
				 "can't make a temporary copy of it (TMPDIR says where)");
	else
		unlink(name);
	free(name);
	return fd;
}

int spool__write(int fd, struct bytes bytes, const char *path, struct diag *diag)
{
	while (bytes.size) {
		ssize_t wrote = write(fd, bytes.data, bytes.size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return diag__errno(diag, "file.spool", path,
					   "can't write its temporary copy");
		bytes.data += wrote;
		bytes.size -= (size_t)wrote;
	}
	return 0;
}

static int copy_bytes(int fd, int from, uint64_t bytes, const char *path, struct diag *diag)
{
	uint8_t *piece = malloc(PIECE);
	int err = piece ? 0 : -ENOMEM;

	while (!err && bytes) {
		ssize_t got = read(from, piece, bytes < PIECE ? (size_t)bytes : PIECE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			err = diag__errno(diag, "file.spool", path, "can't read");
		if (got <= 0)
			break;
		err = spool__write(fd, (struct bytes){ piece, (size_t)got }, path, diag);
		bytes -= (uint64_t)got;
	}
	free(piece);
	return err;
}

int spool__copy(int fd, int from, const char *path, struct diag *diag)
{
	return copy_bytes(fd, from, UINT64_MAX, path, diag);
}

/* Copies the next run of data behind *at. 0 at the file's end, else 1 or a negative errno. */
static int copy_run(int fd, int from, off_t *at, const char *path, struct diag *diag)
{
	off_t data = lseek(from, *at, SEEK_DATA);
	off_t hole = data < 0 ? data : lseek(from, data, SEEK_HOLE);
	int err;

	if (data < 0 && errno == ENXIO)
		return 0;
	if (hole < 0 || lseek(from, data, SEEK_SET) < 0)
		return diag__errno(diag, "file.spool", path, "can't read");
	if (lseek(fd, data, SEEK_SET) < 0)
		return diag__errno(diag, "file.spool", path, "can't write its temporary copy");
	err = copy_bytes(fd, from, (uint64_t)(hole - data), path, diag);
	*at = hole;
	return err ? err : 1;
}

int spool__copy_file(int fd, int from, uint64_t size, const char *path, struct diag *diag)
{
	struct stat stat;
	off_t at = 0;
	int more;

	do
		more = copy_run(fd, from, &at, path, diag);
	while (more > 0 && (uint64_t)at < size);
	if (more < 0)
		return more;
	if (fstat(from, &stat) < 0)
		return diag__errno(diag, "file.spool", path, "can't look at it");
	if ((uint64_t)stat.st_size < size)
		size = (uint64_t)stat.st_size;
	if (ftruncate(fd, (off_t)size) < 0)
		return diag__errno(diag, "file.spool", path, "can't write its temporary copy");
	return 0;
}
