// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfdata/perfdata.h"

/* PERF_RECORD_MISC_BUILD_ID_SIZE: the byte behind the build-id says how long it is. */
#define MISC_BUILD_ID_SIZE (1u << 15)
/* perf's struct perf_record_header_build_id: header, pid, build-id with padding, name */
#define ENTRY_NAME 36u

/* The entry that cur stands at; false at the end or where the sizes make no sense. */
static bool take_entry(struct cursor *cur, uint16_t *misc, struct bytes *entry)
{
	struct cursor head = *cur;
	uint16_t size;

	cursor__u32(&head);
	*misc = cursor__u16(&head);
	size = cursor__u16(&head);
	if (head.overrun || size <= ENTRY_NAME)
		return false;
	entry->data = cursor__take(cur, size);
	entry->size = size;
	return entry->data != NULL;
}

size_t perfdata__build_id(const struct perfdata *perfdata, const char *name,
			  uint8_t build_id[PERFDATA_BUILD_ID_SIZE])
{
	struct cursor cur = cursor__at(perfdata__feature(perfdata, PERFDATA_FEAT_BUILD_ID),
				       perfdata__order(perfdata));
	struct bytes entry;
	uint16_t misc;

	while (take_entry(&cur, &misc, &entry)) {
		const uint8_t *id = entry.data + 12;
		size_t size = (misc & MISC_BUILD_ID_SIZE) ? id[PERFDATA_BUILD_ID_SIZE]
							: PERFDATA_BUILD_ID_SIZE;

		if (size > PERFDATA_BUILD_ID_SIZE || strlen(name) >= entry.size - ENTRY_NAME ||
		    strcmp((const char *)entry.data + ENTRY_NAME, name) != 0)
			continue;
		memcpy(build_id, id, size);
		return size;
	}
	return 0;
}
