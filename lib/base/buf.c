// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"

#include "base/array.h"

uint8_t *buf__extend(struct buf *buf, size_t size)
{
	uint8_t *place;

	if (buf->failed || size > SIZE_MAX - buf->size ||
	    !array__reserve_raw((void **)&buf->data, &buf->capacity, buf->size + size, 1)) {
		buf->failed = true;
		return NULL;
	}
	place = buf->size ? buf->data + buf->size : buf->data;
	buf->size += size;
	return place;
}

void buf__put(struct buf *buf, const void *data, size_t size)
{
	uint8_t *place = buf__extend(buf, size);

	if (place && size)
		memcpy(place, data, size);
}

void buf__put_u8(struct buf *buf, uint8_t value)
{
	buf__put(buf, &value, 1);
}

void buf__put_u16(struct buf *buf, uint16_t value)
{
	uint8_t *place = buf__extend(buf, sizeof(value));

	if (place)
		set_u16(place, value, buf->order);
}

void buf__put_u32(struct buf *buf, uint32_t value)
{
	uint8_t *place = buf__extend(buf, sizeof(value));

	if (place)
		set_u32(place, value, buf->order);
}

void buf__put_u64(struct buf *buf, uint64_t value)
{
	uint8_t *place = buf__extend(buf, sizeof(value));

	if (place)
		set_u64(place, value, buf->order);
}

void buf__put_uleb128(struct buf *buf, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		buf__put_u8(buf, value ? byte | 0x80 : byte);
	} while (value);
}

void buf__put_sleb128(struct buf *buf, int64_t value)
{
	bool more = true;

	while (more) {
		uint8_t byte = value & 0x7f;

		value >>= 7;
		more = !((value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40)));
		buf__put_u8(buf, more ? byte | 0x80 : byte);
	}
}

void buf__put_string(struct buf *buf, const char *string)
{
	buf__put(buf, string, strlen(string) + 1);
}

void buf__put_zeros(struct buf *buf, size_t count)
{
	uint8_t *place = buf__extend(buf, count);

	if (place)
		memset(place, 0, count);
}

void buf__align(struct buf *buf, size_t alignment)
{
	buf__put_zeros(buf, align_up(buf->size, alignment) - buf->size);
}

void buf__free(struct buf *buf)
{
	free(buf->data);
	*buf = BUF(buf->order);
}
