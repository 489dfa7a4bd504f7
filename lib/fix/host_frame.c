// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/host_frame.h"

#include <stdlib.h>

#include "base/diag.h"
#include "cfi/machine.h"

/* Names of PHP's own stubs; functions and traces have others. */
#define STUB_LEAVES              "JIT$$trace_halt"
#define STUB_ENTERED_WITH_NUMBER "JIT$$trace_exit"

uint64_t host_frame__exit(const struct code_record *record)
{
	struct bytes code = record->code;

	/* jmp rel32, and nothing else */
	if (strcmp(record->name, STUB_LEAVES) != 0 || code.size != 5 || code.data[0] != 0xe9)
		return 0;
	return record->addr + 5 + (uint64_t)(int32_t)get_u32(code.data + 1, ORDER_LITTLE);
}

bool host_frame__read(struct cfi_row *row, const struct dso_outline *program, uint64_t vaddr,
		      const struct cfi_target *target)
{
	const struct cfi_machine *machine = cfi_machine__of(target);
	struct diag *silent = diag__new(NULL, NULL);
	struct bytes eh_frame = { program->map.bytes.data + program->eh_frame.offset,
				  program->eh_frame.size };
	struct cfi_table table = { 0 };
	struct cfi_rows rows = { 0 };
	const struct cfi_row *found = NULL;
	const struct cfi_fde *fde = NULL;

	if (machine && silent &&
	    cfi_table__read(&table, eh_frame, program->eh_frame.addr, target, "",
			    program->eh_frame.offset, silent) == 0)
		fde = cfi_table__find(&table, vaddr);
	if (fde) {
		struct cfi_entry entry = cfi_table__entry(&table, fde);

		if (cfi_rows__of_entry(&rows, &entry, target, CFI_PRODUCER, NULL) == 0)
			found = cfi_rows__find(&rows, vaddr);
	}
	if (found && found->cfa.kind == CFI_RULE_REGISTER && found->cfa.reg == machine->sp)
		*row = *found;
	else
		found = NULL;
	cfi_rows__free(&rows);
	cfi_table__free(&table);
	diag__free(silent);
	return found != NULL;
}

void host_frame__entry(struct cfi_row *row, const struct cfi_row *host,
		       const struct code_record *record, const struct cfi_target *target)
{
	*row = *host;
	row->addr = record->addr;
	row->size = 1;
	/* those who jump there have pushed the number of the exit */
	if (strcmp(record->name, STUB_ENTERED_WITH_NUMBER) == 0)
		row->cfa.offset += cfi_machine__of(target)->word;
}
