// SPDX-License-Identifier: GPL-2.0-or-later
/* What is at an address: which mapping, which file's, which place in it, which name. */
#include <errno.h>

#include "unwind/thread.h"

/* A power of two. Programs that run have some thousand places that they are seen at. */
#define NR_PLACES 8192

int unwind_thread__new(struct unwind_thread **thread, struct unwinder *unwinder, bool names)
{
	struct unwind_thread *new = calloc(1, sizeof(*new));

	*thread = NULL;
	if (!new)
		return -ENOMEM;
	new->unwinder = unwinder;
	new->names = names;
	new->places = calloc(NR_PLACES, sizeof(*new->places));
	if (!new->places) {
		free(new);
		return -ENOMEM;
	}
	*thread = new;
	return 0;
}

void unwind_thread__free(struct unwind_thread *thread)
{
	if (!thread)
		return;
	free(thread->places);
	free(thread);
}

/*
 * What is mapped in a process changes with its own mappings only: of its parents' it sees those
 * from before it began.
 */
void unwind_thread__enter(struct unwind_thread *thread, uint32_t pid, uint64_t time)
{
	const struct process *process = processes__find(thread->unwinder->processes, pid, time);

	thread->process = process;
	thread->time = time;
	thread->epoch = 0;
	if (process)
		thread->epoch = ((uint64_t)process->number + 1) << 32 |
				(process__nr_mappings(process, time) & UINT32_MAX);
}

static void find_module(struct unwind_thread *thread, struct place *place, int *err)
{
	const struct mapping *mapping = place->mapping;
	struct unwind_module *module = unwinder__module(thread->unwinder, mapping, err);

	place->module = module;
	if (!module) {
		place->reason = UNWIND_ANONYMOUS;
		return;
	}
	place->reason = module->reason;
	place->vaddr = unwind_module__vaddr(module, mapping->pgoff + (place->ip - mapping->start));
}

struct place *unwind_thread__place(struct unwind_thread *thread, uint64_t ip)
{
	size_t slot = (size_t)((ip * 0x9e3779b97f4a7c15ull) >> 40) & (NR_PLACES - 1);
	struct place *place = &thread->places[slot];
	int err = 0;

	if (place->ip == ip && place->epoch == thread->epoch && place->epoch)
		return place;
	*place = (struct place){ .ip = ip, .epoch = thread->epoch, .vaddr = ip };
	if (!thread->process) {
		place->reason = UNWIND_NO_PROCESS;
		return place;
	}
	place->mapping = process__mapping(thread->process, ip, thread->time);
	if (place->mapping)
		find_module(thread, place, &err);
	else
		place->reason = UNWIND_NOT_MAPPED;
	if (err)
		place->epoch = 0;
	return err ? NULL : place;
}

const struct unwind_row *place__row(struct place *place)
{
	if (!place->has_row) {
		place->has_row = true;
		if (place->module)
			place->row = unwind_module__row(place->module, place->vaddr);
	}
	return place->row;
}

/* Was the right thing there at another time, or below what is there now? */
static enum unwind_reason explain(const struct unwind_thread *thread, const struct place *place)
{
	const struct mapping *mapping = place->mapping, *other;

	if (place->reason == UNWIND_NOT_MAPPED)
		return process__mapping(thread->process, place->ip, CODE_FOREVER - 1)
			       ? UNWIND_MAPPED_LATER
			       : UNWIND_NOT_MAPPED;
	if (place->reason != UNWIND_ANONYMOUS || !mapping->time)
		return place->reason;
	other = process__mapping(thread->process, place->ip, mapping->time - 1);
	return other && other->file && other->exec ? UNWIND_HIDDEN : UNWIND_ANONYMOUS;
}

static void find_symbol(struct unwind_thread *thread, struct place *place)
{
	place->has_symbol = true;
	if (place->reason == UNWIND_NAMED && place->module)
		place->symbol = unwind_module__symbol(place->module, place->vaddr);
	if (!place->symbol)
		place->reason =
			place->reason == UNWIND_NAMED ? UNWIND_NO_SYMBOL : explain(thread, place);
}

void unwind_thread__name(struct unwind_thread *thread, struct place *place,
			 struct unwind_frame *frame)
{
	if (!place->has_symbol)
		find_symbol(thread, place);
	frame->reason = place->reason;
	if (!place->symbol)
		return;
	frame->symbol = place->symbol->name;
	frame->symbol_offset = place->vaddr - place->symbol->start;
}

/* Memory that was not copied may be a file's. */
static bool read_file(struct unwind_thread *thread, uint64_t addr, uint64_t *value)
{
	const struct mapping *mapping =
		thread->process ? process__mapping(thread->process, addr, thread->time) : NULL;
	struct unwind_module *module;
	struct bytes bytes;
	uint64_t offset;
	int err = 0;

	module = mapping ? unwinder__module(thread->unwinder, mapping, &err) : NULL;
	if (!module || module->reason != UNWIND_NAMED)
		return false;
	bytes = module->file.bytes;
	offset = mapping->pgoff + (addr - mapping->start);
	if (offset > bytes.size || bytes.size - offset < sizeof(*value))
		return false;
	*value = get_u64(bytes.data + offset, thread->unwinder->order);
	return true;
}

bool unwind_thread__read(struct unwind_thread *thread, uint64_t addr, uint64_t *value)
{
	uint64_t offset = addr - thread->stack_start;

	if (offset < thread->stack.size && thread->stack.size - offset >= sizeof(*value)) {
		*value = get_u64(thread->stack.data + offset, thread->unwinder->order);
		return true;
	}
	return read_file(thread, addr, value);
}

int unwind_thread__resolve(struct unwind_thread *thread, uint32_t pid, uint64_t time, uint64_t ip,
			   bool caller, struct unwind_frame *frame)
{
	struct place *place;

	unwind_thread__enter(thread, pid, time);
	*frame = (struct unwind_frame){ .ip = ip - caller, .caller = caller };
	place = unwind_thread__place(thread, frame->ip);
	if (!place)
		return -ENOMEM;
	frame->mapping = place->mapping;
	frame->module = place->module;
	frame->jit = place->module && place->module->jit;
	unwind_thread__name(thread, place, frame);
	return 0;
}
