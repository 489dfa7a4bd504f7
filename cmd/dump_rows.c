// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows in the words of readelf --debug-dump=frames-interp: c is the CFA. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

#include "dump_cfi.h"
#include "dump_machine.h"

char *dump_cfi__cfa(const struct cfi_row *row, const struct cfi_target *target, char *out,
		    size_t size)
{
	char name[16];

	switch (row->cfa.kind) {
	case CFI_RULE_REGISTER:
		snprintf(out, size, "%s%+" PRId64,
			 machine__register(target->machine, row->cfa.reg, name), row->cfa.offset);
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
		snprintf(out, size, "%s", machine__register(target->machine, rule->reg, name));
		break;
	case CFI_RULE_EXPRESSION:
		snprintf(out, size, "exp");
		break;
	case CFI_RULE_VAL_EXPRESSION:
		snprintf(out, size, "vexp");
		break;
	}
}

static unsigned int ra_register(const struct cfi_target *target)
{
	return target->machine == EM_AARCH64 ? 30 : target->machine == EM_386 ? 8 : 16;
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
			       i == ra_register(target)
				       ? "ra"
				       : machine__register(target->machine, i, name),
			       value);
		if (put < 0 || (size_t)put >= size - used)
			break;
		used += (size_t)put;
	}
	if (row->ra_signed && used + sizeof(" signed") < size)
		snprintf(out + used, size - used, " signed");
	return out;
}
