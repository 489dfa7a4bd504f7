// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows in the words of readelf --debug-dump=frames-interp: c is the CFA. */
#include <inttypes.h>
#include <stdio.h>

#include "cfi/machine.h"
#include "dump_cfi.h"

/* By DWARF number; "r17" of a machine that is not known. The return address is "ra". */
static const char *register_name(const struct cfi_target *target, unsigned int number, char out[16])
{
	const struct cfi_machine *machine = cfi_machine__of(target);

	if (machine && number < CFI_ROW_REGISTERS && machine->names[number])
		return machine->names[number];
	snprintf(out, 16, "r%u", number);
	return out;
}

char *dump_cfi__cfa(const struct cfi_row *row, const struct cfi_target *target, char *out,
		    size_t size)
{
	char name[16];

	switch (row->cfa.kind) {
	case CFI_RULE_REGISTER:
		snprintf(out, size, "%s%+" PRId64, register_name(target, row->cfa.reg, name),
			 row->cfa.offset);
		break;
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		snprintf(out, size, "exp");
		break;
	default:
		snprintf(out, size, "?");
	}
	return out;
}

static void put_rule(const struct cfi_rule *rule, const struct cfi_target *target, char *out,
		     size_t size)
{
	char name[16];

	switch (rule->kind) {
	case CFI_RULE_UNSPECIFIED:
	case CFI_RULE_UNDEFINED:
		snprintf(out, size, "u");
		break;
	case CFI_RULE_SAME:
		snprintf(out, size, "s");
		break;
	case CFI_RULE_OFFSET:
		snprintf(out, size, "c%+" PRId64, rule->offset);
		break;
	case CFI_RULE_VAL_OFFSET:
		snprintf(out, size, "v%+" PRId64, rule->offset);
		break;
	case CFI_RULE_REGISTER:
		snprintf(out, size, "%s", register_name(target, rule->reg, name));
		break;
	case CFI_RULE_EXPRESSION:
		snprintf(out, size, "exp");
		break;
	case CFI_RULE_VAL_EXPRESSION:
		snprintf(out, size, "vexp");
		break;
	}
}

static bool is_return_address(const struct cfi_target *target, unsigned int number)
{
	const struct cfi_machine *machine = cfi_machine__of(target);

	return machine && machine->ra == number;
}

char *dump_cfi__registers(const struct cfi_row *row, const struct cfi_target *target, char *out,
			  size_t size)
{
	size_t used = 0;

	*out = '\0';
	for (unsigned int i = 0; i < CFI_ROW_REGISTERS; i++) {
		const struct cfi_rule *rule = &row->registers[i];
		char name[16], value[64];
		int put;

		if (rule->kind == CFI_RULE_UNSPECIFIED)
			continue;
		put_rule(rule, target, value, sizeof(value));
		put = snprintf(out + used, size - used, "%s%s=%s", used ? " " : "",
			       is_return_address(target, i) ? "ra" : register_name(target, i, name),
			       value);
		if (put < 0 || (size_t)put >= size - used)
			break;
		used += (size_t)put;
	}
	if (row->ra_signed && used + sizeof(" signed") < size)
		snprintf(out + used, size - used, " signed");
	return out;
}
