/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFI made from the code itself, for functions whose producer gave none: by following the stack
 * pointer, and by what is known of the runtime besides. Nothing is said of code of which nothing
 * can be shown.
 */
#ifndef PERFJIT_FIX_SYNTHESIS_H
#define PERFJIT_FIX_SYNTHESIS_H

#include "base/array.h"
#include "cfi/row.h"
#include "code/record.h"

/* An FDE of a function: rows without a gap. */
struct synthesis_piece {
	uint64_t offset, size; /* from the function's first byte */
	struct bytes instructions;
};

struct disassembler;
struct synthesis_body;

/* Zero-initialise. What was made lives until synthesis__free. */
struct synthesis {
	/* each different one once, by code; those of Java methods and of others apart */
	struct synthesis_body *bodies[2];
	ARRAY(struct synthesis_body *) all;
	struct disassembler *disassembler;
};

/* What is known of a function besides its code. */
struct synthesis_facts {
	bool hotspot;               /* it is code of the Java virtual machine */
	const struct cfi_row *host; /* the frame of the program that such code runs in, or NULL */
};

struct synthesis_result {
	const struct cfi_cie *cie;            /* of all pieces; NULL: the machine is not known */
	const struct synthesis_piece *pieces; /* by offset, disjoint */
	size_t nr_pieces;
};

/* Equal code is followed once, work grows with its size. 0 or -ENOMEM. */
int synthesis__make(struct synthesis *synthesis, const struct code_record *record,
		    const struct synthesis_facts *facts, const struct cfi_target *target,
		    struct synthesis_result *result);
void synthesis__free(struct synthesis *synthesis);

#endif
