// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids that mappings can't carry any more, entered in HEADER_BUILD_ID. */
#include "perfdata/abi_convert.h"

#include <errno.h>

#include "perfdata/event.h"

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

int abi__note_build_id(struct abi *abi, const struct perfdata_record *record)
{
	bool has_one = record->type == PERFDATA_MMAP2 &&
		       record->misc & PERFDATA_MISC_MMAP_BUILD_ID;

	return has_one ? note_mmap(abi, record) : 0;
}

/* What is there already is not entered again. */
static int note_existing(struct abi *abi)
{
	int err = 0;

	array__for_each(existing, &abi->perfdata->build_ids) {
		struct abi_build_id build_id = { .existing = true };

		if (!err)
			err = note(abi, &build_id, existing->name, strlen(existing->name));
	}
	return err;
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

	err = note_existing(abi);
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
