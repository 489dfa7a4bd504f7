// SPDX-License-Identifier: GPL-2.0-or-later
/* What a walk has found, instruction by instruction. */
#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>

#include "cfi/disassemble.h"
#include "cfi/walk_private.h"

struct visitor {
	struct cfi_walk *walk;
	int (*visit)(void *context, const struct cfi_visit *at);
	void *context;
};

static const struct cfi_state *state_at(const struct cfi_walk *walk, uint32_t offset)
{
	uint32_t index = walk->leader_at[offset];

	return index ? walk->leaders.items[index - 1].state : NULL;
}

/* Visits the instructions from a leader on; offset ends behind the last one. */
static int visit_run(struct visitor *visitor, const struct part *part, uint32_t *offset)
{
	struct cfi_walk *walk = visitor->walk;
	const struct cfi_state *first = state_at(walk, *offset);
	struct cfi_state state, before;
	uint32_t end = part->start + (uint32_t)part->bytes.size;
	int err = 0;

	if (!first)
		return 0;
	cfi_state__copy(&state, first);
	do {
		size_t at = *offset - part->start;
		struct cfi_visit visit = { .pc = part->addr + at, .state = &before };
		struct cfi_flow flow;
		const struct cfi_insn *insn;

		if (!(walk->marks[*offset] & MARK_START) || walk->marks[*offset] & MARK_BAD)
			break;
		insn = cfi_walk__insn(walk, part, *offset);
		if (!insn)
			break;
		cfi_state__copy(&before, &state);
		walk->step(&state, insn, *offset, &flow);
		visit.size = insn->size;
		visit.flow = &flow;
		err = visitor->visit(visitor->context, &visit);
		*offset += insn->size;
		if (flow.kind == CFI_FLOW_BRANCH)
			cfi_state__refine(&state, &flow, false);
		else if (flow.kind != CFI_FLOW_NEXT)
			break;
	} while (!err && *offset < end && !walk->leader_at[*offset]);
	return err;
}

/* Whether all of the code is fillers: nops, traps, zeros. */
static bool is_padding(struct cfi_walk *walk, struct bytes code, uint64_t addr)
{
	while (code.size) {
		const cs_insn *insn = disassembler__detail(walk->disassembler, code, addr);
		size_t size = insn ? insn->size : 1;
		bool filler =
			insn &&
			(disassembler__is_nop(insn) || strcmp(insn->mnemonic, "int3") == 0 ||
			 strcmp(insn->mnemonic, "ud2") == 0 || strcmp(insn->mnemonic, "hlt") == 0);

		if (!filler && code.data[0] != 0)
			return false;
		if (!filler)
			size = 1;
		code = (struct bytes){ code.data + size, code.size - size };
		addr += size;
	}
	return true;
}

/* Visits code that no state leads to, up to the next that one does. */
static int visit_gap(struct visitor *visitor, const struct part *part, uint32_t *offset)
{
	struct cfi_walk *walk = visitor->walk;
	uint32_t start = *offset, end = part->start + (uint32_t)part->bytes.size;
	size_t at = start - part->start;
	struct cfi_visit visit = { .pc = part->addr + at };

	do
		(*offset)++;
	while (*offset < end && (walk->contradicted || !state_at(walk, *offset)));
	visit.size = *offset - start;
	visit.why = (struct cfi_undecided){ visit.pc, visit.size, CFI_UNREACHED, visit.pc };
	if (walk->contradicted) {
		visit.why.reason = walk->contradiction.reason;
		visit.why.pc = walk->contradiction.pc;
	} else if (walk->marks[start] & MARK_BAD) {
		visit.why.reason = CFI_NO_INSTRUCTION;
	} else {
		visit.padding = is_padding(
			walk, (struct bytes){ part->bytes.data + at, (size_t)visit.size },
			visit.pc);
	}
	return visitor->visit(visitor->context, &visit);
}

int cfi_walk__visit(struct cfi_walk *walk, int (*visit)(void *context, const struct cfi_visit *at),
		    void *context)
{
	struct visitor visitor = { walk, visit, context };
	int err = 0;

	array__for_each(part, &walk->parts) {
		uint32_t offset = part->start;
		uint32_t end = part->start + (uint32_t)part->bytes.size;

		while (!err && offset < end) {
			uint32_t before = offset;

			if (!walk->contradicted && state_at(walk, offset))
				err = visit_run(&visitor, part, &offset);
			if (!err && offset == before)
				err = visit_gap(&visitor, part, &offset);
		}
	}
	return err ? err : walk->err;
}

#endif
