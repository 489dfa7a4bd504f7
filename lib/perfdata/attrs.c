// SPDX-License-Identifier: GPL-2.0-or-later
/* Events: their attrs, and which records belong to which. */
#include "perfdata/internal.h"

#include <errno.h>

#include "base/diag.h"

/* The flags are bit fields, which big-endian compilers fill from the other end of each byte. */
static uint64_t decode_flags(const uint8_t *data, enum byte_order order)
{
	uint64_t flags = 0;

	for (unsigned int byte = 0; byte < 8; byte++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			unsigned int place = order == ORDER_LITTLE ? bit : 7 - bit;

			flags |= (uint64_t)(data[byte] >> place & 1) << (8 * byte + bit);
		}
	}
	return flags;
}

/* struct perf_event_attr, field by field: u64 and pairs of u32 but for the bit fields. */
void perfdata__decode_attr(struct perf_event_attr *attr, const uint8_t *data, size_t size,
			   enum byte_order order)
{
	uint8_t raw[sizeof(*attr)] = { 0 };
	uint64_t flags;

	_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "attr flags are kept as the host's");
	memcpy(raw, data, size < sizeof(raw) ? size : sizeof(raw));
	memset(attr, 0, sizeof(*attr));
	attr->type = get_u32(raw, order);
	attr->size = get_u32(raw + 4, order);
	attr->config = get_u64(raw + 8, order);
	attr->sample_period = get_u64(raw + 16, order);
	attr->sample_type = get_u64(raw + 24, order);
	attr->read_format = get_u64(raw + 32, order);
	flags = decode_flags(raw + 40, order);
	memcpy((uint8_t *)attr + 40, &flags, sizeof(flags));
	attr->wakeup_events = get_u32(raw + 48, order);
	attr->bp_type = get_u32(raw + 52, order);
	attr->config1 = get_u64(raw + 56, order);
	attr->config2 = get_u64(raw + 64, order);
	attr->branch_sample_type = get_u64(raw + 72, order);
	attr->sample_regs_user = get_u64(raw + 80, order);
	attr->sample_stack_user = get_u32(raw + 88, order);
	attr->clockid = (int32_t)get_u32(raw + 92, order);
	attr->sample_regs_intr = get_u64(raw + 96, order);
	attr->aux_watermark = get_u32(raw + 104, order);
	attr->sample_max_stack = get_u16(raw + 108, order);
	attr->aux_sample_size = get_u32(raw + 112, order);
	attr->sig_data = get_u64(raw + 120, order);
}

uint32_t perfdata__attr_size(const uint8_t *data, enum byte_order order)
{
	uint32_t size = get_u32(data + 4, order);

	return size ? size : PERFDATA_ATTR_SIZE_FIRST;
}

int perfdata__add_attr(struct perfdata *perfdata, uint64_t offset, uint32_t size,
		       struct perfdata_section ids)
{
	struct perfdata_attr attr = { .recorded_size = size, .nr_ids = ids.size / 8 };
	struct perfdata_attr_place place = { offset, ids };
	const uint8_t *data = perfdata->source.bytes.data;
	uint64_t *values = NULL;

	perfdata__decode_attr(&attr.attr, data + offset, size, perfdata->order);
	if (attr.nr_ids) {
		values = malloc(attr.nr_ids * sizeof(*values));
		if (!values)
			return -ENOMEM;
		for (size_t i = 0; i < attr.nr_ids; i++)
			values[i] = get_u64(data + ids.offset + 8 * i, perfdata->order);
	}
	attr.ids = values;
	if (!array__push(&perfdata->attr_places, place) || !array__push(&perfdata->attrs, attr)) {
		free(values);
		return -ENOMEM;
	}
	return 0;
}

static int refuse(struct perfdata *perfdata, uint64_t offset, const char *text)
{
	diag__report(perfdata->diag, DIAG_ERROR, "perfdata.bad-attr", perfdata->path, offset, "%s",
		     text);
	return -EINVAL;
}

static void lose_ids(struct perfdata *perfdata, uint64_t offset, const char *text,
		     struct perfdata_section *ids)
{
	diag__report(perfdata->diag, DIAG_WARNING, "perfdata.bad-ids", perfdata->path, offset, "%s",
		     text);
	ids->size = 0;
}

