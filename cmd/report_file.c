// SPDX-License-Identifier: GPL-2.0-or-later
#include "report_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/file.h"

int report_file__check(const char *path, struct diag *diag)
{
	struct stat found;

	if (file__is_stream(path))
		return 0;
	if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
		errno = EISDIR;
		return diag__errno(diag, "output.rename", path, "can't put the file in place");
	}
	return file_out__check(path, diag);
}

void report_file__open(struct report_file *file)
{
	*file = (struct report_file){ 0 };
	file->stream = open_memstream(&file->text, &file->size);
}

static int write_to(const char *path, struct bytes text, struct diag *diag)
{
	int stream = file__open_stream(path);
	struct file_out out;
	int err = stream < 0 ? file_out__open(&out, path, 0666, diag)
			     : file_out__take(&out, stream, path);

	if (!err)
		err = file_out__write(&out, text, diag);
	if (!err)
		err = file_out__commit(&out, false, diag);
	file_out__abort(&out);
	return err;
}

int report_file__commit(struct report_file *file, const char *path, struct diag *diag)
{
	bool whole = file->stream && !ferror(file->stream) && fflush(file->stream) == 0;
	int err = -ENOMEM;

	if (whole)
		err = write_to(path, (struct bytes){ (const uint8_t *)file->text, file->size },
			       diag);
	report_file__abort(file);
	return err;
}

void report_file__abort(struct report_file *file)
{
	if (file->stream)
		fclose(file->stream);
	free(file->text);
	*file = (struct report_file){ 0 };
}
