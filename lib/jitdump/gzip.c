// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "jitdump/packed.h"

bool gzip__begins(struct bytes bytes)
{
	return bytes.size >= 3 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b &&
	       bytes.data[2] == Z_DEFLATED;
}

static unsigned int piece(size_t size)
{
	return size < UINT_MAX ? (unsigned int)size : UINT_MAX;
}

static void feed(struct unpacker *unpacker, z_stream *stream)
{
	unsigned int size = piece(unpacker->packed.size);

	if (stream->avail_in)
		return;
	stream->next_in = (Bytef *)(uintptr_t)unpacker->packed.data;
	stream->avail_in = size;
	unpacker->packed.data += size;
	unpacker->packed.size -= size;
}

/* After a member's end: whether another one follows it. */
static bool next_member(const struct unpacker *unpacker, z_stream *stream)
{
	return stream->avail_in + unpacker->packed.size > 0 && inflateReset(stream) == Z_OK;
}

/* Z_STREAM_END when all came out, another zlib code when the input is damaged, or an errno. */
static int inflate_all(struct unpacker *unpacker, z_stream *stream)
{
	for (;;) {
		int status, err = unpacker__make_room(unpacker);

		if (err)
			return err;
		feed(unpacker, stream);
		stream->next_out = unpacker->data + unpacker->size;
		stream->avail_out = piece(unpacker->capacity - unpacker->size);
		status = inflate(stream, Z_NO_FLUSH);
		unpacker->size = (size_t)(stream->next_out - unpacker->data);
		if (status == Z_STREAM_END && next_member(unpacker, stream))
			continue;
		if (status != Z_OK)
			return status;
		if (!stream->avail_in && !unpacker->packed.size && stream->avail_out)
			return Z_BUF_ERROR;
	}
}

int gzip__unpack(struct unpacker *unpacker)
{
	z_stream stream = { 0 };
	int status;

	/* 16: a gzip header, not a zlib one */
	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	status = inflate_all(unpacker, &stream);
	inflateEnd(&stream);
	switch (status) {
	case Z_STREAM_END:
		return UNPACKED_WHOLE;
	case Z_BUF_ERROR:
		return UNPACKED_CUT_OFF;
	case -EFBIG:
		return -EFBIG;
	case -ENOMEM:
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return UNPACKED_DAMAGED;
	}
}
