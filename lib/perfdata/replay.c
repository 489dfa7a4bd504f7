// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Repeats an edit, with other names in what was inserted. The journal says where something was put
 * in or changed: what only says where things are is made anew, all else is copied.
 */
#include "perfdata/edits.h"

#include <errno.h>

#include "base/diag.h"
#include "perfdata/event.h"

/* struct perf_record_header_build_id: header, pid, 24 bytes of which the 21st is the id's size. */
#define ENTRY_PID  PERFDATA_RECORD_HEADER_SIZE
#define ENTRY_ID   (ENTRY_PID + 4)
#define ENTRY_NAME (ENTRY_ID + 24)

struct replayer {
	struct perfdata_edits *edits;
	const struct perfdata *original, *edited;
	const struct perfdata_replay *replay;
	ARRAY(char *) names;           /* that inserted mappings had */
	ARRAY(struct bytes) build_ids; /* entries, in the order in which they were added */
};

/* What perfdata__add_structure sees to. */
static bool is_structure_of_pipe(const struct perfdata *original, const struct change *change)
{
	return change->offset == original->data.offset + original->data.size && !change->put.size;
}

static bool is_structure_of_attr(const struct replayer *replayer, const struct change *change)
{
	const struct perfdata *original = replayer->original;
	uint32_t kept = replayer->edits->attr_size;

	for (size_t i = 0; i < original->attrs.count; i++) {
		uint64_t begin = original->attr_places.items[i].offset;
		uint32_t size = original->attrs.items[i].recorded_size;

		if (change->offset >= begin && change->offset <= begin + size)
			return (change->offset == begin + 4 && kept != size) ||
			       change->offset >= begin + kept;
	}
	return false;
}

static bool is_structure(const struct replayer *replayer, const struct change *change)
{
	const struct perfdata *original = replayer->original;
	struct bytes aux = perfdata__feature(original, PERFDATA_FEAT_AUXTRACE);
	uint64_t aux_entries = (uint64_t)(aux.data - original->source.bytes.data) + 8;

	if (original->form == PERFDATA_FORM_PIPE)
		return is_structure_of_pipe(original, change);
	return change->offset == 8 || change->offset == original->feature_table ||
	       (aux.size && change->offset == aux_entries) ||
	       (!change->removed && change->offset == perfdata__build_ids_end(original)) ||
	       is_structure_of_attr(replayer, change);
}

static int replay_mmap(struct replayer *replayer, const struct perfdata_record *record,
		       struct buf *buf)
{
	struct perfdata_mmap mmap;
	char *name, *old;

	if (!perfdata__parse_mmap(replayer->edited, record, &mmap))
		return -EINVAL;
	old = strdup(mmap.name);
	if (!old || !array__push(&replayer->names, old)) {
		free(old);
		return -ENOMEM;
	}
	name = replayer->replay->rename_mapping(replayer->replay->context, old);
	if (!name)
		return -ENOMEM;
	mmap.name = name;
	perfdata__put_mmap2(replayer->original, buf, &mmap);
	free(name);
	return 0;
}

static int replay_record(struct replayer *replayer, const struct perfdata_record *record,
			 struct buf *buf)
{
	struct bytes bytes = { record->data, record->size };

	if (record->type == PERFDATA_MMAP2)
		return replay_mmap(replayer, record, buf);
	if (record->type == PERFDATA_HEADER_BUILD_ID)
		return array__push(&replayer->build_ids, bytes) ? 0 : -ENOMEM;
	buf__put(buf, bytes.data, bytes.size);
	return 0;
}

static int replay_records(struct replayer *replayer, const struct change *change)
{
	const struct perfdata *edited = replayer->edited;
	uint64_t at = (uint64_t)(change->put.data - edited->source.bytes.data);
	uint64_t end = at + change->put.size;
	struct buf buf = BUF(edited->order);
	struct perfdata_record record;
	int err = 0;

	for (; !err && at < end; at = record.end) {
		perfdata__read_record(edited, at, end, &record);
		err = replay_record(replayer, &record, &buf);
	}
	if (!err && buf.failed)
		err = -ENOMEM;
	if (!err && buf.size)
		err = perfdata_edits__insert(replayer->edits, change->offset, buf__bytes(&buf));
	buf__free(&buf);
	return err;
}

static int copy_late(void *context, const struct splice *splice, struct buf *buf)
{
	const struct perfdata *edited = context;

	buf__put(buf, edited->source.bytes.data + splice->bytes, splice->size);
	return 0;
}

