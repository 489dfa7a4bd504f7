/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of bytes that came from a file, and the one way to read numbers out of them. */
#ifndef PERFJIT_BASE_BYTES_H
#define PERFJIT_BASE_BYTES_H

#include <byteswap.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view: never owned, valid as long as what it was taken from. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

static inline bool bytes__equal(struct bytes a, struct bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The values are those of ELF's EI_DATA. */
enum byte_order {
	ORDER_LITTLE = 1,
	ORDER_BIG = 2,
	ORDER_HOST = __BYTE_ORDER == __LITTLE_ENDIAN ? ORDER_LITTLE : ORDER_BIG,
};

static inline enum byte_order byte_order__other(enum byte_order order)
{
	return order == ORDER_LITTLE ? ORDER_BIG : ORDER_LITTLE;
}

static inline uint16_t get_u16(const uint8_t *p, enum byte_order order)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return order == ORDER_HOST ? v : bswap_16(v);
}

static inline uint32_t get_u32(const uint8_t *p, enum byte_order order)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return order == ORDER_HOST ? v : bswap_32(v);
}

static inline uint64_t get_u64(const uint8_t *p, enum byte_order order)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return order == ORDER_HOST ? v : bswap_64(v);
}

static inline void set_u16(uint8_t *p, uint16_t v, enum byte_order order)
{
	v = order == ORDER_HOST ? v : bswap_16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void set_u32(uint8_t *p, uint32_t v, enum byte_order order)
{
	v = order == ORDER_HOST ? v : bswap_32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void set_u64(uint8_t *p, uint64_t v, enum byte_order order)
{
	v = order == ORDER_HOST ? v : bswap_64(v);
	memcpy(p, &v, sizeof(v));
}

/* Rounds up to a power of two; the caller knows that it does not overflow. */
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

/*
 * Reads one field after the other. A read past the end gives 0 and sets overrun, which stays
 * set: check it once, after the last field.
 */
struct cursor {
	const uint8_t *pos;
	const uint8_t *end;
	enum byte_order order;
	bool overrun;
};

static inline struct cursor cursor__at(struct bytes bytes, enum byte_order order)
{
	const uint8_t *end = bytes.size ? bytes.data + bytes.size : bytes.data;

	return (struct cursor){ bytes.data, end, order, false };
}

static inline size_t cursor__left(const struct cursor *cur)
{
	return (size_t)(cur->end - cur->pos);
}

/* The next size bytes, or NULL (and overrun) when there are fewer. */
static inline const uint8_t *cursor__take(struct cursor *cur, size_t size)
{
	const uint8_t *p = cur->pos;

	if (size > cursor__left(cur)) {
		cur->overrun = true;
		cur->pos = cur->end;
		return NULL;
	}
	cur->pos += size;
	return p;
}

static inline uint8_t cursor__u8(struct cursor *cur)
{
	const uint8_t *p = cursor__take(cur, 1);

	return p ? *p : 0;
}

static inline uint16_t cursor__u16(struct cursor *cur)
{
	const uint8_t *p = cursor__take(cur, 2);

	return p ? get_u16(p, cur->order) : 0;
}

static inline uint32_t cursor__u32(struct cursor *cur)
{
	const uint8_t *p = cursor__take(cur, 4);

	return p ? get_u32(p, cur->order) : 0;
}

static inline uint64_t cursor__u64(struct cursor *cur)
{
	const uint8_t *p = cursor__take(cur, 8);

	return p ? get_u64(p, cur->order) : 0;
}

/* A NUL-terminated string; NULL (and overrun) when no NUL follows before the end. */
static inline const char *cursor__string(struct cursor *cur)
{
	const uint8_t *nul = memchr(cur->pos, 0, cursor__left(cur));

	if (!nul) {
		cur->overrun = true;
		cur->pos = cur->end;
		return NULL;
	}
	return (const char *)cursor__take(cur, (size_t)(nul - cur->pos) + 1);
}

#endif
