// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids of files by their names: HEADER_BUILD_ID, or in pipe form records of that type. */
#include "perfdata/internal.h"

#include <errno.h>

/* PERF_RECORD_MISC_BUILD_ID_SIZE: the byte behind the build-id says how long it is. */
#define MISC_BUILD_ID_SIZE (1u << 15)
/* perf's struct perf_record_header_build_id: header, pid, build-id with padding, name */
#define ENTRY_ID   12u
#define ENTRY_NAME 36u

int perfdata__add_build_id_entry(struct perfdata *perfdata, struct bytes entry)
{
	struct perfdata_build_id build_id = { .nth = perfdata->build_ids.count };
	const uint8_t *id = entry.data + ENTRY_ID;
	uint16_t misc;

	if (entry.size <= ENTRY_NAME ||
	    !memchr(entry.data + ENTRY_NAME, 0, entry.size - ENTRY_NAME))
		return 0;
	misc = get_u16(entry.data + 4, perfdata->order);
	build_id.name = (const char *)entry.data + ENTRY_NAME;
	build_id.bytes = id;
	build_id.size =
		(misc & MISC_BUILD_ID_SIZE) ? id[PERFDATA_BUILD_ID_SIZE] : PERFDATA_BUILD_ID_SIZE;
	if (build_id.size > PERFDATA_BUILD_ID_SIZE)
		return 0;
	return array__push(&perfdata->build_ids, build_id) ? 0 : -ENOMEM;
}

/* Up to the end, or where a size makes no sense. */
static int add_feature(struct perfdata *perfdata)
{
	struct bytes left = perfdata__feature(perfdata, PERFDATA_FEAT_BUILD_ID);
	int err = 0;

	while (!err && left.size > ENTRY_NAME) {
		size_t size = get_u16(left.data + 6, perfdata->order);

		if (size <= ENTRY_NAME || size > left.size)
			break;
		err = perfdata__add_build_id_entry(perfdata, (struct bytes){ left.data, size });
		left = (struct bytes){ left.data + size, left.size - size };
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct perfdata_build_id *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->nth < y->nth ? -1 : x->nth > y->nth;
}

int perfdata__index_build_ids(struct perfdata *perfdata)
{
	int err = add_feature(perfdata);

	if (!err && perfdata->build_ids.count)
		qsort(perfdata->build_ids.items, perfdata->build_ids.count,
		      sizeof(struct perfdata_build_id), compare);
	return err;
}

size_t perfdata__build_id(const struct perfdata *perfdata, const char *name,
			  uint8_t build_id[PERFDATA_BUILD_ID_SIZE])
{
	size_t at =
		array__count_leading(entry, &perfdata->build_ids, strcmp(entry->name, name) < 0);
	const struct perfdata_build_id *found;

	if (at == perfdata->build_ids.count)
		return 0;
	found = &perfdata->build_ids.items[at];
	if (strcmp(found->name, name) != 0)
		return 0;
	memcpy(build_id, found->bytes, found->size);
	return found->size;
}
