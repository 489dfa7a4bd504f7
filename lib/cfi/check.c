// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cfi/walk.h"

void cfi_check__free(struct cfi_check *check)
{
	array__free(&check->findings);
}

static const char *register_name(const struct cfi_target *target, uint16_t reg, char number[8])
{
	const struct cfi_machine *machine = cfi_machine__of(target);

	if (machine && reg < CFI_ROW_REGISTERS && machine->names[reg])
		return machine->names[reg];
	snprintf(number, 8, "r%u", reg);
	return number;
}

void cfi_rule__print(char *text, size_t size, const char *name, const struct cfi_rule *rule,
		     const struct cfi_target *target)
{
	bool is_cfa = strcmp(name, "CFA") == 0;
	char number[8];

	switch (rule->kind) {
	case CFI_RULE_UNSPECIFIED:
		snprintf(text, size, is_cfa ? "no %s" : "%s in place", name);
		break;
	case CFI_RULE_UNDEFINED:
		snprintf(text, size, "%s lost", name);
		break;
	case CFI_RULE_SAME:
		snprintf(text, size, "%s in place", name);
		break;
	case CFI_RULE_OFFSET:
		snprintf(text, size, "%s at CFA%+" PRId64, name, rule->offset);
		break;
	case CFI_RULE_VAL_OFFSET:
		snprintf(text, size, "%s = CFA%+" PRId64, name, rule->offset);
		break;
	case CFI_RULE_REGISTER:
		if (is_cfa)
			snprintf(text, size, "CFA = %s%+" PRId64,
				 register_name(target, rule->reg, number), rule->offset);
		else
			snprintf(text, size, "%s in %s", name,
				 register_name(target, rule->reg, number));
		break;
	case CFI_RULE_EXPRESSION:
		snprintf(text, size, is_cfa ? "%s by an expression" : "%s at an expression's place",
			 name);
		break;
	case CFI_RULE_VAL_EXPRESSION:
		snprintf(text, size, "%s by an expression", name);
		break;
	}
}

bool cfi_check__sound(const struct cfi_check *check)
{
	array__for_each(finding, &check->findings)
		if (!finding->harmless)
			return false;
	return true;
}

const char *cfi_check__verdict(const struct cfi_check *check)
{
	bool sound = cfi_check__sound(check);

	if (check->nr_wrong)
		return "disagrees with the code";
	if (!sound && check->nr_agree)
		return "agrees with the code, but is encoded wrongly";
	if (!sound)
		return "is encoded wrongly";
	return check->nr_agree ? "agrees with the code" : "can't be compared with the code";
}

#ifdef HAVE_CAPSTONE

struct checker {
	struct cfi_check *check;
	const struct cfi_rows *rows;
	const struct cfi_target *target;
	const struct cfi_machine *machine;
	struct cfi_rows scratch; /* of expressions at one instruction */
	struct cfi_row does;     /* what the code does; what cfi_state__row leaves alone is zero */
	const struct cfi_visit *at;
	int err;
};

enum agreement { AGREES, DISAGREES, UNDECIDED };

/* The same finding for the instruction right behind makes it longer. */
static void add(struct checker *checker, const struct cfi_finding *finding)
{
	size_t count = checker->check->findings.count;
	struct cfi_finding *last = count ? &checker->check->findings.items[count - 1] : NULL;

	if (last && last->kind == finding->kind && last->pc + last->size == finding->pc &&
	    strcmp(last->says, finding->says) == 0 && strcmp(last->does, finding->does) == 0)
		last->size += finding->size;
	else if (!array__push(&checker->check->findings, *finding))
		checker->err = -ENOMEM;
}

static void report(struct checker *checker, const char *kind, const char *name,
		   const struct cfi_rule *says, const struct cfi_rule *does)
{
	struct cfi_finding finding = { .kind = kind,
				       .pc = checker->at->pc,
				       .size = checker->at->size };

	cfi_rule__print(finding.says, sizeof(finding.says), name, says, checker->target);
	cfi_rule__print(finding.does, sizeof(finding.does), name, does, checker->target);
	snprintf(finding.text, sizeof(finding.text),
		 "at 0x%" PRIx64 " the row says %s, but by the code it is %s", finding.pc,
		 finding.says, finding.does);
	add(checker, &finding);
}

static enum agreement check_cfa(struct checker *checker, const struct cfi_row *says,
				const struct cfi_row *does, struct cfi_value *cfa)
{
	*cfa = cfi_state__cfa(checker->at->state, &says->cfa);
	if (cfa->kind == CFI_VALUE_ADDRESS && cfa->base == 0 && cfa->number == 0)
		return AGREES;
	if (cfa->kind == CFI_VALUE_UNKNOWN && says->cfa.kind == CFI_RULE_EXPRESSION)
		return UNDECIDED;
	if (cfa->kind == CFI_VALUE_ADDRESS && cfa->base != 0)
		return UNDECIDED;
	/* a register with the caller's value, a number, or what else happens to be in it */
	report(checker, "cfi.wrong-cfa", "CFA", &says->cfa, &does->cfa);
	return DISAGREES;
}

