// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids that mappings can't carry any more, entered in HEADER_BUILD_ID. */
#include "perfdata/abi_convert.h"

#include <errno.h>

#include "perfdata/event.h"

/* struct perf_record_header_build_id: header, pid, build-id with its size, name. */
#define ENTRY_HEAD (PERFDATA_RECORD_HEADER_SIZE + 4 + 24)

static int note(struct abi *abi, struct abi_build_id *build_id, const char *name, size_t length)
{
	build_id->name = abi->names.size;
	build_id->nth = abi->build_ids.count;
	buf__put(&abi->names, name, length);
	buf__put_u8(&abi->names, 0);
	if (abi->names.failed || !array__push(&abi->build_ids, *build_id))
		return -ENOMEM;
	return 0;
}

/* The kernel is mapped as "[kernel.kallsyms]_text", after the symbol that tells its place. */
static size_t name_length(const char *name)
{
	const char *end = name[0] == '[' ? strchr(name, ']') : NULL;

	return end ? (size_t)(end + 1 - name) : strlen(name);
}

static int note_mmap(struct abi *abi, const struct perfdata_record *record)
{
	struct abi_build_id build_id = { 0 };
	struct perfdata_mmap mmap;

	if (!perfdata__parse_mmap(abi->perfdata, record, &mmap) || !mmap.has_build_id ||
	    !mmap.build_id_size)
		return 0;
	build_id.misc = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	build_id.size = mmap.build_id_size;
	memcpy(build_id.bytes, mmap.build_id, sizeof(build_id.bytes));
	return note(abi, &build_id, mmap.name, name_length(mmap.name));
}

/* What is there already is not entered again. */
static int note_entries(struct abi *abi, struct bytes bytes)
{
	struct cursor cur = cursor__at(bytes, abi->perfdata->order);
	int err = 0;

	while (!err && cursor__left(&cur) > ENTRY_HEAD) {
		uint16_t size = get_u16(cur.pos + 6, cur.order);
		const uint8_t *entry = cursor__take(&cur, size);
		struct abi_build_id build_id = { .existing = true };
		const char *name;

		if (!entry || size <= ENTRY_HEAD)
			break;
		name = (const char *)entry + ENTRY_HEAD;
		err = note(abi, &build_id, name, strnlen(name, size - ENTRY_HEAD));
	}
	return err;
}

int abi__note_build_id(struct abi *abi, const struct perfdata_record *record)
{
	if (record->type == PERFDATA_MMAP2 && record->misc & PERFDATA_MISC_MMAP_BUILD_ID)
		return note_mmap(abi, record);
	if (record->type == PERFDATA_HEADER_BUILD_ID)
		return note_entries(abi, (struct bytes){ record->data, record->size });
	return 0;
}

static int compare(const void *a, const void *b, void *names)
{
	const struct abi_build_id *x = a, *y = b;
	int order = strcmp((const char *)names + x->name, (const char *)names + y->name);

	if (order)
		return order;
	if (x->existing != y->existing)
		return x->existing ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/*
 * One for each name, the first: perf gives it to the first mapping of that name, and later ones
 * of other inodes get none, which is better than a wrong one.
 */
int abi__add_build_ids(struct abi *abi, struct perfdata_edits *edits)
{
	const char *last = NULL;
	int err = 0;

	err = note_entries(abi, perfdata__feature(abi->perfdata, PERFDATA_FEAT_BUILD_ID));
	if (err || !abi->build_ids.count)
		return err;
	qsort_r(abi->build_ids.items, abi->build_ids.count, sizeof(struct abi_build_id), compare,
		abi->names.data);
	array__for_each(build_id, &abi->build_ids) {
		const char *name = (const char *)abi->names.data + build_id->name;
		bool again = last && strcmp(last, name) == 0;

		last = name;
		if (again || build_id->existing)
			continue;
		err = perfdata_edits__add_build_id(edits, UINT32_MAX, build_id->bytes,
						   build_id->size, build_id->misc, name);
		if (err)
			return err;
	}
	return 0;
}
