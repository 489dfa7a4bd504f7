// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <zlib.h>

#include "jitdump/dump.h"

/*
 * Real dumps shrink ten to thirty times. What grows much more was made to exhaust memory: deflate
 * itself can reach 1032.
 */
#define RATIO_MAX 200u
#define SIZE_FREE ((size_t)1 << 20) /* below it the ratio doesn't matter */

bool gzip__is_gzip(struct bytes bytes)
{
	return bytes.size >= 3 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b &&
	       bytes.data[2] == Z_DEFLATED;
}

struct unwrap {
	z_stream stream;
	struct bytes packed; /* what the stream has not been given yet */
	uint8_t *data;
	size_t size, capacity, limit;
};

static int grow(struct unwrap *un)
{
	size_t capacity = un->capacity ? un->capacity * 2 : un->packed.size * 4 + 4096;
	uint8_t *moved;

	if (un->capacity >= un->limit)
		return -EFBIG;
	if (capacity > un->limit)
		capacity = un->limit;
	moved = realloc(un->data, capacity);
	if (!moved)
		return -ENOMEM;
	un->data = moved;
	un->capacity = capacity;
	return 0;
}

static unsigned int piece(size_t size)
{
	return size < UINT_MAX ? (unsigned int)size : UINT_MAX;
}

static void feed(struct unwrap *un)
{
	unsigned int size = piece(un->packed.size);

	if (un->stream.avail_in)
		return;
	un->stream.next_in = (Bytef *)(uintptr_t)un->packed.data;
	un->stream.avail_in = size;
	un->packed.data += size;
	un->packed.size -= size;
}

/* After a member's end: whether another one follows it. */
static bool next_member(struct unwrap *un)
{
	return un->stream.avail_in + un->packed.size > 0 && inflateReset(&un->stream) == Z_OK;
}

/* Z_STREAM_END when all came out, another zlib code when the input is damaged, or an errno. */
static int inflate_all(struct unwrap *un)
{
	for (;;) {
		size_t room;
		int status, err = un->size == un->capacity ? grow(un) : 0;

		if (err)
			return err;
		feed(un);
		room = un->capacity - un->size;
		un->stream.next_out = un->data + un->size;
		un->stream.avail_out = piece(room);
		status = inflate(&un->stream, Z_NO_FLUSH);
		un->size = (size_t)(un->stream.next_out - un->data);
		if (status == Z_STREAM_END && next_member(un))
			continue;
		if (status != Z_OK)
			return status;
		if (!un->stream.avail_in && !un->packed.size && un->stream.avail_out)
			return Z_BUF_ERROR;
	}
}

int gzip__unwrap(struct bytes packed, uint8_t **data, size_t *size, const char *path,
		 struct diag *diag)
{
	struct unwrap un = { .packed = packed };
	int status;

	un.limit = packed.size < SIZE_MAX / RATIO_MAX - SIZE_FREE
			   ? packed.size * RATIO_MAX + SIZE_FREE
			   : SIZE_MAX;
	if (inflateInit2(&un.stream, 15 + 16) != Z_OK)
		return -ENOMEM;
	status = inflate_all(&un);
	inflateEnd(&un.stream);
	if (status == -EFBIG)
		diag__report(diag, DIAG_ERROR, "jitdump.gzip-bomb", path, DIAG_NO_OFFSET,
			     "unpacks to more than %u times its size", RATIO_MAX);
	if (status == -EFBIG || status == -ENOMEM || status == Z_MEM_ERROR) {
		free(un.data);
		return status == -EFBIG ? -EFBIG : -ENOMEM;
	}
	if (status != Z_STREAM_END)
		diag__report(diag, DIAG_WARNING, "jitdump.gzip-damaged", path, DIAG_NO_OFFSET,
			     "the gzip data is %s after %zu bytes of the dump",
			     status == Z_BUF_ERROR ? "cut off" : "damaged", un.size);
	*data = un.data;
	*size = un.size;
	return 0;
}

size_t gzip__peek(struct bytes packed, uint8_t *out, size_t size)
{
	z_stream stream = { 0 };
	size_t got;

	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		return 0;
	stream.next_in = (Bytef *)(uintptr_t)packed.data;
	stream.avail_in = piece(packed.size);
	stream.next_out = out;
	stream.avail_out = piece(size);
	inflate(&stream, Z_SYNC_FLUSH);
	got = size - stream.avail_out;
	inflateEnd(&stream);
	return got;
}
