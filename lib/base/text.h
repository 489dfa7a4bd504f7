/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that came from a file, made safe to print. */
#ifndef PERFJIT_BASE_TEXT_H
#define PERFJIT_BASE_TEXT_H

#include <stddef.h>

/*
 * Copies text into out (size bytes, always terminated): control characters, DEL and bytes that
 * are not UTF-8 become \xNN, and a text that does not fit ends in "...". Returns out.
 */
char *text__printable(char *out, size_t size, const char *text);

#endif
