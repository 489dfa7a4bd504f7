// SPDX-License-Identifier: GPL-2.0-or-later
/* Collects what is to be changed. */
#include "perfdata/edits.h"

#include <errno.h>

/* Names in HEADER_BUILD_ID are padded so. */
#define NAME_ALIGN 64
/* PERF_RECORD_MISC_BUILD_ID_SIZE: the byte behind the build-id says how long it is. */
#define MISC_BUILD_ID_SIZE (1u << 15)
/* Room for a build-id in an entry: 20 bytes, the size, three of padding. */
#define BUILD_ID_ROOM 24

struct perfdata_edits *perfdata_edits__new(struct perfdata *perfdata)
{
	struct perfdata_edits *edits = calloc(1, sizeof(*edits));

	if (edits) {
		edits->perfdata = perfdata;
		edits->splices.bytes = BUF(perfdata->order);
		edits->build_ids = BUF(perfdata->order);
	}
	return edits;
}

void perfdata_edits__free(struct perfdata_edits *edits)
{
	if (!edits)
		return;
	inflation__free(edits->inflation);
	splices__free(&edits->splices);
	buf__free(&edits->build_ids);
	array__for_each(patch, &edits->name_patches) {
		free(patch->name);
		free(patch->patched);
	}
	array__free(&edits->name_patches);
	free(edits);
}

/* Whether size bytes at offset are records'; those of size 0 may stand behind the last. */
static bool within_records(const struct perfdata *perfdata, uint64_t offset, uint64_t size)
{
	array__for_each(region, &perfdata->regions)
		if (offset >= region->offset && offset - region->offset <= region->size &&
		    size <= region->size - (offset - region->offset))
			return true;
	return false;
}

int perfdata_edits__insert(struct perfdata_edits *edits, uint64_t offset, struct bytes records)
{
	if (!within_records(edits->perfdata, offset, 0))
		return -EINVAL;
	splices__add(&edits->splices, SPLICE_RECORDS, offset, 0, records.data, records.size);
	edits->inserted_bytes += records.size;
	return edits->splices.bytes.failed ? -ENOMEM : 0;
}

int perfdata_edits__patch(struct perfdata_edits *edits, uint64_t offset, struct bytes bytes)
{
	if (!within_records(edits->perfdata, offset, bytes.size))
		return -EINVAL;
	splices__add(&edits->splices, SPLICE_STRUCTURE, offset, bytes.size, bytes.data, bytes.size);
	edits->nr_patches++;
	return edits->splices.bytes.failed ? -ENOMEM : 0;
}

int perfdata_edits__patch_inflated(struct perfdata_edits *edits, const char *name,
				   struct bytes bytes)
{
	struct name_patch patch = { strdup(name), strdup(name) };
	size_t length = strlen(name);

	if (patch.name && patch.patched && bytes.size <= length) {
		memcpy(patch.patched + length - bytes.size, bytes.data, bytes.size);
		if (array__push(&edits->name_patches, patch))
			return 0;
	}
	free(patch.name);
	free(patch.patched);
	return bytes.size > length ? -EINVAL : -ENOMEM;
}

int perfdata_edits__add_build_id(struct perfdata_edits *edits, uint32_t pid,
				 const uint8_t *build_id, size_t build_id_size, uint16_t misc,
				 const char *name)
{
	struct buf *buf = &edits->build_ids;
	bool in_records = edits->perfdata->form == PERFDATA_FORM_PIPE;
	size_t before = PERFDATA_RECORD_HEADER_SIZE + sizeof(pid) + BUILD_ID_ROOM;
	size_t room = align_up(strlen(name) + 1, NAME_ALIGN);
	size_t size = before + room;

	/* perf from 7.2 on stops at a record of a size that is no multiple of 8 */
	if (in_records)
		size = align_up(size, 8);
	if (build_id_size > PERFDATA_BUILD_ID_SIZE || size > UINT16_MAX)
		return -EINVAL;
	buf__put_u32(buf, in_records ? PERFDATA_HEADER_BUILD_ID : 0);
	buf__put_u16(buf, misc | MISC_BUILD_ID_SIZE);
	buf__put_u16(buf, (uint16_t)size);
	buf__put_u32(buf, pid);
	buf__put(buf, build_id, build_id_size);
	buf__put_zeros(buf, PERFDATA_BUILD_ID_SIZE - build_id_size);
	buf__put_u8(buf, (uint8_t)build_id_size);
	buf__put_zeros(buf, BUILD_ID_ROOM - PERFDATA_BUILD_ID_SIZE - 1);
	buf__put_string(buf, name);
	buf__put_zeros(buf, size - before - strlen(name) - 1);
	return buf->failed ? -ENOMEM : 0;
}

uint64_t perfdata_edits__inserted_bytes(const struct perfdata_edits *edits)
{
	return edits->inserted_bytes;
}

size_t perfdata_edits__nr_patches(const struct perfdata_edits *edits)
{
	return edits->nr_patches;
}
