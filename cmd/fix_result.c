// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix_result.h"

#include "fix/kept.h"

bool fix_result__has_jit(const struct plan *plan)
{
	array__for_each(marker, &plan->discovery->markers)
		if (!marker->odd)
			return true;
	return plan->discovery->dumps.count || plan->discovery->maps.count ||
	       fix_result__nr_kept(plan);
}

/* A child that wrote nothing to its dump, but runs what it inherited, has lost nothing. */
static bool inherits_code(const struct process *process)
{
	for (; process->parent && !process->execed; process = process->parent)
		if (process->parent->codemap)
			return true;
	return false;
}

static bool has_samples(const struct plan *plan, const struct process *process)
{
	array__for_each(counted, &plan->per_process)
		if (counted->process == process)
			return counted->counts.samples > 0;
	return false;
}

bool fix_result__says_nothing(const struct plan *plan, const struct found_dump *found)
{
	return found->process && !found->refused && !found->left &&
	       jitdump__stats(found->dump)->loads == 0 && !inherits_code(found->process) &&
	       has_samples(plan, found->process);
}

bool fix_result__is_refused(const struct plan *plan, const struct found_dump *found)
{
	return found->process && found->refused && has_samples(plan, found->process);
}

bool fix_result__has_lost(const struct plan *plan)
{
	array__for_each(counted, &plan->per_process)
		if (counted->kept && counted->counts.samples &&
		    kept__has_lost(plan->kept, counted->process))
			return true;
	return false;
}

size_t fix_result__nr_kept(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(counted, &plan->per_process)
		count += counted->kept;
	return count;
}

bool fix_result__is_partial(const struct plan *plan)
{
	if (fix_result__has_lost(plan))
		return true;
	array__for_each(marker, &plan->discovery->markers)
		if (marker->missing && has_samples(plan, marker->process) &&
		    !kept__stands(plan->kept, marker->process))
			return true;
	array__for_each(counted, &plan->per_process)
		if (counted->nr_unplaced && counted->counts.samples)
			return true;
	array__for_each(found, &plan->discovery->dumps)
		if (!found->process || fix_result__is_refused(plan, found) ||
		    fix_result__says_nothing(plan, found))
			return true;
	return false;
}

size_t fix_result__nr_dsos(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(dso, &plan->dsos)
		count += dso->path != NULL;
	return count;
}

static const struct {
	const char *word, *text;
} origins[FUNCTION_ORIGINS] = {
	[FUNCTION_PRODUCER] = { "producer", "as the runtime wrote it" },
	[FUNCTION_REPAIRED] = { "repaired", "of the runtime, put right" },
	[FUNCTION_SYNTHESISED] = { "synthesised", "shown by the code" },
	[FUNCTION_FRAME_POINTER] = { "frame_pointer", "by the frame pointer" },
	[FUNCTION_NO_CFI] = { "none", "none" },
	[FUNCTION_UNNEEDED] = { "not_needed", "not needed" },
};

const char *fix_result__origin_word(enum function_origin origin)
{
	return origins[origin].word;
}

const char *fix_result__origin_text(enum function_origin origin)
{
	return origins[origin].text;
}
