/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing buffer for what is written: records, ELF sections, CFI. */
#ifndef PERFJIT_BASE_BUF_H
#define PERFJIT_BASE_BUF_H

#include "base/bytes.h"

/*
 * Zero-initialise all but order. When memory runs out, failed is set and stays set, and puts do
 * nothing: check it once, after the last put.
 */
struct buf {
	uint8_t *data;
	size_t size;
	size_t capacity;
	enum byte_order order;
	bool failed;
};

#define BUF(order_) ((struct buf){ .order = (order_) })

/* Room for size more bytes, counted as put: to be filled in by the caller. NULL when failed. */
uint8_t *buf__extend(struct buf *buf, size_t size);

void buf__put(struct buf *buf, const void *data, size_t size);
void buf__put_u8(struct buf *buf, uint8_t value);
void buf__put_u16(struct buf *buf, uint16_t value);
void buf__put_u32(struct buf *buf, uint32_t value);
void buf__put_u64(struct buf *buf, uint64_t value);
void buf__put_uleb128(struct buf *buf, uint64_t value);
void buf__put_sleb128(struct buf *buf, int64_t value);
/* The string with its NUL. */
void buf__put_string(struct buf *buf, const char *string);
void buf__put_zeros(struct buf *buf, size_t count);
/* Zeros up to the next multiple of alignment, a power of two. */
void buf__align(struct buf *buf, size_t alignment);

static inline struct bytes buf__bytes(const struct buf *buf)
{
	return (struct bytes){ buf->data, buf->size };
}

/* Releases the memory; the buffer is empty and usable again. */
void buf__free(struct buf *buf);

#endif
