/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings met more than once, each with a number of the caller's. Private to lib/dso. */
#ifndef PERFJIT_DSO_STRINGS_H
#define PERFJIT_DSO_STRINGS_H

#include <stdint.h>

struct string_number;

/* Zero-initialised. The strings are not copied. */
struct strings {
	struct string_number *table;
};

/* The string's number; when it is met the first time, that is the given one. NULL: no memory. */
const uint32_t *strings__number(struct strings *strings, const char *string, uint32_t fresh);
void strings__free(struct strings *strings);

#endif
