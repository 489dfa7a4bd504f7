// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile that is a directory, written anew file by file. */
#include "perfdata/edits.h"

#include "base/file.h"
#include "perfdata/directory_out.h"

typedef int (*write_fn)(void *context, const struct perfdata_part *part, struct file_out *out,
			struct diag *diag);

static int write_file(const struct directory_out *directory, const struct perfdata_part *part,
		      write_fn write, void *context, struct diag *diag)
{
	struct file_out file;
	/* no wider than the input's */
	int err = directory_out__file(directory, part->name, part->stat.st_mode, &file, diag);

	if (err)
		return err;
	err = write(context, part, &file, diag);
	if (!err) {
		directory_out__give(file.fd, &part->stat);
		return file_out__commit(&file, directory->sync, diag);
	}
	file_out__abort(&file);
	return err;
}

int perfdata__write_parts(const struct perfdata *perfdata, const char *path, bool sync,
			  write_fn write, void *context, struct diag *diag)
{
	struct directory_out directory;
	struct stat stat_of_input;
	int err = directory_out__open(&directory, path, sync, diag);

	if (err)
		return err;
	array__for_each(part, &perfdata->source.parts)
		if (!err)
			err = write_file(&directory, part, write, context, diag);
	if (!err)
		err = directory_out__copy_others(&directory, perfdata, diag);
	if (!err)
		err = perfdata__check_whole(perfdata, diag);
	if (err) {
		directory_out__abort(&directory, diag);
		return err;
	}
	if (stat(perfdata->path, &stat_of_input) < 0) {
		stat_of_input = perfdata->source.stat;
		stat_of_input.st_mode = 0700;
	}
	return directory_out__commit(&directory, &stat_of_input, diag);
}
