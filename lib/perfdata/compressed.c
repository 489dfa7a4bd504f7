// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records inside compressed records. All compressed records of a file are pieces of one zstd
 * stream that is flushed at the end of each, and a record may begin in one and end in another.
 */
#include "perfdata/internal.h"

#include <errno.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/diag.h"

/* Holds the longest record and room for a good piece more. */
#define BUFFER_SIZE (256u << 10)

struct inflate {
	struct perfdata *perfdata;
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	uint64_t offset, end;  /* of the compressed record that was fed last */
	uint64_t inflated;     /* bytes that came out of it so far */
	uint64_t begin_offset; /* of the compressed record in which the next record begins */
	size_t first, last;    /* what is inflated but not given out: buffer[first..last) */
	bool more;             /* the stream may have more without more input */
	bool broken;
	bool no_memory;
	uint8_t buffer[BUFFER_SIZE] __attribute__((aligned(8)));
};

struct inflate *inflate__new(struct perfdata *perfdata)
{
	struct inflate *inflate = malloc(sizeof(*inflate));

	if (!inflate)
		return NULL;
	memset(inflate, 0, offsetof(struct inflate, buffer));
	inflate->perfdata = perfdata;
	inflate->stream = ZSTD_createDStream();
	if (!inflate->stream) {
		free(inflate);
		return NULL;
	}
	return inflate;
}

void inflate__free(struct inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->stream);
	free(inflate);
}

void inflate__reset(struct inflate *inflate)
{
	ZSTD_DCtx_reset(inflate->stream, ZSTD_reset_session_only);
	inflate->in = (ZSTD_inBuffer){ 0 };
	inflate->first = inflate->last = 0;
	inflate->more = inflate->broken = false;
}

static void give_up(struct inflate *inflate, const char *kind, const char *text)
{
	struct perfdata *perfdata = inflate->perfdata;

	diag__report(perfdata->diag, DIAG_WARNING, kind, perfdata->path, inflate->offset,
		     "%s: no compressed record from here on can be read", text);
	inflate->broken = true;
	inflate->more = false;
	inflate->first = inflate->last = 0;
}

/* COMPRESSED2 is padded and says how many of its bytes are data. */
static struct bytes compressed_bytes(const struct perfdata_record *record, enum byte_order order)
{
	size_t header = PERFDATA_RECORD_HEADER_SIZE;
	struct bytes bytes = { record->data + header, record->size - header };
	uint64_t size;

	if (record->type == PERFDATA_COMPRESSED)
		return bytes;
	if (bytes.size < sizeof(size))
		return (struct bytes){ NULL, 0 };
	size = get_u64(bytes.data, order);
	bytes.data += sizeof(size);
	bytes.size -= sizeof(size);
	return size <= bytes.size ? (struct bytes){ bytes.data, size } : (struct bytes){ NULL, 0 };
}

void inflate__feed(struct inflate *inflate, const struct perfdata_record *record)
{
	struct bytes bytes = compressed_bytes(record, inflate->perfdata->order);

	if (inflate->broken)
		return;
	inflate->offset = record->offset;
	inflate->end = record->end;
	inflate->inflated = 0;
	if (inflate->first == inflate->last)
		inflate->begin_offset = record->offset;
	inflate->in = (ZSTD_inBuffer){ bytes.data, bytes.size, 0 };
	inflate->more = true;
	if (!bytes.data)
		give_up(inflate, "perfdata.bad-record", "a compressed record's size cannot be");
}

/* Fills the buffer's free room. */
static void inflate_some(struct inflate *inflate)
{
	ZSTD_outBuffer out = { inflate->buffer, BUFFER_SIZE, 0 };
	size_t ret;

	memmove(inflate->buffer, inflate->buffer + inflate->first, inflate->last - inflate->first);
	inflate->last -= inflate->first;
	inflate->first = 0;
	out.pos = inflate->last;
	ret = ZSTD_decompressStream(inflate->stream, &out, &inflate->in);
	if (ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation) {
		inflate->no_memory = true;
		return;
	}
	if (ZSTD_isError(ret)) {
		give_up(inflate, "perfdata.bad-compression", ZSTD_getErrorName(ret));
		return;
	}
	inflate->inflated += out.pos - inflate->last;
	if (inflate->inflated > inflate->perfdata->max_inflated) {
		give_up(inflate, "perfdata.bad-compression",
			"a compressed record holds more than any recorder writes");
		return;
	}
	/* a stream that filled the room may hold more, even with its input used up */
	inflate->more = out.pos == out.size || inflate->in.pos < inflate->in.size;
	inflate->last = out.pos;
}

/* The record at the buffer's beginning, if it is there whole. */
static bool take_record(struct inflate *inflate, struct perfdata_record *record)
{
	enum byte_order order = inflate->perfdata->order;
	const uint8_t *data = inflate->buffer + inflate->first;
	size_t have = inflate->last - inflate->first;

	if (have < PERFDATA_RECORD_HEADER_SIZE)
		return false;
	*record = (struct perfdata_record){
		.type = get_u32(data, order),
		.misc = get_u16(data + 4, order),
		.size = get_u16(data + 6, order),
		.data = data,
		.offset = inflate->begin_offset,
		.end = inflate->end,
		.compressed = true,
	};
	if (record->size < PERFDATA_RECORD_HEADER_SIZE) {
		give_up(inflate, "perfdata.bad-record", "a record's size cannot be");
		return false;
	}
	if (record->size > have)
		return false;
	inflate->first += record->size;
	inflate->begin_offset = inflate->offset;
	return true;
}

int inflate__next(struct inflate *inflate, struct perfdata_record *record)
{
	for (;;) {
		if (take_record(inflate, record))
			return 1;
		if (!inflate->more)
			return 0;
		inflate_some(inflate);
		if (inflate->no_memory)
			return -ENOMEM;
	}
}

void inflate__finish(struct inflate *inflate)
{
	if (inflate->first == inflate->last)
		return;
	give_up(inflate, "perfdata.bad-record", "the compressed records end within a record");
}
