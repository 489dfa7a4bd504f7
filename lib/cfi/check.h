/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks call frame information: its rows against what the code does, and its encoding against what
 * readers of .eh_frame take it for.
 */
#ifndef PERFJIT_CFI_CHECK_H
#define PERFJIT_CFI_CHECK_H

#include "cfi/row.h"
#include "cfi/track.h"

/* Something that is wrong with a table, said for people and machines. */
struct cfi_finding {
	const char *kind; /* stable word, "cfi.wrong-cfa" */
	uint64_t pc;   /* first instruction it concerns; of the encoding: the FDE's first address */
	uint64_t size; /* bytes of code in a row that have the same fault; 0: the whole table */
	uint64_t offset; /* of the encoding: where in .eh_frame or .eh_frame_hdr, bytes */
	bool harmless;   /* no reader of today stumbles over it */
	char says[64];   /* what the table says: "CFA = rsp+8" */
	char does[64];   /* what holds: "CFA = rsp+16" */
	char text[256];  /* both in a sentence */
};

/* Zero-initialise. */
struct cfi_check {
	ARRAY(struct cfi_finding) findings;
	/* bytes of code whose rows were looked at, fillers apart, and what became of that */
	uint64_t nr_agree;     /* CFA, return address and saved registers are as the code shows */
	uint64_t nr_wrong;     /* something is not */
	uint64_t nr_undecided; /* what the code does is not known, or not whether it is the same */
	uint64_t nr_uncovered; /* there is no row */
};

void cfi_check__free(struct cfi_check *check);

/*
 * Holds rows against the code at addr. A register is at fault only where the caller's value is
 * lost by it: a row may well name the saved copy of a register that was restored. 0, -ENOMEM or
 * -ENOTSUP (see cfi__track).
 */
int cfi_check__rows(struct cfi_check *check, const struct cfi_rows *rows, struct bytes code,
		    uint64_t addr, const struct cfi_target *target,
		    const struct cfi_track_options *options);

/*
 * A producer's table for one function, as in a jitdump's unwinding record: .eh_frame and right
 * behind it .eh_frame_hdr.
 */
struct cfi_producer {
	struct bytes eh_frame;
	struct bytes eh_frame_hdr;
	uint64_t eh_frame_addr; /* where readers put it: the next multiple of 8 behind the code */
	struct bytes code;
	uint64_t addr; /* of the code */
};

/* Whether the table does what it is for: none of the findings matters. */
bool cfi_check__sound(const struct cfi_check *check);

/* What came out, in words: "agrees with the code". */
const char *cfi_check__verdict(const struct cfi_check *check);

/* A rule in short: "CFA = rsp+16", "rbx at CFA-24", "ra in x30"; name is of the register or "CFA".
 */
void cfi_rule__print(char *text, size_t size, const char *name, const struct cfi_rule *rule,
		     const struct cfi_target *target);

#endif
