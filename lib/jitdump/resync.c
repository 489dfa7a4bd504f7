// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding the next record where a dump is damaged. One record that makes sense is not enough: its
 * fields must agree with each other, and another record or the end of the dump must follow it.
 */
#include "jitdump/dump.h"

/* No real record is longer; garbage read as a size mostly is. */
#define NEXT_SIZE_MAX ((uint32_t)64 << 20)
/* Padding that producers leave at the end of a record. */
#define SLACK_MAX 16u
/* Records of unknown kind that may follow each other before a known one must come. */
#define UNKNOWN_CHAIN_MAX 4

bool resync__plausible_next(const struct jitdump *dump, uint64_t pos)
{
	for (int unknown = 0; unknown <= UNKNOWN_CHAIN_MAX; unknown++) {
		uint64_t left = dump->bytes.size - pos;
		uint32_t id, size, min;

		if (left < PREFIX_SIZE)
			return true;
		id = get_u32(dump->bytes.data + pos, dump->header.order);
		size = get_u32(dump->bytes.data + pos + 4, dump->header.order);
		min = record__min_size(id);
		if (min)
			return size >= min && (size <= left || size <= NEXT_SIZE_MAX);
		if (size < PREFIX_SIZE || size > left)
			return false;
		pos += size;
	}
	return false;
}

static bool plausible_load(const struct jitdump_record *record)
{
	uint64_t end;

	return record->load.code_size && record->load.name[0] &&
	       (record->load.vma == record->load.code_addr || !record->load.vma) &&
	       !__builtin_add_overflow(record->load.code_addr, record->load.code_size, &end);
}

static bool plausible_body(const struct jitdump *dump, const struct jitdump_record *record)
{
	switch (record->id) {
	case JIT_CODE_LOAD:
		return plausible_load(record);
	case JIT_CODE_MOVE:
		return record->size < MOVE_SIZE + SLACK_MAX && record->move.code_size;
	case JIT_CODE_DEBUG_INFO:
		return record->debug_info.nr_entry > 0;
	case JIT_CODE_UNWINDING_INFO:
		return record->size - UNWIND_SIZE - record->unwinding_info.unwinding_size <
		       SLACK_MAX;
	case JIT_CODE_CLOSE:
		/* it has nothing but its time to be known by */
		return record->size == PREFIX_SIZE && record->time >= dump->last_time &&
		       record->time - dump->last_time < (uint64_t)1 << 48;
	default:
		return true;
	}
}

/* So many zeros may go on as a hole, bytes. */
#define MAY_BE_HOLE 4096

/* Where a hole at pos ends, as far as that is more than a prefix before data. */
static uint64_t skip_hole(const struct jitdump *dump, uint64_t pos)
{
	uint64_t data = dump->unpacked ? pos : file_map__data_from(&dump->map, pos);

	return data > pos + PREFIX_SIZE ? data - PREFIX_SIZE : pos;
}

/* A crash leaves pages of zeros and a file has holes; no record begins in the midst of them. */
static uint64_t skip_zeros(const struct jitdump *dump, uint64_t pos)
{
	const uint8_t *data = dump->bytes.data;
	uint64_t end = dump->bytes.size, asked = pos + MAY_BE_HOLE;

	while (end - pos >= 16 && !get_u64(data + pos, ORDER_LITTLE) &&
	       !get_u64(data + pos + 8, ORDER_LITTLE)) {
		pos += 8;
		if (pos >= asked) {
			pos = skip_hole(dump, pos);
			asked = pos + MAY_BE_HOLE;
		}
	}
	return pos;
}

uint64_t resync__find(struct jitdump *dump, uint64_t pos)
{
	const uint8_t *data = dump->bytes.data;
	enum byte_order order = dump->header.order;
	uint64_t end = dump->bytes.size;

	for (; end - pos >= PREFIX_SIZE; pos++) {
		struct jitdump_record record;
		uint32_t min, size;

		pos = skip_zeros(dump, pos);
		min = record__min_size(get_u32(data + pos, order));
		size = get_u32(data + pos + 4, order);
		if (!min || size < min || size > end - pos)
			continue;
		/* a name without NUL would be copied: real names have one */
		if (min == LOAD_SIZE + 1 &&
		    record__find_nul(dump, pos + LOAD_SIZE, pos + size) == pos + size)
			continue;
		if (record__decode(dump, pos, &record) == RECORD_FINE &&
		    plausible_body(dump, &record) && resync__plausible_next(dump, pos + size))
			return pos;
	}
	return end;
}
