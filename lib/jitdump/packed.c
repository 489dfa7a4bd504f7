// SPDX-License-Identifier: GPL-2.0-or-later
#include "jitdump/packed.h"

#include <errno.h>
#include <stdlib.h>

#include "base/diag.h"

/*
 * Real dumps shrink ten to fifty times. What grows much more was made to exhaust memory: deflate
 * itself can reach 1032, zstd more.
 */
#define RATIO_MAX 200u
#define SIZE_FREE ((size_t)1 << 20) /* below it the ratio doesn't matter */

static const struct format {
	const char *name;
	const char *bomb, *damaged; /* kinds of reports */
	bool (*begins)(struct bytes bytes);
	int (*unpack)(struct unpacker *unpacker);
} formats[] = {
	{ "gzip", "jitdump.gzip-bomb", "jitdump.gzip-damaged", gzip__begins, gzip__unpack },
	{ "zstd", "jitdump.zstd-bomb", "jitdump.zstd-damaged", zstd__begins, zstd__unpack },
};

static const struct format *format_of(struct bytes bytes)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (formats[i].begins(bytes))
			return &formats[i];
	return NULL;
}

bool packed__is_packed(struct bytes bytes)
{
	return format_of(bytes) != NULL;
}

int unpacker__make_room(struct unpacker *unpacker)
{
	size_t capacity =
		unpacker->capacity ? unpacker->capacity * 2 : unpacker->packed.size * 4 + 4096;
	uint8_t *moved;

	if (unpacker->size < unpacker->capacity)
		return 0;
	if (unpacker->capacity >= unpacker->limit)
		return -EFBIG;
	if (capacity > unpacker->limit)
		capacity = unpacker->limit;
	moved = realloc(unpacker->data, capacity);
	if (!moved)
		return -ENOMEM;
	unpacker->data = moved;
	unpacker->capacity = capacity;
	return 0;
}

int packed__unpack(struct bytes packed, uint8_t **data, size_t *size, const char *path,
		   struct diag *diag)
{
	const struct format *format = format_of(packed);
	struct unpacker unpacker = { .packed = packed };
	int status;

	if (!format)
		return -EINVAL;
	unpacker.limit = packed.size < SIZE_MAX / RATIO_MAX - SIZE_FREE
				 ? packed.size * RATIO_MAX + SIZE_FREE
				 : SIZE_MAX;
	status = format->unpack(&unpacker);
	if (status == -EFBIG)
		diag__report(diag, DIAG_ERROR, format->bomb, path, DIAG_NO_OFFSET,
			     "unpacks to more than %u times its size", RATIO_MAX);
	if (status < 0) {
		free(unpacker.data);
		return status;
	}
	if (status != UNPACKED_WHOLE)
		diag__report(diag, DIAG_WARNING, format->damaged, path, DIAG_NO_OFFSET,
			     "the %s data is %s after %zu bytes of the dump", format->name,
			     status == UNPACKED_CUT_OFF ? "cut off" : "damaged", unpacker.size);
	*data = unpacker.data;
	*size = unpacker.size;
	return 0;
}

size_t packed__peek(struct bytes packed, uint8_t *out, size_t size)
{
	const struct format *format = format_of(packed);
	/* there is no more room than that, and it ends there */
	struct unpacker unpacker = { packed, out, 0, size, size };

	if (format)
		format->unpack(&unpacker);
	return unpacker.size;
}
