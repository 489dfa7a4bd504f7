// SPDX-License-Identifier: GPL-2.0-or-later
#include "jitdump/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Chunks grow with what they serve, so that a small dump costs little and a big one few calls. */
#define CHUNK_MIN ((size_t)4 << 10)
#define CHUNK_MAX ((size_t)1 << 20)

struct arena_chunk {
	struct arena_chunk *older;
	size_t size;
	alignas(max_align_t) uint8_t data[];
};

static struct arena_chunk *new_chunk(struct arena *arena, size_t at_least)
{
	size_t size = arena->next_size ? arena->next_size : CHUNK_MIN;
	struct arena_chunk *chunk;

	if (size < CHUNK_MAX)
		arena->next_size = size * 2;
	if (size < at_least)
		size = at_least;
	if (size > SIZE_MAX - sizeof(*chunk))
		return NULL;
	chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->size = size;
	chunk->older = arena->chunks;
	arena->chunks = chunk;
	arena->used = 0;
	return chunk;
}

void *arena__alloc(struct arena *arena, size_t count, size_t size)
{
	const size_t mask = alignof(max_align_t) - 1;
	struct arena_chunk *chunk = arena->chunks;
	size_t wanted;
	void *p;

	if (__builtin_mul_overflow(count, size, &wanted) || wanted > SIZE_MAX - mask)
		return NULL;
	wanted = (wanted + mask) & ~mask;
	if (!chunk || wanted > chunk->size - arena->used)
		chunk = new_chunk(arena, wanted);
	if (!chunk)
		return NULL;
	p = chunk->data + arena->used;
	arena->used += wanted;
	return p;
}

char *arena__text(struct arena *arena, const void *text, size_t size)
{
	char *copy = size < SIZE_MAX ? arena__alloc(arena, size + 1, 1) : NULL;

	if (copy && size)
		memcpy(copy, text, size);
	return copy;
}

void arena__free(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *older = arena->chunks->older;

		free(arena->chunks);
		arena->chunks = older;
	}
	*arena = (struct arena){ 0 };
}
