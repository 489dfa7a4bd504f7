// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Bytes of what stands for one that can't be printed, \xNN. */
#define ESCAPED_SIZE 4

/*
 * U+0080..U+009F are control characters too, CSI among them. The others end a line or turn the
 * direction of what stands beside the text.
 */
static bool spoils_line(uint32_t code)
{
	return (code >= 0x80 && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

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
	return spoils_line(code) ? 0 : length;
}

/* Bytes of the character at p, or 0 when it can't be printed or is the terminating NUL. */
static size_t printable_length(const unsigned char *p)
{
	return *p >= 0x20 && *p < 0x7f ? 1 : utf8_length(p);
}

static void escape(char escaped[ESCAPED_SIZE + 1], unsigned char byte)
{
	snprintf(escaped, ESCAPED_SIZE + 1, "\\x%02x", byte);
}

char *text__printable(char *out, size_t size, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t used = 0, fit = 0; /* fit: where "..." can still go */

	if (!size)
		return out;
	while (*p) {
		size_t length = printable_length(p);
		size_t needed = length ? length : ESCAPED_SIZE;

		if (used + needed >= size) {
			snprintf(out + fit, size - fit, "...");
			return out;
		}
		if (length)
			memcpy(out + used, p, length);
		else
			escape(out + used, *p);
		used += needed;
		p += length ? length : 1;
		if (used + 3 < size)
			fit = used;
	}
	out[used] = '\0';
	return out;
}

void text__put_printable(struct buf *buf, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	char escaped[ESCAPED_SIZE + 1];

	while (*p) {
		const unsigned char *start = p;

		for (size_t length; (length = printable_length(p)) > 0;)
			p += length;
		buf__put(buf, start, (size_t)(p - start));
		if (!*p)
			return;
		escape(escaped, *p++);
		buf__put(buf, escaped, ESCAPED_SIZE);
	}
}

bool text__is_printable_of(const char *printable, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	char escaped[ESCAPED_SIZE + 1];

	while (*p) {
		size_t length = printable_length(p);
		size_t needed = length ? length : ESCAPED_SIZE;

		if (!length)
			escape(escaped, *p);
		if (strncmp(printable, length ? (const char *)p : escaped, needed) != 0)
			return false;
		printable += needed;
		p += length ? length : 1;
	}
	return !*printable;
}

static bool needs_no_quotes(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_@%+=:,./-";

	return *path && strspn(path, plain) == strlen(path);
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Control characters in a name can't be pasted safely in any quotes but $'...'. */
static bool has_control(const char *path)
{
	for (; *path; path++)
		if (is_control(*path))
			return true;
	return false;
}

static void put(struct buf *buf, const char *text)
{
	buf__put(buf, text, strlen(text));
}

static void put_quoted_char(struct buf *buf, char c, bool control)
{
	char escaped[ESCAPED_SIZE + 1];

	if (control && is_control(c)) {
		escape(escaped, (unsigned char)c);
		put(buf, escaped);
	} else if (control && (c == '\'' || c == '\\')) {
		buf__put_u8(buf, '\\');
		buf__put_u8(buf, (uint8_t)c);
	} else if (c == '\'') {
		put(buf, "'\\''");
	} else {
		buf__put_u8(buf, (uint8_t)c);
	}
}

void text__put_quoted(struct buf *buf, const char *path)
{
	bool control = has_control(path);

	if (needs_no_quotes(path)) {
		put(buf, path);
		return;
	}
	put(buf, control ? "$'" : "'");
	for (; *path; path++)
		put_quoted_char(buf, *path, control);
	buf__put_u8(buf, '\'');
}

char *text__quoted(const char *path)
{
	struct buf buf = BUF(ORDER_LITTLE);
	char *text = NULL;

	text__put_quoted(&buf, path);
	buf__put_u8(&buf, '\0');
	if (!buf.failed)
		text = strdup((const char *)buf.data);
	buf__free(&buf);
	return text;
}
