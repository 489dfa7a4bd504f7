// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/leb128.h"

static void overrun(struct cursor *cur)
{
	cur->overrun = true;
	cur->pos = cur->end;
}

uint64_t cursor__uleb128(struct cursor *cur)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; cursor__left(cur); shift += 7) {
		uint64_t bits = *cur->pos & 0x7f;

		/* Padding with 0x80 may go on past the 64th bit, value bits may not. */
		if (shift >= 64 ? bits : (bits << shift) >> shift != bits)
			break;
		if (shift < 64)
			value |= bits << shift;
		if (!(*cur->pos++ & 0x80))
			return value;
	}
	overrun(cur);
	return 0;
}

int64_t cursor__sleb128(struct cursor *cur)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; cursor__left(cur) && shift < 70; shift += 7) {
		uint8_t byte = *cur->pos++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		/* The tenth byte holds one value bit; the others repeat it. */
		if (shift == 63 && byte != 0 && byte != 0x7f)
			break;
		if (shift < 57 && (byte & 0x40))
			value |= ~UINT64_C(0) << (shift + 7);
		return (int64_t)value;
	}
	overrun(cur);
	return 0;
}

size_t uleb128__size(uint64_t value)
{
	size_t size = 1;

	while (value >>= 7)
		size++;
	return size;
}

size_t sleb128__size(int64_t value)
{
	size_t size = 1;

	for (; value < -64 || value > 63; value >>= 7)
		size++;
	return size;
}
