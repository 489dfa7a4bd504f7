// SPDX-License-Identifier: GPL-2.0-or-later
/* From one frame to its caller's. */
#include "unwind/thread.h"

/* Why a read at addr failed that was to find the caller. */
static enum unwind_end bad_read(const struct unwind_thread *thread, uint64_t addr)
{
	return thread->stack_goes_on && addr >= thread->stack_start &&
			       addr - thread->stack_start + 8 > thread->stack.size
		       ? UNWIND_STACK_CUT
		       : UNWIND_BAD_READ;
}

/* The caller stands at pc, which may be signed: libdw does not tell of what rows say. */
static enum unwind_end enter_caller(const struct unwind_thread *thread, struct registers *registers,
				    const struct registers *callee, uint64_t pc, uint64_t sp)
{
	const struct unwind_arch *arch = thread->unwinder->arch;
	uint64_t old_sp = 0;

	/* an authentication code stands in bits that no user address has */
	pc &= arch->code_mask;
	registers->pc = pc;
	if (arch->pc < CFI_ROW_REGISTERS)
		registers__set(registers, arch->pc, pc);
	if (!pc)
		return UNWIND_COMPLETE;
	registers__get(callee, arch->sp, &old_sp);
	return pc == callee->pc && sp == old_sp ? UNWIND_LOOP : UNWIND_ENDS;
}

static enum unwind_end step_usual(struct unwind_thread *thread, struct registers *registers,
				  const struct unwind_row *row)
{
	const struct unwind_arch *arch = thread->unwinder->arch;
	struct registers callee = *registers;
	const int32_t *offset = row->offsets;
	uint64_t cfa, pc;

	if (!registers__get(&callee, row->cfa_register, &cfa))
		return UNWIND_BAD_CFI;
	cfa += (uint64_t)(int64_t)row->cfa_offset;
	registers->known &= ~row->lost;
	for (uint64_t left = row->saved; left; left &= left - 1) {
		unsigned int number = (unsigned int)__builtin_ctzll(left);
		uint64_t addr = cfa + (uint64_t)(int64_t)*offset++;

		if (unwind_thread__read(thread, addr, &registers->values[number]))
			registers->known |= 1ull << number;
		else if (number == row->ra_register)
			return bad_read(thread, addr);
		else
			registers->known &= ~(1ull << number);
	}
	registers__set(registers, arch->sp, cfa);
	registers->exact = row->signal_frame;
	if (!registers__get(registers, row->ra_register, &pc))
		return UNWIND_BAD_CFI;
	return enter_caller(thread, registers, &callee, pc, cfa);
}

/* Whether the caller's register is known; why: why not. */
static bool apply(struct unwind_thread *thread, const struct registers *callee,
		  const struct cfi_rule *rule, unsigned int number, uint64_t cfa, uint64_t bias,
		  uint64_t *value, enum unwind_end *why)
{
	uint64_t addr = cfa + (uint64_t)rule->offset;

	*why = UNWIND_BAD_CFI;
	switch (rule->kind) {
	case CFI_RULE_SAME:
		return registers__get(callee, number, value);
	case CFI_RULE_VAL_OFFSET:
		*value = addr;
		return true;
	case CFI_RULE_REGISTER:
		return registers__get(callee, rule->reg, value);
	case CFI_RULE_VAL_EXPRESSION:
		return unwind_thread__evaluate(thread, callee, rule, &cfa, bias, value);
	case CFI_RULE_EXPRESSION:
		if (!unwind_thread__evaluate(thread, callee, rule, &cfa, bias, &addr)) {
			if (thread->missing)
				*why = bad_read(thread, thread->missing);
			return false;
		}
		break;
	case CFI_RULE_OFFSET:
		break;
	default:
		return false;
	}
	*why = bad_read(thread, addr);
	return unwind_thread__read(thread, addr, value);
}

static bool find_cfa(struct unwind_thread *thread, const struct registers *callee,
		     const struct cfi_rule *rule, uint64_t bias, uint64_t *cfa)
{
	if (rule->kind == CFI_RULE_EXPRESSION)
		return unwind_thread__evaluate(thread, callee, rule, NULL, bias, cfa);
	if (rule->kind != CFI_RULE_REGISTER || !registers__get(callee, rule->reg, cfa))
		return false;
	*cfa += (uint64_t)rule->offset;
	return true;
}

