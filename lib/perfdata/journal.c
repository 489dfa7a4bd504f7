// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of a changed file, at its very end: what was taken out and how much was put in.
 * All numbers are little-endian.
 *
 *	for each change, by offset in the original:
 *		u64 offset, removed, inserted
 *		removed bytes
 *	zeros
 *	trailer:
 *		u64 size of the changes
 *		u64 size of the original
 *		u32 crc32 of the changes and of the original's size
 *		u16 form: 0 plain, 1 in records
 *		u16 number of the zeros
 *		u8 magic[8]
 *
 * In a stream of records it is cut into pieces, each the contents of a HEADER_EVENT_TYPE record.
 * perf stopped writing that type long ago, and all of its versions know and pass over it: measured
 * with 5.10, 6.1, 6.12, 7.2 and 7.3, of which those from 7.2 on grumble at fewer than 72 bytes.
 */
#include "perfdata/edits.h"

#include <errno.h>
#include <zlib.h>

#define MAGIC        "PJITJRNL"
/* The last bytes of a mark in its place, all others of which are zeros: */
#define MAGIC_BAKED "PJITBAKE"
#define TRAILER_SIZE 32
#define FORM_PLAIN   0
#define FORM_RECORDS 1
/* Contents of one record. */
#define PIECE_SIZE       32768
#define LEAST_PIECE_SIZE 72

struct trailer {
	uint64_t changes_size, original_size;
	uint32_t crc;
	uint16_t form, zeros;
};

static uint32_t checksum(const uint8_t *changes, uint64_t size, uint64_t original_size)
{
	uint8_t encoded[8];
	uLong crc = crc32_z(0, changes, size);

	set_u64(encoded, original_size, ORDER_LITTLE);
	return (uint32_t)crc32_z(crc, encoded, sizeof(encoded));
}

static void put_changes(struct buf *buf, const struct splices *splices, struct bytes input,
			uint64_t begin, uint64_t end)
{
	array__for_each(splice, &splices->list) {
		if (splice->offset < begin || splice->offset > end)
			continue;
		buf__put_u64(buf, splice->offset - begin);
		buf__put_u64(buf, splice->removed);
		buf__put_u64(buf, splice->size);
		buf__put(buf, input.data + splice->offset, splice->removed);
	}
}

/* As many that all is 8-aligned and the last piece is not too short. */
static uint16_t zeros_behind(uint64_t changes_size)
{
	uint64_t size = align_up(changes_size, 8) + TRAILER_SIZE;
	uint64_t last = size % PIECE_SIZE;

	if (last && last < LEAST_PIECE_SIZE)
		size += LEAST_PIECE_SIZE - last;
	return (uint16_t)(size - TRAILER_SIZE - changes_size);
}

/* Pieces but the last are full. */
static void put_in_records(struct buf *buf, struct bytes journal, enum byte_order order)
{
	struct buf records = BUF(order);

	for (size_t at = 0; at < journal.size; at += PIECE_SIZE) {
		size_t left = journal.size - at;
		size_t size = left < PIECE_SIZE ? left : PIECE_SIZE;

		buf__put_u32(&records, PERFDATA_HEADER_EVENT_TYPE);
		buf__put_u16(&records, 0);
		buf__put_u16(&records, (uint16_t)(PERFDATA_RECORD_HEADER_SIZE + size));
		buf__put(&records, journal.data + at, size);
	}
	buf__put(buf, records.data, records.size);
	buf->failed |= records.failed;
	buf__free(&records);
}

void journal__put(struct buf *buf, const struct splices *splices, struct bytes input,
		  uint64_t begin, uint64_t end, bool in_records, enum byte_order order)
{
	struct buf journal = BUF(ORDER_LITTLE);
	uint64_t size;
	uint16_t zeros;

	put_changes(&journal, splices, input, begin, end);
	size = journal.size;
	zeros = zeros_behind(size);
	buf__put_zeros(&journal, zeros);
	buf__put_u64(&journal, size);
	buf__put_u64(&journal, end - begin);
	buf__put_u32(&journal, journal.failed ? 0 : checksum(journal.data, size, end - begin));
	buf__put_u16(&journal, in_records ? FORM_RECORDS : FORM_PLAIN);
	buf__put_u16(&journal, zeros);
	buf__put(&journal, MAGIC, 8);
	if (in_records)
		put_in_records(buf, buf__bytes(&journal), order);
	else
		buf__put(buf, journal.data, journal.size);
	buf->failed |= journal.failed;
	buf__free(&journal);
}

