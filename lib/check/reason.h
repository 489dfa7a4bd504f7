/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a frame has no name and why a chain is not complete, and what to do about it. */
#ifndef PERFJIT_CHECK_REASON_H
#define PERFJIT_CHECK_REASON_H

#include <stddef.h>

struct check_recorded;
struct runtime;

enum check_reason {
	/* of JIT code */
	CHECK_NOT_FIXED,    /* a jitdump describes it, the profile maps no DSO for it */
	CHECK_NO_DUMP,      /* its process told perf of no jitdump, nor is there a perf map */
	CHECK_DUMP_MISSING, /* the jitdump that its process wrote is not found */
	CHECK_CLOCK,        /* the times of the jitdump fit in no way */
	CHECK_NO_RECORD,    /* there is a jitdump, it does not describe this code */
	CHECK_LOADED_LATER, /* its record is of a time behind the sample */
	CHECK_PERF_MAP,     /* a perf map alone names it */
	CHECK_HIDDEN,       /* a DSO was mapped for it, and another mapping over that */
	CHECK_WRONG_NAME,   /* its DSO gives it another name than the jitdump does */
	/* of any code */
	CHECK_DSO_MISSING,    /* the mapped file is not there */
	CHECK_DSO_UNREADABLE, /* it is there and is not to be read */
	CHECK_BUILD_ID,       /* it is another file than the one that ran */
	CHECK_NO_SYMBOL,      /* it has no symbol for this address */
	CHECK_NO_MAP,         /* nothing was mapped there */
	CHECK_KERNEL,         /* the kernel's code, without the kernel's symbols */
	CHECK_REASONS,
};

enum check_end {
	CHECK_COMPLETE,      /* reaches the function in which the thread began */
	CHECK_STACK_SHORT,   /* the copy of the stack ends before its callers */
	CHECK_NO_CFI,        /* no unwind data for the code, and no other way to its caller */
	CHECK_NO_FILE,       /* it can't be told: the file is not here, or not the one that ran */
	CHECK_BAD_CFI,       /* unwind data led to where no caller can be */
	CHECK_FRAME_POINTER, /* code without a frame pointer ended the kernel's walk */
	CHECK_BAKED,         /* perfjit-fix --unwind put it in the place of a stack, as far as it came */
	CHECK_LOST,          /* the record of the deferred user part is not there */
	CHECK_TOO_DEEP,      /* more frames than were asked for */
	CHECK_NO_REGISTERS,  /* the sample has no user registers */
	CHECK_ENDS,
};

/* Stable words for machines: "dump-missing", "stack-short". */
const char *check_reason__slug(enum check_reason reason);
const char *check_end__slug(enum check_end end);

/* What is so, in a few words without a full stop. */
const char *check_reason__text(enum check_reason reason);
const char *check_end__text(enum check_end end);

/*
 * What to do about it, one sentence without a full stop. runtime: the one concerned, or NULL.
 * Written to out; returns it.
 */
const char *check_reason__advice(enum check_reason reason, const struct runtime *runtime,
				 const struct check_recorded *recorded, char *out, size_t size);
const char *check_end__advice(enum check_end end, const struct runtime *runtime,
			      const struct check_recorded *recorded, char *out, size_t size);
/* perf record's option by which chains would not end like that; NULL: none is known. */
const char *check_end__chains(enum check_end end, const struct runtime *runtime,
			      const struct check_recorded *recorded);

#endif
