// SPDX-License-Identifier: GPL-2.0-or-later
/* Undoes what was done to a changed profile. */
#include "perfdata/edits.h"

#include <errno.h>

#include "base/diag.h"

static struct bytes part_bytes(const struct perfdata *perfdata, const struct perfdata_part *part)
{
	return (struct bytes){ perfdata->source.bytes.data + part->start, part->size };
}

int perfdata__find_journal(struct perfdata *perfdata)
{
	struct splices splices = { 0 };
	uint64_t size;
	int err = journal__read(part_bytes(perfdata, &perfdata->source.parts.items[0]), &splices,
				&size);

	splices__free(&splices);
	perfdata->edited = !err;
	return err == -ENOMEM ? err : 0;
}

bool perfdata__is_edited(const struct perfdata *perfdata)
{
	return perfdata->edited;
}

static int refuse(const struct perfdata *perfdata, bool damaged, struct diag *diag)
{
	diag__report(diag, DIAG_ERROR, damaged ? "perfdata.bad-journal" : "perfdata.not-edited",
		     perfdata->path, DIAG_NO_OFFSET, "%s",
		     damaged ? "what the original was can't be read: the file was changed"
			     : "nothing was inserted into it that could be removed");
	return -EINVAL;
}

int perfdata__restore_part(const struct perfdata *perfdata, const struct perfdata_part *part,
			   struct file_out *out, struct diag *diag)
{
	struct bytes bytes = part_bytes(perfdata, part);
	struct perfdata_part whole = { .size = part->size, .fd = part->fd };
	struct splices splices = { 0 };
	uint64_t size;
	int err = journal__read(bytes, &splices, &size);

	if (!err)
		err = splices__write(&splices, bytes, &whole, 0, size, out, diag);
	else if (err != -ENOMEM)
		err = refuse(perfdata, err == -EINVAL, diag);
	splices__free(&splices);
	return err;
}

static int restore_in_directory(void *context, const struct perfdata_part *part,
				struct file_out *out, struct diag *diag)
{
	return perfdata__restore_part(context, part, out, diag);
}

int perfdata__restore_directory(struct perfdata *perfdata, const char *path, bool sync,
				struct diag *diag)
{
	return perfdata__write_parts(perfdata, path, sync, restore_in_directory, perfdata, diag);
}

int perfdata__restore(const struct perfdata *perfdata, struct file_out *out, struct diag *diag)
{
	return perfdata__restore_part(perfdata, &perfdata->source.parts.items[0], out, diag);
}
