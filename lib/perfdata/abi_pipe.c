// SPDX-License-Identifier: GPL-2.0-or-later
/* Records that stand for the header in pipe form. They are never compressed. */
#include "perfdata/abi_convert.h"

#define BODY PERFDATA_RECORD_HEADER_SIZE
/* Header, u64 feature. */
#define FEATURE_HEAD 16

/*
 * The attr gets the size that the level's perf has: older ones look for the ids behind an attr of
 * their own size, and read as much whatever size it says it has.
 */
void abi__change_header_attr(const struct abi *abi, const struct perfdata_record *record,
			     struct splices *splices)
{
	const struct perfdata *perfdata = abi->perfdata;
	uint32_t wanted = abi->level->attr_size, size;
	uint64_t attr = record->offset + BODY;

	if (record->size < BODY + PERFDATA_ATTR_SIZE_FIRST)
		return;
	size = perfdata__attr_size(record->data + BODY, perfdata->order);
	if (size < PERFDATA_ATTR_SIZE_FIRST || size > (uint32_t)record->size - BODY)
		return;
	if (abi->level == &perfdata_abi__any)
		wanted = size;
	abi__change_attr(abi, attr, size, wanted, splices);
	if (size == wanted || record->size - size + wanted > UINT16_MAX)
		return;
	abi__change_size(abi, record->offset, record->size - size + wanted, splices);
	abi__change_attr_size(perfdata, attr, wanted, splices);
	if (size > wanted)
		splices__add(splices, SPLICE_STRUCTURE, attr + wanted, size - wanted, NULL, 0);
	else
		splices__add(splices, SPLICE_STRUCTURE, attr + size, 0, NULL, wanted - size);
}

/*
 * A feature without contents ends them, if it has the number behind the last feature that perf
 * knows; with a smaller number it fails to be read, with a greater one perf report refuses it, as
 * it does other features that it does not know. Features may well lack an end.
 */
void abi__change_header_feature(const struct abi *abi, const struct perfdata_record *record,
				struct splices *splices)
{
	uint64_t feature;
	bool end, known;

	if (record->size < FEATURE_HEAD)
		return;
	feature = get_u64(record->data + BODY, abi->perfdata->order);
	end = feature == abi->level->features;
	known = feature < abi->level->features &&
		!(abi->inflate && feature == PERFDATA_FEAT_COMPRESSED);
	if (abi->level == &perfdata_abi__any)
		known = end = feature != PERFDATA_FEAT_COMPRESSED || !abi->inflate;
	if (record->size == FEATURE_HEAD ? !end : !known) {
		abi__drop(record, record->offset, splices);
	} else if (feature == PERFDATA_FEAT_EVENT_DESC) {
		abi__change_event_desc(
			abi,
			(struct bytes){ record->data + FEATURE_HEAD, record->size - FEATURE_HEAD },
			abi->level->attr_size, splices);
	}
}
