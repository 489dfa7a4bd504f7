/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that come again and again, each kept once and told by a number. */
#ifndef PERFJIT_BASE_NAMES_H
#define PERFJIT_BASE_NAMES_H

#include <stdint.h>

#include "base/array.h"

struct name;

/* Zero-initialise. */
struct names {
	struct name *table;             /* private */
	ARRAY(struct name *) by_number; /* private */
};

/* The number of a text, from 1 on; 0: memory is out. */
uint32_t names__number(struct names *names, const char *text);
/* The text of a number that names__number gave. */
const char *names__text(const struct names *names, uint32_t number);
void names__free(struct names *names);

#endif
