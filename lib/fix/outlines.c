// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/outlines.h"

#include <stdlib.h>

/* Whether the file at hand is the one that was recorded, as far as the profile tells. */
static bool is_recorded_file(const struct plan *plan, const char *name,
			     const struct dso_outline *outline)
{
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE];
	size_t size = perfdata__build_id(plan->perfdata, name, build_id);

	return !size || (outline->build_id_size && outline->build_id_size <= size &&
			 memcmp(outline->build_id, build_id, outline->build_id_size) == 0);
}

const struct dso_outline *plan__outline(struct plan *plan, const char *name,
					const struct cfi_target *target)
{
	struct plan_outline *fresh;

	array__for_each(known, &plan->outlines)
		if (strcmp((*known)->name, name) == 0)
			return (*known)->usable ? &(*known)->outline : NULL;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return NULL;
	fresh->name = strdup(name);
	if (!fresh->name || !array__push(&plan->outlines, fresh)) {
		free(fresh->name);
		free(fresh);
		return NULL;
	}
	fresh->usable = dso_outline__open(&fresh->outline, name, target);
	if (fresh->usable && !is_recorded_file(plan, name, &fresh->outline)) {
		dso_outline__close(&fresh->outline);
		fresh->usable = false;
	}
	return fresh->usable ? &fresh->outline : NULL;
}
