// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening an edited profile as it was before. */
#include "perfdata/edit.h"
#include "perfdata/internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spool.h"

/* Restores into a temporary copy; its descriptor, or a negative errno, reported. */
static int restore_copy(const struct perfdata *edited, struct diag *diag)
{
	struct file_out out = {
		.fd = spool__create(perfdata__path(edited), diag),
		.path = (char *)(uintptr_t)perfdata__path(edited),
	};
	int err;

	if (out.fd < 0)
		return out.fd;
	err = perfdata__restore(edited, &out, diag);
	if (!err)
		return out.fd;
	close(out.fd);
	return err;
}

int perfdata__open_original(struct perfdata **perfdata, const char *path, struct diag *diag)
{
	struct perfdata *edited;
	struct stat stat;
	int fd, err = perfdata__open(&edited, path, diag);

	*perfdata = NULL;
	if (err)
		return err;
	if (!perfdata__is_edited(edited) || perfdata__form(edited) == PERFDATA_FORM_DIRECTORY) {
		*perfdata = edited;
		return 0;
	}
	stat = *perfdata__stat(edited);
	fd = restore_copy(edited, diag);
	perfdata__close(edited);
	if (fd < 0)
		return fd;
	err = perfdata__open_fd(perfdata, fd, path, diag);
	/* whose it is and who may read it is said by the file that was given */
	if (!err)
		(*perfdata)->source.stat = stat;
	return err;
}
