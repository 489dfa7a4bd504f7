// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inlined calls: DW_TAG_inlined_subroutine (DWARF 4, section 3.3.8), one for each contiguous run
 * of code rather than one with a list of ranges, which would take another section.
 */
#include <dwarf.h>
#include <errno.h>

#include "dso/debug.h"

/* Deeper chains are cut: more than any compiler inlines, and an end for chains that are cyclic. */
#define DEPTH_MAX 256

int debug__put_inlined_functions(struct debug *debug, const struct code_lines *lines)
{
	for (size_t i = 0; i < lines->nr_inlined; i++) {
		uint32_t here = (uint32_t)debug->info.size;
		const char *name = lines->inlined[i].name;
		const uint32_t *entry = strings__number(&debug->inlined_entries, name, here);

		if (!entry)
			return -ENOMEM;
		if (*entry != here)
			continue;
		buf__put_u8(&debug->info, ABBREV_INLINED_FUNCTION);
		image__put_name(&debug->info, name);
		buf__put_u8(&debug->info, DW_INL_inlined);
	}
	return 0;
}

/* The inlined calls that the row is in, innermost first. */
static int make_chain(struct debug *debug, const struct code_lines *lines, uint32_t innermost)
{
	debug->chain.count = 0;
	for (uint32_t call = innermost; call; call = lines->inlined[call - 1].caller) {
		if (call > lines->nr_inlined || debug->chain.count == DEPTH_MAX) {
			debug->chain.count = 0;
			break;
		}
		if (!array__push(&debug->chain, call - 1))
			return -ENOMEM;
	}
	return 0;
}

/* How many of the open calls, from the outermost on, the chain goes on with. */
static size_t common_depth(const struct debug *debug)
{
	size_t depth = 0;

	while (depth < debug->open.count && depth < debug->chain.count &&
	       debug->open.items[depth].index == debug->chain.items[debug->chain.count - 1 - depth])
		depth++;
	return depth;
}

/* Ends the calls deeper than depth: all code before the address was theirs. */
static void close_calls(struct debug *debug, size_t depth, uint64_t address)
{
	struct buf *info = &debug->info;

	while (debug->open.count > depth) {
		const struct open_inlined *call = &debug->open.items[--debug->open.count];

		if (info->failed)
			return;
		set_u32(info->data + call->high_pc, (uint32_t)(address - call->from), info->order);
		if (info->data[call->entry] == ABBREV_INLINED_PARENT)
			buf__put_u8(info, 0);
	}
}

static int open_call(struct debug *debug, const struct code_lines *lines, uint32_t index,
		     uint64_t address)
{
	const struct code_inlined *inlined = &lines->inlined[index];
	const uint32_t *origin = strings__number(&debug->inlined_entries, inlined->name, 0);
	struct open_inlined call = { .index = index, .entry = debug->info.size, .from = address };
	struct buf *info = &debug->info;

	if (!origin || info->failed)
		return -ENOMEM;
	if (debug->open.count)
		info->data[debug->open.items[debug->open.count - 1].entry] = ABBREV_INLINED_PARENT;
	buf__put_u8(info, ABBREV_INLINED);
	buf__put_u32(info, *origin);
	debug__put_address(debug, info, address);
	call.high_pc = info->size;
	buf__put_u32(info, 0);
	buf__put_uleb128(info, debug__file_number(debug, inlined->call_file));
	buf__put_uleb128(info, inlined->call_line);
	buf__put_uleb128(info, inlined->call_column);
	return array__push(&debug->open, call) ? 0 : -ENOMEM;
}

int debug__put_inlined_calls(struct debug *debug, const struct dso_function *function, bool *any)
{
	const struct code_lines *lines = function->record->lines;
	struct row_walk walk = { .function = function };
	struct row_span span = { 0 };
	int err = 0;

	*any = false;
	while (!err && row_walk__next(&walk, &span)) {
		err = make_chain(debug, lines, span.row->inlined);
		if (err)
			break;
		close_calls(debug, common_depth(debug), span.from);
		while (!err && debug->open.count < debug->chain.count) {
			size_t depth = debug->open.count;
			size_t outer = debug->chain.count - 1 - depth;

			err = open_call(debug, lines, debug->chain.items[outer], span.from);
			*any = true;
		}
	}
	close_calls(debug, 0, span.to);
	return err;
}
