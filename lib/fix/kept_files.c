// SPDX-License-Identifier: GPL-2.0-or-later
/* The DSOs that an earlier run has made: where they are, and how they get to the output's folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/spool.h"
#include "fix/kept.h"
#include "perfdata/edit.h"
#include "unwind/elf_file.h"

/* Digits of the build-id at the end of a DSO's name: "jit-<pid>-<region>-<generation>-<id>.so". */
#define ID_DIGITS 12
#define SUFFIX    ".so"

/* Whether a file's build-id begins as the name says. */
static bool is_named_by(const char *name, const struct module_file *file)
{
	char digits[ID_DIGITS + 1];
	size_t length = strlen(name), size = ID_DIGITS + strlen(SUFFIX);

	if (file->build_id_size < ID_DIGITS / 2 || length < size)
		return false;
	for (size_t i = 0; i < ID_DIGITS / 2; i++)
		snprintf(digits + 2 * i, 3, "%02x", file->build_id[i]);
	return memcmp(name + length - size, digits, ID_DIGITS) == 0;
}

/*
 * A descriptor of the file at path, or a negative errno: -EINVAL when it is another file. What a
 * profile names is not copied to where others may read it, unless it is the DSO that its name says.
 */
static int open_dso(struct kept_dso *dso, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct module_file file;
	char self[64];
	bool right;

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (!module_file__open(&file, self)) {
		close(fd);
		return -EINVAL;
	}
	right = is_named_by(dso->name, &file);
	if (right) {
		memcpy(dso->build_id, file.build_id, file.build_id_size);
		dso->build_id_size = file.build_id_size;
	}
	module_file__close(&file);
	if (right)
		return fd;
	close(fd);
	return -EINVAL;
}

/* Takes the file at a path, which is formatted, if it is the DSO's and none was found. 0 or
 * -ENOMEM. */
__attribute__((format(printf, 2, 3))) static int try(struct kept_dso *dso, const char *format, ...)
{
	va_list args;
	char *path;
	int fd;

	if (dso->source)
		return 0;
	va_start(args, format);
	fd = vasprintf(&path, format, args);
	va_end(args);
	if (fd < 0)
		return -ENOMEM;
	fd = open_dso(dso, path);
	if (fd < 0) {
		free(path);
		return 0;
	}
	close(fd);
	dso->source = path;
	return 0;
}

/* At its path, in a folder of that name beside the profile, or in the one that is made by default.
 */
static int find_file(struct kept_dso *dso, const char *profile)
{
	const char *base = file__base_name(dso->name);
	const char *folder_end = base > dso->name ? base - 1 : base;
	const char *folder = folder_end;
	int beside = (int)(file__base_name(profile) - profile);
	int err = try(dso, "%s", dso->name);

	while (folder > dso->name && folder[-1] != '/')
		folder--;
	if (!err)
		err = try(dso, "%.*s%.*s/%s", beside, profile, (int)(folder_end - folder), folder,
			  base);
	return err ? err : try(dso, "%s.jit/%s", profile, base);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
				     x.st_ino == y.st_ino);
}

static int find_place(struct kept_dso *dso, const char *folder)
{
	if (!dso->source || !folder)
		return 0;
	if (asprintf(&dso->path, "%s/%s", folder, file__base_name(dso->name)) < 0) {
		dso->path = NULL;
		return -ENOMEM;
	}
	dso->copied = !is_same_file(dso->source, dso->path);
	return 0;
}

static void report_lost(const struct kept *kept, struct diag *diag)
{
	const struct kept_dso *first = NULL;
	size_t lost = kept__nr_lost(kept);

	array__for_each(dso, &kept->dsos)
		if (!dso->source && !first)
			first = dso;
	if (!first)
		return;
	diag__report(
		diag, DIAG_WARNING, "fix.lost-dso", first->name, DIAG_NO_OFFSET,
		"is not there any more, nor beside the profile%s: code whose jitdump is gone "
		"too stays unnamed until the folder of DSOs is where it was, or --relocate=DIR "
		"says where it is",
		lost > 1 ? " (as others)" : "");
}

int kept__find_files(struct kept *kept, const char *profile, const char *folder, struct diag *diag)
{
	size_t length = strlen(profile);
	char *path;
	int err = 0;

	/* a directory may be named with it */
	while (length > 1 && profile[length - 1] == '/')
		length--;
	path = strndup(profile, length);
	if (!path)
		return -ENOMEM;
	array__for_each(dso, &kept->dsos) {
		err = err ? err : find_file(dso, path);
		if (!dso->source)
			dso->build_id_size =
				perfdata__build_id(kept->fixed, dso->name, dso->build_id);
		err = err ? err : find_place(dso, folder);
	}
	free(path);
	if (!err)
		report_lost(kept, diag);
	return err;
}

size_t kept__nr_lost(const struct kept *kept)
{
	size_t lost = 0;

	array__for_each(dso, &kept->dsos)
		lost += !dso->source;
	return lost;
}

bool kept__has_lost(const struct kept *kept, const struct process *process)
{
	array__for_each(record, &kept->records)
		if (record->maps && record->process == process &&
		    !kept->dsos.items[record->dso].source)
			return true;
	return false;
}

/* ---- what is written ------------------------------------------------------------------------- */

static void fail_copy(const struct kept_dso *dso, int err, struct diag *diag)
{
	diag__report(diag, DIAG_ERROR, "output.write", dso->path, DIAG_NO_OFFSET,
		     "can't be copied from %s: %s", dso->source,
		     err == -EINVAL ? "that can't be read as the DSO it was" : strerror(-err));
}

int kept_dso__copy(const struct kept_dso *dso, struct file_out *out, struct diag *diag)
{
	struct kept_dso again = { .name = dso->name };
	int from = open_dso(&again, dso->source);
	struct diag *silent = diag__new(NULL, NULL);
	struct stat stat;
	int err;

	if (from < 0)
		err = from;
	else if (!silent)
		err = -ENOMEM;
	else if (fstat(from, &stat) < 0)
		err = -errno;
	else
		err = spool__copy_file(out->fd, from, (uint64_t)stat.st_size, dso->path, silent);
	if (err && err != -ENOMEM)
		fail_copy(dso, err, diag);
	if (from >= 0)
		close(from);
	diag__free(silent);
	return err;
}

static const char *name_in_output(const struct kept_dso *dso, bool moved)
{
	return moved && dso->path ? dso->path : dso->name;
}

int kept__insert(const struct kept *kept, struct perfdata_edits *edits,
		 const struct perfdata *original, bool moved)
{
	struct buf buf = BUF(perfdata__order(original));
	int err = 0;

	array__for_each(record, &kept->records) {
		struct perfdata_mmap mmap = record->mmap;

		buf.size = 0;
		if (record->maps) {
			mmap.name = name_in_output(&kept->dsos.items[record->dso], moved);
			perfdata__put_mmap2(original, &buf, &mmap);
		} else {
			buf__put(&buf, record->bytes.data, record->bytes.size);
		}
		err = buf.failed ? -ENOMEM
				 : perfdata_edits__insert(edits, record->offset, buf__bytes(&buf));
		if (err)
			break;
	}
	buf__free(&buf);
	return err;
}

int kept__add_build_ids(const struct kept *kept, struct perfdata_edits *edits, bool moved)
{
	int err = 0;

	array__for_each(dso, &kept->dsos)
		if (!err && dso->build_id_size)
			err = perfdata_edits__add_build_id(
				edits, UINT32_MAX, dso->build_id, dso->build_id_size,
				PERF_RECORD_MISC_USER, name_in_output(dso, moved));
	return err;
}
