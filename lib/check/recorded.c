// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "perfdata/perfdata.h"

int check_recorded__read(struct check_recorded *recorded, const struct perfdata *profile)
{
	*recorded = (struct check_recorded){ .command = perfdata__command(profile) };
	for (size_t i = 0; i < perfdata__nr_attrs(profile); i++) {
		const struct perf_event_attr *attr = &perfdata__attr(profile, i)->attr;

		recorded->monotonic |= attr->use_clockid && attr->clockid == CLOCK_MONOTONIC;
		if (attr->sample_type & PERF_SAMPLE_STACK_USER &&
		    attr->sample_stack_user > recorded->stack)
			recorded->stack = attr->sample_stack_user;
	}
	return recorded->command ? 0 : -ENOMEM;
}

void check_recorded__free(struct check_recorded *recorded)
{
	free(recorded->command);
	recorded->command = NULL;
}
