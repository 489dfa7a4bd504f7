/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A producer's table of one function read for what it was meant to say, whatever is wrong with its
 * encoding, and each thing that is wrong with it. read.h is for tables that are to be believed.
 */
#ifndef PERFJIT_CFI_LENIENT_H
#define PERFJIT_CFI_LENIENT_H

#include "cfi/check.h"

struct lenient {
	struct cfi_cie cie;
	struct bytes instructions; /* of the FDE */
	bool found;                /* both are there */
};

/* Reads it and adds what is wrong to check. 0 or -ENOMEM. */
int lenient__read(struct lenient *lenient, struct cfi_check *check,
		  const struct cfi_producer *producer, const struct cfi_target *target);

#endif
