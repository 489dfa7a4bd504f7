// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a table was meant to say is found by trying: each part of the CIE as it is and as it is
 * usual, until the code agrees. The fewest changes come first.
 */
#include "cfi/repair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cfi/instructions.h"
#include "cfi/lenient.h"
#include "cfi/machine.h"

enum change {
	CHANGE_CODE_ALIGN = 1,
	CHANGE_DATA_ALIGN = 2,
	CHANGE_RA_REGISTER = 4,
	CHANGE_INITIAL_RULES = 8,
	NR_CHANGES = 4,
};

struct repairer {
	struct cfi_repair *repair;
	struct cfi_check *check;
	const struct cfi_producer *producer;
	const struct cfi_target *target;
	const struct cfi_track_options *options;
	const struct cfi_machine *machine;
	struct lenient lenient;
};

static struct cfi_cie changed_cie(const struct repairer *repairer, unsigned int changes)
{
	const struct cfi_cie *usual = &repairer->machine->cie;
	struct cfi_cie cie = repairer->lenient.cie;

	if (changes & CHANGE_CODE_ALIGN)
		cie.code_align = usual->code_align;
	if (changes & CHANGE_DATA_ALIGN)
		cie.data_align = usual->data_align;
	if (changes & CHANGE_RA_REGISTER)
		cie.ra_register = usual->ra_register;
	if (changes & CHANGE_INITIAL_RULES)
		cie.instructions = usual->instructions;
	return cie;
}

/* Whether a change is none, as the part is as usual anyway. */
static bool is_idle(const struct repairer *repairer, unsigned int changes)
{
	const struct cfi_cie *is = &repairer->lenient.cie, *usual = &repairer->machine->cie;

	return (changes & CHANGE_CODE_ALIGN && is->code_align == usual->code_align) ||
	       (changes & CHANGE_DATA_ALIGN && is->data_align == usual->data_align) ||
	       (changes & CHANGE_RA_REGISTER && is->ra_register == usual->ra_register);
}

/*
 * Checks the rows of a CIE so changed. check gets the findings; rows that can't be made at all are
 * one of them. The return address is looked for in the machine's column, and a CIE that names
 * another one is at fault whatever its rows.
 */
static int try_cie(const struct repairer *repairer, const struct cfi_cie *cie,
		   struct cfi_check *check)
{
	const struct cfi_entry entry = { cie, repairer->lenient.instructions,
					 repairer->producer->addr, repairer->producer->code.size };
	struct cfi_finding finding = { .kind = "cfi.bad-instructions", .pc = entry.addr };
	struct cfi_rows rows = { 0 };
	const char *problem = NULL;
	int err;

	err = cfi_rows__of_entry(&rows, &entry, repairer->target, CFI_PRODUCER, &problem);
	if (!err)
		err = cfi_check__rows(check, &rows, repairer->producer->code, entry.addr,
				      repairer->target, repairer->options);
	cfi_rows__free(&rows);
	if (err != -EBADMSG)
		return err == -ENOTSUP ? 0 : err;
	snprintf(finding.text, sizeof(finding.text), "the instructions can't be followed: %s",
		 problem);
	check->nr_wrong++;
	return array__push(&check->findings, finding) ? 0 : -ENOMEM;
}

static int report(struct repairer *repairer, const char *kind, const char *what, int64_t says,
		  int64_t does)
{
	struct cfi_finding finding = { .kind = kind, .pc = repairer->producer->addr };

	snprintf(finding.says, sizeof(finding.says), "%" PRId64, says);
	snprintf(finding.does, sizeof(finding.does), "%" PRId64, does);
	snprintf(finding.text, sizeof(finding.text),
		 "%s is %" PRId64 ", but the code agrees with the table only if it is %" PRId64,
		 what, says, does);
	return array__push(&repairer->check->findings, finding) ? 0 : -ENOMEM;
}

static int report_changes(struct repairer *repairer, unsigned int changes)
{
	const struct cfi_cie *is = &repairer->lenient.cie, *usual = &repairer->machine->cie;
	struct cfi_finding initial = {
		.kind = "cfi.wrong-initial-rules",
		.pc = repairer->producer->addr,
		.text = "the CIE's rules do not hold at the code's first instruction",
	};
	int err = 0;

	if (changes & CHANGE_CODE_ALIGN)
		err = report(repairer, "cfi.wrong-code-alignment", "the code alignment factor",
			     (int64_t)is->code_align, (int64_t)usual->code_align);
	if (!err && changes & CHANGE_DATA_ALIGN)
		err = report(repairer, "cfi.wrong-data-alignment", "the data alignment factor",
			     is->data_align, usual->data_align);
	if (!err && changes & CHANGE_RA_REGISTER)
		err = report(repairer, "cfi.wrong-return-register", "the return address's register",
			     (int64_t)is->ra_register, (int64_t)usual->ra_register);
	if (!err && changes & CHANGE_INITIAL_RULES &&
	    !array__push(&repairer->check->findings, initial))
		err = -ENOMEM;
	return err;
}

static bool agrees(const struct repairer *repairer, const struct cfi_check *check,
		   const struct cfi_cie *cie)
{
	return check->nr_agree && !check->nr_wrong && !check->nr_uncovered &&
	       cie->ra_register == repairer->machine->ra;
}

static void take(struct repairer *repairer, const struct cfi_cie *cie, unsigned int changes)
{
	struct cfi_repair *repair = repairer->repair;

	repair->usable = true;
	repair->cie = *cie;
	repair->instructions = repairer->lenient.instructions;
	repair->changed = changes || !cfi_check__sound(repairer->check);
}

