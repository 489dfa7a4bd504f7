/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.c follows paths, walk_meet.c is where they meet, walk_insn.c decodes, walk_visit.c shows
 * what was found.
 */
#ifndef PERFJIT_CFI_WALK_PRIVATE_H
#define PERFJIT_CFI_WALK_PRIVATE_H

#include "base/array.h"
#include "cfi/insn.h"
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
	bool is_x86; /* x86-64; else aarch64 */
	const struct cfi_track_options *options;
	struct disassembler *disassembler;
	void (*step)(struct cfi_state *state, const struct cfi_insn *insn, uint32_t place,
		     struct cfi_flow *flow);
	ARRAY(struct part) parts;
	uint32_t size;
	uint8_t *marks;
	uint32_t *leader_at;   /* by offset: index + 1 */
	uint32_t *insn_at;     /* by offset: index + 1 in insns of what was decoded there */
	ARRAY(uint64_t) insns; /* struct cfi_insn and its operands, one behind the other */
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

/* Calls visit for all code of a walk that is done, by address within each part. */
int cfi_walk__visit(struct cfi_walk *walk, int (*visit)(void *context, const struct cfi_visit *at),
		    void *context);

/* Ends the walk's being believed: the first reason given stays. */
void cfi_walk__contradict(struct cfi_walk *walk, enum cfi_undecided_reason reason, uint64_t pc);
/* False, and a contradiction, once more has been done than the code's size allows. */
bool cfi_walk__work(struct cfi_walk *walk, uint64_t amount);
const struct part *cfi_walk__part_at(const struct cfi_walk *walk, uint32_t offset);
/* The offset of an address; false when it is in none of the parts. */
bool cfi_walk__offset_of(const struct cfi_walk *walk, uint64_t addr, uint32_t *offset);

/* A path leads to offset with a state; by_call: it is that behind a call taken as returning. */
void cfi_walk__arrive(struct cfi_walk *walk, uint32_t offset, const struct cfi_state *state,
		      bool by_call);
/* The call that ends at offset may return. */
void cfi_walk__return_to(struct cfi_walk *walk, uint32_t offset, const struct cfi_state *state);
/* Takes the first call that is waiting as one that returns; false when none is. */
bool cfi_walk__take_pending(struct cfi_walk *walk);

/* The instruction at offset, valid until the next one is asked for; NULL: there is none. */
const struct cfi_insn *cfi_walk__insn(struct cfi_walk *walk, const struct part *part,
				      uint32_t offset);

#endif