void journal__put_baked(struct buf *buf, bool in_records, enum byte_order order)
{
	struct buf mark = BUF(ORDER_LITTLE);

	buf__put_zeros(&mark, LEAST_PIECE_SIZE - 8);
	buf__put(&mark, MAGIC_BAKED, 8);
	if (in_records)
		put_in_records(buf, buf__bytes(&mark), order);
	else
		buf__put(buf, mark.data, mark.size);
	buf->failed |= mark.failed;
	buf__free(&mark);
}

bool perfdata__is_baked(const struct perfdata *perfdata)
{
	const struct perfdata_part *part = &perfdata->source.parts.items[0];
	const uint8_t *end = perfdata->source.bytes.data + part->size;

	return part->size >= 8 && memcmp(end - 8, MAGIC_BAKED, 8) == 0;
}

static bool read_trailer(struct bytes bytes, struct trailer *trailer)
{
	const uint8_t *at;

	if (bytes.size < TRAILER_SIZE)
		return false;
	at = bytes.data + bytes.size - TRAILER_SIZE;
	trailer->changes_size = get_u64(at, ORDER_LITTLE);
	trailer->original_size = get_u64(at + 8, ORDER_LITTLE);
	trailer->crc = get_u32(at + 16, ORDER_LITTLE);
	trailer->form = get_u16(at + 20, ORDER_LITTLE);
	trailer->zeros = get_u16(at + 22, ORDER_LITTLE);
	return memcmp(at + 24, MAGIC, 8) == 0;
}

/* Copies the pieces that follow each other from at on, each behind a record's header. */
static void join_pieces(struct bytes bytes, uint64_t at, uint64_t size, struct buf *joined)
{
	while (size) {
		uint64_t piece = size < PIECE_SIZE ? size : PIECE_SIZE;

		at += PERFDATA_RECORD_HEADER_SIZE;
		buf__put(joined, bytes.data + at, piece);
		at += piece;
		size -= piece;
	}
}

/* The changes as they were before they were cut into pieces; *taken is what the journal takes. */
static int collect_changes(struct bytes bytes, const struct trailer *trailer, struct buf *changes,
			   uint64_t *taken)
{
	uint64_t size = trailer->changes_size, pieces;

	if (size > bytes.size)
		return -EINVAL;
	size += trailer->zeros + TRAILER_SIZE;
	pieces = trailer->form == FORM_RECORDS ? (size + PIECE_SIZE - 1) / PIECE_SIZE : 0;
	*taken = size + pieces * PERFDATA_RECORD_HEADER_SIZE;
	if (*taken > bytes.size)
		return -EINVAL;
	if (pieces)
		join_pieces(bytes, bytes.size - *taken, size, changes);
	else
		buf__put(changes, bytes.data + bytes.size - size, size);
	if (changes->failed)
		return -ENOMEM;
	changes->size = trailer->changes_size;
	return 0;
}

/* Turns each change round. */
static int parse_changes(const struct buf *changes, struct splices *splices)
{
	struct cursor cur = cursor__at(buf__bytes(changes), ORDER_LITTLE);
	uint64_t moved = 0;

	while (cursor__left(&cur)) {
		uint64_t offset = cursor__u64(&cur);
		uint64_t removed = cursor__u64(&cur);
		uint64_t inserted = cursor__u64(&cur);
		const uint8_t *bytes = cursor__take(&cur, removed);

		if (cur.overrun)
			return -EINVAL;
		splices__add(splices, SPLICE_STRUCTURE, offset + moved, inserted, bytes, removed);
		moved += inserted - removed;
	}
	return cur.overrun ? -EINVAL : splices->bytes.failed ? -ENOMEM : 0;
}

static uint64_t changed_size(const struct splices *splices, uint64_t size)
{
	array__for_each(splice, &splices->list)
		size += splice->size - splice->removed;
	return size;
}

int journal__read(struct bytes bytes, struct splices *splices, uint64_t *size)
{
	struct buf changes = BUF(ORDER_LITTLE);
	struct trailer trailer;
	uint64_t taken = 0;
	int err;

	if (!read_trailer(bytes, &trailer))
		return -ENOENT;
	err = collect_changes(bytes, &trailer, &changes, &taken);
	if (!err && checksum(changes.data, changes.size, trailer.original_size) != trailer.crc)
		err = -EINVAL;
	if (!err)
		err = parse_changes(&changes, splices);
	buf__free(&changes);
	*size = bytes.size - taken;
	if (!err && (!splices__are_sound(splices, 0, *size) ||
		     changed_size(splices, *size) != trailer.original_size))
		err = -EINVAL;
	return err;
}
