/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of many mappings, each over what was there before, is the newest at an address. */
#ifndef PERFJIT_CODEMAP_MAPPINGS_H
#define PERFJIT_CODEMAP_MAPPINGS_H

#include "codemap/process.h"

struct mapping_index;

struct mapping_index *mapping_index__new(void);
void mapping_index__free(struct mapping_index *index);

/* Mappings from position at on are not what they were. */
void mapping_index__forget(struct mapping_index *index, size_t at);

/* Enters all mappings now: look-ups change nothing any more until there are others. */
void mapping_index__settle(struct mapping_index *index, const struct mapping *mappings,
			   size_t count);

/*
 * The last of the first visible of count mappings that covers addr, or NULL. Mappings are to be
 * those of the last call and more.
 */
const struct mapping *mapping_index__find(struct mapping_index *index,
					  const struct mapping *mappings, size_t count,
					  size_t visible, uint64_t addr);

#endif