/* As it is; it may be much, so that it is copied only when it is written. */
static int replay_other(struct replayer *replayer, const struct change *change)
{
	struct splices *splices = &replayer->edits->splices;
	struct splice *splice;

	if (!splices__add_late(splices, change->offset, change->removed))
		return -ENOMEM;
	splice = &splices->list.items[splices->list.count - 1];
	splice->size = change->put.size;
	splice->bytes = (size_t)(change->put.data - replayer->edited->source.bytes.data);
	return 0;
}

static int replay_change(void *context, const struct change *change)
{
	struct replayer *replayer = context;

	if (change__is_records(change, replayer->edited))
		return replay_records(replayer, change);
	return is_structure(replayer, change) ? 0 : replay_other(replayer, change);
}

/* Those in HEADER_BUILD_ID behind what the original has there. */
static int collect_build_ids(struct replayer *replayer)
{
	enum byte_order order = replayer->edited->order;
	struct bytes bytes = perfdata__feature(replayer->edited, PERFDATA_FEAT_BUILD_ID);
	size_t at = perfdata__feature(replayer->original, PERFDATA_FEAT_BUILD_ID).size;

	while (at < bytes.size && bytes.size - at >= PERFDATA_RECORD_HEADER_SIZE) {
		size_t size = get_u16(bytes.data + at + 6, order);
		struct bytes entry = { bytes.data + at, size };

		if (size < PERFDATA_RECORD_HEADER_SIZE || size > bytes.size - at)
			break;
		if (!array__push(&replayer->build_ids, entry))
			return -ENOMEM;
		at += size;
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The name that an entry is to have, to be freed: another if its file was mapped. */
static char *name_of_entry(const struct replayer *replayer, const char *name)
{
	const struct perfdata_replay *replay = replayer->replay;

	if (replayer->names.count && bsearch(&name, replayer->names.items, replayer->names.count,
					     sizeof(char *), compare_names))
		return replay->rename_build_id(replay->context, name);
	return strdup(name);
}

static int replay_build_id(struct replayer *replayer, struct bytes entry)
{
	enum byte_order order = replayer->edited->order;
	uint8_t size;
	char *name;
	int err;

	if (entry.size <= ENTRY_NAME ||
	    !memchr(entry.data + ENTRY_NAME, 0, entry.size - ENTRY_NAME))
		return 0;
	name = name_of_entry(replayer, (const char *)entry.data + ENTRY_NAME);
	if (!name)
		return -ENOMEM;
	size = entry.data[ENTRY_ID + PERFDATA_BUILD_ID_SIZE];
	err = perfdata_edits__add_build_id(replayer->edits, get_u32(entry.data + ENTRY_PID, order),
					   entry.data + ENTRY_ID, size,
					   get_u16(entry.data + 4, order), name);
	free(name);
	return err;
}

static int replay_build_ids(struct replayer *replayer)
{
	int err = 0;

	if (replayer->original->form != PERFDATA_FORM_PIPE)
		err = collect_build_ids(replayer);
	if (replayer->names.count)
		qsort(replayer->names.items, replayer->names.count, sizeof(char *), compare_names);
	array__for_each(entry, &replayer->build_ids)
		if (!err)
			err = replay_build_id(replayer, *entry);
	return err;
}

static int replay_all(struct replayer *replayer)
{
	const struct perfdata *original = replayer->original, *edited = replayer->edited;
	struct perfdata_edits *edits = replayer->edits;
	int err;

	if (original->attrs.count != edited->attrs.count)
		return -EINVAL;
	if (original->form != PERFDATA_FORM_PIPE)
		edits->attr_size = edited->attrs.items[0].recorded_size;
	for (size_t i = 0; i < PERFDATA_FEAT_BITS / 64; i++)
		edits->dropped_features[i] = original->features[i] & ~edited->features[i];
	edits->splices.make = copy_late;
	edits->splices.context = (void *)(uintptr_t)edited;
	err = perfdata__for_each_change(original, edited, replay_change, replayer);
	return err ? err : replay_build_ids(replayer);
}

int perfdata_edits__replay(struct perfdata_edits *edits, const struct perfdata *edited,
			   const struct perfdata_replay *replay, struct diag *diag)
{
	struct replayer replayer = {
		.edits = edits,
		.original = edits->perfdata,
		.edited = edited,
		.replay = replay,
	};
	int err = replay_all(&replayer);

	array__for_each(name, &replayer.names)
		free(*name);
	array__free(&replayer.names);
	array__free(&replayer.build_ids);
	if (!err || err == -ENOMEM)
		return err;
	diag__report(diag, DIAG_ERROR, "perfdata.bad-journal", edited->path, DIAG_NO_OFFSET,
		     "what was put into it can't be read: the file was changed");
	return -EINVAL;
}
