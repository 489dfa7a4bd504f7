// SPDX-License-Identifier: GPL-2.0-or-later
/* The call chain of a sample. */
#include <errno.h>

#include "unwind/thread.h"

/* Newer than the installed header may be. A cookie follows it. */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
/* PERF_CONTEXT_MAX: from here on, addresses are marks of whose the next ones are. */
#define FIRST_CONTEXT ((uint64_t)-4095)

static const char *const end_texts[UNWIND_ENDS] = {
	[UNWIND_COMPLETE] = "complete",
	[UNWIND_RECORDED] = "recorded as a chain",
	[UNWIND_LOST] = "record of the chain lost",
	[UNWIND_NO_USER] = "nothing recorded of user space",
	[UNWIND_STACK_CUT] = "stack copy too small",
	[UNWIND_NO_MAPPING] = "return address in no mapping",
	[UNWIND_NO_CFI] = "no unwind data",
	[UNWIND_FILE_GONE] = "the file is not here, or another one",
	[UNWIND_BAD_CFI] = "unwind data can't be applied",
	[UNWIND_BAD_READ] = "memory not recorded",
	[UNWIND_LOOP] = "frames repeat",
	[UNWIND_TOO_DEEP] = "more frames than asked for",
	[UNWIND_OTHER_ABI] = "registers of another kind of process",
};

const char *unwind_end__text(enum unwind_end end)
{
	return end < UNWIND_ENDS ? end_texts[end] : "unknown";
}

static int add(struct unwind_thread *thread, struct unwind_chain *chain, uint64_t ip, bool caller,
	       struct place *place)
{
	struct unwind_frame frame = {
		.ip = ip,
		.caller = caller,
		.mapping = place->mapping,
		.module = place->module,
		.reason = place->reason,
		.jit = place->module && place->module->jit,
	};

	if (thread->names)
		unwind_thread__name(thread, place, &frame);
	return array__push(&chain->frames, frame) ? 0 : -ENOMEM;
}

static int add_kernel(struct unwind_thread *thread, struct unwind_chain *chain, uint64_t ip)
{
	struct unwinder *unwinder = thread->unwinder;
	const struct symbol *symbol =
		thread->names ? kernel_symbols__find(&unwinder->kernel, unwinder, ip) : NULL;
	struct unwind_frame frame = {
		.ip = ip,
		.kernel = true,
		.reason = UNWIND_KERNEL,
		.caller = chain->nr_kernel > 0,
	};

	if (symbol) {
		frame.symbol = symbol->name;
		frame.symbol_offset = ip - symbol->start;
		frame.reason = UNWIND_NAMED;
	}
	chain->nr_kernel++;
	return array__push(&chain->frames, frame) ? 0 : -ENOMEM;
}

/* A user address that was recorded as such. */
static int add_recorded(struct unwind_thread *thread, struct unwind_chain *chain, uint64_t ip)
{
	struct place *place = unwind_thread__place(thread, ip);

	if (!place)
		return -ENOMEM;
	return add(thread, chain, ip, chain->frames.count > chain->nr_kernel, place);
}

static int add_deferred(struct unwind_thread *thread, const struct perfdata_sample *sample,
			uint64_t cookie, struct unwind_chain *chain)
{
	const struct unwinder *unwinder = thread->unwinder;
	const struct deferred_chain *deferred = unwinder__deferred(unwinder, sample->tid, cookie);
	int err = 0;

	if (!deferred)
		chain->end = UNWIND_LOST;
	for (size_t i = 0; !err && deferred && i < deferred->count; i++) {
		uint64_t ip = unwinder->deferred_ips.items[deferred->begin + i];

		if (ip < FIRST_CONTEXT)
			err = add_recorded(thread, chain, ip);
	}
	return err;
}

/* What was recorded as a chain: the kernel's part, and the user's unless that is to be unwound. */
static int add_callchain(struct unwind_thread *thread, const struct perfdata_sample *sample,
			 bool with_user, struct unwind_chain *chain)
{
	enum byte_order order = thread->unwinder->order;
	uint64_t context = PERF_CONTEXT_USER;
	int err = 0;

	for (size_t at = 0; !err && at + 8 <= sample->callchain.size; at += 8) {
		uint64_t ip = get_u64(sample->callchain.data + at, order);

		if (context == CONTEXT_USER_DEFERRED) {
			if (with_user)
				err = add_deferred(thread, sample, ip, chain);
			break;
		}
		if (ip >= FIRST_CONTEXT)
			context = ip;
		else if (context == (uint64_t)PERF_CONTEXT_KERNEL)
			err = add_kernel(thread, chain, ip);
		else if (context == (uint64_t)PERF_CONTEXT_USER && with_user)
			err = add_recorded(thread, chain, ip);
	}
	return err;
}

