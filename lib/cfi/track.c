// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/track.h"

#include <errno.h>

#include "cfi/disassemble.h"
#include "cfi/walk.h"

void cfi_track_result__free(struct cfi_track_result *result)
{
	array__free(&result->undecided);
}

#ifdef HAVE_CAPSTONE

struct tracker {
	const struct cfi_machine *machine;
	const struct cfi_track_options *options;
	struct cfi_rows *rows;
	size_t first; /* of the rows that are this code's */
	struct cfi_track_result *result;
	struct cfi_row steady; /* what holds at all calls; size is 0 before the first */
	bool unsteady;         /* calls disagree */
};

static int add_row(struct tracker *tracker, const struct cfi_row *row)
{
	size_t count = tracker->rows->rows.count;
	struct cfi_row *last = count ? &tracker->rows->rows.items[count - 1] : NULL;

	if (last && last->addr + last->size == row->addr && last->origin == row->origin &&
	    cfi_row__same(last, row)) {
		last->size += row->size;
		return 0;
	}
	return array__push(&tracker->rows->rows, *row) ? 0 : -ENOMEM;
}

/* CFA = fp + 16, fp and the return address right below (aarch64: fp below the return address). */
static struct cfi_row frame_pointer_row(const struct cfi_machine *machine)
{
	struct cfi_row row = {
		.cfa = { CFI_RULE_REGISTER, machine->fp, { .offset = INT64_C(2) * machine->word } },
		.origin = CFI_FRAME_POINTER
	};

	row.registers[machine->ra] =
		(struct cfi_rule){ .kind = CFI_RULE_OFFSET, .offset = -machine->word };
	row.registers[machine->fp] =
		(struct cfi_rule){ .kind = CFI_RULE_OFFSET, .offset = INT64_C(-2) * machine->word };
	return row;
}

static int add_undecided(struct tracker *tracker, const struct cfi_undecided *why)
{
	size_t count = tracker->result->undecided.count;
	struct cfi_undecided *last = count ? &tracker->result->undecided.items[count - 1] : NULL;
	struct cfi_row row;

	if (tracker->options->frame_pointer) {
		row = frame_pointer_row(tracker->machine);
		row.addr = why->addr;
		row.size = why->size;
		return add_row(tracker, &row);
	}
	if (last && last->addr + last->size == why->addr && last->reason == why->reason &&
	    (last->pc == why->pc || why->pc == why->addr)) {
		last->size += why->size;
		return 0;
	}
	return array__push(&tracker->result->undecided, *why) ? 0 : -ENOMEM;
}

/* Padding is never run: what stands before it may go on over it, so that it makes no gap. */
static int add_padding(struct tracker *tracker, const struct cfi_visit *at)
{
	size_t count = tracker->rows->rows.count;
	struct cfi_row *last = count ? &tracker->rows->rows.items[count - 1] : NULL;

	if (!last || last->addr + last->size != at->pc)
		return add_undecided(tracker, &at->why);
	last->size += at->size;
	return 0;
}

/*
 * Calls agree when CFA, return address and frame pointer do. What else they differ in, saved or
 * not yet, is not known where no path leads.
 */
static void note_call(struct tracker *tracker, const struct cfi_row *row)
{
	struct cfi_row *steady = &tracker->steady;

	if (!steady->size) {
		*steady = *row;
		return;
	}
	tracker->unsteady |= !cfi_rule__same(&steady->cfa, &row->cfa);
	for (int i = 0; i < CFI_ROW_REGISTERS; i++) {
		if (cfi_rule__same(&steady->registers[i], &row->registers[i]))
			continue;
		if (i == tracker->machine->ra || i == tracker->machine->fp)
			tracker->unsteady = true;
		steady->registers[i] = (struct cfi_rule){ .kind = CFI_RULE_UNDEFINED };
	}
}

static int visit(void *context, const struct cfi_visit *at)
{
	struct tracker *tracker = context;
	size_t count = tracker->rows->rows.count;
	struct cfi_row row = { .addr = at->pc, .size = at->size, .origin = CFI_SYNTHESISED };
	struct cfi_undecided why = { .addr = at->pc, .size = at->size };
	uint16_t prefer = tracker->machine->sp;
	int found;

	if (!at->state)
		return at->padding ? add_padding(tracker, at) : add_undecided(tracker, &at->why);
	if (count - tracker->first >= CFI_ROWS_MAX) {
		why.reason = CFI_TOO_COMPLEX;
		why.pc = at->pc;
		return add_undecided(tracker, &why);
	}
	if (count && tracker->rows->rows.items[count - 1].cfa.kind == CFI_RULE_REGISTER)
		prefer = tracker->rows->rows.items[count - 1].cfa.reg;
	/* once there is a frame pointer it takes fewer rows */
	if (cfi_state__get(at->state, tracker->machine->fp).kind == CFI_VALUE_ADDRESS)
		prefer = tracker->machine->fp;
	found = cfi_state__row(at->state, prefer, tracker->rows, &row, &why);
	if (found < 0)
		return found;
	if (!found)
		return add_undecided(tracker, &why);
	if (at->flow->kind == CFI_FLOW_CALL)
		note_call(tracker, &row);
	return add_row(tracker, &row);
}

static int compare_rows(const void *a, const void *b)
{
	const struct cfi_row *left = a, *right = b;

	return left->addr < right->addr ? -1 : left->addr > right->addr;
}

/* Code that no path reaches has the frame that all calls have, where the producer's do. */
static int fill_steady(struct tracker *tracker)
{
	size_t kept = 0;

	if (!tracker->options->fixed_frame || tracker->unsteady || !tracker->steady.size)
		return 0;
	array__for_each(why, &tracker->result->undecided) {
		if (why->reason != CFI_UNREACHED) {
			tracker->result->undecided.items[kept++] = *why;
			continue;
		}
		tracker->steady.addr = why->addr;
		tracker->steady.size = why->size;
		if (!array__push(&tracker->rows->rows, tracker->steady))
			return -ENOMEM;
	}
	tracker->result->undecided.count = kept;
	qsort(tracker->rows->rows.items + tracker->first,
	      tracker->rows->rows.count - tracker->first, sizeof(*tracker->rows->rows.items),
	      compare_rows);
	return 0;
}

bool cfi__can_track(const struct cfi_target *target)
{
	return cfi_machine__of(target) && disassembler__supports(target);
}

int cfi__track(struct cfi_rows *rows, struct bytes code, uint64_t addr,
	       const struct cfi_target *target, const struct cfi_track_options *options,
	       struct cfi_track_result *result)
{
	static const struct cfi_track_options no_options;
	struct tracker tracker = { .machine = cfi_machine__of(target),
				   .options = options ? options : &no_options,
				   .rows = rows,
				   .first = rows->rows.count,
				   .result = result };
	int err = cfi_walk__over(code, addr, target, tracker.options, visit, &tracker);

	return err ? err : fill_steady(&tracker);
}

#else

bool cfi__can_track(const struct cfi_target *target)
{
	(void)target;
	return false;
}

int cfi__track(struct cfi_rows *rows, struct bytes code, uint64_t addr,
	       const struct cfi_target *target, const struct cfi_track_options *options,
	       struct cfi_track_result *result)
{
	(void)rows;
	(void)code;
	(void)addr;
	(void)target;
	(void)options;
	(void)result;
	return -ENOTSUP;
}

#endif
