// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/output.h"

#include <errno.h>
#include <unistd.h>

#include "base/diag.h"
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
