// SPDX-License-Identifier: GPL-2.0-or-later
/* From record to record, in file order. */
#include "perfdata/internal.h"

#include <errno.h>
#include <unistd.h>

#include "base/diag.h"

/* From here on each record begins on pages of its own. */
#define SPARSE_SIZE 8192

void perfdata_walk__begin(struct perfdata_walk *walk, struct perfdata *perfdata)
{
	*walk = (struct perfdata_walk){ .perfdata = perfdata };
	if (perfdata->regions.count)
		walk->next = perfdata->regions.items[0].offset;
}

void perfdata_walk__end(struct perfdata_walk *walk)
{
	inflate__free(walk->inflate);
	walk->inflate = NULL;
}

/* Bytes that stand behind the record and belong to it; UINT64_MAX when that cannot be. */
static uint64_t payload_size(const struct perfdata *perfdata, const struct perfdata_record *record)
{
	const uint8_t *body = record->data + PERFDATA_RECORD_HEADER_SIZE;
	uint64_t size = 0;

	if (record->type == PERFDATA_AUXTRACE && record->size >= 16)
		size = get_u64(body, perfdata->order);
	else if (record->type == PERFDATA_HEADER_TRACING_DATA && record->size >= 12)
		size = align_up(get_u32(body, perfdata->order), 8);
	return size;
}

const char *perfdata__read_record(const struct perfdata *perfdata, uint64_t offset, uint64_t end,
				  struct perfdata_record *record)
{
	const uint8_t *data = perfdata->source.bytes.data + offset;
	uint64_t left = end - offset;
	uint64_t payload;

	if (left < PERFDATA_RECORD_HEADER_SIZE)
		return "the records end within a record";
	*record = (struct perfdata_record){
		.type = get_u32(data, perfdata->order),
		.misc = get_u16(data + 4, perfdata->order),
		.size = get_u16(data + 6, perfdata->order),
		.data = data,
		.offset = offset,
	};
	if (record->size < PERFDATA_RECORD_HEADER_SIZE)
		return "a record's size cannot be: nothing behind it can be found";
	if (record->size > left)
		return "the records end within a record";
	payload = payload_size(perfdata, record);
	if (payload > left - record->size)
		return "the records end within the data that belongs to a record";
	record->end = offset + record->size + payload;
	return NULL;
}

void perfdata__report_record(struct perfdata *perfdata, uint64_t offset, uint64_t end,
			     const char *wrong)
{
	const uint8_t *data = perfdata->source.bytes.data + offset;

	if (end - offset >= PERFDATA_RECORD_HEADER_SIZE &&
	    get_u16(data + 6, perfdata->order) < PERFDATA_RECORD_HEADER_SIZE)
		perfdata->impassable = true;
	diag__report(perfdata->diag, DIAG_WARNING, "perfdata.bad-record", perfdata->path, offset,
		     "%s", wrong);
}

uint64_t perfdata__whole_records(const struct perfdata *perfdata, uint64_t offset, uint64_t end)
{
	struct perfdata_record record;
	uint64_t at = offset;

	while (at < end && !perfdata__read_record(perfdata, at, end, &record))
		at = record.end;
	return at - offset;
}

/* Goes on to the region that follows, when one is done or damaged. */
static bool next_region(struct perfdata_walk *walk)
{
	if (walk->inflate) {
		inflate__finish(walk->inflate);
		inflate__reset(walk->inflate);
	}
	walk->region++;
	if (walk->region >= walk->perfdata->regions.count)
		return false;
	walk->next = walk->perfdata->regions.items[walk->region].offset;
	return true;
}

/* Whether the head's bytes are a record's first or all, with nothing behind it that is its own. */
static bool is_head(uint32_t type, uint16_t size)
{
	if (type == PERFDATA_SAMPLE)
		return size >= PERFDATA_RECORD_HEADER_SIZE;
	return (type < PERFDATA_HEADER_ATTR || type == PERFDATA_FINISHED_ROUND) &&
	       size >= PERFDATA_RECORD_HEADER_SIZE && size <= PERFDATA_HEAD;
}

/*
 * Whether a record was read from the file, a sample's head alone, without a look at the pages of
 * the mapping: what is mapped around each sample with a stack makes up the whole file.
 */
