// SPDX-License-Identifier: GPL-2.0-or-later
/* What kernel records carry beside their contents: who, when, which event. */
#include "perfdata/internal.h"

/* PERF_RECORD_USER_TYPE_START: types from here on are perf's own and carry no trailer. */
#define FIRST_USER_TYPE PERFDATA_HEADER_ATTR

#define TRAILER_FIELDS                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

size_t perfdata__trailer_size(const struct perfdata *perfdata, const struct perfdata_attr *attr)
{
	if (!perfdata->sample_id_all)
		return 0;
	return 8 * (size_t)__builtin_popcountll(attr->attr.sample_type & TRAILER_FIELDS);
}

static bool has_trailer(const struct perfdata *perfdata, const struct perfdata_record *record)
{
	return perfdata->sample_id_all && record->type < FIRST_USER_TYPE &&
	       record->type != PERFDATA_SAMPLE;
}

/* Where in the record its id is, if it has one. */
static bool find_id(const struct perfdata *perfdata, const struct perfdata_record *record,
		    size_t *at)
{
	const struct perfdata_id_place *place = &perfdata->id_place;

	if (!place->known)
		return false;
	if (record->type == PERFDATA_SAMPLE) {
		*at = place->sample;
		return *at + sizeof(uint64_t) <= record->size;
	}
	if (!has_trailer(perfdata, record) ||
	    record->size < PERFDATA_RECORD_HEADER_SIZE + place->others)
		return false;
	*at = record->size - place->others;
	return true;
}

/*
 * Records that perf made itself carry id 0; they, and those of an id that is not known, are laid
 * out as the first event's.
 */
const struct perfdata_attr *perfdata__attr_of_record(const struct perfdata *perfdata,
						     const struct perfdata_record *record)
{
	const struct perfdata_attr *attr = NULL;
	size_t at;

	if (perfdata->attrs.count > 1 && find_id(perfdata, record, &at))
		attr = perfdata__attr_of_id(perfdata, get_u64(record->data + at, perfdata->order));
	return attr ? attr : &perfdata->attrs.items[0];
}

bool perfdata__parse_sample_id(const struct perfdata *perfdata,
			       const struct perfdata_record *record,
			       struct perfdata_sample_id *sample_id)
{
	const struct perfdata_attr *attr = perfdata__attr_of_record(perfdata, record);
	size_t size = perfdata__trailer_size(perfdata, attr);
	uint64_t fields = attr->attr.sample_type;
	struct cursor cur;

	*sample_id = (struct perfdata_sample_id){ .attr = attr };
	if (!has_trailer(perfdata, record) || size + PERFDATA_RECORD_HEADER_SIZE > record->size)
		return false;
	cur = cursor__at((struct bytes){ record->data + record->size - size, size },
			 perfdata->order);
	if (fields & PERF_SAMPLE_TID) {
		sample_id->pid = cursor__u32(&cur);
		sample_id->tid = cursor__u32(&cur);
	}
	if (fields & PERF_SAMPLE_TIME)
		sample_id->time = cursor__u64(&cur);
	if (fields & PERF_SAMPLE_ID)
		sample_id->id = cursor__u64(&cur);
	if (fields & PERF_SAMPLE_STREAM_ID)
		sample_id->stream_id = cursor__u64(&cur);
	if (fields & PERF_SAMPLE_CPU) {
		sample_id->cpu = cursor__u32(&cur);
		cursor__u32(&cur);
	}
	if (fields & PERF_SAMPLE_IDENTIFIER)
		sample_id->id = cursor__u64(&cur);
	return !cur.overrun;
}

void perfdata__put_sample_id(const struct perfdata *perfdata, struct buf *buf,
			     const struct perfdata_sample_id *sample_id)
{
	const struct perfdata_attr *attr = sample_id->attr;
	uint64_t fields;

	if (!perfdata->sample_id_all)
		return;
	fields = attr ? attr->attr.sample_type : perfdata->attrs.items[0].attr.sample_type;
	if (fields & PERF_SAMPLE_TID) {
		buf__put_u32(buf, sample_id->pid);
		buf__put_u32(buf, sample_id->tid);
	}
	if (fields & PERF_SAMPLE_TIME)
		buf__put_u64(buf, sample_id->time);
	if (fields & PERF_SAMPLE_ID)
		buf__put_u64(buf, sample_id->id);
	if (fields & PERF_SAMPLE_STREAM_ID)
		buf__put_u64(buf, sample_id->stream_id);
	if (fields & PERF_SAMPLE_CPU) {
		buf__put_u32(buf, sample_id->cpu);
		buf__put_u32(buf, 0);
	}
	if (fields & PERF_SAMPLE_IDENTIFIER)
		buf__put_u64(buf, sample_id->id);
}

/* FORK and EXIT say their time in the record as well, which is all there is without trailers. */
static bool time_in_body(const struct perfdata *perfdata, const struct perfdata_record *record,
			 uint64_t *time)
{
	const size_t at = PERFDATA_RECORD_HEADER_SIZE + 4 * sizeof(uint32_t);

	if ((record->type != PERFDATA_FORK && record->type != PERFDATA_EXIT) ||
	    record->size < at + sizeof(*time))
		return false;
	*time = get_u64(record->data + at, perfdata->order);
	return true;
}

bool perfdata__record_time(const struct perfdata *perfdata, const struct perfdata_record *record,
			   uint64_t *time)
{
	const struct perfdata_attr *attr = perfdata__attr_of_record(perfdata, record);
	uint64_t fields = attr->attr.sample_type;
	size_t at, size;

	if (record->type >= FIRST_USER_TYPE)
		return false;
	if (record->type != PERFDATA_SAMPLE && !has_trailer(perfdata, record))
		return time_in_body(perfdata, record, time);
	if (!(fields & PERF_SAMPLE_TIME))
		return record->type != PERFDATA_SAMPLE && time_in_body(perfdata, record, time);
	if (record->type == PERFDATA_SAMPLE) {
		at = PERFDATA_RECORD_HEADER_SIZE +
		     8 * (size_t)__builtin_popcountll(fields & (PERF_SAMPLE_IDENTIFIER |
								PERF_SAMPLE_IP | PERF_SAMPLE_TID));
	} else {
		size = perfdata__trailer_size(perfdata, attr);
		if (size + PERFDATA_RECORD_HEADER_SIZE > record->size)
			return false;
		at = record->size - size + ((fields & PERF_SAMPLE_TID) ? 8 : 0);
	}
	if (at + sizeof(*time) > record->size)
		return false;
	*time = get_u64(record->data + at, perfdata->order);
	return true;
}
