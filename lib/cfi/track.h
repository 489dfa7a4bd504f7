/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows stack pointer, frame pointer and saved registers through a function's instructions, over
 * all paths, and says by rows what holds in front of each one. Built on what the ABI says about
 * calls (callee-saved registers and the stack pointer come back as they went), and on that a
 * function does not write over its own saved registers through pointers. What can't be shown is
 * left undecided, with the reason.
 */
#ifndef PERFJIT_CFI_TRACK_H
#define PERFJIT_CFI_TRACK_H

#include "cfi/row.h"

/* A stretch of the function's code. */
struct cfi_code {
	struct bytes bytes;
	uint64_t addr;
};

struct disassembler;

/* All zero: the ABI's word and nothing else. */
struct cfi_track_options {
	/* One of the code's machine, for those who follow much code; NULL: one is made. */
	struct disassembler *disassembler;
	/*
	 * The producer promises that all code keeps a frame pointer: where code can't be followed,
	 * rows say CFA = fp + 16, with origin CFI_FRAME_POINTER.
	 */
	bool frame_pointer;
	/*
	 * The producer's frames have one size between prologue and epilogue (JVM): code that no
	 * path reaches (exception and deoptimisation stubs) has the row that holds at all calls, if
	 * they agree.
	 */
	bool fixed_frame;
	/* What calls leave alone, mask by DWARF number; 0: the ABI's callee-saved registers. */
	uint64_t preserved;
	/* The state at the code's first byte if it is not that behind a call; or NULL. */
	const struct cfi_row *entry;
	/*
	 * Addresses that are entered in a way not seen in the code (landing pads, second entries),
	 * ascending: falling into them from a call proves nothing.
	 */
	const uint64_t *entries;
	size_t nr_entries;
	/* More parts of the function (cold ones), reached by jumps only. */
	const struct cfi_code *parts;
	size_t nr_parts;
	/* Reads constant data outside the code (jump tables); false: not known. Or NULL. */
	bool (*read)(void *context, uint64_t addr, void *data, size_t size);
	void *context;
};

enum cfi_undecided_reason {
	CFI_UNREACHED,           /* no path that can be followed leads there */
	CFI_NO_INSTRUCTION,      /* the bytes are no instruction, or one overlaps another */
	CFI_STACK_LOST,          /* an instruction sets the stack pointer to what is not known */
	CFI_PATHS_DIFFER,        /* paths meet there with different stack pointers */
	CFI_RETURN_ADDRESS_LOST, /* the return address is not where it is known to be */
	CFI_BAD_RETURN,          /* a return elsewhere in the code contradicts what was found */
	CFI_TOO_COMPLEX,         /* more paths, states or rows than will be looked at */
};

struct cfi_undecided {
	uint64_t addr, size;
	enum cfi_undecided_reason reason;
	uint64_t pc; /* of the instruction that is the reason; addr when there is none */
};

/* Zero-initialise. */
struct cfi_track_result {
	ARRAY(struct cfi_undecided) undecided; /* by address within each part */
};

/*
 * Whether code of the machine can be tracked: false for machines not known here, and for all in a
 * build without a disassembler.
 */
bool cfi__can_track(const struct cfi_target *target);

/*
 * Appends rows for what was found about the code at addr, by address: origin CFI_SYNTHESISED, or
 * CFI_FRAME_POINTER where that was promised and nothing else is known. Rows of options' parts
 * follow. Work and memory are bounded by the code's size. 0, -ENOMEM, or -ENOTSUP where
 * cfi__can_track says no, and for more than 64 MiB of code.
 */
int cfi__track(struct cfi_rows *rows, struct bytes code, uint64_t addr,
	       const struct cfi_target *target, const struct cfi_track_options *options,
	       struct cfi_track_result *result);
void cfi_track_result__free(struct cfi_track_result *result);

#endif