/* Adds what one trial found. */
static int take_check(struct cfi_check *check, const struct cfi_check *trial)
{
	check->nr_agree += trial->nr_agree;
	check->nr_wrong += trial->nr_wrong;
	check->nr_undecided += trial->nr_undecided;
	check->nr_uncovered += trial->nr_uncovered;
	array__for_each(finding, &trial->findings)
		if (!array__push(&check->findings, *finding))
			return -ENOMEM;
	return 0;
}

/* 1 when the code agrees with the table once it is so changed. */
static int try_changes(struct repairer *repairer, unsigned int changes)
{
	struct cfi_cie cie = changed_cie(repairer, changes);
	struct cfi_check trial = { 0 };
	int err = try_cie(repairer, &cie, &trial);

	if (!err && agrees(repairer, &trial, &cie)) {
		take(repairer, &cie, changes);
		repairer->repair->checked = true;
		err = report_changes(repairer, changes);
		if (!err)
			err = take_check(repairer->check, &trial);
		if (!err)
			err = 1;
	}
	cfi_check__free(&trial);
	return err;
}

/* Whether a row may hold where code is jumped to, within the frame of what jumps. */
static bool is_within_frame(const struct cfi_row *row, const struct cfi_machine *machine)
{
	const struct cfi_rule *cfa = &row->cfa, *ra = &row->registers[machine->ra];

	if (cfa->kind != CFI_RULE_REGISTER || ra->kind != CFI_RULE_OFFSET)
		return false;
	/* vector registers and the return address's column hold no frame's address */
	if (cfa->reg >= CFI_ROW_REGISTERS || !machine->names[cfa->reg] || cfa->reg == machine->ra)
		return false;
	return machine->entry_offset ? ra->offset == -machine->entry_offset
				     : ra->offset < 0 && ra->offset % machine->word == 0;
}

/*
 * Code that does not return may be jumped to (a trace, a block, a cold part): what its first row
 * says then holds at entry, and the rest is held against that. Replaces the trial if it agrees.
 */
static int try_jumped_to(struct repairer *repairer, struct cfi_check *trial)
{
	const struct cfi_entry entry = { &repairer->lenient.cie, repairer->lenient.instructions,
					 repairer->producer->addr, repairer->producer->code.size };
	struct cfi_track_options options = { 0 };
	struct repairer other = *repairer;
	struct cfi_check check = { 0 };
	struct cfi_rows rows = { 0 };
	int err;

	if (repairer->options)
		options = *repairer->options;
	err = cfi_rows__of_entry(&rows, &entry, repairer->target, CFI_PRODUCER, NULL);
	if (!err && rows.rows.count && !options.entry &&
	    is_within_frame(&rows.rows.items[0], repairer->machine)) {
		options.entry = &rows.rows.items[0];
		other.options = &options;
		err = try_cie(&other, entry.cie, &check);
		if (!err && agrees(repairer, &check, entry.cie)) {
			struct cfi_check replaced = *trial;

			*trial = check;
			check = replaced;
			take(repairer, entry.cie, 0);
			repairer->repair->checked = true;
			repairer->repair->jumped_to = true;
		}
	}
	cfi_check__free(&check);
	cfi_rows__free(&rows);
	return err == -EBADMSG ? 0 : err;
}

/* No change makes the code agree: what the table says as it is. */
static int give_up(struct repairer *repairer)
{
	struct cfi_check trial = { 0 };
	int err = try_cie(repairer, &repairer->lenient.cie, &trial);

	if (!err && trial.nr_wrong)
		err = try_jumped_to(repairer, &trial);
	/* where nothing could be looked at, the producer is believed */
	if (!err && !trial.nr_agree && !trial.nr_wrong &&
	    repairer->lenient.cie.ra_register == repairer->machine->ra)
		take(repairer, &repairer->lenient.cie, 0);
	if (!err)
		err = take_check(repairer->check, &trial);
	cfi_check__free(&trial);
	return err;
}

static int search(struct repairer *repairer)
{
	int found = 0;

	for (int nr = 0; nr <= NR_CHANGES && !found; nr++)
		for (unsigned int changes = 0; changes < 1u << NR_CHANGES && !found; changes++)
			if (__builtin_popcount(changes) == nr && !is_idle(repairer, changes))
				found = try_changes(repairer, changes);
	if (found)
		return found < 0 ? found : 0;
	return give_up(repairer);
}

int cfi__repair(struct cfi_repair *repair, struct cfi_check *check,
		const struct cfi_producer *producer, const struct cfi_target *target,
		const struct cfi_track_options *options)
{
	struct repairer repairer = { .repair = repair,
				     .check = check,
				     .producer = producer,
				     .target = target,
				     .options = options,
				     .machine = cfi_machine__of(target) };
	size_t at;
	int err;

	*repair = (struct cfi_repair){ 0 };
	err = lenient__read(&repairer.lenient, check, producer, target);
	if (err || !repairer.lenient.found)
		return err;
	/* padding has no part in the instructions; damage is found by trying */
	cfi__check_instructions(&repairer.lenient.instructions, &at);
	cfi__check_instructions(&repairer.lenient.cie.instructions, &at);
	if (!repairer.machine) {
		repair->usable = cfi_check__sound(check);
		repair->cie = repairer.lenient.cie;
		repair->instructions = repairer.lenient.instructions;
		return 0;
	}
	return search(&repairer);
}
