// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/runtime.h"

#include "codemap/codemap.h"
#include "fix/host_frame.h"
#include "fix/hotspot.h"
#include "fix/outlines.h"

/* The row that holds where the JIT code goes back into its program. */
static bool read_host(struct runtime *runtime, struct plan *plan, uint64_t exit,
		      const struct cfi_target *target)
{
	const struct mapping *mapping = process__mapping(runtime->process, exit, CODE_FOREVER - 1);
	const struct dso_outline *program =
		mapping && mapping->file ? plan__outline(plan, mapping->name, target) : NULL;
	uint64_t vaddr;

	return program &&
	       dso_outline__vaddr(program, target->order, exit - mapping->start + mapping->pgoff,
				  &vaddr) &&
	       host_frame__read(&runtime->host, program, vaddr, target);
}

void runtime__find(struct runtime *runtime, struct plan *plan, const struct process *process,
		   const struct cfi_target *target)
{
	uint64_t exit = 0;

	*runtime = (struct runtime){ .process = process };
	for (size_t i = 0; process->codemap && i < codemap__count(process->codemap); i++) {
		const struct code_record *record = codemap__at(process->codemap, i)->record;

		runtime->hotspot |= hotspot__is_its_own(record);
		if (!exit)
			exit = host_frame__exit(record);
	}
	runtime->has_host = exit && read_host(runtime, plan, exit, target);
}
