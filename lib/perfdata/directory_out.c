// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfdata/directory_out.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/internal.h"
#include "perfdata/splice.h"

static int fail(struct diag *diag, const char *kind, const char *path, const char *what)
{
	int err = errno;

	diag__report(diag, DIAG_ERROR, kind, path, DIAG_NO_OFFSET, "%s: %s", what, strerror(err));
	return -err;
}

static void remove_tree(const char *path)
{
	char *const paths[] = { (char *)(uintptr_t)path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	FTSENT *entry;

	while (fts && (entry = fts_read(fts)) != NULL) {
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	}
	if (fts)
		fts_close(fts);
}

int directory_out__open(struct directory_out *out, const char *path, bool sync, struct diag *diag)
{
	size_t length = strlen(path);
	int err;

	while (length > 1 && path[length - 1] == '/')
		length--;
	*out = (struct directory_out){ .path = strndup(path, length), .sync = sync };
	if (!out->path || asprintf(&out->temporary, "%s.tmp-XXXXXX", out->path) < 0) {
		free(out->path);
		*out = (struct directory_out){ 0 };
		return -ENOMEM;
	}
	if (mkdtemp(out->temporary))
		return 0;
	err = fail(diag, "output.create", out->path, "can't create");
	free(out->path);
	free(out->temporary);
	*out = (struct directory_out){ 0 };
	return err;
}

static char *path_in(const struct directory_out *out, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", out->temporary, name) < 0 ? NULL : path;
}

int directory_out__file(const struct directory_out *out, const char *name, mode_t mode,
			struct file_out *file, struct diag *diag)
{
	char *path = path_in(out, name);
	int err = path ? file_out__open(file, path, mode & 0777, diag) : -ENOMEM;

	free(path);
	return err;
}

static int copy_file(const struct directory_out *out, const char *name, const char *from,
		     struct diag *diag)
{
	struct splices nothing = { 0 };
	struct perfdata_part part = { 0 };
	struct file_map map;
	struct file_out file;
	int err = file_map__open(&map, from, false, diag);

	if (err)
		return err;
	part.fd = map.fd;
	part.size = map.bytes.size;
	err = directory_out__file(out, name, map.stat.st_mode, &file, diag);
	if (!err) {
		err = splices__write(&nothing, map.bytes, &part, 0, part.size, &file, diag);
		if (err)
			file_out__abort(&file);
		else
			err = file_out__commit(&file, out->sync, diag);
	}
	file_map__close(&map);
	return err;
}

static int copy_folder(const struct directory_out *out, const char *name, mode_t mode,
		       struct diag *diag)
{
	char *path = path_in(out, name);
	int err = 0;

	if (!path)
		return -ENOMEM;
	if (mkdir(path, (mode & 0777) | 0700) < 0)
		err = fail(diag, "output.create", path, "can't create");
	free(path);
	return err;
}

static bool is_part(const struct perfdata *perfdata, const FTSENT *entry)
{
	array__for_each(part, &perfdata->source.parts)
		if (entry->fts_level == 1 && strcmp(part->name, entry->fts_name) == 0)
			return true;
	return false;
}

static int copy_entry(const struct directory_out *out, const struct perfdata *perfdata,
		      const FTSENT *entry, size_t prefix, struct diag *diag)
{
	const char *name = entry->fts_path + prefix;

	while (*name == '/')
		name++;
	if (entry->fts_level == 0 || is_part(perfdata, entry))
		return 0;
	if (entry->fts_info == FTS_D)
		return copy_folder(out, name, entry->fts_statp->st_mode, diag);
	if (entry->fts_info == FTS_F)
		return copy_file(out, name, entry->fts_path, diag);
	return 0;
}

int directory_out__copy_others(const struct directory_out *out, const struct perfdata *perfdata,
			       struct diag *diag)
{
	char *const paths[] = { perfdata->path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int err = 0;

	if (!fts)
		return fail(diag, "file.open", perfdata->path, "can't open");
	while (!err && (entry = fts_read(fts)) != NULL)
		err = copy_entry(out, perfdata, entry, strlen(perfdata->path), diag);
	fts_close(fts);
	return err;
}

void directory_out__give(int fd, const struct stat *stat)
{
	if (geteuid() == 0 && (stat->st_uid != 0 || stat->st_gid != 0) &&
	    fchown(fd, stat->st_uid, stat->st_gid) < 0)
		return; /* it stays root's, who may read it */
}

static int finish_folder(const struct directory_out *out, const struct stat *input)
{
	int fd = open(out->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -1;
	directory_out__give(fd, input);
	err = fchmod(fd, input->st_mode & 0777);
	if (!err && out->sync)
		err = fsync(fd);
	close(fd);
	return err;
}

/* What is at path, if anything, is at the temporary name afterwards. */
static int put_in_place(const struct directory_out *out)
{
	if (renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_NOREPLACE) == 0)
		return 0;
	/* a file system without the flag; a directory or nothing can be replaced all the same */
	if (errno == EINVAL)
		return rename(out->temporary, out->path);
	if (errno != EEXIST)
		return -1;
	return renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_EXCHANGE);
}

int directory_out__commit(struct directory_out *out, const struct stat *input, struct diag *diag)
{
	int err = 0;

	if (finish_folder(out, input) < 0)
		err = fail(diag, "output.write", out->path, "can't write");
	else if (put_in_place(out) < 0)
		err = fail(diag, "output.rename", out->path, "can't put the directory in place");
	directory_out__abort(out);
	return err;
}

void directory_out__abort(struct directory_out *out)
{
	if (!out->path)
		return;
	remove_tree(out->temporary);
	free(out->path);
	free(out->temporary);
	*out = (struct directory_out){ 0 };
}
