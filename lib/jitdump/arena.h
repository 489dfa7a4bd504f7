/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is released all at once: what is taken from it never moves and is never freed alone.
 */
#ifndef PERFJIT_JITDUMP_ARENA_H
#define PERFJIT_JITDUMP_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Zero-initialise. */
struct arena {
	struct arena_chunk *chunks; /* the newest first */
	size_t used;                /* bytes of the newest chunk */
	size_t next_size;           /* of the next chunk to be made */
};

/* count elements of size bytes, zeroed, aligned for any type; NULL: out of memory or overflow. */
void *arena__alloc(struct arena *arena, size_t count, size_t size);
/* A NUL-terminated copy of the first size bytes of text; NULL: out of memory. */
char *arena__text(struct arena *arena, const void *text, size_t size);
void arena__free(struct arena *arena);

#endif
