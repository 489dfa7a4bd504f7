/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What walk.c finds and walk_visit.c shows. */
#ifndef PERFJIT_CFI_WALK_PRIVATE_H
#define PERFJIT_CFI_WALK_PRIVATE_H

#include "base/array.h"
#include "cfi/walk.h"

/* What is known about each byte of code. */
enum mark {
	MARK_START = 1,     /* an instruction begins there */
	MARK_INSIDE = 2,    /* one goes on there */
	MARK_NO_RETURN = 4, /* the call that ends there does not return */
	MARK_BAD = 8,       /* no instruction, or one that overlaps another */
	MARK_PENDING = 16,  /* a leader to be taken as reached by its call */
	MARK_ENTRY = 32,    /* entered in a way not seen */
};

/* What stays when the walk begins anew. */
#define LASTING_MARKS (MARK_NO_RETURN | MARK_ENTRY)

struct part {
	struct bytes bytes;
	uint64_t addr;
	uint32_t start; /* offsets count through all parts */
};

/* A place where a path begins or paths meet. */
struct leader {
	uint32_t offset;
	struct cfi_state *state;  /* in front of it; NULL: not reached */
	struct cfi_state *behind; /* behind the call that ends there, while that is not taken */
	bool queued;
	bool by_call; /* taken as reached by its call */
	bool by_path; /* reached by a jump or from the instruction before */
};

struct cfi_walk {
	const struct cfi_machine *machine;
	const struct cfi_track_options *options;
	struct disassembler *disassembler;
	void (*step)(struct cfi_state *state, struct disassembler *disassembler,
		     const struct cs_insn *insn, uint32_t place, struct cfi_flow *flow);
	ARRAY(struct part) parts;
	uint32_t size;
	uint8_t *marks;
	uint32_t *leader_at; /* by offset: index + 1 */
	ARRAY(struct leader) leaders;
	ARRAY(uint32_t) queue;
	uint32_t pending_from; /* no leader is pending below */
	uint64_t preserved;
	uint64_t work_left;
	bool restart;
	bool contradicted; /* something does not fit: nothing of it can be believed */
	struct cfi_undecided contradiction;
	int err;
};

struct cs_insn;

bool cfi_walk__is_nop(const struct cs_insn *insn);

#endif
