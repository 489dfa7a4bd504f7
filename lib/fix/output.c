// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/perfdata.h"

mode_t output__mode(const struct perfdata *perfdata)
{
	return perfdata__stat(perfdata)->st_mode & 0666;
}

void output__give(const struct perfdata *perfdata, int fd, const char *path, struct diag *diag)
{
	const struct stat *st = perfdata__stat(perfdata);

	if (geteuid() == 0 && (st->st_uid != 0 || st->st_gid != 0) &&
	    fchown(fd, st->st_uid, st->st_gid) < 0)
		diag__report(diag, DIAG_NOTE, "output.owner", path, DIAG_NO_OFFSET,
			     "can't give the output to the input's owner: %s", strerror(errno));
}

bool output__is_stream(const char *path)
{
	return strcmp(path, "-") == 0;
}

int output__open(struct file_out *out, const struct perfdata *perfdata, const char *path,
		 struct diag *diag)
{
	int fd;

	if (!output__is_stream(path))
		return file_out__open(out, path, output__mode(perfdata), diag);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		return file_out__take(out, fd, "standard output");
	*out = (struct file_out){ .fd = -1 };
	diag__report(diag, DIAG_ERROR, "output.create", NULL, DIAG_NO_OFFSET,
		     "can't write to standard output: %s", strerror(errno));
	return -errno;
}

int output__commit(struct file_out *out, const struct perfdata *perfdata, bool sync,
		   struct diag *diag)
{
	if (!out->stream)
		output__give(perfdata, out->fd, out->path, diag);
	return file_out__commit(out, sync, diag);
}
