// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records differ in length by their paths, so they are not patched: what was done to the original
 * is done again, with other paths.
 */
#include "fix/relocate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "fix/output.h"
#include "perfdata/edit.h"

struct relocator {
	const struct relocate_options *options;
	struct relocate_result *result;
	struct perfdata *fixed;
	struct perfdata_edits *edits;
	struct diag *diag;
};

/* Where a DSO is now. */
static char *moved(void *context, const char *name)
{
	const struct relocator *relocator = context;
	char *path = NULL;

	if (asprintf(&path, "%s/%s", relocator->options->folder, file__base_name(name)) < 0)
		return NULL;
	return path;
}

static char *moved_mapping(void *context, const char *name)
{
	struct relocator *relocator = context;
	char *path = moved(context, name);

	if (!path)
		return NULL;
	relocator->result->nr_records++;
	relocator->result->nr_missing += access(path, R_OK) != 0;
	return path;
}

static int write_file(struct relocator *relocator)
{
	const struct relocate_options *options = relocator->options;
	struct file_out out;
	int err = output__open(&out, relocator->fixed, options->output, relocator->diag);

	if (err)
		return err;
	err = perfdata_edits__write(relocator->edits, &out, relocator->diag);
	if (!err)
		err = output__commit(&out, relocator->fixed, !options->no_sync, relocator->diag);
	file_out__abort(&out);
	return err;
}

static int write_output(struct relocator *relocator)
{
	const struct relocate_options *options = relocator->options;

	if (perfdata__form(relocator->fixed) == PERFDATA_FORM_DIRECTORY)
		return perfdata_edits__write_directory(relocator->edits, options->output,
						       !options->no_sync, relocator->diag);
	return write_file(relocator);
}

static int relocate(struct relocator *relocator, struct perfdata *original)
{
	const struct perfdata_replay replay = {
		.rename_mapping = moved_mapping,
		.rename_build_id = moved,
		.context = relocator,
	};
	int err;

	relocator->edits = perfdata_edits__new(original);
	if (!relocator->edits)
		return -ENOMEM;
	err = perfdata_edits__replay(relocator->edits, relocator->fixed, &replay, relocator->diag);
	if (!err)
		err = write_output(relocator);
	perfdata_edits__free(relocator->edits);
	return err;
}

int relocate__write(struct perfdata *fixed, const struct relocate_options *options,
		    struct relocate_result *result, struct diag *diag)
{
	struct relocator relocator = {
		.options = options,
		.result = result,
		.fixed = fixed,
		.diag = diag,
	};
	struct perfdata *original;
	int err;

	*result = (struct relocate_result){ 0 };
	err = perfdata__original(&original, fixed, diag);
	if (err)
		return err;
	err = relocate(&relocator, original);
	perfdata__close(original);
	return err;
}
