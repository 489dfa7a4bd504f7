/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that came from a file, made safe to print. */
#ifndef PERFJIT_BASE_TEXT_H
#define PERFJIT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Copies text into out (size bytes, always terminated): control characters, those that end lines or
 * turn the direction of text, and bytes that are not UTF-8 become \xNN, and a text that does not fit
 * ends in "...". Returns out.
 */
char *text__printable(char *out, size_t size, const char *text);

/* Appends the whole text in that form, without a NUL. */
void text__put_printable(struct buf *buf, const char *text);

/* Appends a path as one word of a shell command, without a NUL. */
void text__put_quoted(struct buf *buf, const char *path);
/* The same as a text to be freed; NULL: memory. */
char *text__quoted(const char *path);

/* Whether printable is the whole text in that form. */
bool text__is_printable_of(const char *printable, const char *text);

#endif
