// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that somebody has put into a gzip or zstd file. */
#include "perfdata/internal.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

#include "base/diag.h"
#include "base/spool.h"

#define PIECE (256u << 10)

struct unwrap {
	struct bytes in;
	int fd;
	const char *path;
	struct diag *diag;
	uint64_t size; /* unwrapped so far */
	uint8_t piece[PIECE];
};

static bool is_gzip(struct bytes bytes)
{
	return bytes.size > 2 && memcmp(bytes.data, "\x1f\x8b", 2) == 0;
}

static bool is_zstd(struct bytes bytes)
{
	return bytes.size > 4 && memcmp(bytes.data, "\x28\xb5\x2f\xfd", 4) == 0;
}

bool unwrap__is_wrapped(struct bytes bytes)
{
	return is_gzip(bytes) || is_zstd(bytes);
}

static int refuse(struct unwrap *unwrap, const char *kind, const char *text)
{
	diag__report(unwrap->diag, DIAG_ERROR, kind, unwrap->path, DIAG_NO_OFFSET, "%s", text);
	return -EINVAL;
}

/* Looks at the first piece before more is written: what is wrapped may be anything. */
static int flush(struct unwrap *unwrap, size_t size)
{
	struct bytes bytes = { unwrap->piece, size };

	if (unwrap->size == 0 && size >= 8 && !perfdata_header__is_magic(bytes.data))
		return refuse(unwrap, "perfdata.not-perf-data", "what is wrapped is no perf.data");
	unwrap->size += size;
	return spool__write(unwrap->fd, bytes, unwrap->path, unwrap->diag);
}

/* As the programs that unwrap such files do. */
static void ignore_rest(struct unwrap *unwrap, size_t bytes)
{
	diag__report(unwrap->diag, DIAG_WARNING, "perfdata.wrapped-rest", unwrap->path,
		     unwrap->in.size - bytes, "%zu bytes behind what is wrapped are ignored",
		     bytes);
}

/* Some gzip files are several, one behind the other. */
static int inflate_members(struct unwrap *unwrap, z_stream *stream)
{
	size_t left = unwrap->in.size;
	bool full = false;
	int err = 0;

	stream->next_in = (Bytef *)(uintptr_t)unwrap->in.data;
	while (!err && (left || full)) {
		uInt room = left < PIECE ? (uInt)left : PIECE;
		int ret;

		stream->avail_in = room;
		stream->next_out = unwrap->piece;
		stream->avail_out = PIECE;
		ret = inflate(stream, Z_NO_FLUSH);
		left -= room - stream->avail_in;
		full = stream->avail_out == 0;
		if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
			return refuse(unwrap, "perfdata.bad-wrapping", "the gzip file is damaged");
		err = flush(unwrap, PIECE - stream->avail_out);
		if (ret != Z_STREAM_END)
			continue;
		if (!left)
			return err;
		if (!is_gzip((struct bytes){ stream->next_in, left })) {
			ignore_rest(unwrap, left);
			return err;
		}
		inflateReset(stream);
	}
	return err ? err : refuse(unwrap, "perfdata.bad-wrapping", "the gzip file is not complete");
}

static int unwrap_gzip(struct unwrap *unwrap)
{
	z_stream stream = { 0 };
	int err;

	/* 16: a gzip header, not a zlib one */
	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	err = inflate_members(unwrap, &stream);
	inflateEnd(&stream);
	return err;
}

/* Of data, or of something else that a decoder skips. */
static bool starts_frame(struct bytes bytes)
{
	return is_zstd(bytes) ||
	       (bytes.size >= 4 && (get_u32(bytes.data, ORDER_LITTLE) &
				    ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START);
}

static int inflate_frames(struct unwrap *unwrap, ZSTD_DStream *stream)
{
	ZSTD_inBuffer in = { unwrap->in.data, unwrap->in.size, 0 };
	size_t ret = 0;
	bool full = false;
	int err = 0;

	while (!err && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = { unwrap->piece, PIECE, 0 };

		ret = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(ret))
			return refuse(unwrap, "perfdata.bad-wrapping", "the zstd file is damaged");
		/* 0: all of a frame was read and written */
		full = ret && out.pos == out.size;
		err = flush(unwrap, out.pos);
		if (ret == 0 && in.pos < in.size &&
		    !starts_frame((struct bytes){ unwrap->in.data + in.pos, in.size - in.pos })) {
			ignore_rest(unwrap, in.size - in.pos);
			break;
		}
	}
	if (!err && ret != 0)
		err = refuse(unwrap, "perfdata.bad-wrapping", "the zstd file is not complete");
	return err;
}

static int unwrap_zstd(struct unwrap *unwrap)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	int err = stream ? inflate_frames(unwrap, stream) : -ENOMEM;

	ZSTD_freeDStream(stream);
	return err;
}

int unwrap__write(int fd, struct bytes bytes, const char *path, struct diag *diag)
{
	struct unwrap *unwrap = malloc(sizeof(*unwrap));
	int err;

	if (!unwrap)
		return -ENOMEM;
	unwrap->in = bytes;
	unwrap->fd = fd;
	unwrap->path = path;
	unwrap->diag = diag;
	unwrap->size = 0;
	err = is_gzip(bytes) ? unwrap_gzip(unwrap) : unwrap_zstd(unwrap);
	free(unwrap);
	return err;
}
