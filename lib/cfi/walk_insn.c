// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of a walk, each decoded once. */
#ifdef HAVE_CAPSTONE

#include <errno.h>

#include "cfi/disassemble.h"
#include "cfi/walk_private.h"

/* Words that are kept, 16 MiB: in larger functions what follows is decoded again each time. */
#define KEPT_MAX (UINT32_C(2) << 20)
/* Operands that may be looked at without counting them. */
#define OPERANDS_MIN 3

/* Words of what is kept of an instruction: not the operands that it has not. */
static size_t size_of(const struct cfi_walk *walk, const struct cfi_insn *insn)
{
	size_t operands = insn->op_count < OPERANDS_MIN ? OPERANDS_MIN : insn->op_count;
	size_t bytes = offsetof(struct cfi_insn, x86) +
		       operands * (walk->is_x86 ? sizeof(*insn->x86) : sizeof(*insn->arm64));

	return align_up(bytes, sizeof(uint64_t)) / sizeof(uint64_t);
}

const struct cfi_insn *cfi_walk__insn(struct cfi_walk *walk, const struct part *part,
				      uint32_t offset)
{
	size_t at = offset - part->start, left = part->bytes.size - at;
	struct bytes code = { part->bytes.data + at,
			      left < INSTRUCTION_MAX ? left : INSTRUCTION_MAX };
	uint32_t index = walk->insn_at[offset] - 1;
	const struct cfi_insn *insn;
	size_t size;

	if (walk->insn_at[offset])
		return (const struct cfi_insn *)(const void *)(walk->insns.items + index);
	insn = disassembler__insn(walk->disassembler, code, part->addr + at);
	if (!insn || walk->insns.count > KEPT_MAX)
		return insn;
	size = size_of(walk, insn);
	if (!array__reserve(&walk->insns, walk->insns.count + size)) {
		walk->err = -ENOMEM;
		return NULL;
	}
	memcpy(walk->insns.items + walk->insns.count, insn, size * sizeof(uint64_t));
	walk->insn_at[offset] = (uint32_t)walk->insns.count + 1;
	walk->insns.count += size;
	return insn;
}

#endif
