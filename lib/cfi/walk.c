// SPDX-License-Identifier: GPL-2.0-or-later
#ifdef HAVE_CAPSTONE

#include "cfi/walk.h"

#include <elf.h>
#include <errno.h>

#include "cfi/disassemble.h"
#include "cfi/walk_private.h"

/* Instructions looked at per byte of code, before it is called too complex. */
#define WORK_PER_BYTE 64
#define WORK_AT_LEAST 100000
#define MAX_CODE      (64 << 20)
#define MAX_RESTARTS  64

static void arrive_address(struct cfi_walk *walk, uint64_t addr, const struct cfi_state *state)
{
	uint32_t offset;

	if (cfi_walk__offset_of(walk, addr, &offset))
		cfi_walk__arrive(walk, offset, state, false);
}

static bool read_data(const struct cfi_walk *walk, uint64_t addr, void *data, size_t size)
{
	uint32_t at;

	if (cfi_walk__offset_of(walk, addr, &at)) {
		const struct part *part = cfi_walk__part_at(walk, at);

		at -= part->start;
		if (part->bytes.size - at >= size)
			return memcpy(data, part->bytes.data + at, size);
	}
	return walk->options->read && walk->options->read(walk->options->context, addr, data, size);
}

/* All targets of a jump table, as far as they are in the function. */
static void follow_table(struct cfi_walk *walk, const struct cfi_value *value,
			 const struct cfi_state *state)
{
	uint64_t table = (uint64_t)value->number;

	for (uint32_t i = 0; i < value->count && cfi_walk__work(walk, 1); i++) {
		uint64_t target = 0;
		int32_t distance;

		if (value->kind == CFI_VALUE_POINTER) {
			if (!read_data(walk, table + UINT64_C(8) * i, &target, sizeof(target)))
				return;
		} else {
			if (!read_data(walk, table + UINT64_C(4) * i, &distance, sizeof(distance)))
				return;
			target = table + (uint64_t)(int64_t)distance;
		}
		arrive_address(walk, target, state);
	}
}

/* A return with the stack pointer elsewhere: one of the paths to it was wrong. */
static void check_return(struct cfi_walk *walk, const struct cfi_state *state, uint64_t pc)
{
	const struct cfi_value *sp = &state->registers[walk->machine->sp];

	if (sp->kind == CFI_VALUE_ADDRESS && sp->base == 0 &&
	    sp->number != -walk->machine->entry_offset)
		cfi_walk__contradict(walk, CFI_BAD_RETURN, pc);
}

/* Sends the state on to where flow says; true when it also goes on to the next instruction. */
static bool follow(struct cfi_walk *walk, const struct cfi_flow *flow, struct cfi_state *state,
		   uint64_t pc, uint32_t next, bool has_next)
{
	struct cfi_state other;

	switch (flow->kind) {
	case CFI_FLOW_NEXT:
		return true;
	case CFI_FLOW_JUMP:
		arrive_address(walk, flow->target, state);
		return false;
	case CFI_FLOW_BRANCH:
		cfi_state__copy(&other, state);
		cfi_state__refine(&other, flow, true);
		arrive_address(walk, flow->target, &other);
		cfi_state__refine(state, flow, false);
		return true;
	case CFI_FLOW_CALL:
		cfi_state__call(state, walk->preserved);
		if (has_next)
			cfi_walk__return_to(walk, next, state);
		return false;
	case CFI_FLOW_INDIRECT:
		if (flow->value.kind == CFI_VALUE_TARGET || flow->value.kind == CFI_VALUE_POINTER)
			follow_table(walk, &flow->value, state);
		return false;
	case CFI_FLOW_RETURN:
		check_return(walk, state, pc);
		return false;
	case CFI_FLOW_STOP:
		break;
	}
	return false;
}

/* Decodes at offset and marks its bytes; NULL when there is no instruction to be had. */
static const struct cfi_insn *decode(struct cfi_walk *walk, const struct part *part,
				     uint32_t offset)
{
	const struct cfi_insn *insn = cfi_walk__insn(walk, part, offset);

	if (!insn || walk->marks[offset] & MARK_INSIDE) {
		walk->marks[offset] |= MARK_BAD;
		return NULL;
	}
	for (uint32_t i = 1; i < insn->size; i++)
		if (walk->marks[offset + i] & MARK_START || walk->leader_at[offset + i]) {
			walk->marks[offset] |= MARK_BAD;
			return NULL;
		}
	walk->marks[offset] |= MARK_START;
	for (uint32_t i = 1; i < insn->size; i++)
		walk->marks[offset + i] |= MARK_INSIDE;
	return insn;
}

/* Goes from a leader on to the end of its path or the next leader. */
static void run(struct cfi_walk *walk, uint32_t index)
{
	uint32_t offset = walk->leaders.items[index].offset;
	const struct part *part = cfi_walk__part_at(walk, offset);
	struct cfi_state state;

	cfi_state__copy(&state, walk->leaders.items[index].state);
	while (!walk->err && !walk->restart && cfi_walk__work(walk, 1)) {
		const struct cfi_insn *insn = decode(walk, part, offset);
		struct cfi_flow flow;
		uint64_t pc;
		bool has_next;

		if (!insn)
			return;
		pc = insn->address;
		walk->step(&state, insn, offset, &flow);
		offset += insn->size;
		has_next = offset - part->start < part->bytes.size;
		if (!follow(walk, &flow, &state, pc, offset, has_next) || !has_next)
			return;
		if (walk->leader_at[offset]) {
			cfi_walk__arrive(walk, offset, &state, false);
			return;
		}
	}
}

