// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What reading a table has to say goes with the function, not to where it is printed now. */
static void keep(void *context, const struct diag_message *message)
{
	struct dump_cfi *cfi = context;
	struct cfi_problem problem = { message->level, message->kind, 0, strdup(message->text) };

	if (!problem.text || !array__push(&cfi->problems, problem))
		free(problem.text);
}

static void judge(struct dump_cfi *cfi, const char *verdict, const char *words)
{
	cfi->verdict = verdict;
	cfi->words = words;
}

static int add_rows(struct dump_cfi *cfi, struct diag *diag, const struct cfi_table *table,
		    const struct cfi_fde *fde, uint64_t addr, const struct cfi_target *target)
{
	struct cfi_entry entry = cfi_table__entry(table, fde);
	const char *problem = NULL;
	int err;

	entry.addr = addr;
	err = cfi_rows__of_entry(&cfi->rows, &entry, target, CFI_PRODUCER, &problem);
	if (err != -EBADMSG)
		return err;
	diag__report(diag, DIAG_WARNING, "cfi.bad-instructions", NULL, fde->offset,
		     "the FDE's instructions can't be followed: %s", problem ? problem : "damaged");
	return 0;
}

/*
 * Where perf puts the table: at the next multiple of 8 behind the code. Producers compute what is
 * relative to a place from that; a table for several functions holds absolute addresses.
 */
static uint64_t table_addr(const struct code_record *code)
{
	return code->unwind->shared ? 0 : code->addr + align_up(code->size, 8);
}

/* The FDE that is meant for the function, told where it is not the one that covers it. */
static const struct cfi_fde *find_fde(struct diag *diag, const struct cfi_table *table,
				      const struct code_record *code)
{
	const struct cfi_fde *fde = cfi_table__find(table, code->addr);

	if (!fde && table->fdes.count == 1) {
		fde = &table->fdes.items[0];
		diag__report(diag, DIAG_WARNING, "cfi.wrong-pc-begin", NULL, fde->offset,
			     "the FDE at byte %llu of .eh_frame says it is for 0x%llx; the code is "
			     "at 0x%llx: perf finds no row for it",
			     (unsigned long long)fde->offset, (unsigned long long)fde->addr,
			     (unsigned long long)code->addr);
	} else if (!fde) {
		diag__report(diag, DIAG_WARNING, "cfi.no-fde", NULL, DIAG_NO_OFFSET,
			     "none of the %zu FDEs is for this function", table->fdes.count);
	} else if (fde->size < code->size) {
		diag__report(diag, DIAG_WARNING, "cfi.short-range", NULL, fde->offset,
			     "the FDE covers %llu of %llu bytes of code: behind them perf finds no "
			     "row",
			     (unsigned long long)fde->size, (unsigned long long)code->size);
	}
	return fde;
}

static int read_function(struct dump_cfi *cfi, struct diag *diag, const struct code_record *code,
			 const struct cfi_target *target)
{
	struct cfi_table table = { 0 };
	const struct cfi_fde *fde = NULL;
	int err = cfi_table__read(&table, code->unwind->eh_frame, table_addr(code), target, NULL, 0,
				  diag);

	if (!err)
		fde = find_fde(diag, &table, code);
	if (fde)
		err = add_rows(cfi, diag, &table, fde,
			       fde->addr <= code->addr && code->addr - fde->addr < fde->size
				       ? fde->addr
				       : code->addr,
			       target);
	cfi_table__free(&table);
	return err;
}

/* Once rows and problems are there. */
static void conclude(struct dump_cfi *cfi)
{
	if (cfi->problems.count)
		judge(cfi, "disagrees", "the table does not fit the code");
	else
		judge(cfi, "unchecked",
		      "the table can be read; its rows were not compared with the "
		      "code");
}

int dump_cfi__of_function(struct dump_cfi *cfi, const struct code_record *code,
			  const struct cfi_target *target)
{
	struct diag *diag;
	int err;

	if (!code->unwind) {
		judge(cfi, "none",
		      "the dump has no unwind data for this function: perf unwinds "
		      "through it by frame pointers or not at all");
		return 0;
	}
	if (!code->unwind->eh_frame.size) {
		judge(cfi, "none",
		      "the unwind data is a search table without rows: perf unwinds "
		      "through this function by frame pointers or not at all");
		return 0;
	}
	diag = diag__new(keep, cfi);
	if (!diag)
		return -ENOMEM;
	err = read_function(cfi, diag, code, target);
	diag__free(diag);
	conclude(cfi);
	return err;
}

int dump_cfi__of_table(struct dump_cfi *cfi, const struct cfi_table *table, struct bytes code,
		       uint64_t addr, const struct cfi_target *target)
{
	struct diag *diag;
	int err = 0;
	bool any = false;

	diag = diag__new(keep, cfi);
	if (!diag)
		return -ENOMEM;
	array__for_each(fde, &table->fdes) {
		if (err || fde->addr >= addr + code.size)
			break;
		if (fde->addr + fde->size <= addr)
			continue;
		any = true;
		err = add_rows(cfi, diag, table, fde, fde->addr, target);
	}
	diag__free(diag);
	if (!any)
		judge(cfi, "none", "no FDE is for this function");
	else
		conclude(cfi);
	return err;
}

void dump_cfi__free(struct dump_cfi *cfi)
{
	array__for_each(problem, &cfi->problems)
		free(problem->text);
	array__free(&cfi->problems);
	cfi_rows__free(&cfi->rows);
}
