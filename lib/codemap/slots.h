/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ordered set of integers below a fixed count, for sweeps whose coordinates are known before:
 * a tree of 64-bit words in which a bit says that the word below it is not 0.
 */
#ifndef PERFJIT_CODEMAP_SLOTS_H
#define PERFJIT_CODEMAP_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS_NONE   SIZE_MAX
#define SLOTS_LEVELS 11 /* 64^11 >= 2^64 */

struct slots {
	uint64_t *words;
	size_t level[SLOTS_LEVELS]; /* where each level begins in words; 0 holds the members */
	unsigned int nr_levels;
	size_t count;
};

/* An empty set of integers below count. 0 or -ENOMEM. */
int slots__init(struct slots *slots, size_t count);
void slots__free(struct slots *slots);

void slots__add(struct slots *slots, size_t i);
void slots__remove(struct slots *slots, size_t i);
bool slots__has(const struct slots *slots, size_t i);

/* The smallest member that is i or more, or SLOTS_NONE. */
size_t slots__next(const struct slots *slots, size_t i);
/* The greatest member below i, or SLOTS_NONE. */
size_t slots__before(const struct slots *slots, size_t i);

#endif
