// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfdata/directory_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/internal.h"
#include "perfdata/splice.h"

static bool is_self_or_parent(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A folder in another, and no symlink to one; -1 and errno. */
static int open_folder(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* NOLINTBEGIN(misc-no-recursion): levels hold descriptors, so there are some thousand at most */

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
	int folder = open_folder(at, name);
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

/* Makes the temporary folder, which is nobody else's; -1 and errno. */
static int make_folder(struct directory_out *out)
{
	char *copy = strdup(out->path);
	struct stat stat;

	if (!copy)
		return -1;
	out->parent = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (out->parent < 0 || !mkdtemp(out->temporary))
		return -1;
	out->folder = open_folder(out->parent, file__base_name(out->temporary));
	if (out->folder >= 0 && fstat(out->folder, &stat) == 0 && stat.st_uid == geteuid())
		return 0;
	if (out->folder >= 0)
		errno = EPERM;
	rmdir(out->temporary);
	return -1;
}

static void release(struct directory_out *out)
{
	if (out->folder >= 0)
		close(out->folder);
	if (out->parent >= 0)
		close(out->parent);
	free(out->path);
	free(out->temporary);
	*out = (struct directory_out){ .parent = -1, .folder = -1 };
}

int directory_out__open(struct directory_out *out, const char *path, bool sync, struct diag *diag)
{
	size_t length = strlen(path);
	int err;

	while (length > 1 && path[length - 1] == '/')
		length--;
	*out = (struct directory_out){
		.path = strndup(path, length),
		.parent = -1,
		.folder = -1,
		.sync = sync,
	};
	if (!out->path || asprintf(&out->temporary, "%s.tmp-XXXXXX", out->path) < 0) {
		free(out->path);
		*out = (struct directory_out){ .parent = -1, .folder = -1 };
		return -ENOMEM;
	}
	if (make_folder(out) == 0)
		return 0;
	err = diag__errno(diag, "output.create", out->path, "can't create");
	release(out);
	return err;
}

/* What is called name within the output, for reports. */
static char *path_in(const struct directory_out *out, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", out->temporary, name) < 0 ? NULL : path;
}

static int open_file(const struct directory_out *out, int folder, const char *name, mode_t mode,
		     struct file_out *file, struct diag *diag)
{
	char *path = path_in(out, name);
	int err = path ? file_out__open_in(file, folder, path, mode & 0777, diag) : -ENOMEM;

	free(path);
	return err;
}

int directory_out__file(const struct directory_out *out, const char *name, mode_t mode,
			struct file_out *file, struct diag *diag)
{
	return open_file(out, out->folder, name, mode, file, diag);
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

/* A folder within the profile, "" for the profile itself, and its copy. */
struct folder_pair {
	const char *name;
	int from, to;
};

/* Reports errno of what is called name in a folder. */
static int report(const struct copying *copying, const char *kind, const char *folder,
		  const char *name, const char *text)
{
	int err = errno;
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	errno = err;
	err = diag__errno(copying->diag, kind, path, text);
	free(path);
	return err;
}

/* Copies what is in from, which becomes the function's. */
static int copy_tree(const struct copying *copying, const struct folder_pair *folder);

static int copy_file(const struct copying *copying, const struct folder_pair *folder,
		     const char *name)
{
	struct splices nothing = { 0 };
	struct perfdata_part part = { 0 };
	struct diag *diag = copying->diag;
	struct file_map map;
	struct file_out file;
	char *from = NULL;
	int err;

	if (asprintf(&from, "%s/%s", copying->perfdata->path, name) < 0)
		return -ENOMEM;
	err = file_map__open_in(&map, folder->from, from, false, diag);
	free(from);
	if (err)
		return err;
	part.fd = map.fd;
	part.size = map.bytes.size;
	err = open_file(copying->out, folder->to, name, map.stat.st_mode, &file, diag);
	if (!err) {
		err = splices__write(&nothing, map.bytes, &part, 0, part.size, &file, diag);
		if (err)
			file_out__abort(&file);
		else
			err = file_out__commit(&file, copying->out->sync, diag);
	}
	file_map__close(&map);
	return err;
}

static int copy_folder(const struct copying *copying, const struct folder_pair *folder,
		       const char *name, mode_t mode)
{
	const char *entry = file__base_name(name);
	struct folder_pair inner = { .name = name, .from = -1, .to = -1 };
	int err;

	inner.from = open_folder(folder->from, entry);
	if (inner.from < 0)
		return report(copying, "file.open", copying->perfdata->path, name, "can't open");
	if (mkdirat(folder->to, entry, (mode & 0777) | 0700) == 0)
		inner.to = open_folder(folder->to, entry);
	if (inner.to >= 0) {
		err = copy_tree(copying, &inner);
		close(inner.to);
		return err;
	}
	err = report(copying, "output.create", copying->out->temporary, name, "can't create");
	close(inner.from);
	return err;
}

static int copy_entry(const struct copying *copying, const struct folder_pair *folder,
		      const char *name)
{
	struct stat stat;

	/* no links: they may lead anywhere */
	if (fstatat(folder->from, file__base_name(name), &stat, AT_SYMLINK_NOFOLLOW) < 0)
		return report(copying, "file.open", copying->perfdata->path, name,
			      "can't look into");
	if (S_ISDIR(stat.st_mode))
		return copy_folder(copying, folder, name, stat.st_mode);
	return S_ISREG(stat.st_mode) ? copy_file(copying, folder, name) : 0;
}

static int copy_entries(const struct copying *copying, const struct folder_pair *folder,
			DIR *entries)
{
	struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(entries)) != NULL) {
		char *name = NULL;

		if (is_self_or_parent(entry->d_name) ||
		    (!*folder->name && is_part(copying->perfdata, entry->d_name)))
			continue;
		if (asprintf(&name, "%s%s%s", folder->name, *folder->name ? "/" : "",
			     entry->d_name) < 0)
			return -ENOMEM;
		err = copy_entry(copying, folder, name);
		free(name);
	}
	return err;
}

static int copy_tree(const struct copying *copying, const struct folder_pair *folder)
{
	DIR *entries = fdopendir(folder->from);
	int err;

	if (!entries) {
		close(folder->from);
		return -ENOMEM;
	}
	err = copy_entries(copying, folder, entries);
	closedir(entries);
	return err;
}

/* NOLINTEND(misc-no-recursion) */

int directory_out__copy_others(const struct directory_out *out, const struct perfdata *perfdata,
			       struct diag *diag)
{
	struct copying copying = { out, perfdata, diag };
	struct folder_pair all = {
		.name = "",
		.from = open(perfdata->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.to = out->folder,
	};

	return all.from < 0 ? diag__errno(diag, "file.open", perfdata->path, "can't open")
			    : copy_tree(&copying, &all);
}

void directory_out__give(int fd, const struct stat *stat)
{
	if (geteuid() == 0 && (stat->st_uid != 0 || stat->st_gid != 0) &&
	    fchown(fd, stat->st_uid, stat->st_gid) < 0)
		return; /* it stays root's, who may read it */
}

static int finish_folder(const struct directory_out *out, const struct stat *input)
{
	directory_out__give(out->folder, input);
	if (fchmod(out->folder, input->st_mode & 0777) < 0)
		return -1;
	return out->sync ? fsync(out->folder) : 0;
}

/* What is at path, if anything, is at the temporary name afterwards. */
static int put_in_place(const struct directory_out *out)
{
	const char *from = file__base_name(out->temporary), *to = file__base_name(out->path);

	if (renameat2(out->parent, from, out->parent, to, RENAME_NOREPLACE) == 0)
		return 0;
	/* a file system without the flag; a directory or nothing can be replaced all the same */
	if (errno == EINVAL)
		return renameat(out->parent, from, out->parent, to);
	if (errno != EEXIST)
		return -1;
	return renameat2(out->parent, from, out->parent, to, RENAME_EXCHANGE);
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
	err = remove_tree(out->parent, file__base_name(out->temporary));
	if (err && err != -ENOENT)
		diag__report(diag, DIAG_WARNING, "output.left", out->temporary, DIAG_NO_OFFSET,
			     "can't remove this folder, which is of no use any more: %s",
			     strerror(-err));
	release(out);
}
