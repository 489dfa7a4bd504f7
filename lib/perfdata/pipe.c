// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pipe form: nothing but records behind a short header. What a seekable file has in its header
 * and features stands in records of their own, mostly but not always before all others.
 */
#include "perfdata/internal.h"

#include <errno.h>

#include "base/diag.h"

#define BODY PERFDATA_RECORD_HEADER_SIZE
/* PERF_EVENT_UPDATE__NAME */
#define UPDATE_NAME 2

static struct cursor open_body(const struct perfdata *perfdata,
			       const struct perfdata_record *record)
{
	struct bytes body = { record->data + BODY, record->size - BODY };

	return cursor__at(body, perfdata->order);
}

/* The attr, as long as it says it is, and ids up to the record's end. */
static int read_attr(struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct perfdata_section ids;
	uint32_t size = 0;

	if (record->size >= BODY + PERFDATA_ATTR_SIZE_FIRST)
		size = perfdata__attr_size(record->data + BODY, perfdata->order);
	if (size < PERFDATA_ATTR_SIZE_FIRST || size > (uint32_t)record->size - BODY) {
		diag__report(perfdata->diag, DIAG_ERROR, "perfdata.bad-attr", perfdata->path,
			     record->offset, "an event's size cannot be");
		return -EINVAL;
	}
	ids.offset = record->offset + BODY + size;
	ids.size = record->size - BODY - size;
	return perfdata__add_attr(perfdata, record->offset + BODY, size, ids);
}

static void set_feature(struct perfdata *perfdata, uint64_t feature, struct bytes bytes)
{
	if (feature >= PERFDATA_FEAT_BITS)
		return;
	perfdata->features[feature / 64] |= 1ull << (feature % 64);
	perfdata->feature_bytes[feature] = bytes;
}

static void read_feature(struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct cursor cur = open_body(perfdata, record);
	uint64_t feature = cursor__u64(&cur);

	if (!cur.overrun)
		set_feature(perfdata, feature, (struct bytes){ cur.pos, cursor__left(&cur) });
}

static void read_tracing_data(struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct cursor cur = open_body(perfdata, record);
	uint32_t size = cursor__u32(&cur);

	if (!cur.overrun)
		set_feature(perfdata, PERFDATA_FEAT_TRACING_DATA,
			    (struct bytes){ record->data + record->size, size });
}

/* Before perf 4.16 these are all the names there are. Events have them once all ids are known. */
static int read_update(struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct cursor cur = open_body(perfdata, record);
	uint64_t kind = cursor__u64(&cur);
	struct perfdata_event_name update = { .id = cursor__u64(&cur) };

	update.name = cursor__string(&cur);
	if (kind != UPDATE_NAME || !update.name)
		return 0;
	return array__push(&perfdata->event_names, update) ? 0 : -ENOMEM;
}

static int read_head(struct perfdata *perfdata, const struct perfdata_record *record)
{
	switch (record->type) {
	case PERFDATA_HEADER_ATTR:
		return read_attr(perfdata, record);
	case PERFDATA_EVENT_UPDATE:
		return read_update(perfdata, record);
	case PERFDATA_HEADER_BUILD_ID:
		return perfdata__add_build_id_entry(perfdata,
						    (struct bytes){ record->data, record->size });
	case PERFDATA_HEADER_FEATURE:
		read_feature(perfdata, record);
		break;
	case PERFDATA_HEADER_TRACING_DATA:
		read_tracing_data(perfdata, record);
		break;
	}
	return 0;
}

static bool is_event(const struct perfdata_record *record)
{
	return record->type < PERFDATA_HEADER_ATTR || record->type == PERFDATA_COMPRESSED ||
	       record->type == PERFDATA_COMPRESSED2;
}

int perfdata__read_pipe(struct perfdata *perfdata)
{
	uint64_t at = PERFDATA_PIPE_HEADER_SIZE, end = perfdata->source.bytes.size;
	struct perfdata_record record;
	const char *wrong = NULL;
	int err = 0;

	perfdata->header_size = PERFDATA_PIPE_HEADER_SIZE;
	while (at < end) {
		wrong = perfdata__read_record(perfdata, at, end, &record);
		err = wrong ? 0 : read_head(perfdata, &record);
		if (wrong || err)
			break;
		if (!perfdata->first_event && is_event(&record))
			perfdata->first_event = at;
		at = record.end;
	}
	if (wrong)
		perfdata__report_record(perfdata, at, end, wrong);
	perfdata->data.offset = PERFDATA_PIPE_HEADER_SIZE;
	perfdata->data.size = at - PERFDATA_PIPE_HEADER_SIZE;
	if (!perfdata->first_event)
		perfdata->first_event = at;
	return err;
}
