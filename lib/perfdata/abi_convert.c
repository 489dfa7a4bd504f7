// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes a profile readable by an older perf: which changes there are to it. */
#include "perfdata/abi_convert.h"

#include <errno.h>

#include "base/diag.h"

/* In the bit fields of attr: defer_callchain. */
#define FLAG_DEFER_CALLCHAIN 38

void abi__free(struct abi *abi)
{
	array__free(&abi->chains);
	buf__free(&abi->ips);
	array__free(&abi->build_ids);
	buf__free(&abi->names);
	diag__free(abi->quiet);
	*abi = (struct abi){ 0 };
}

static bool defers_callchains(const struct perfdata *perfdata)
{
	array__for_each(attr, &perfdata->attrs) {
		uint64_t flags;

		memcpy(&flags,
		       (const uint8_t *)&attr->attr +
			       offsetof(struct perf_event_attr, read_format) + 8,
		       sizeof(flags));
		if (flags >> FLAG_DEFER_CALLCHAIN & 1)
			return true;
	}
	return false;
}

/*
 * Compressed records stay as they are if the level's perf reads them and has nothing against what
 * they hold. What stands in one can't be changed alone: it is one stream from first to last.
 */
static int survey(struct abi *abi)
{
	struct splices scratch = { .bytes = BUF(abi->perfdata->order) };
	struct perfdata_record record;
	struct perfdata_walk walk;
	int ret;

	perfdata_walk__begin(&walk, abi->perfdata);
	while ((ret = perfdata_walk__next(&walk, &record)) > 0) {
		if (record.type == PERFDATA_CALLCHAIN_DEFERRED && abi->defers_callchains)
			ret = abi__note_chain(abi, &record);
		if (ret < 0)
			break;
		if (!record.compressed || abi->inflate)
			continue;
		abi__changed_size(abi, &record, &scratch);
		abi->inflate = scratch.list.count > 0 || !abi->level->zstd;
	}
	perfdata_walk__end(&walk);
	ret = scratch.bytes.failed ? -ENOMEM : ret;
	splices__free(&scratch);
	abi__sort_chains(abi);
	return ret;
}

/* Adds to the size of the late splice in which the record begins; those come first in the list. */
static void add_inflated(const struct abi *abi, const struct perfdata_record *record,
			 struct splices *splices, size_t *late, struct splices *scratch)
{
	while (splices->list.items[*late].offset != record->offset)
		++*late;
	splices->list.items[*late].size += abi__changed_size(abi, record, scratch);
	splices->bytes.failed |= scratch->bytes.failed;
}

static int change_records(struct abi *abi, struct splices *splices, size_t late)
{
	struct splices scratch = { .bytes = BUF(abi->perfdata->order) };
	struct perfdata_record record;
	struct perfdata_walk walk;
	int ret;

	perfdata_walk__begin(&walk, abi->perfdata);
	while ((ret = perfdata_walk__next(&walk, &record)) > 0) {
		if (!abi->level->mmap_build_ids)
			ret = abi__note_build_id(abi, &record);
		if (ret < 0)
			break;
		if (!record.compressed)
			abi__change_record(abi, &record, record.offset, splices);
		else if (abi->inflate)
			add_inflated(abi, &record, splices, &late, &scratch);
	}
	perfdata_walk__end(&walk);
	splices__free(&scratch);
	return ret < 0 ? ret : splices->bytes.failed ? -ENOMEM : 0;
}

static int change_all_records(struct abi *abi, struct perfdata_edits *edits)
{
	size_t late = edits->splices.list.count;
	int err = 0;

	if (abi->perfdata->compressed || abi->defers_callchains)
		err = survey(abi);
	if (!err && abi->perfdata->compressed)
		err = abi__replace_compressed(abi, &edits->splices);
	if (!err)
		err = change_records(abi, &edits->splices, late);
	if (!err)
		err = abi__add_build_ids(abi, edits);
	return err;
}

static void change_header(const struct abi *abi, struct perfdata_edits *edits)
{
	const struct perfdata *perfdata = abi->perfdata;

	if (abi->inflate)
		edits->dropped_features[PERFDATA_FEAT_COMPRESSED / 64] |=
			1ull << PERFDATA_FEAT_COMPRESSED % 64;
	if (perfdata->form == PERFDATA_FORM_PIPE)
		return; /* its records were changed */
	for (size_t i = 0; i < perfdata->attrs.count; i++)
		abi__change_attr(abi, perfdata->attr_places.items[i].offset,
				 perfdata->attrs.items[i].recorded_size, edits->attr_size,
				 &edits->splices);
	abi__change_event_desc(abi, perfdata__feature(perfdata, PERFDATA_FEAT_EVENT_DESC),
			       edits->attr_size, &edits->splices);
}

static int convert(struct abi *abi, struct perfdata_edits *edits)
{
	struct diag *loud = abi->perfdata->diag;
	int err;

	abi->quiet = diag__new(NULL, NULL);
	if (!abi->quiet)
		return -ENOMEM;
	abi->perfdata->diag = abi->quiet;
	err = change_all_records(abi, edits);
	abi->perfdata->diag = loud;
	if (err)
		return err;
	change_header(abi, edits);
	return edits->splices.bytes.failed ? -ENOMEM : 0;
}

int perfdata_edits__set_abi(struct perfdata_edits *edits, const struct perfdata_abi *level,
			    struct diag *diag)
{
	struct perfdata *perfdata = edits->perfdata;
	struct abi abi = {
		.level = perfdata_abi__is_version(level) ? level : &perfdata_abi__any,
		.bake = edits->bake,
		.perfdata = perfdata,
		.diag = diag,
		.ips = BUF(perfdata->order),
		.names = BUF(perfdata->order),
	};
	int err;

	if (level->attr_size && perfdata->form != PERFDATA_FORM_PIPE)
		edits->attr_size = abi__attr_size(level, edits);
	if (!perfdata_abi__is_version(level) && !edits->bake)
		return 0;
	if (perfdata->form == PERFDATA_FORM_DIRECTORY && !abi.level->directories)
		diag__report(diag, DIAG_WARNING, "perfdata.abi-directory", perfdata->path,
			     DIAG_NO_OFFSET, "perf %s reads no profile that is a directory",
			     level->name);
	abi.defers_callchains = abi.level->flags <= FLAG_DEFER_CALLCHAIN && defers_callchains(perfdata);
	err = convert(&abi, edits);
	if (!err && abi.inflate)
		err = abi__inflate_late(&abi, edits);
	if (err || !abi.inflate)
		abi__free(&abi);
	return err;
}
