// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#define REMOVE_FDS 16

static const char *usual_parent(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

int scratch__make(struct scratch *scratch, const char *parent, const char *name)
{
	char *path;
	int err;

	scratch->folder = NULL;
	if (asprintf(&path, "%s/%s-XXXXXX", parent ? parent : usual_parent(), name) < 0)
		return -ENOMEM;
	if (mkdtemp(path)) {
		scratch->folder = path;
		return 0;
	}
	err = -errno;
	free(path);
	return err;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void scratch__remove(struct scratch *scratch)
{
	if (scratch->folder)
		nftw(scratch->folder, remove_one, REMOVE_FDS, FTW_DEPTH | FTW_PHYS);
	free(scratch->folder);
	scratch->folder = NULL;
}

char *scratch__path(const struct scratch *scratch, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", scratch->folder, name) < 0 ? NULL : path;
}
