// SPDX-License-Identifier: GPL-2.0-or-later
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "dump_options.h"

#define JIT_CODE "JIT_CODE_"

bool dump_selection__of_code(const struct dump_selection *select)
{
	return select->functions.count || select->by_address;
}

bool dump_selection__is_of_names(const struct dump_selection *select)
{
	return select->functions.count && !select->by_address && !select->types.count &&
	       !select->pids.count && !select->by_time;
}

bool dump_selection__is_partial(const struct dump_selection *select)
{
	return dump_selection__of_code(select) || select->types.count || select->pids.count ||
	       select->by_time;
}

bool dump_selection__type(const struct dump_selection *select, const char *type)
{
	array__for_each(wanted, &select->types) {
		const char *name = *wanted;

		if (strncasecmp(name, JIT_CODE, strlen(JIT_CODE)) == 0)
			name += strlen(JIT_CODE);
		if (strcasecmp(name, type) == 0)
			return true;
	}
	return !select->types.count;
}

bool dump_selection__pid(const struct dump_selection *select, uint32_t pid)
{
	array__for_each(wanted, &select->pids)
		if (*wanted == pid)
			return true;
	return !select->pids.count;
}

bool dump_selection__time(const struct dump_selection *select, uint64_t ns)
{
	return !select->by_time || (ns >= select->from && ns <= select->to);
}

bool dump_selection__name(const struct dump_selection *select, const char *name)
{
	array__for_each(pattern, &select->functions)
		if (fnmatch(*pattern, name, 0) == 0)
			return true;
	return !select->functions.count;
}

bool dump_selection__range(const struct dump_selection *select, uint64_t start, uint64_t size)
{
	if (!select->by_address)
		return true;
	return start <= select->last && (start >= select->first || size > select->first - start);
}
