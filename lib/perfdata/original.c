// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening an edited profile as it was before. */
#include "perfdata/edit.h"
#include "perfdata/internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spool.h"
#include "perfdata/edits.h"

/* Restores a part into a temporary copy; its descriptor, or a negative errno, reported. */
static int restore_copy(const struct perfdata *edited, const struct perfdata_part *part,
			struct diag *diag)
{
	struct file_out out = {
		.fd = spool__create(edited->path, diag),
		.path = edited->path,
	};
	int err;

	if (out.fd < 0)
		return out.fd;
	err = perfdata__restore_part(edited, part, &out, diag);
	if (!err)
		return out.fd;
	close(out.fd);
	return err;
}

static int add_copy(const struct perfdata *edited, const struct perfdata_part *part,
		    struct perfdata_source *source, struct diag *diag)
{
	struct perfdata_part copy = { .fd = restore_copy(edited, part, diag), .stat = part->stat };
	struct stat stat;

	if (copy.fd < 0)
		return copy.fd;
	if (fstat(copy.fd, &stat) == 0)
		copy.size = (uint64_t)stat.st_size;
	copy.name = strdup(part->name);
	if (copy.name && array__push(&source->parts, copy))
		return 0;
	free(copy.name);
	close(copy.fd);
	return -ENOMEM;
}

static int copy_directory(const struct perfdata *edited, struct perfdata_source *source,
			  struct diag *diag)
{
	int err = 0;

	source->is_directory = true;
	array__for_each(part, &edited->source.parts)
		if (!err)
			err = add_copy(edited, part, source, diag);
	return err ? err : perfdata_source__map_parts(source, edited->path, diag);
}

static int copy_file(const struct perfdata *edited, struct perfdata_source *source,
		     struct diag *diag)
{
	int fd = restore_copy(edited, &edited->source.parts.items[0], diag);

	return fd < 0 ? fd : perfdata_source__map(source, fd, edited->path, diag);
}

int perfdata__original(struct perfdata **original, const struct perfdata *edited, struct diag *diag)
{
	struct perfdata_source source = { 0 };
	int err = edited->source.is_directory ? copy_directory(edited, &source, diag)
					      : copy_file(edited, &source, diag);

	*original = NULL;
	/* whose it is and who may read it is said by the file that was given */
	source.stat = edited->source.stat;
	if (!err)
		return perfdata__open_source(original, &source, edited->path, diag);
	perfdata_source__close(&source);
	return err;
}

int perfdata__open_original(struct perfdata **perfdata, const char *path, struct diag *diag)
{
	struct perfdata *edited;
	int err = perfdata__open(&edited, path, diag);

	*perfdata = NULL;
	if (err)
		return err;
	if (!perfdata__is_edited(edited)) {
		*perfdata = edited;
		return 0;
	}
	err = perfdata__original(perfdata, edited, diag);
	perfdata__close(edited);
	return err;
}
