// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening, closing, and what a profile says about itself. */
#include "perfdata/internal.h"

#include <errno.h>
#include <unistd.h>

static int read_seekable(struct perfdata *perfdata)
{
	int err = perfdata__read_features(perfdata);

	return err ? err : perfdata__read_attrs(perfdata);
}

/* The records' places, in the order of walking. */
static int find_regions(struct perfdata *perfdata)
{
	if (!array__push(&perfdata->regions, perfdata->data))
		return -ENOMEM;
	for (size_t i = 1; i < perfdata->source.parts.count; i++) {
		const struct perfdata_part *part = &perfdata->source.parts.items[i];
		struct perfdata_section region = { part->start, part->size };

		if (!array__push(&perfdata->regions, region))
			return -ENOMEM;
	}
	return 0;
}

static int read_profile(struct perfdata *perfdata)
{
	int err = perfdata__read_header(perfdata);

	if (!err)
		err = perfdata->form == PERFDATA_FORM_PIPE ? perfdata__read_pipe(perfdata)
							   : read_seekable(perfdata);
	if (!err)
		err = perfdata__index_attrs(perfdata);
	if (err)
		return err;
	perfdata__digest_features(perfdata);
	err = perfdata__index_build_ids(perfdata);
	if (!err)
		err = find_regions(perfdata);
	return err ? err : perfdata__find_journal(perfdata);
}

static struct perfdata *new_perfdata(const char *path, struct diag *diag)
{
	struct perfdata *perfdata = calloc(1, sizeof(*perfdata));

	if (!perfdata)
		return NULL;
	perfdata->diag = diag;
	perfdata->path = strdup(path);
	if (perfdata->path)
		return perfdata;
	free(perfdata);
	return NULL;
}

/* err: whether there are bytes to be read. */
static int finish_open(struct perfdata **perfdata, struct perfdata *opened, int err)
{
	if (!err)
		err = read_profile(opened);
	if (err) {
		perfdata__close(opened);
		return err;
	}
	*perfdata = opened;
	return 0;
}

int perfdata__open(struct perfdata **perfdata, const char *path, struct diag *diag)
{
	struct perfdata *opened = new_perfdata(path, diag);

	*perfdata = NULL;
	if (!opened)
		return -ENOMEM;
	return finish_open(perfdata, opened, perfdata_source__open(&opened->source, path, diag));
}

int perfdata__open_source(struct perfdata **perfdata, struct perfdata_source *source,
			  const char *path, struct diag *diag)
{
	struct perfdata *opened = new_perfdata(path, diag);

	*perfdata = NULL;
	if (!opened) {
		perfdata_source__close(source);
		return -ENOMEM;
	}
	opened->source = *source;
	return finish_open(perfdata, opened, 0);
}

int perfdata__open_bytes(struct perfdata **perfdata, struct bytes bytes, const char *name,
			 struct diag *diag)
{
	struct perfdata *opened = new_perfdata(name, diag);

	*perfdata = NULL;
	if (!opened)
		return -ENOMEM;
	return finish_open(perfdata, opened, perfdata_source__take(&opened->source, bytes));
}

void perfdata__close(struct perfdata *perfdata)
{
	if (!perfdata)
		return;
	array__for_each(attr, &perfdata->attrs)
		free((void *)(uintptr_t)attr->ids);
	array__free(&perfdata->attrs);
	array__free(&perfdata->attr_places);
	array__free(&perfdata->ids);
	array__free(&perfdata->event_names);
	array__free(&perfdata->build_ids);
	array__free(&perfdata->regions);
	perfdata_source__close(&perfdata->source);
	free(perfdata->path);
	free(perfdata);
}

const char *perfdata__path(const struct perfdata *perfdata)
{
	return perfdata->path;
}

enum perfdata_form perfdata__form(const struct perfdata *perfdata)
{
	return perfdata->form;
}

enum byte_order perfdata__order(const struct perfdata *perfdata)
{
	return perfdata->order;
}

const struct stat *perfdata__stat(const struct perfdata *perfdata)
{
	return &perfdata->source.stat;
}

struct bytes perfdata__bytes(const struct perfdata *perfdata)
{
	return perfdata->source.bytes;
}

uint64_t perfdata__data_offset(const struct perfdata *perfdata)
{
	return perfdata->data.offset;
}

uint64_t perfdata__data_size(const struct perfdata *perfdata)
{
	return perfdata->data.size;
}

bool perfdata__is_impassable(const struct perfdata *perfdata)
{
	return perfdata->impassable;
}

bool perfdata__compressed(const struct perfdata *perfdata)
{
	return perfdata->compressed;
}

size_t perfdata__nr_attrs(const struct perfdata *perfdata)
{
	return perfdata->attrs.count;
}

const struct perfdata_attr *perfdata__attr(const struct perfdata *perfdata, size_t i)
{
	return i < perfdata->attrs.count ? &perfdata->attrs.items[i] : NULL;
}

const struct perfdata_time_conv *perfdata__time_conv(const struct perfdata *perfdata)
{
	return perfdata->has_time_conv ? &perfdata->time_conv : NULL;
}
