// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed records replaced by those they hold. Only their sizes are kept: the records are
 * inflated once more when they are written, which is as cheap as a copy on disk and takes no room.
 */
#include "perfdata/abi_convert.h"

#include <errno.h>

#include "base/diag.h"

/* In COMPRESSED2, behind the header: u64 size of the data; behind those, padding. */
#define SIZE_OF_SIZE 8

struct inflation {
	struct abi abi;
	const struct perfdata_edits *edits;
	struct perfdata_walk walk;
	struct perfdata_record record; /* the next one, if there is one */
	bool pending;
	struct splices changes; /* to one record */
};

static bool is_compressed(const struct perfdata_record *record)
{
	return record->type == PERFDATA_COMPRESSED || record->type == PERFDATA_COMPRESSED2;
}

/* COMPRESSED2, which says how many of its bytes are data, as COMPRESSED, which has no others. */
static void rewrap(const struct abi *abi, const struct perfdata_record *record,
		   struct splices *splices)
{
	uint64_t head = PERFDATA_RECORD_HEADER_SIZE + SIZE_OF_SIZE;
	uint64_t at = record->offset, size;
	uint8_t type[4];

	if (record->size < head)
		return;
	size = get_u64(record->data + PERFDATA_RECORD_HEADER_SIZE, abi->perfdata->order);
	if (size > record->size - head)
		return;
	set_u32(type, PERFDATA_COMPRESSED, abi->perfdata->order);
	splices__add(splices, SPLICE_STRUCTURE, at, sizeof(type), type, sizeof(type));
	abi__change_size(abi, at, PERFDATA_RECORD_HEADER_SIZE + size, splices);
	splices__add(splices, SPLICE_STRUCTURE, at + PERFDATA_RECORD_HEADER_SIZE, SIZE_OF_SIZE,
		     NULL, 0);
	if (record->size > head + size)
		splices__add(splices, SPLICE_STRUCTURE, at + head + size,
			     record->size - head - size, NULL, 0);
}

/* Every compressed record is changed: into COMPRESSED, or later into what it holds. */
int abi__replace_compressed(const struct abi *abi, struct splices *splices)
{
	const struct perfdata *perfdata = abi->perfdata;

	array__for_each(region, &perfdata->regions) {
		uint64_t at = region->offset, end = region->offset + region->size;
		struct perfdata_record record;

		while (at < end && !perfdata__read_record(perfdata, at, end, &record)) {
			at = record.end;
			if (!is_compressed(&record))
				continue;
			if (abi->inflate && !splices__add_late(splices, record.offset, record.size))
				return -ENOMEM;
			if (!abi->inflate && !perfdata_abi__knows_type(abi->level, record.type))
				rewrap(abi, &record, splices);
		}
	}
	return 0;
}

size_t abi__changed_size(const struct abi *abi, const struct perfdata_record *record,
			 struct splices *scratch)
{
	size_t size = record->size;

	scratch->list.count = 0;
	scratch->bytes.size = 0;
	abi__change_record(abi, record, 0, scratch);
	array__for_each(splice, &scratch->list)
		size += splice->size - splice->removed;
	return size;
}

static void put_changed(struct inflation *inflation, struct buf *buf)
{
	const struct perfdata_record *record = &inflation->record;
	struct splices *changes = &inflation->changes;
	size_t at = 0;

	abi__changed_size(&inflation->abi, record, changes);
	splices__sort(changes);
	array__for_each(splice, &changes->list) {
		buf__put(buf, record->data + at, splice->offset - at);
		buf__put(buf, splices__bytes(changes, splice), splice->size);
		at = splice->offset + splice->removed;
	}
	buf__put(buf, record->data + at, record->size - at);
	buf->failed |= changes->bytes.failed;
}

static void patch_name(const struct perfdata_edits *edits, uint8_t *record, size_t size)
{
	array__for_each(patch, &edits->name_patches) {
		size_t length = strlen(patch->name);
		uint8_t *at = memmem(record, size, patch->name, length);

		if (at)
			memcpy(at, patch->patched, length);
	}
}

static void put_record(struct inflation *inflation, struct buf *buf)
{
	uint32_t type = inflation->record.type;
	size_t at = buf->size;

	put_changed(inflation, buf);
	if (!buf->failed && (type == PERFDATA_MMAP || type == PERFDATA_MMAP2))
		patch_name(inflation->edits, buf->data + at, buf->size - at);
}

/* The next record that was compressed; 0 at the end. */
static int next(struct inflation *inflation)
{
	struct perfdata *perfdata = inflation->walk.perfdata;
	struct diag *loud = perfdata->diag;
	int ret = 1;

	perfdata->diag = inflation->abi.quiet;
	while (ret > 0 && !inflation->pending) {
		ret = perfdata_walk__next(&inflation->walk, &inflation->record);
		inflation->pending = ret > 0 && inflation->record.compressed;
	}
	perfdata->diag = loud;
	return ret;
}

/* What begins in one compressed record. Records that are not compressed may come in between. */
static int make(void *context, const struct splice *splice, struct buf *buf)
{
	struct inflation *inflation = context;
	int ret = 1;

	while (buf->size < splice->size && (ret = next(inflation)) > 0) {
		if (inflation->record.offset == splice->offset)
			put_record(inflation, buf);
		inflation->pending = false;
	}
	if (ret < 0 || buf->failed)
		return ret < 0 ? ret : -ENOMEM;
	if (buf->size == splice->size)
		return 0;
	diag__report(inflation->abi.diag, DIAG_ERROR, "perfdata.changed",
		     inflation->abi.perfdata->path, splice->offset,
		     "the file was changed while it was read");
	return -EIO;
}

int abi__inflate_late(const struct abi *abi, struct perfdata_edits *edits)
{
	struct inflation *inflation = calloc(1, sizeof(*inflation));

	if (!inflation)
		return -ENOMEM;
	inflation->abi = *abi;
	inflation->edits = edits;
	inflation->changes.bytes = BUF(abi->perfdata->order);
	perfdata_walk__begin(&inflation->walk, abi->perfdata);
	edits->inflation = inflation;
	edits->splices.make = make;
	edits->splices.context = inflation;
	return 0;
}

void inflation__free(struct inflation *inflation)
{
	if (!inflation)
		return;
	perfdata_walk__end(&inflation->walk);
	splices__free(&inflation->changes);
	abi__free(&inflation->abi);
	free(inflation);
}