/*
 * One struct perf_file_attr: the attr, as long as it says it is, and the section of its ids. All
 * sections together are no larger than the file (ids_left), or a small one would take all memory.
 */
static int read_file_attr(struct perfdata *perfdata, struct perfdata_section *rest,
			  uint64_t *ids_left)
{
	const uint8_t *data = perfdata->source.bytes.data + rest->offset;
	struct perfdata_section ids;
	uint32_t size;
	int err;

	size = perfdata__attr_size(data, perfdata->order);
	if (size < PERFDATA_ATTR_SIZE_FIRST || size > rest->size - sizeof(ids))
		return refuse(perfdata, rest->offset, "an event's size cannot be");
	if (size + sizeof(ids) != perfdata->file_attr_size)
		return refuse(perfdata, rest->offset, "an event's size is not what the header says");
	ids.offset = get_u64(data + size, perfdata->order);
	ids.size = get_u64(data + size + 8, perfdata->order);
	if (!perfdata__contains(perfdata, ids))
		lose_ids(perfdata, rest->offset, "an event's ids lie outside the file", &ids);
	else if (ids.size > *ids_left)
		lose_ids(perfdata, rest->offset, "events' ids lie over each other", &ids);
	*ids_left -= ids.size;
	err = perfdata__add_attr(perfdata, rest->offset, size, ids);
	rest->offset += size + sizeof(ids);
	rest->size -= size + sizeof(ids);
	return err;
}

int perfdata__read_attrs(struct perfdata *perfdata)
{
	struct perfdata_section rest = perfdata->attrs_section;
	uint64_t count = rest.size / perfdata->file_attr_size;
	uint64_t ids_left = perfdata->source.parts.items[0].size;

	for (uint64_t i = 0; i < count; i++) {
		int err = read_file_attr(perfdata, &rest, &ids_left);

		if (err)
			return err;
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = ((const struct perfdata_id *)a)->id, y = ((const struct perfdata_id *)b)->id;

	return x < y ? -1 : x > y;
}

static uint32_t fields_before_id(uint64_t sample_type)
{
	uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	return (uint32_t)__builtin_popcountll(sample_type & before);
}

static uint32_t fields_behind_id(uint64_t sample_type)
{
	return (uint32_t)__builtin_popcountll(sample_type &
					      (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

/* Events recorded together have their ids at one place; the first event tells where. */
static struct perfdata_id_place find_id_place(const struct perfdata *perfdata)
{
	uint64_t sample_type = perfdata->attrs.items[0].attr.sample_type;
	uint32_t header = PERFDATA_RECORD_HEADER_SIZE;

	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return (struct perfdata_id_place){ true, header, 8 };
	if (sample_type & PERF_SAMPLE_ID)
		return (struct perfdata_id_place){ true, header + 8 * fields_before_id(sample_type),
						   8 + 8 * fields_behind_id(sample_type) };
	return (struct perfdata_id_place){ 0 };
}

int perfdata__index_attrs(struct perfdata *perfdata)
{
	if (!perfdata->attrs.count)
		return refuse(perfdata, DIAG_NO_OFFSET, "the file describes no event");
	perfdata->id_place = find_id_place(perfdata);
	perfdata->sample_id_all = perfdata->attrs.items[0].attr.sample_id_all;
	for (size_t i = 0; i < perfdata->attrs.count; i++) {
		const struct perfdata_attr *attr = &perfdata->attrs.items[i];

		for (size_t k = 0; k < attr->nr_ids; k++) {
			struct perfdata_id id = { attr->ids[k], (uint32_t)i };

			if (!array__push(&perfdata->ids, id))
				return -ENOMEM;
		}
	}
	if (perfdata->ids.count)
		qsort(perfdata->ids.items, perfdata->ids.count, sizeof(struct perfdata_id),
		      compare_ids);
	return 0;
}

const struct perfdata_attr *perfdata__attr_of_id(const struct perfdata *perfdata, uint64_t id)
{
	struct perfdata_id key = { id, 0 };
	const struct perfdata_id *found = NULL;

	if (perfdata->ids.count)
		found = bsearch(&key, perfdata->ids.items, perfdata->ids.count, sizeof(key),
				compare_ids);
	return found ? &perfdata->attrs.items[found->attr] : NULL;
}