static enum unwind_end step_full(struct unwind_thread *thread, struct registers *registers,
				 const struct unwind_row *row, uint64_t bias)
{
	const struct unwind_arch *arch = thread->unwinder->arch;
	const struct cfi_row *full = row->full;
	struct registers callee = *registers;
	enum unwind_end why, lost = UNWIND_BAD_CFI;
	uint64_t cfa, pc;

	thread->missing = 0;
	if (!find_cfa(thread, &callee, &full->cfa, bias, &cfa))
		return thread->missing ? bad_read(thread, thread->missing) : UNWIND_BAD_CFI;
	registers->known = 0;
	registers__set(registers, arch->sp, cfa);
	for (unsigned int i = 0; i < CFI_ROW_REGISTERS; i++) {
		uint64_t value;

		/* that the stack pointer is as it was is what rules say that say nothing of it */
		if (i == arch->sp && (full->registers[i].kind == CFI_RULE_SAME ||
				      full->registers[i].kind == CFI_RULE_UNSPECIFIED))
			continue;
		if (apply(thread, &callee, &full->registers[i], i, cfa, bias, &value, &why)) {
			registers__set(registers, i, value);
		} else {
			registers->known &= ~(1ull << i);
			if (i == row->ra_register)
				lost = why;
		}
	}
	registers->exact = row->signal_frame;
	if (!registers__get(registers, row->ra_register, &pc))
		return lost;
	return enter_caller(thread, registers, &callee, pc, cfa);
}

/*
 * Without rules there may be a frame pointer, with the caller's and the return address where it
 * points. As libdw does: backends/x86_64_unwind.c and aarch64_unwind.c of elfutils.
 */
static enum unwind_end follow_frame_pointer(struct unwind_thread *thread,
					    struct registers *registers, const struct place *place)
{
	const struct unwind_arch *arch = thread->unwinder->arch;
	struct registers callee = *registers;
	uint64_t fp, sp = 0, caller_fp, pc;

	if (!registers__get(&callee, arch->fp, &fp))
		return UNWIND_NO_CFI;
	/* so the ABI marks the outermost frame, which programs are started with */
	if (!fp)
		return place->module && !place->module->jit ? UNWIND_COMPLETE : UNWIND_NO_CFI;
	registers__get(&callee, arch->sp, &sp);
	if (!unwind_thread__read(thread, fp + 8, &pc))
		return bad_read(thread, fp + 8) == UNWIND_STACK_CUT ? UNWIND_STACK_CUT
								    : UNWIND_NO_CFI;
	if (!unwind_thread__read(thread, fp, &caller_fp))
		caller_fp = 0;
	if (fp + 16 <= sp)
		return UNWIND_NO_CFI;
	registers->known = 0;
	registers->exact = false;
	registers__set(registers, arch->fp, caller_fp);
	registers__set(registers, arch->sp, fp + 16);
	if (arch->lr)
		registers__set(registers, arch->lr, pc);
	return enter_caller(thread, registers, &callee, pc, fp + 16);
}

/* Where it is not known what the code does, nothing that ends the chain proves anything. */
static enum unwind_end step_without_rules(struct unwind_thread *thread, struct registers *registers,
					  const struct place *place)
{
	enum unwind_end end = follow_frame_pointer(thread, registers, place);

	if (end != UNWIND_ENDS && place->module && place->module->reason != UNWIND_NAMED)
		return UNWIND_FILE_GONE;
	return end == UNWIND_COMPLETE && !place->module ? UNWIND_NO_CFI : end;
}

enum unwind_end unwind_thread__step(struct unwind_thread *thread, struct registers *registers,
				    const struct place *place, const struct unwind_row *row)
{
	if (!row)
		return step_without_rules(thread, registers, place);
	if (row->outermost)
		return UNWIND_COMPLETE;
	if (row->full)
		return step_full(thread, registers, row, place->ip - place->vaddr);
	return step_usual(thread, registers, row);
}
