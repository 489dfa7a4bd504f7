/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How well samples resolve and unwind, in numbers. */
#ifndef PERFJIT_CHECK_COUNTS_H
#define PERFJIT_CHECK_COUNTS_H

#include <stdint.h>

#include "check/reason.h"

/*
 * Frames are those of user space: the sample's own address and its callers; the kernel's are
 * counted apart. JIT code is what a jitdump or perf map describes, and executable memory that is no
 * file.
 */
struct check_counts {
	uint64_t samples;
	uint64_t jit_samples, jit_samples_named; /* whose own address is in JIT code */
	uint64_t frames, frames_named;
	uint64_t jit_frames, jit_frames_named;
	uint64_t kernel_frames, kernel_frames_named;
	uint64_t chains;           /* samples with a user call chain, recorded or to be unwound */
	uint64_t ends[CHECK_ENDS]; /* of the chains; ends[CHECK_COMPLETE] are complete */
	uint64_t reasons[CHECK_REASONS];     /* of unnamed frames, the kernel's too */
	uint64_t jit_reasons[CHECK_REASONS]; /* of those in JIT code */
};

/* Per cent; 100 of nothing. */
static inline double check__percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

/* Adds to all numbers of sum those of more. */
void check_counts__add(struct check_counts *sum, const struct check_counts *more);

#endif
