// SPDX-License-Identifier: GPL-2.0-or-later
#include "jitdump/dump.h"

/* An entry of a debug table: address, line, discriminator and an empty name. */
#define DEBUG_ENTRY_MIN 17u

uint32_t record__min_size(uint32_t id)
{
	switch (id) {
	case JIT_CODE_LOAD:
		return LOAD_SIZE + 1;
	case JIT_CODE_MOVE:
		return MOVE_SIZE;
	case JIT_CODE_DEBUG_INFO:
		return DEBUG_SIZE;
	case JIT_CODE_CLOSE:
		return PREFIX_SIZE;
	case JIT_CODE_UNWINDING_INFO:
		return UNWIND_SIZE;
	case JIT_CODE_DEBUG_INFO2:
		return DEBUG2_SIZE;
	default:
		return 0;
	}
}

const char *record__kind_name(uint32_t id)
{
	switch (id) {
	case JIT_CODE_LOAD:
		return "JIT_CODE_LOAD";
	case JIT_CODE_MOVE:
		return "JIT_CODE_MOVE";
	case JIT_CODE_DEBUG_INFO:
		return "JIT_CODE_DEBUG_INFO";
	case JIT_CODE_CLOSE:
		return "JIT_CODE_CLOSE";
	case JIT_CODE_UNWINDING_INFO:
		return "JIT_CODE_UNWINDING_INFO";
	case JIT_CODE_DEBUG_INFO2:
		return "JIT_CODE_DEBUG_INFO2";
	default:
		return "unknown";
	}
}

uint64_t record__find_nul(struct jitdump *dump, uint64_t from, uint64_t limit)
{
	const uint8_t *data = dump->bytes.data;
	uint64_t start = from;
	const uint8_t *nul;

	if (from >= limit)
		return limit;
	if (from >= dump->nul_from && from < dump->nul_at) {
		if (limit <= dump->nul_at)
			return limit;
		start = dump->nul_at;
	} else {
		dump->nul_from = from;
	}
	nul = memchr(data + start, 0, limit - start);
	dump->nul_at = nul ? (uint64_t)(nul - data) : limit;
	return dump->nul_at;
}

static bool all_zero(const uint8_t *p, uint64_t size)
{
	while (size && !*p) {
		p++;
		size--;
	}
	return size == 0;
}

/*
 * Where the code begins in a LOAD that has slack bytes more than name and code need. perf takes
 * the last code_size bytes of the record; producers that pad behind the code are told by the
 * padding: it is zero there and not in front of the code.
 */
static uint64_t code_offset(const struct jitdump *dump, uint64_t after_name, uint64_t code_size,
			    uint64_t end)
{
	uint64_t slack = end - code_size - after_name;

	if (slack && slack < 16 && !all_zero(dump->bytes.data + after_name, slack) &&
	    all_zero(dump->bytes.data + end - slack, slack))
		return after_name;
	return end - code_size;
}

/* A name without NUL ends where the code begins. It is copied, as the dump can't be written to. */
static const char *unterminated_name(struct jitdump *dump, uint64_t from, uint64_t end)
{
	char *name = arena__text(&dump->arena, dump->bytes.data + from, end - from);

	return name ? name : "";
}

static enum record_fault decode_load(struct jitdump *dump, struct jitdump_record *record,
				     struct cursor *cur)
{
	uint64_t name = record->offset + LOAD_SIZE;
	uint64_t end = record->offset + PREFIX_SIZE + record->body.size;
	uint64_t nul, code;

	record->load.pid = cursor__u32(cur);
	record->load.tid = cursor__u32(cur);
	record->load.vma = cursor__u64(cur);
	record->load.code_addr = cursor__u64(cur);
	record->load.code_size = cursor__u64(cur);
	record->load.code_index = cursor__u64(cur);
	if (record->load.code_size >= end - name)
		return RECORD_CODE_SIZE;
	nul = record__find_nul(dump, name, end - record->load.code_size);
	record->load.name = (const char *)dump->bytes.data + name;
	if (nul == end - record->load.code_size) {
		record->load.name = unterminated_name(dump, name, nul);
		code = nul;
	} else {
		code = code_offset(dump, nul + 1, record->load.code_size, end);
	}
	record->load.code = (struct bytes){ dump->bytes.data + code, record->load.code_size };
	return RECORD_FINE;
}

static void decode_move(struct jitdump_record *record, struct cursor *cur)
{
	record->move.pid = cursor__u32(cur);
	record->move.tid = cursor__u32(cur);
	record->move.vma = cursor__u64(cur);
	record->move.old_code_addr = cursor__u64(cur);
	record->move.new_code_addr = cursor__u64(cur);
	record->move.code_size = cursor__u64(cur);
	record->move.code_index = cursor__u64(cur);
}

