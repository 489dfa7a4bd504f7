// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfdata/directory_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/internal.h"
#include "perfdata/splice.h"

static bool is_self_or_parent(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* NOLINTBEGIN(misc-no-recursion): each level holds a descriptor, so there are some thousand at most */

/* 0 or a negative errno of what is in the way. Takes no memory, of which there may be none left. */
static int remove_tree(int at, const char *name);

/* Returns whether something was removed; *err is what was in the way of something else. */
static bool empty_folder(int folder, int *err)
{
	char buffer[1024] __attribute__((aligned(8)));
	bool removed = false;
	ssize_t got;
	int left;

	while ((got = getdents64(folder, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);

			at += entry->d_reclen;
			if (is_self_or_parent(entry->d_name))
				continue;
			left = remove_tree(folder, entry->d_name);
			if (left && left != -ENOENT)
				*err = left;
			removed |= !left;
		}
	}
	if (got < 0)
		*err = -errno;
	return removed;
}

static int remove_folder(int at, const char *name)
{
	int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err = folder < 0 ? -errno : 0;

	/* file systems may pass over entries when others are removed meanwhile */
	while (folder >= 0 && empty_folder(folder, &err))
		lseek(folder, 0, SEEK_SET);
	if (folder >= 0)
		close(folder);
	if (unlinkat(at, name, AT_REMOVEDIR) == 0)
		return 0;
	return err ? err : -errno;
}

static int remove_tree(int at, const char *name)
{
	int err = unlinkat(at, name, 0) == 0 ? 0 : -errno;

	/* a file may have stood where the directory is now */
	return err == -EISDIR ? remove_folder(at, name) : err;
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
	err = diag__errno(diag, "output.create", out->path, "can't create");
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
		err = diag__errno(diag, "output.create", path, "can't create");
	free(path);
	return err;
}

static bool is_part(const struct perfdata *perfdata, const char *name)
{
	array__for_each(part, &perfdata->source.parts)
		if (strcmp(part->name, name) == 0)
			return true;
	return false;
}

struct copying {
	const struct directory_out *out;
	const struct perfdata *perfdata;
	struct diag *diag;
};

/* What is in the folder called name within the profile, "" for the profile itself. */
static int copy_tree(const struct copying *copying, const char *name);

static int copy_entry(const struct copying *copying, DIR *folder, const char *entry,
		      const char *name)
{
	struct stat stat;
	char *from = NULL;
	int err = 0;

	/* no links: they may lead anywhere */
	if (fstatat(dirfd(folder), entry, &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return diag__errno(copying->diag, "file.open", copying->perfdata->path,
				   "can't look into");
	if (S_ISDIR(stat.st_mode)) {
		err = copy_folder(copying->out, name, stat.st_mode, copying->diag);
		return err ? err : copy_tree(copying, name);
	}
	if (!S_ISREG(stat.st_mode))
		return 0;
	if (asprintf(&from, "%s/%s", copying->perfdata->path, name) < 0)
		return -ENOMEM;
	err = copy_file(copying->out, name, from, copying->diag);
	free(from);
	return err;
}

static int copy_entries(const struct copying *copying, DIR *folder, const char *name)
{
	struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(folder)) != NULL) {
		char *inner = NULL;

		if (is_self_or_parent(entry->d_name) ||
		    (!*name && is_part(copying->perfdata, entry->d_name)))
			continue;
		if (asprintf(&inner, "%s%s%s", name, *name ? "/" : "", entry->d_name) < 0)
			return -ENOMEM;
		err = copy_entry(copying, folder, entry->d_name, inner);
		free(inner);
	}
	return err;
}

static int copy_tree(const struct copying *copying, const char *name)
{
	char *path = NULL;
	DIR *folder;
	int err;

	if (asprintf(&path, "%s/%s", copying->perfdata->path, name) < 0)
		return -ENOMEM;
	folder = opendir(path);
	err = folder ? copy_entries(copying, folder, name)
		     : diag__errno(copying->diag, "file.open", path, "can't open");
	if (folder)
		closedir(folder);
	free(path);
	return err;
}

/* NOLINTEND(misc-no-recursion) */

int directory_out__copy_others(const struct directory_out *out, const struct perfdata *perfdata,
			       struct diag *diag)
{
	struct copying copying = { out, perfdata, diag };

	return copy_tree(&copying, "");
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
		err = diag__errno(diag, "output.write", out->path, "can't write");
	else if (put_in_place(out) < 0)
		err = diag__errno(diag, "output.rename", out->path,
				  "can't put the directory in place");
	directory_out__abort(out, diag);
	return err;
}

void directory_out__abort(struct directory_out *out, struct diag *diag)
{
	int err;

	if (!out->path)
		return;
	err = remove_tree(AT_FDCWD, out->temporary);
	if (err && err != -ENOENT)
		diag__report(diag, DIAG_WARNING, "output.left", out->temporary, DIAG_NO_OFFSET,
			     "can't remove this folder, which is of no use any more: %s",
			     strerror(-err));
	free(out->path);
	free(out->temporary);
	*out = (struct directory_out){ 0 };
}
