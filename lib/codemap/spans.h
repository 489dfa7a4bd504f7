/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the one of many spans that covers a point. A span is a rectangle over addresses and
 * moments (times, or any other number that grows); no two of them overlap.
 *
 * In memory of O(spans), a look-up takes O(log n) in the usual case, that the span begins at the
 * last address where any begins, and O(log^2 n) in every other.
 */
#ifndef PERFJIT_CODEMAP_SPANS_H
#define PERFJIT_CODEMAP_SPANS_H

#include "base/array.h"
#include "base/bytes.h"

#define SPANS_NONE UINT32_MAX

struct span {
	uint64_t addr, addr_end;
	uint64_t from, to; /* moments; to exclusive */
	uint32_t id;       /* the user's */
};

/* A span that reaches over the beginnings of others; stands at the middle of those. */
struct span_crossing {
	uint64_t from;
	uint32_t middle, item; /* positions in the sorted spans, middle counted from 1 */
};

/* Zero-initialised, filled by spans__add, made ready by spans__build. */
struct spans {
	ARRAY(struct span) items;              /* by (addr, from) */
	ARRAY(struct span_crossing) crossings; /* by (middle, from) */
	uint32_t *at_middle; /* where those of a middle begin in crossings; if there are any */
	uint64_t low, high;  /* of all addresses that are covered */
};

/* Empty spans are left out. 0, or -ENOMEM, also when there would be UINT32_MAX of them. */
int spans__add(struct spans *spans, const struct span *span);
int spans__build(struct spans *spans);
void spans__free(struct spans *spans);

/* The id of the span that covers addr at the moment, or SPANS_NONE. */
uint32_t spans__find(const struct spans *spans, uint64_t addr, uint64_t moment);

#endif
