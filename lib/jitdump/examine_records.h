/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What files of the examination share; not for others. */
#ifndef PERFJIT_JITDUMP_EXAMINE_RECORDS_H
#define PERFJIT_JITDUMP_EXAMINE_RECORDS_H

#include "jitdump/examine.h"

/* What is kept of a LOAD until all are known. */
struct examined_load {
	uint64_t addr, size, time, index;
	uint64_t mapped_size; /* of its own unwind data */
	uint64_t offset;
	uint64_t hash; /* of its code */
};

struct examined_loads {
	ARRAY(struct examined_load) list;
};

/* Walks over the records once more: what the reader takes as it is and yet is odd. 0, -ENOMEM. */
int examine_records(struct jitdump_examination *ex);
/* What functions are to each other: repeated, of equal code, at one address. Sorts them. */
void examine_code(struct jitdump_examination *ex, struct examined_loads *loads);
/* Who writes such names and headers, or NULL. */
const char *examine__producer(const struct jitdump_header *header, const char *name);

#endif