/* A recorded chain is whole when rules say of its last caller that there is none beyond. */
static int judge_end(struct unwind_thread *thread, struct unwind_chain *chain)
{
	const struct unwind_frame *last;
	const struct unwind_row *row;
	struct place *place;

	if (chain->frames.count < chain->nr_kernel + 2)
		return 0;
	last = &chain->frames.items[chain->frames.count - 1];
	place = unwind_thread__place(thread, last->ip);
	if (!place)
		return -ENOMEM;
	row = place__row(place);
	if (row && row->outermost)
		chain->end = UNWIND_COMPLETE;
	return 0;
}

static bool is_kernels(const struct perfdata_sample *sample)
{
	return (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* Where no chain was recorded, the address alone. */
static int add_ip(struct unwind_thread *thread, const struct perfdata_sample *sample,
		  struct unwind_chain *chain)
{
	if (is_kernels(sample))
		return chain->frames.count ? 0 : add_kernel(thread, chain, sample->ip);
	return chain->frames.count ? 0 : add_recorded(thread, chain, sample->ip);
}

/* False: not the registers to unwind by. */
static bool take_registers(const struct unwind_thread *thread, const struct perfdata_sample *sample,
			   struct registers *registers)
{
	const struct unwind_arch *arch = thread->unwinder->arch;
	uint64_t mask = sample->attr->attr.sample_regs_user;
	size_t at = 0;

	*registers = (struct registers){ .exact = true };
	if (!arch || sample->user_regs_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (uint64_t left = mask; left && at + 8 <= sample->user_regs.size;
	     left &= left - 1, at += 8) {
		unsigned int bit = (unsigned int)__builtin_ctzll(left);

		if (bit < arch->nr_perf && arch->dwarf_of_perf[bit] != ARCH_NO_REGISTER)
			registers__set(
				registers, arch->dwarf_of_perf[bit],
				get_u64(sample->user_regs.data + at, thread->unwinder->order));
	}
	return registers__get(registers, arch->pc, &registers->pc);
}

/*
 * As libdw looks rules up and perf shows addresses: one before the return address, but for the
 * innermost frame, one that a signal interrupted, and the one that returns from the signal.
 */
static int unwind(struct unwind_thread *thread, struct registers *registers,
		  struct unwind_chain *chain)
{
	const struct unwind_options *options = &thread->unwinder->options;
	size_t max = options->max_stack ? options->max_stack : UNWIND_MAX_STACK;

	for (size_t depth = 0;; depth++) {
		uint64_t pc = registers->pc - !registers->exact;
		bool caller = !registers->exact;
		struct place *place;
		const struct unwind_row *row;

		if (depth == max) {
			chain->end = UNWIND_TOO_DEEP;
			return 0;
		}
		place = unwind_thread__place(thread, pc);
		if (!place)
			return -ENOMEM;
		if (depth && !place->mapping) {
			chain->end = UNWIND_NO_MAPPING;
			return 0;
		}
		row = place__row(place);
		if (caller && row && row->signal_frame)
			place = unwind_thread__place(thread, ++pc);
		if (!place || add(thread, chain, pc, caller, place))
			return -ENOMEM;
		chain->end = unwind_thread__step(thread, registers, place, row);
		if (chain->end != UNWIND_ENDS)
			return 0;
	}
}

static int unwind_user(struct unwind_thread *thread, const struct perfdata_sample *sample,
		       struct unwind_chain *chain)
{
	struct registers registers;

	if (sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_NONE) {
		chain->end = UNWIND_NO_USER;
		return 0;
	}
	if (!take_registers(thread, sample, &registers)) {
		chain->end = UNWIND_OTHER_ABI;
		return 0;
	}
	thread->stack = sample->user_stack;
	thread->stack_goes_on = sample->user_stack_full;
	thread->stack_start = 0;
	if (!registers__get(&registers, thread->unwinder->arch->sp, &thread->stack_start))
		thread->stack.size = 0;
	chain->unwound = true;
	return unwind(thread, &registers, chain);
}

int unwind_thread__sample(struct unwind_thread *thread, const struct perfdata_sample *sample,
			  struct unwind_chain *chain)
{
	const uint64_t needed = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	bool by_stack = (sample->attr->attr.sample_type & needed) == needed;
	int err;

	chain->frames.count = 0;
	chain->nr_kernel = 0;
	chain->end = UNWIND_RECORDED;
	chain->unwound = false;
	unwind_thread__enter(thread, sample->pid,
			     sample->has_time ? sample->time : CODE_FOREVER - 1);
	err = add_callchain(thread, sample, !by_stack, chain);
	if (!err && (!by_stack || is_kernels(sample)))
		err = add_ip(thread, sample, chain);
	if (!err)
		err = by_stack ? unwind_user(thread, sample, chain) : judge_end(thread, chain);
	return err;
}

void unwind_chain__free(struct unwind_chain *chain)
{
	array__free(&chain->frames);
}