static bool is_entry(struct cfi_value value, uint16_t reg)
{
	return value.kind == CFI_VALUE_ENTRY && value.reg == reg;
}

/* Whether reg was saved and restored: compilers leave the row of its saved copy till the end. */
static bool was_saved(const struct cfi_state *state, uint16_t reg)
{
	for (uint32_t i = 0; i < state->nr_slots; i++)
		if (is_entry(state->slots[i].value, reg))
			return true;
	return false;
}

static enum agreement check_register(struct checker *checker, const struct cfi_row *says,
				     const struct cfi_row *does, uint16_t reg, struct cfi_value cfa)
{
	const struct cfi_rule *rule = &says->registers[reg], *truth = &does->registers[reg];
	struct cfi_value value = cfi_state__register(checker->at->state, reg, rule, cfa);
	bool is_ra = reg == checker->machine->ra;
	const char *name = is_ra ? "the return address" : checker->machine->names[reg];

	if (is_entry(value, reg))
		return AGREES;
	if (truth->kind == CFI_RULE_UNDEFINED)
		return is_ra ? UNDECIDED : AGREES;
	if (!is_ra && truth->kind == CFI_RULE_UNSPECIFIED && was_saved(checker->at->state, reg))
		return AGREES;
	report(checker, is_ra ? "cfi.wrong-return-address" : "cfi.wrong-register", name, rule,
	       truth);
	return DISAGREES;
}

static enum agreement check_row(struct checker *checker, const struct cfi_row *says,
				const struct cfi_row *does)
{
	enum agreement all, one;
	struct cfi_value cfa;

	/* the outermost frame (_start): there is no caller for a CFA to lead to */
	if (says->registers[checker->machine->ra].kind == CFI_RULE_UNDEFINED)
		return UNDECIDED;
	all = check_cfa(checker, says, does, &cfa);
	if (all != AGREES)
		return all;
	all = check_register(checker, says, does, checker->machine->ra, cfa);
	for (uint16_t i = 0; i < CFI_ROW_REGISTERS && all == AGREES; i++) {
		if (!(checker->machine->callee_saved >> i & 1))
			continue;
		one = check_register(checker, says, does, i, cfa);
		if (one != AGREES)
			all = one;
	}
	if (all == AGREES && says->ra_signed != does->ra_signed) {
		report(checker, "cfi.wrong-signing", says->ra_signed ? "signed ra" : "plain ra",
		       &says->registers[checker->machine->ra],
		       &does->registers[checker->machine->ra]);
		return DISAGREES;
	}
	return all;
}

static int visit(void *context, const struct cfi_visit *at)
{
	struct checker *checker = context;
	const struct cfi_row *says = cfi_rows__find(checker->rows, at->pc);
	struct cfi_undecided why = { 0 };
	int found;

	checker->at = at;
	if (at->padding)
		return 0;
	if (!at->state) {
		checker->check->nr_undecided += at->size;
		return 0;
	}
	if (!says) {
		checker->check->nr_uncovered += at->size;
		return 0;
	}
	cfi_rows__free(&checker->scratch);
	found = cfi_state__row(at->state, checker->machine->sp, &checker->scratch, &checker->does,
			       &why);
	if (found < 0)
		return found;
	if (!found) {
		checker->check->nr_undecided += at->size;
		return 0;
	}
	switch (check_row(checker, says, &checker->does)) {
	case AGREES:
		checker->check->nr_agree += at->size;
		break;
	case DISAGREES:
		checker->check->nr_wrong += at->size;
		break;
	case UNDECIDED:
		checker->check->nr_undecided += at->size;
		break;
	}
	return checker->err;
}

int cfi_check__rows(struct cfi_check *check, const struct cfi_rows *rows, struct bytes code,
		    uint64_t addr, const struct cfi_target *target,
		    const struct cfi_track_options *options)
{
	struct checker checker = {
		.check = check, .rows = rows, .target = target, .machine = cfi_machine__of(target)
	};
	int err = cfi_walk__over(code, addr, target, options, visit, &checker);

	cfi_rows__free(&checker.scratch);
	return err;
}

#else

int cfi_check__rows(struct cfi_check *check, const struct cfi_rows *rows, struct bytes code,
		    uint64_t addr, const struct cfi_target *target,
		    const struct cfi_track_options *options)
{
	(void)check;
	(void)rows;
	(void)code;
	(void)addr;
	(void)target;
	(void)options;
	return -ENOTSUP;
}

#endif
