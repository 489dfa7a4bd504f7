/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps that somebody has put into a gzip or zstd file. */
#ifndef PERFJIT_JITDUMP_PACKED_H
#define PERFJIT_JITDUMP_PACKED_H

#include <stdbool.h>

#include "base/bytes.h"

struct diag;

/* So much of a packed file is enough for packed__peek, bytes: zstd unpacks whole blocks only. */
#define PACKED_HEAD_MAX (((size_t)128 << 10) + 64)

bool packed__is_packed(struct bytes bytes);
/*
 * Unpacks all members or frames into memory the caller frees. A damaged or cut off file gives what
 * came before the damage, and a report. -ENOMEM, -EINVAL when it is not packed, or -EFBIG, reported,
 * when it grows out of all proportion.
 */
int packed__unpack(struct bytes packed, uint8_t **data, size_t *size, const char *path,
		   struct diag *diag);
/* The first size bytes of what is packed; returns how many there are. */
size_t packed__peek(struct bytes packed, uint8_t *out, size_t size);

/* For the formats alone: what comes out of them. */
struct unpacker {
	struct bytes packed;
	uint8_t *data;
	size_t size, capacity, limit;
};

enum unpacked { UNPACKED_WHOLE, UNPACKED_CUT_OFF, UNPACKED_DAMAGED };

/* Makes room in data behind size. 0, -ENOMEM, or -EFBIG when size has come to limit. */
int unpacker__make_room(struct unpacker *unpacker);

/* gzip.c, zstd.c: whether it begins like that; all of it: an enum unpacked or a negative errno. */
bool gzip__begins(struct bytes bytes);
int gzip__unpack(struct unpacker *unpacker);
bool zstd__begins(struct bytes bytes);
int zstd__unpack(struct unpacker *unpacker);

#endif
