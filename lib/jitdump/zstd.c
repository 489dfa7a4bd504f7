// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <zstd.h>

#include "jitdump/packed.h"

bool zstd__begins(struct bytes bytes)
{
	return bytes.size >= 4 && get_u32(bytes.data, ORDER_LITTLE) == ZSTD_MAGICNUMBER;
}

static int inflate_all(struct unpacker *unpacker, ZSTD_DStream *stream)
{
	ZSTD_inBuffer in = { unpacker->packed.data, unpacker->packed.size, 0 };

	for (;;) {
		ZSTD_outBuffer out;
		size_t left;
		int err = unpacker__make_room(unpacker);

		if (err)
			return err;
		out = (ZSTD_outBuffer){ unpacker->data, unpacker->capacity, unpacker->size };
		left = ZSTD_decompressStream(stream, &out, &in);
		unpacker->size = out.pos;
		if (ZSTD_isError(left))
			return UNPACKED_DAMAGED;
		/* a frame is over, and maybe another one follows */
		if (!left && in.pos == in.size)
			return UNPACKED_WHOLE;
		if (left && in.pos == in.size && out.pos < out.size)
			return UNPACKED_CUT_OFF;
	}
}

int zstd__unpack(struct unpacker *unpacker)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	int status = stream ? inflate_all(unpacker, stream) : -ENOMEM;

	ZSTD_freeDStream(stream);
	return status;
}
