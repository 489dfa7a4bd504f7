// SPDX-License-Identifier: GPL-2.0-or-later
#include "codemap/slots.h"

#include <errno.h>
#include <stdlib.h>

int slots__init(struct slots *slots, size_t count)
{
	size_t total = 0, words = count;

	*slots = (struct slots){ .count = count };
	do {
		words = words / 64 + 1;
		slots->level[slots->nr_levels++] = total;
		total += words;
	} while (words > 1);
	slots->words = calloc(total, sizeof(*slots->words));
	return slots->words ? 0 : -ENOMEM;
}

void slots__free(struct slots *slots)
{
	free(slots->words);
	slots->words = NULL;
}

static uint64_t *word_of(const struct slots *slots, unsigned int level, size_t i)
{
	return &slots->words[slots->level[level] + i / 64];
}

void slots__add(struct slots *slots, size_t i)
{
	for (unsigned int level = 0; level < slots->nr_levels; level++, i /= 64)
		*word_of(slots, level, i) |= UINT64_C(1) << i % 64;
}

void slots__remove(struct slots *slots, size_t i)
{
	for (unsigned int level = 0; level < slots->nr_levels; level++, i /= 64) {
		uint64_t *word = word_of(slots, level, i);

		*word &= ~(UINT64_C(1) << i % 64);
		if (*word)
			break;
	}
}

bool slots__has(const struct slots *slots, size_t i)
{
	return *word_of(slots, 0, i) >> i % 64 & 1;
}

size_t slots__next(const struct slots *slots, size_t i)
{
	unsigned int level = 0;
	uint64_t bits;

	if (i >= slots->count)
		return SLOTS_NONE;
	while (!(bits = *word_of(slots, level, i) & UINT64_MAX << i % 64)) {
		if (++level == slots->nr_levels)
			return SLOTS_NONE;
		i = i / 64 + 1;
	}
	i = i / 64 * 64 + (size_t)__builtin_ctzll(bits);
	while (level--)
		i = i * 64 + (size_t)__builtin_ctzll(*word_of(slots, level, i * 64));
	return i;
}

size_t slots__before(const struct slots *slots, size_t i)
{
	unsigned int level = 0;
	uint64_t bits;

	if (i > slots->count)
		i = slots->count;
	if (!i--)
		return SLOTS_NONE;
	while (!(bits = *word_of(slots, level, i) & UINT64_MAX >> (63 - i % 64))) {
		if (i < 64 || ++level == slots->nr_levels)
			return SLOTS_NONE;
		i = i / 64 - 1;
	}
	i = i / 64 * 64 + 63 - (size_t)__builtin_clzll(bits);
	while (level--)
		i = i * 64 + 63 - (size_t)__builtin_clzll(*word_of(slots, level, i * 64));
	return i;
}
