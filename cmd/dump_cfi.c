// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_cfi.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfi/check.h"
#include "cfi/machine.h"
#include "cfi/repair.h"

/* Code may end in padding that nobody runs. */
#define PADDING 16u

/* What comes of a problem. A table that can't be read is as good as none. */
static const char *effect_of(const char *kind)
{
	static const struct {
		const char *kind, *effect;
	} effects[] = {
		{ "cfi.wrong-cfa", "perf looks for the caller at another place of the stack: the "
				   "chain ends here or goes on wrongly" },
		{ "cfi.wrong-return-address", "perf takes something else for the caller: the chain "
					      "ends here or goes on wrongly" },
		{ "cfi.wrong-register", "the chain breaks further up, where a caller's frame is "
					"found by this register" },
		{ "cfi.wrong-signing", "the return address is read with its authentication code, "
				       "or without one that is part of it: no caller is found" },
		{ "cfi.short-range", "in a sample behind the range the chain ends here" },
	};

	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (strcmp(effects[i].kind, kind) == 0)
			return effects[i].effect;
	return "perf finds no row for this function: chains end here, or go on by frame pointers";
}

static bool add_problem(struct dump_cfi *cfi, enum diag_level level, const char *kind, uint64_t pc,
			const char *text)
{
	struct cfi_problem problem = { level, kind, pc, strdup(text), effect_of(kind) };

	if (problem.text && array__push(&cfi->problems, problem))
		return true;
	free(problem.text);
	return false;
}

/* What reading a table has to say goes with the function, not to where it is printed now. */
static void keep(void *context, const struct diag_message *message)
{
	add_problem(context, message->level, message->kind, 0, message->text);
}

