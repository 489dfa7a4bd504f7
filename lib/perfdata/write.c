// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the changed profile, and the original back. */
#include "perfdata/edits.h"

#include <errno.h>

#include "base/diag.h"
#include "base/file.h"

/* Records are all there is in a stream and in the further files of a directory. */
static bool only_records(const struct perfdata *perfdata, const struct perfdata_part *part)
{
	return perfdata->form == PERFDATA_FORM_PIPE || part->start > 0;
}

static int write_part(const struct perfdata_edits *edits, const struct perfdata_part *part,
		      struct file_out *out, struct diag *diag)
{
	const struct perfdata *perfdata = edits->perfdata;
	struct bytes input = perfdata->source.bytes;
	uint64_t end = part->start + part->size;
	struct buf journal = BUF(perfdata->order);
	int err;

	err = splices__write(&edits->splices, input, part, part->start, end, out, diag);
	if (err)
		return err;
	if (edits->bake)
		journal__put_baked(&journal, only_records(perfdata, part), perfdata->order);
	else
		journal__put(&journal, &edits->splices, input, part->start, end,
			     only_records(perfdata, part), perfdata->order);
	err = journal.failed ? -ENOMEM : file_out__write(out, buf__bytes(&journal), diag);
	buf__free(&journal);
	return err;
}

static int write_edited(void *context, const struct perfdata_part *part, struct file_out *out,
			struct diag *diag)
{
	return write_part(context, part, out, diag);
}

/* Settles everything, so that writing is nothing but that. */
static int prepare(struct perfdata_edits *edits, struct diag *diag)
{
	const struct perfdata *perfdata = edits->perfdata;
	int err = perfdata__add_structure(edits);

	/* from 8 on: nothing comes before or into the magic, whatever a damaged header says */
	if (err || splices__are_sound(&edits->splices, 8, perfdata->source.bytes.size))
		return err;
	diag__report(diag, DIAG_ERROR, "perfdata.bad-edit", perfdata->path, DIAG_NO_OFFSET,
		     "the changes overlap each other, or the file's own parts do");
	return -EINVAL;
}

int perfdata_edits__write(struct perfdata_edits *edits, struct file_out *out, struct diag *diag)
{
	int err = prepare(edits, diag);

	return err ? err : write_part(edits, &edits->perfdata->source.parts.items[0], out, diag);
}

int perfdata_edits__write_directory(struct perfdata_edits *edits, const char *path, bool sync,
				    struct diag *diag)
{
	int err = prepare(edits, diag);

	return err ? err
		   : perfdata__write_parts(edits->perfdata, path, sync, write_edited, edits, diag);
}
