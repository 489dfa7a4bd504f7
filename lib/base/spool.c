// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"

#define PIECE (256u << 10)

static int fail(struct diag *diag, const char *path, const char *what)
{
	int err = errno;

	diag__report(diag, DIAG_ERROR, "file.spool", path, DIAG_NO_OFFSET, "%s: %s", what,
		     strerror(err));
	return -err;
}

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
		fd = fail(diag, path, "can't make a temporary copy of it (TMPDIR says where)");
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
			return fail(diag, path, "can't write its temporary copy");
		bytes.data += wrote;
		bytes.size -= (size_t)wrote;
	}
	return 0;
}

int spool__copy(int fd, int from, const char *path, struct diag *diag)
{
	uint8_t *piece = malloc(PIECE);
	int err = piece ? 0 : -ENOMEM;

	while (!err) {
		ssize_t got = read(from, piece, PIECE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			err = fail(diag, path, "can't read");
		if (got <= 0)
			break;
		err = spool__write(fd, (struct bytes){ piece, (size_t)got }, path, diag);
	}
	free(piece);
	return err;
}
