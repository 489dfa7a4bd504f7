/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which runtime's code a process runs, where that says something about frames. */
#ifndef PERFJIT_FIX_RUNTIME_H
#define PERFJIT_FIX_RUNTIME_H

#include "cfi/row.h"
#include "fix/plan.h"

struct runtime {
	const struct process *process;
	bool hotspot;  /* the Java virtual machine, see hotspot.h */
	bool has_host; /* code runs in the frame of the program, see host_frame.h */
	struct cfi_row host;
};

/* Fills runtime by the process' code map. */
void runtime__find(struct runtime *runtime, struct plan *plan, const struct process *process,
		   const struct cfi_target *target);

#endif