static void forget(struct cfi_walk *walk)
{
	array__for_each(leader, &walk->leaders) {
		free(leader->state);
		free(leader->behind);
	}
	walk->leaders.count = 0;
	walk->queue.count = 0;
}

static void begin(struct cfi_walk *walk)
{
	struct cfi_state state;

	forget(walk);
	for (uint32_t i = 0; i < walk->size; i++)
		walk->marks[i] &= LASTING_MARKS;
	memset(walk->leader_at, 0, walk->size * sizeof(*walk->leader_at));
	walk->restart = false;
	walk->contradicted = false;
	walk->pending_from = walk->size;
	if (!walk->options->entry)
		cfi_state__enter(&state, walk->machine);
	else if (!cfi_state__enter_row(&state, walk->machine, walk->options->entry))
		return;
	cfi_walk__arrive(walk, 0, &state, false);
}

/* Follows everything; false: to be done again. */
static bool exhaust(struct cfi_walk *walk)
{
	while (!walk->err && !walk->restart && walk->work_left) {
		uint32_t index;

		if (!walk->queue.count) {
			if (!cfi_walk__take_pending(walk))
				break;
			continue;
		}
		index = walk->queue.items[--walk->queue.count];
		walk->leaders.items[index].queued = false;
		run(walk, index);
	}
	return !walk->restart;
}

static int add_part(struct cfi_walk *walk, struct bytes bytes, uint64_t addr)
{
	struct part part = { bytes, addr, walk->size };

	if (!bytes.size || bytes.size > MAX_CODE - walk->size || addr + bytes.size < addr)
		return walk->parts.count ? 0 : -ENOTSUP;
	walk->size += (uint32_t)bytes.size;
	return array__push(&walk->parts, part) ? 0 : -ENOMEM;
}

static int set_up(struct cfi_walk *walk, struct bytes code, uint64_t addr)
{
	const struct cfi_track_options *options = walk->options;
	int err = add_part(walk, code, addr);
	uint32_t offset;

	for (size_t i = 0; i < options->nr_parts && !err; i++)
		err = add_part(walk, options->parts[i].bytes, options->parts[i].addr);
	if (err)
		return err;
	walk->marks = calloc(walk->size, 1);
	walk->leader_at = calloc(walk->size, sizeof(*walk->leader_at));
	walk->insn_at = calloc(walk->size, sizeof(*walk->insn_at));
	if (!walk->marks || !walk->leader_at || !walk->insn_at)
		return -ENOMEM;
	for (size_t i = 0; i < options->nr_entries; i++)
		if (cfi_walk__offset_of(walk, options->entries[i], &offset))
			walk->marks[offset] |= MARK_ENTRY;
	walk->preserved = options->preserved ? options->preserved : walk->machine->callee_saved;
	walk->work_left = (uint64_t)walk->size * WORK_PER_BYTE + WORK_AT_LEAST;
	return 0;
}

static void free_walk(struct cfi_walk *walk)
{
	if (!walk)
		return;
	forget(walk);
	array__free(&walk->leaders);
	array__free(&walk->queue);
	array__free(&walk->parts);
	free(walk->marks);
	free(walk->leader_at);
	free(walk->insn_at);
	array__free(&walk->insns);
	if (walk->disassembler != walk->options->disassembler)
		disassembler__free(walk->disassembler);
	free(walk);
}

static int walk_code(struct cfi_walk **walk_out, struct bytes code, uint64_t addr,
		     const struct cfi_target *target, const struct cfi_track_options *options)
{
	struct cfi_walk *walk = calloc(1, sizeof(*walk));
	int err;

	if (!walk)
		return -ENOMEM;
	walk->machine = cfi_machine__of(target);
	walk->options = options;
	walk->is_x86 = target->machine == EM_X86_64;
	walk->step = walk->is_x86 ? cfi_x86__step : cfi_arm64__step;
	walk->disassembler = options->disassembler;
	err = walk->machine ? 0 : -ENOTSUP;
	if (!err && !walk->disassembler)
		err = disassembler__new(&walk->disassembler, target);
	if (!err)
		err = set_up(walk, code, addr);
	for (unsigned int i = 0; i < MAX_RESTARTS && !err; i++) {
		begin(walk);
		if (exhaust(walk))
			break;
		err = walk->err;
		if (i + 1 == MAX_RESTARTS)
			cfi_walk__contradict(walk, CFI_TOO_COMPLEX, addr);
	}
	err = err ? err : walk->err;
	if (err) {
		free_walk(walk);
		return err;
	}
	*walk_out = walk;
	return 0;
}

int cfi_walk__over(struct bytes code, uint64_t addr, const struct cfi_target *target,
		   const struct cfi_track_options *options,
		   int (*visit)(void *context, const struct cfi_visit *at), void *context)
{
	static const struct cfi_track_options no_options;
	struct cfi_walk *walk;
	int err;

	if (!cfi__can_track(target))
		return -ENOTSUP;
	if (!code.size)
		return 0;
	err = walk_code(&walk, code, addr, target, options ? options : &no_options);
	if (err)
		return err;
	err = cfi_walk__visit(walk, visit, context);
	free_walk(walk);
	return err;
}

#endif
