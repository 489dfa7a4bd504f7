/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one thread keeps while it unwinds. Private. */
#ifndef PERFJIT_UNWIND_THREAD_H
#define PERFJIT_UNWIND_THREAD_H

#include "unwind/unwinder.h"

/* An address of a process between two changes of what is mapped there. */
struct place {
	uint64_t ip;
	uint64_t epoch; /* of the thread; 0: nothing stands here */
	const struct mapping *mapping;
	struct unwind_module *module;
	uint64_t vaddr;
	const struct unwind_row *row;
	const struct symbol *symbol;
	enum unwind_reason reason;
	bool has_row, has_symbol; /* row and symbol were looked for */
};

struct unwind_thread {
	struct unwinder *unwinder;
	bool names;
	struct place *places; /* by hash of ip; the last one met there */
	/* Of the sample at hand. */
	const struct process *process;
	uint64_t time, epoch;
	struct bytes stack;
	uint64_t stack_start;
	bool stack_goes_on; /* behind the copy */
	/* Where the last expression that failed found no memory; 0: it failed otherwise. */
	uint64_t missing;
};

/* Registers of one frame, by DWARF number, and which of them are known. */
struct registers {
	uint64_t values[CFI_ROW_REGISTERS];
	uint64_t known; /* bits */
	uint64_t pc;
	bool exact; /* pc is where the frame stands, not where it will go on after a call */
};

static inline bool registers__get(const struct registers *registers, unsigned int number,
				  uint64_t *value)
{
	if (number >= CFI_ROW_REGISTERS || !(registers->known >> number & 1))
		return false;
	*value = registers->values[number];
	return true;
}

static inline void registers__set(struct registers *registers, unsigned int number, uint64_t value)
{
	registers->values[number] = value;
	registers->known |= 1ull << number;
}

/* place.c */
/* Whose addresses are meant from now on. */
void unwind_thread__enter(struct unwind_thread *thread, uint32_t pid, uint64_t time);
/* Valid until the next call; NULL: out of memory. */
struct place *unwind_thread__place(struct unwind_thread *thread, uint64_t ip);
const struct unwind_row *place__row(struct place *place);
/* Fills symbol, module and reason of a frame. */
void unwind_thread__name(struct unwind_thread *thread, struct place *place,
			 struct unwind_frame *frame);
/* Eight bytes of memory, from the copy of the stack or from a file. */
bool unwind_thread__read(struct unwind_thread *thread, uint64_t addr, uint64_t *value);

/* step.c */
/*
 * Makes registers those of the caller of a frame in place, to which row applies, or NULL.
 * UNWIND_COMPLETE: there is none; UNWIND_ENDS: done; else why it can't be said.
 */
enum unwind_end unwind_thread__step(struct unwind_thread *thread, struct registers *registers,
				    const struct place *place, const struct unwind_row *row);

/* expression.c */
/* What an expression of a full row yields; bias: of addresses over vaddrs. */
bool unwind_thread__evaluate(struct unwind_thread *thread, const struct registers *registers,
			     const struct cfi_rule *rule, const uint64_t *cfa, uint64_t bias,
			     uint64_t *value);

#endif
