/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code map members made into what a DSO holds: with the CFI that is theirs. */
#ifndef PERFJIT_FIX_FUNCTION_H
#define PERFJIT_FIX_FUNCTION_H

#include "base/array.h"
#include "cfi/cfi.h"
#include "dso/dso.h"
#include "fix/region.h"
#include "fix/synthesis.h"

struct diag;
struct runtime;

/* CFI of several functions in one record, read once. */
struct shared_cfi {
	const struct code_unwind *unwind;
	struct cfi_table table;
};

/* Where CFI may be from. */
enum function_cfi_source {
	FUNCTION_CFI_AUTO, /* the producer's; else what the code shows; else the frame pointer */
	FUNCTION_CFI_PRODUCER, /* the producer's alone */
	FUNCTION_CFI_SYNTH,    /* what the code shows, whatever the producer wrote */
	FUNCTION_CFI_NONE,
};

/* What was made of a runtime's own table of one function. */
struct own_cfi {
	struct bytes eh_frame, code;
	uint64_t distance; /* from code to CFI, bytes */
	const struct cfi_cie *cie;
	struct bytes instructions;
	bool checked; /* against the code */
	bool repaired;
};

struct own_cfi_checked;

/* Where a function's CFI is from. */
enum function_origin {
	FUNCTION_PRODUCER,      /* as the producer wrote it */
	FUNCTION_REPAIRED,      /* the producer's, encoded wrongly, put right */
	FUNCTION_SYNTHESISED,   /* what the code shows */
	FUNCTION_FRAME_POINTER, /* the code keeps one */
	FUNCTION_NO_CFI,        /* there is none */
	FUNCTION_UNNEEDED,      /* none, as no sample can be of a chain through it */
	FUNCTION_ORIGINS,
};

struct functions {
	struct diag *diag;
	enum function_cfi_source source;
	bool unwinds;         /* readers will unwind by CFI: it is worth the work to follow code */
	bool without_pruning; /* through any function, not just those that samples refer to */
	bool without_frame_pointer_rule, without_synthesis;
	struct synthesis synthesis;
	struct disassembler *disassembler; /* that tables are held against their code with */
	uint64_t nr_checked;               /* tables held against their code */
	ARRAY(struct cfi_cie *) cies;      /* each different one once */
	ARRAY(struct shared_cfi *) shared;
	struct own_cfi last; /* runtimes write the same CFI for function after function */
	struct own_cfi_checked *checked; /* each different one once, by code and table */
	ARRAY(uint8_t *) blocks;         /* rows made here; the last block has room */
	size_t block_used;
	uint64_t by_origin[FUNCTION_ORIGINS]; /* functions made */
};

/* The CFI of a DSO's functions, by address. What it points to lives until functions__free. */
struct function_cfi {
	ARRAY(struct cfi_entry) entries;
	ARRAY(uint8_t) origins; /* enum function_origin of each function */
};

/* What functions of one process have in common. */
struct function_context {
	const struct cfi_target *target;
	const char *file;              /* their dump, for reports */
	const struct runtime *runtime; /* or NULL */
};

/*
 * Whether a function's code will be followed where readers unwind, to make its rows or to hold its
 * producer's against it: that costs time, and is done only for members that want CFI.
 */
bool functions__follow(const struct functions *functions, const struct code_record *record);

/* Makes one function of a member, appends the CFI that is its and the origin. 0 or -ENOMEM. */
int functions__make(struct functions *functions, const struct member *member,
		    const struct function_context *context, struct dso_function *function,
		    struct function_cfi *cfi);
void functions__free(struct functions *functions);

#endif
