// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix_result.h"

bool fix_result__has_jit(const struct plan *plan)
{
	return plan->discovery->markers.count || plan->discovery->dumps.count;
}

static bool is_empty(const struct found_dump *found)
{
	return jitdump__stats(found->dump)->loads == 0;
}

/* A child that never wrote to its dump, but runs what it inherited, has lost nothing. */
static bool has_unnamed_samples(const struct plan *plan, const struct process *process)
{
	array__for_each(counted, &plan->per_process)
		if (counted->process == process)
			return counted->counts.anon_samples > 0;
	return false;
}

bool fix_result__is_partial(const struct plan *plan)
{
	if (plan->discovery->nr_missing)
		return true;
	array__for_each(found, &plan->discovery->dumps) {
		if (!found->process)
			return true;
		if (is_empty(found) && has_unnamed_samples(plan, found->process))
			return true;
	}
	return false;
}

size_t fix_result__nr_dsos(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(dso, &plan->dsos)
		count += dso->path != NULL;
	return count;
}
