/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a code map is made of; private to the module. */
#ifndef PERFJIT_CODEMAP_MAP_H
#define PERFJIT_CODEMAP_MAP_H

#include "codemap/codemap.h"
#include "base/array.h"
#include "codemap/spans.h"

/* What a MOVE said of the code it moves; where to and when stands in the code of its serial. */
struct code_move {
	uint64_t from, index;
	uint32_t serial;
};

struct code_unmap {
	uint64_t time, addr, end;
	uint32_t serial;
};

/* From addr on, to the code's end or the next such place, the code was the first to be there. */
struct code_first {
	uint64_t addr;
	uint32_t code; /* position in codes */
};

struct codemap {
	ARRAY(struct code) codes; /* as fed; by (addr, load, serial) once finished */
	ARRAY(struct code_move) moves;
	ARRAY(struct code_unmap) unmaps;
	uint32_t serial; /* the next one */
	bool finished;
	size_t lost_moves;

	/* For look-ups, made by finish. */
	struct spans spans; /* the codes' places and times, ids are positions in codes */
	ARRAY(struct code_first) firsts; /* by addr */
};

#endif
