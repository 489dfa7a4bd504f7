// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Length of the UTF-8 sequence at p, or 0 when it is none (RFC 3629: no overlong, no surrogate). */
static size_t utf8_length(const unsigned char *p)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
	uint32_t code = length ? *p & (0x7f >> length) : 0;

	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	/* U+0080..U+009F are control characters too, CSI among them. */
	return code >= 0x80 && code < 0xa0 ? 0 : length;
}

char *text__printable(char *out, size_t size, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t used = 0, fit = 0; /* fit: where "..." can still go */

	if (!size)
		return out;
	while (*p) {
		bool plain = *p >= 0x20 && *p < 0x7f;
		size_t length = plain ? 1 : utf8_length(p);
		size_t needed = length ? length : 4;

		if (used + needed >= size) {
			snprintf(out + fit, size - fit, "...");
			return out;
		}
		if (length)
			memcpy(out + used, p, length);
		else
			snprintf(out + used, size - used, "\\x%02x", *p);
		used += needed;
		p += length ? length : 1;
		if (used + 3 < size)
			fit = used;
	}
	out[used] = '\0';
	return out;
}
