// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
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

static int fail_folder(const char *path, int err, const char *text, struct diag *diag)
{
	diag__report(diag, DIAG_ERROR, "output.folder", path, DIAG_NO_OFFSET, "%s: %s", text,
		     strerror(err));
	return -err;
}

static bool is_strangers(const struct perfdata *perfdata, const struct stat *folder)
{
	uid_t self = geteuid();

	return folder->st_uid != self && folder->st_uid != 0 &&
	       (self != 0 || folder->st_uid != perfdata__stat(perfdata)->st_uid);
}

/* Others hold it for as long as they write. Not forever: any reader could, and keep us out. */
static void wait_for_others(int fd)
{
	static const struct timespec while_ = { 0, 20 * 1000000L };

	for (int i = 0; i < 500 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK; i++)
		nanosleep(&while_, NULL);
}

/* 1 with the folder open, 0 if it was taken away again meanwhile, negative errno. */
static int try_folder(struct output_folder *folder, const struct perfdata *perfdata, bool named,
		      struct diag *diag)
{
	mode_t mode = output__mode(perfdata);
	struct stat stat;

	/* who may read the files may look for them */
	folder->made = mkdir(folder->path, mode | 0700 | (mode & 0444) >> 2) == 0;
	if (!folder->made && errno != EEXIST)
		return fail_folder(folder->path, errno, "can't make the folder", diag);
	/* what was just made is no link, unless another has put one in its place */
	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
						(named && !folder->made ? 0 : O_NOFOLLOW));
	if (folder->fd < 0 && errno == ENOENT)
		return 0;
	if (folder->fd < 0)
		return fail_folder(folder->path, errno == ELOOP ? ENOTDIR : errno,
				   "can't open the folder", diag);
	wait_for_others(folder->fd);
	if (fstat(folder->fd, &stat) < 0)
		return fail_folder(folder->path, errno, "can't look at the folder", diag);
	if (!named && is_strangers(perfdata, &stat))
		return fail_folder(folder->path, EPERM,
				   "is another user's folder: remove it or name one with --dso-dir",
				   diag);
	return stat.st_nlink > 0;
}

int output__open_folder(struct output_folder *folder, const struct perfdata *perfdata,
			const char *path, bool named, struct diag *diag)
{
	int got = 0;

	*folder = (struct output_folder){ .path = path, .fd = -1 };
	for (int i = 0; got == 0 && i < 100; i++) {
		output__close_folder(folder);
		got = try_folder(folder, perfdata, named, diag);
	}
	if (got == 0)
		got = fail_folder(path, EAGAIN, "can't make the folder", diag);
	if (got < 0) {
		output__remove_folder(folder);
		output__close_folder(folder);
		return got;
	}
	if (folder->made)
		output__give(perfdata, folder->fd, path, diag);
	return 0;
}

int output__check_folder(const char *path, struct diag *diag)
{
	struct stat found;
	char *copy;
	int err = 0;

	if (stat(path, &found) == 0) {
		if (!S_ISDIR(found.st_mode))
			return fail_folder(path, ENOTDIR, "can't open the folder", diag);
		if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) < 0)
			return fail_folder(path, errno, "can't put files into the folder", diag);
		return 0;
	}
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	if (faccessat(AT_FDCWD, dirname(copy), W_OK | X_OK, AT_EACCESS) < 0)
		err = fail_folder(path, errno, "can't make the folder", diag);
	free(copy);
	return err;
}

void output__remove_folder(const struct output_folder *folder)
{
	if (folder->made)
		rmdir(folder->path);
}

void output__close_folder(struct output_folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	folder->fd = -1;
}

bool output__is_stream(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 ||
	       strcmp(path, "/dev/stdout") == 0;
}

int output__open(struct file_out *out, const struct perfdata *perfdata, const char *path,
		 struct diag *diag)
{
	int fd, err;

	if (!output__is_stream(path))
		return file_out__open(out, path, output__mode(perfdata), diag);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		return file_out__take(out, fd, "standard output");
	err = errno;
	*out = (struct file_out){ .fd = -1 };
	diag__report(diag, DIAG_ERROR, "output.create", NULL, DIAG_NO_OFFSET,
		     "can't write to standard output: %s", strerror(err));
	return -err;
}

int output__commit(struct file_out *out, const struct perfdata *perfdata, bool sync,
		   struct diag *diag)
{
	int err = perfdata__check_whole(perfdata, diag);

	if (err) {
		file_out__abort(out);
		return err;
	}
	if (!out->stream)
		output__give(perfdata, out->fd, out->path, diag);
	return file_out__commit(out, sync, diag);
}