__attribute__((format(printf, 3, 4))) static void judge(struct dump_cfi *cfi, const char *verdict,
							const char *format, ...)
{
	va_list args;

	cfi->verdict = verdict;
	va_start(args, format);
	vsnprintf(cfi->words, sizeof(cfi->words), format, args);
	va_end(args);
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
			     "at 0x%llx",
			     (unsigned long long)fde->offset, (unsigned long long)fde->addr,
			     (unsigned long long)code->addr);
	} else if (!fde) {
		diag__report(diag, DIAG_WARNING, "cfi.no-fde", NULL, DIAG_NO_OFFSET,
			     "none of the %zu FDEs is for this function", table->fdes.count);
	} else if (fde->size + PADDING <= code->size) {
		diag__report(diag, DIAG_WARNING, "cfi.short-range", NULL, fde->offset,
			     "the FDE covers %llu of %llu bytes of code",
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

/*
 * Code that does not return may be jumped to: then the table's first row is what holds at entry, if
 * the code agrees with it. Checks anew where that is so.
 */
static int try_jumped_to(struct dump_cfi *cfi, struct cfi_check *check, bool *jumped_to,
			 const struct code_record *code, const struct cfi_target *target,
			 struct cfi_track_options *options)
{
	const struct cfi_producer producer = {
		.eh_frame = code->unwind->eh_frame,
		.eh_frame_hdr = code->unwind->eh_frame_hdr,
		.eh_frame_addr = table_addr(code),
		.code = code->code,
		.addr = code->addr,
	};
	struct cfi_check of_repair = { .nr_agree = 0 };
	struct cfi_repair repair;
	int err = 0;

	if (code->unwind->shared || !cfi->rows.rows.count || cfi->problems.count)
		return 0;
	err = cfi__repair(&repair, &of_repair, &producer, target, options);
	cfi_check__free(&of_repair);
	if (err || !repair.jumped_to)
		return err;
	*jumped_to = true;
	options->entry = cfi_rows__find(&cfi->rows, code->addr);
	cfi_check__free(check);
	*check = (struct cfi_check){ .nr_agree = 0 };
	return cfi_check__rows(check, &cfi->rows, code->code, code->addr, target, options);
}

static void conclude_check(struct dump_cfi *cfi, const struct cfi_check *check, bool jumped_to)
{
	uint64_t all =
		check->nr_agree + check->nr_wrong + check->nr_undecided + check->nr_uncovered;

	if (cfi->problems.count && !check->nr_wrong && !check->nr_uncovered)
		judge(cfi, "disagrees",
		      "has rows that fit the code, but perf does not get at them");
	else if (cfi->problems.count)
		judge(cfi, "disagrees",
		      "does not fit the code: of %" PRIu64 " bytes %" PRIu64
		      " have wrong rows, %" PRIu64 " have none",
		      all, check->nr_wrong, check->nr_uncovered);
	else if (check->nr_undecided || check->nr_uncovered)
		judge(cfi, "undecided",
		      "agrees with the code at %" PRIu64 " of %" PRIu64 " bytes; %" PRIu64
		      " can't be decided, %" PRIu64 " have no row",
		      check->nr_agree, all, check->nr_undecided, check->nr_uncovered);
	else
		judge(cfi, "agrees", "agrees with the code at all %" PRIu64 " bytes%s", all,
		      jumped_to ? ", which is jumped to, in the frame that the first row tells of"
				: "");
}

/* Once rows were held against the code, which came to err. check is not needed any more. */
static int conclude(struct dump_cfi *cfi, int err, struct cfi_check *check, bool jumped_to)
{
	array__for_each(finding, &check->findings)
		if (!add_problem(cfi, DIAG_WARNING, finding->kind, finding->pc, finding->text))
			err = -ENOMEM;
	if (!err)
		conclude_check(cfi, check, jumped_to);
	else if (cfi->problems.count)
		judge(cfi, "disagrees", "does not fit the code");
	else
		judge(cfi, "unchecked",
		      "can be read; code of this machine can't be followed here, "
		      "to hold its rows against it");
	cfi_check__free(check);
	return err == -ENOTSUP ? 0 : err;
}

int dump_cfi__of_function(struct dump_cfi *cfi, const struct code_record *code,
			  const struct cfi_target *target, struct disassembler *disassembler)
{
	struct cfi_track_options options = { .disassembler = disassembler };
	struct cfi_check check = { .nr_agree = 0 };
	bool jumped_to = false;
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
	if (err)
		return err;
	err = cfi_check__rows(&check, &cfi->rows, code->code, code->addr, target, &options);
	if (!err && check.nr_wrong)
		err = try_jumped_to(cfi, &check, &jumped_to, code, target, &options);
	return conclude(cfi, err, &check, jumped_to);
}

/* The first FDE that may reach into addr. */
static size_t first_fde(const struct cfi_table *table, uint64_t addr)
{
	size_t count = array__count_leading(fde, &table->fdes, fde->addr <= addr);

	return count ? count - 1 : 0;
}

static int add_fdes(struct dump_cfi *cfi, const struct cfi_table *table, uint64_t addr,
		    uint64_t end, const struct cfi_target *target)
{
	struct diag *diag = diag__new(keep, cfi);
	int err = diag ? 0 : -ENOMEM;

	for (size_t i = first_fde(table, addr); !err && i < table->fdes.count; i++) {
		const struct cfi_fde *fde = &table->fdes.items[i];

		if (fde->addr >= end)
			break;
		if (fde->addr + fde->size > addr)
			err = add_rows(cfi, diag, table, fde, fde->addr, target);
	}
	diag__free(diag);
	return err;
}

/* Whether a row says that there is no caller, as that of _start does. */
static bool is_outermost(const struct cfi_row *row, const struct cfi_target *target)
{
	const struct cfi_machine *machine = cfi_machine__of(target);

	return machine && row->registers[machine->ra].kind == CFI_RULE_UNDEFINED;
}

int dump_cfi__of_table(struct dump_cfi *cfi, const struct cfi_table *table, struct bytes code,
		       uint64_t addr, bool is_part, const struct cfi_target *target,
		       struct disassembler *disassembler)
{
	struct cfi_track_options options = { .disassembler = disassembler };
	struct cfi_check check = { .nr_agree = 0 };
	int err = add_fdes(cfi, table, addr, addr + code.size, target);
	const struct cfi_row *entry = cfi_rows__find(&cfi->rows, addr);

	if (err)
		return err;
	if (!cfi->rows.rows.count && !cfi->problems.count) {
		judge(cfi, "none", "has no FDE for this function");
		return 0;
	}
	if (entry && is_outermost(entry, target)) {
		judge(cfi, "unchecked", "says that this function has no caller");
		return 0;
	}
	options.entry = is_part ? entry : NULL;
	err = cfi_check__rows(&check, &cfi->rows, code, addr, target, &options);
	return conclude(cfi, err, &check, false);
}

void dump_cfi__free(struct dump_cfi *cfi)
{
	array__for_each(problem, &cfi->problems)
		free(problem->text);
	array__free(&cfi->problems);
	cfi_rows__free(&cfi->rows);
}
