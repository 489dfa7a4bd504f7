/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known about registers and stack in front of one instruction, and how that changes. One
 * level below track.h; the instruction sets' files bring it from one instruction to the next.
 */
#ifndef PERFJIT_CFI_STATE_H
#define PERFJIT_CFI_STATE_H

#include "cfi/machine.h"
#include "cfi/row.h"
#include "cfi/track.h"

/* Registers besides those that hold one of these facts are of no interest. */
enum cfi_value_kind {
	CFI_VALUE_UNKNOWN,
	CFI_VALUE_ENTRY,   /* what register reg held at entry */
	CFI_VALUE_ADDRESS, /* number bytes above the base: base 0 is the CFA, see below */
	CFI_VALUE_NUMBER,  /* number */
	CFI_VALUE_INDEX,   /* a multiple of scale, 0 up to count - 1 of them */
	CFI_VALUE_ELEMENT, /* one of count 32-bit numbers at address number, sign-extended */
	CFI_VALUE_TARGET,  /* that plus the table's own address: a jump table's target */
	CFI_VALUE_POINTER, /* one of count 64-bit numbers at address number */
};

/*
 * A base other than the CFA stands for the address that one instruction made (base - 1 is where
 * that is in the code): by aligning the stack pointer, or by an amount only known at run time.
 */
struct cfi_value {
	uint8_t kind;
	uint8_t reg; /* of CFI_VALUE_INDEX: the scale */
	union {
		uint32_t base;
		uint32_t count;
	};
	int64_t number;
};

/* Eight bytes of the stack, offset bytes above a base. */
struct cfi_slot {
	uint32_t base;
	int32_t offset;
	struct cfi_value value;
};

#define CFI_STATE_SLOTS 40

/* What the flags say, as long as nothing has changed them: left was compared with right. */
struct cfi_comparison {
	enum {
		CFI_COMPARED_NOTHING,
		CFI_COMPARED_REGISTERS,
		CFI_COMPARED_REGISTER,
		CFI_COMPARED_SLOT
	} kind;
	uint16_t left, right; /* registers */
	uint32_t base;        /* of the slot */
	int32_t offset;
	int64_t number; /* what register or slot were compared with */
};

struct cfi_state {
	const struct cfi_machine *machine;
	struct cfi_value registers[CFI_ROW_REGISTERS];
	uint32_t nr_slots;
	struct cfi_comparison compared;
	bool ra_signed;
	enum cfi_undecided_reason lost; /* why the stack pointer is not known, if it is not */
	uint64_t lost_at;
	struct cfi_slot slots[CFI_STATE_SLOTS];
};

/* Copies what is in use, which most of a state is not. */
static inline void cfi_state__copy(struct cfi_state *to, const struct cfi_state *from)
{
	memcpy(to, from, offsetof(struct cfi_state, slots) + from->nr_slots * sizeof(*from->slots));
}

/* How control goes on behind an instruction. */
enum cfi_flow_kind {
	CFI_FLOW_NEXT,
	CFI_FLOW_JUMP,     /* to target */
	CFI_FLOW_BRANCH,   /* to target or to the next one */
	CFI_FLOW_CALL,     /* to the next one, unless it does not return */
	CFI_FLOW_INDIRECT, /* to where value says */
	CFI_FLOW_RETURN,
	CFI_FLOW_STOP, /* nowhere */
};

struct cfi_flow {
	enum cfi_flow_kind kind;
	uint64_t target;
	struct cfi_value value;
	struct cfi_comparison compared; /* of CFI_FLOW_BRANCH; taken when ... */
	enum {
		CFI_BRANCH_OTHER,
		CFI_BRANCH_EQUAL,
		CFI_BRANCH_UNEQUAL,
		CFI_BRANCH_ABOVE,
		CFI_BRANCH_ABOVE_EQUAL,
		CFI_BRANCH_BELOW,
		CFI_BRANCH_BELOW_EQUAL
	} taken;
};

struct cfi_insn;

/*
 * Brings the state past one instruction. place is a number for the instruction, that bases are
 * named by.
 */
void cfi_x86__step(struct cfi_state *state, const struct cfi_insn *insn, uint32_t place,
		   struct cfi_flow *flow);
void cfi_arm64__step(struct cfi_state *state, const struct cfi_insn *insn, uint32_t place,
		     struct cfi_flow *flow);

static inline struct cfi_value cfi_value__unknown(void)
{
	return (struct cfi_value){ 0 };
}

static inline struct cfi_value cfi_value__number(int64_t number)
{
	return (struct cfi_value){ .kind = CFI_VALUE_NUMBER, .number = number };
}

bool cfi_value__same(const struct cfi_value *a, const struct cfi_value *b);
struct cfi_value cfi_value__add(struct cfi_value a, struct cfi_value b);
struct cfi_value cfi_value__add_number(struct cfi_value value, int64_t number);

/* The state in front of a function's first instruction, as the ABI says. */
void cfi_state__enter(struct cfi_state *state, const struct cfi_machine *machine);
/* The same where a row says it; false when the row can't be followed. */
bool cfi_state__enter_row(struct cfi_state *state, const struct cfi_machine *machine,
			  const struct cfi_row *row);

struct cfi_value cfi_state__get(const struct cfi_state *state, uint16_t reg);
/* Sets a register; an unknown value of the stack pointer becomes a new base, named by place. */
void cfi_state__set(struct cfi_state *state, uint16_t reg, struct cfi_value value, uint64_t pc,
		    uint32_t place);
struct cfi_value cfi_state__load(const struct cfi_state *state, struct cfi_value address);
/* Stores size bytes; where to is not known, slots stay: see track.h. */
void cfi_state__store(struct cfi_state *state, struct cfi_value address, unsigned int size,
		      struct cfi_value value);
/* Whether the slot lies below the stack pointer by more than reach bytes. */
bool cfi_state__below_stack(const struct cfi_state *state, const struct cfi_slot *slot,
			    int64_t reach);
/* Behind a call that returns: only preserved registers are as before. */
void cfi_state__call(struct cfi_state *state, uint64_t preserved);
/* What is known besides once a branch on a comparison was taken or not. */
void cfi_state__refine(struct cfi_state *state, const struct cfi_flow *flow, bool taken);

/* Whether the stack pointers do not differ, or at least the frame pointers are alike. */
bool cfi_state__same_frame(const struct cfi_state *state, const struct cfi_state *other);
/* Whether there is a register that both have the CFA by: loops that move the stack pointer. */
bool cfi_state__share_frame(const struct cfi_state *state, const struct cfi_state *other);
/* Leaves of state what holds in other too; pc is where they meet. Whether anything changed. */
bool cfi_state__join(struct cfi_state *state, const struct cfi_state *other, uint64_t pc);

/*
 * The row that the state makes, with its CFA by register prefer where that can be; addr, size and
 * origin are the caller's. Expressions are kept by rows. 1, 0 with why it makes none, or -ENOMEM.
 */
int cfi_state__row(const struct cfi_state *state, uint16_t prefer, struct cfi_rows *rows,
		   struct cfi_row *row, struct cfi_undecided *why);

/* What a CFA rule comes to in the state; the CFA itself is base 0, number 0. */
struct cfi_value cfi_state__cfa(const struct cfi_state *state, const struct cfi_rule *cfa);
/*
 * What a rule for reg comes to: the caller's value of it is one that the state knows as
 * CFI_VALUE_ENTRY of reg, if the rule is right. cfa is what the CFA rule beside it came to.
 */
struct cfi_value cfi_state__register(const struct cfi_state *state, uint16_t reg,
				     const struct cfi_rule *rule, struct cfi_value cfa);

#endif
