/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files that are generated share. */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PID       4711u
#define PATH_SIZE 4096
#define START     UINT64_C(1000000000) /* ns: when the process began */
#define MARKER    UINT64_C(0x7f0000000000)
#define CODE      UINT64_C(0x7f1000000000)
#define STACK     UINT64_C(0x7ffd00000000)

#define CODE_SIZE_MAX 160
#define SPACING       424 /* leaves the room that CPython has between trampolines, or more */

struct options {
	uint64_t functions, samples;
	uint64_t places; /* fewer than functions: addresses are used again */
	uint32_t chain;  /* entries of each call chain; 0: none */
	uint32_t stack;  /* bytes of each stack copy; 0: none */
	bool spaced;     /* with room between functions; else without a byte */
	bool lines;      /* with source lines */
	bool alike;      /* all of one size and code, as CPython's */
};

/* Functions differ in size, places in what fits them. */
static inline uint64_t code_size(const struct options *options, uint64_t place)
{
	return options->alike ? 64 : 64 + place % 7 * 16;
}

/* Where the place'th function stands. 7 sizes in turn add up to 784 bytes. */
static inline uint64_t place_of(const struct options *options, uint64_t place)
{
	uint64_t rest = place % 7;

	if (options->spaced)
		return CODE + place * SPACING;
	return CODE + place / 7 * 784 + rest * 64 + rest * (rest - 1) / 2 * 16;
}

static inline uint64_t code_end(const struct options *options)
{
	return place_of(options, options->places);
}

#define LOAD_STEP 1000 /* ns from one load to the next */

/* When the nth function is loaded, from 1 on. */
static inline uint64_t load_time(uint64_t nth)
{
	return START + LOAD_STEP * (nth + 2);
}

/* Writes or ends the program. */
void put(FILE *file, const void *data, size_t size);
void write_dump(const struct options *options, const char *path);

#endif