static bool read_head(struct perfdata_walk *walk, uint64_t end, struct perfdata_record *record)
{
	const struct perfdata_source *source = &walk->perfdata->source;
	enum byte_order order = walk->perfdata->order;
	uint32_t type;
	uint16_t size;

	if (!source->mapped || source->parts.count != 1 || end - walk->next < PERFDATA_HEAD ||
	    pread(source->parts.items[0].fd, walk->head, PERFDATA_HEAD, (off_t)walk->next) !=
		    PERFDATA_HEAD)
		return false;
	type = get_u32(walk->head, order);
	size = get_u16(walk->head + 6, order);
	if (!is_head(type, size) || size > end - walk->next)
		return false;
	*record = (struct perfdata_record){
		.type = type,
		.misc = get_u16(walk->head + 4, order),
		.size = size,
		.data = walk->head,
		.absent = size > PERFDATA_HEAD ? (uint16_t)(size - PERFDATA_HEAD) : 0,
		.offset = walk->next,
		.end = walk->next + size,
	};
	return true;
}

void perfdata_record__complete(struct perfdata_record *record, const struct perfdata *perfdata)
{
	if (!record->absent)
		return;
	record->data = perfdata->source.bytes.data + record->offset;
	record->absent = 0;
}

/* NULL, or what is wrong with the record. */
static const char *read_next(struct perfdata_walk *walk, uint64_t end,
			     struct perfdata_record *record)
{
	const char *wrong = NULL;

	if (!walk->heads || !walk->sparse || !read_head(walk, end, record))
		wrong = perfdata__read_record(walk->perfdata, walk->next, end, record);
	if (!wrong && record->type == PERFDATA_SAMPLE)
		walk->sparse = record->size >= SPARSE_SIZE;
	return wrong;
}

/* 1 with a record as it stands in the file, 0 at the end. */
static int next_plain(struct perfdata_walk *walk, struct perfdata_record *record)
{
	struct perfdata *perfdata = walk->perfdata;

	while (walk->region < perfdata->regions.count) {
		const struct perfdata_section *region = &perfdata->regions.items[walk->region];
		uint64_t end = region->offset + region->size;
		const char *wrong;

		if (walk->next < end) {
			wrong = read_next(walk, end, record);
			if (!wrong) {
				walk->next = record->end;
				return 1;
			}
			perfdata__report_record(perfdata, walk->next, end, wrong);
		}
		next_region(walk);
	}
	return 0;
}

static bool is_compressed(const struct perfdata_record *record)
{
	return record->type == PERFDATA_COMPRESSED || record->type == PERFDATA_COMPRESSED2;
}

/* cycles and mask are missing in records of perf before 5.13. */
static void note_time_conv(struct perfdata *perfdata, const struct perfdata_record *record)
{
	struct cursor cur =
		cursor__at((struct bytes){ record->data, record->size }, perfdata->order);
	struct perfdata_time_conv conv;

	cursor__take(&cur, PERFDATA_RECORD_HEADER_SIZE);
	conv.shift = cursor__u64(&cur);
	conv.mult = cursor__u64(&cur);
	conv.zero = cursor__u64(&cur);
	if (cur.overrun)
		return;
	conv.cycles = cursor__u64(&cur);
	conv.mask = cursor__u64(&cur);
	if (cur.overrun) {
		conv.cycles = 0;
		conv.mask = UINT64_MAX;
	}
	perfdata->time_conv = conv;
	perfdata->has_time_conv = true;
}

static int feed(struct perfdata_walk *walk, const struct perfdata_record *record)
{
	walk->perfdata->compressed = true;
	if (!walk->inflate)
		walk->inflate = inflate__new(walk->perfdata);
	if (!walk->inflate)
		return -ENOMEM;
	inflate__feed(walk->inflate, record);
	return 0;
}

int perfdata_walk__next(struct perfdata_walk *walk, struct perfdata_record *record)
{
	int ret = 0;

	for (;;) {
		if (walk->inflate)
			ret = inflate__next(walk->inflate, record);
		if (ret == 0)
			ret = next_plain(walk, record);
		if (ret <= 0)
			return ret;
		if (!is_compressed(record) || record->compressed)
			break;
		ret = feed(walk, record);
		if (ret < 0)
			return ret;
	}
	record->nth = walk->nth++;
	if (!walk->keep && !walk->perfdata->keeps_mapped)
		perfdata__give_back(walk->perfdata, &walk->kept, walk->next);
	if (record->type == PERFDATA_TIME_CONV)
		note_time_conv(walk->perfdata, record);
	return 1;
}