static enum record_fault decode_debug_info(struct jitdump_record *record, struct cursor *cur)
{
	record->debug_info.code_addr = cursor__u64(cur);
	record->debug_info.nr_entry = cursor__u64(cur);
	record->debug_info.entries = (struct bytes){ cur->pos, cursor__left(cur) };
	if (record->debug_info.nr_entry > cursor__left(cur) / DEBUG_ENTRY_MIN)
		return RECORD_ENTRY_COUNT;
	return RECORD_FINE;
}

static enum record_fault decode_debug_info2(struct jitdump_record *record, struct cursor *cur)
{
	if (!debug_info2__fits(record->body, cur->order))
		return RECORD_ENTRY_COUNT;
	record->debug_info.code_addr = cursor__u64(cur);
	record->debug_info.nr_entry = cursor__u64(cur);
	record->debug_info.entries = (struct bytes){ cur->pos, cursor__left(cur) };
	return RECORD_FINE;
}

static enum record_fault decode_unwinding(struct jitdump_record *record, struct cursor *cur)
{
	record->unwinding_info.unwinding_size = cursor__u64(cur);
	record->unwinding_info.eh_frame_hdr_size = cursor__u64(cur);
	record->unwinding_info.mapped_size = cursor__u64(cur);
	if (record->unwinding_info.unwinding_size > cursor__left(cur))
		return RECORD_UNWINDING_SIZE;
	if (record->unwinding_info.eh_frame_hdr_size > record->unwinding_info.unwinding_size)
		return RECORD_HDR_SIZE;
	unwinding__split((struct bytes){ cur->pos, record->unwinding_info.unwinding_size },
			 record->unwinding_info.eh_frame_hdr_size, cur->order,
			 &record->unwinding_info.eh_frame, &record->unwinding_info.eh_frame_hdr);
	return RECORD_FINE;
}

enum record_fault record__decode_body(struct jitdump *dump, struct jitdump_record *record)
{
	struct cursor cur = cursor__at(record->body, dump->header.order);

	if (PREFIX_SIZE + record->body.size < record__min_size(record->id))
		return RECORD_SHORT_BODY;
	switch (record->id) {
	case JIT_CODE_LOAD:
		return decode_load(dump, record, &cur);
	case JIT_CODE_MOVE:
		decode_move(record, &cur);
		return RECORD_FINE;
	case JIT_CODE_DEBUG_INFO:
		return decode_debug_info(record, &cur);
	case JIT_CODE_UNWINDING_INFO:
		return decode_unwinding(record, &cur);
	case JIT_CODE_DEBUG_INFO2:
		return decode_debug_info2(record, &cur);
	case JIT_CODE_CLOSE:
		return RECORD_FINE;
	default:
		return RECORD_UNKNOWN;
	}
}

enum record_fault record__decode(struct jitdump *dump, uint64_t pos, struct jitdump_record *record)
{
	uint64_t left = dump->bytes.size - pos;
	const uint8_t *p = dump->bytes.data + pos;
	enum byte_order order = dump->header.order;

	*record = (struct jitdump_record){ .offset = pos };
	if (left < PREFIX_SIZE)
		return RECORD_NO_PREFIX;
	record->id = get_u32(p, order);
	record->size = get_u32(p + 4, order);
	record->time = get_u64(p + 8, order);
	if (record->size < PREFIX_SIZE)
		return RECORD_TOO_SMALL;
	if (record->size > left)
		return RECORD_PAST_END;
	record->body = (struct bytes){ p + PREFIX_SIZE, record->size - PREFIX_SIZE };
	return record__decode_body(dump, record);
}

uint64_t record__natural_size(const struct jitdump *dump, const struct jitdump_record *record)
{
	uint64_t start = record->offset + LOAD_SIZE;

	switch (record->id) {
	case JIT_CODE_LOAD:
		if (record->size < LOAD_SIZE + 1 || record->load.code_size > UINT32_MAX)
			return record->size;
		return LOAD_SIZE + 1 + record->load.code_size +
		       strnlen((const char *)dump->bytes.data + start, dump->bytes.size - start);
	case JIT_CODE_UNWINDING_INFO:
		if (record->unwinding_info.unwinding_size > UINT32_MAX)
			return record->size;
		return align_up(UNWIND_SIZE + record->unwinding_info.unwinding_size, 8);
	case JIT_CODE_MOVE:
		return MOVE_SIZE;
	case JIT_CODE_CLOSE:
		return PREFIX_SIZE;
	default:
		return record->size;
	}
}
