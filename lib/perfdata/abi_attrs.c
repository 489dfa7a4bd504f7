// SPDX-License-Identifier: GPL-2.0-or-later
/* struct perf_event_attr, cut down to what an older perf knows. */
#include "perfdata/abi_convert.h"

/* Where fields of struct perf_event_attr stand. */
#define AT_SIZE          4
#define AT_SAMPLE_TYPE   24
#define AT_READ_FORMAT   32
#define AT_FLAGS         40
#define AT_BRANCH_TYPE   72
#define AT_AUX_ACTION    116
#define ATTR_SIZE_MAX    4096
#define NR_FLAGS         64
#define AUX_ACTIONS_SIZE 4

#define SAMPLE_WEIGHT_STRUCT (1ull << 24)

/* Sizes of perf_event_attr that some kernel had, PERF_ATTR_SIZE_VER0..9. */
static const uint32_t published_sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };

static void keep_bits(uint8_t *data, uint32_t at, uint32_t size, unsigned int bits,
		      enum byte_order order)
{
	if (at + sizeof(uint64_t) <= size)
		set_u64(data + at, get_u64(data + at, order) & ((1ull << bits) - 1), order);
}

/* A weight in parts stands where one number did, and says less to who does not know the parts. */
static void mask_sample_type(const struct perfdata_abi *level, uint8_t *data, uint32_t size,
			     enum byte_order order)
{
	uint64_t fields = get_u64(data + AT_SAMPLE_TYPE, order);

	if (fields & SAMPLE_WEIGHT_STRUCT && SAMPLE_WEIGHT_STRUCT >> level->sample_bits)
		set_u64(data + AT_SAMPLE_TYPE, fields | PERF_SAMPLE_WEIGHT, order);
	keep_bits(data, AT_SAMPLE_TYPE, size, level->sample_bits, order);
}

/* Big-endian compilers fill bit fields from the other end of each byte. */
static void mask_flags(const struct perfdata_abi *level, uint8_t *data, enum byte_order order)
{
	for (unsigned int i = level->flags; i < NR_FLAGS; i++) {
		unsigned int bit = order == ORDER_LITTLE ? i % 8 : 7 - i % 8;

		data[AT_FLAGS + i / 8] &= (uint8_t) ~(1u << bit);
	}
}

void abi__mask_attr(const struct perfdata_abi *level, uint8_t *data, uint32_t size,
		    enum byte_order order)
{
	if (!perfdata_abi__is_version(level) || size < PERFDATA_ATTR_SIZE_FIRST)
		return;
	mask_sample_type(level, data, size, order);
	keep_bits(data, AT_READ_FORMAT, size, level->read_bits, order);
	mask_flags(level, data, order);
	keep_bits(data, AT_BRANCH_TYPE, size, level->branch_bits, order);
	if (!level->aux_actions && AT_AUX_ACTION + AUX_ACTIONS_SIZE <= size)
		memset(data + AT_AUX_ACTION, 0, AUX_ACTIONS_SIZE);
	if (level->attr_size < size)
		memset(data + level->attr_size, 0, size - level->attr_size);
}

/* Bytes that differ, as few changes as there are runs of them. */
static void change_bytes(const uint8_t *from, const uint8_t *to, uint32_t size, uint64_t offset,
			 struct splices *splices)
{
	for (uint32_t i = 0; i < size; i++) {
		uint32_t begin = i;

		while (i < size && from[i] != to[i])
			i++;
		if (i > begin)
			splices__add(splices, SPLICE_STRUCTURE, offset + begin, i - begin,
				     to + begin, i - begin);
	}
}

void abi__change_attr(const struct abi *abi, uint64_t offset, uint32_t size, uint32_t kept,
		      struct splices *splices)
{
	const struct perfdata *perfdata = abi->perfdata;
	const uint8_t *data = perfdata->source.bytes.data + offset;
	uint8_t masked[ATTR_SIZE_MAX];

	if (size > sizeof(masked))
		return;
	memcpy(masked, data, size);
	abi__mask_attr(abi->level, masked, size, perfdata->order);
	bake__change_attr(abi->bake, masked, size, perfdata->order);
	change_bytes(data, masked, kept < size ? kept : size, offset, splices);
}

/* Bytes of the masked attr up to the last that is not 0. */
static uint32_t used_size(const struct perfdata_abi *level, const struct perfdata_edits *edits,
			  const uint8_t *data, uint32_t size)
{
	enum byte_order order = edits->perfdata->order;
	uint8_t masked[ATTR_SIZE_MAX];

	if (size > sizeof(masked))
		return size;
	memcpy(masked, data, size);
	abi__mask_attr(level, masked, size, order);
	bake__change_attr(edits->bake, masked, size, order);
	while (size && masked[size - 1] == 0)
		size--;
	return size;
}

uint32_t abi__attr_size(const struct perfdata_abi *level, const struct perfdata_edits *edits)
{
	const struct perfdata *perfdata = edits->perfdata;
	uint32_t recorded = perfdata->attrs.items[0].recorded_size;
	uint32_t used = 0;

	for (size_t i = 0; i < perfdata->attrs.count; i++) {
		const uint8_t *data =
			perfdata->source.bytes.data + perfdata->attr_places.items[i].offset;
		uint32_t size = used_size(level, edits, data, recorded);

		used = size > used ? size : used;
	}
	for (size_t i = 0; i < sizeof(published_sizes) / sizeof(published_sizes[0]); i++)
		if (published_sizes[i] >= used && published_sizes[i] < recorded)
			return published_sizes[i];
	return recorded;
}

void abi__change_attr_size(const struct perfdata *perfdata, uint64_t offset, uint32_t size,
			   struct splices *splices)
{
	uint8_t value[sizeof(size)];

	set_u32(value, size, perfdata->order);
	change_bytes(perfdata->source.bytes.data + offset + AT_SIZE, value, sizeof(value),
		     offset + AT_SIZE, splices);
}

/*
 * u32 count, u32 size of each attr, then for each the attr, u32 number of ids, a string (u32
 * length, bytes), the ids. Attrs keep their room; perf goes by the size said once.
 */
void abi__change_event_desc(const struct abi *abi, struct bytes bytes, uint32_t attr_size,
			    struct splices *splices)
{
	const struct perfdata *perfdata = abi->perfdata;
	struct cursor cur = cursor__at(bytes, perfdata->order);
	uint32_t count = cursor__u32(&cur);
	uint32_t size = cursor__u32(&cur);

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *attr = cursor__take(&cur, size);
		uint64_t offset = (uint64_t)(attr - perfdata->source.bytes.data);
		uint32_t nr_ids = cursor__u32(&cur);

		cursor__take(&cur, cursor__u32(&cur));
		cursor__take(&cur, 8 * (size_t)nr_ids);
		if (cur.overrun || size < PERFDATA_ATTR_SIZE_FIRST)
			break;
		abi__change_attr_size(perfdata, offset, attr_size < size ? attr_size : size,
				      splices);
		abi__change_attr(abi, offset, size, size, splices);
	}
}
