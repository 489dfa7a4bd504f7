// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfdata/splice.h"

#include <stdlib.h>

size_t splices__add(struct splices *splices, enum splice_class class, uint64_t offset,
		    uint64_t removed, const void *data, size_t size)
{
	struct splice splice = {
		.offset = offset,
		.removed = removed,
		.bytes = splices->bytes.size,
		.size = size,
		.class = class,
		.nth = splices->list.count,
	};

	if (size && data)
		buf__put(&splices->bytes, data, size);
	else if (size)
		buf__put_zeros(&splices->bytes, size);
	if (!array__push(&splices->list, splice))
		splices->bytes.failed = true;
	return splice.bytes;
}

bool splices__add_late(struct splices *splices, uint64_t offset, uint64_t removed)
{
	struct splice splice = {
		.offset = offset,
		.removed = removed,
		.class = SPLICE_STRUCTURE,
		.nth = splices->list.count,
		.made_late = true,
	};

	return array__push(&splices->list, splice);
}

static int compare(const void *a, const void *b)
{
	const struct splice *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

void splices__sort(struct splices *splices)
{
	if (splices->list.count)
		qsort(splices->list.items, splices->list.count, sizeof(struct splice), compare);
}

bool splices__are_sound(const struct splices *splices, uint64_t begin, uint64_t end)
{
	uint64_t at = begin;

	array__for_each(splice, &splices->list) {
		if (splice->offset < at || splice->offset > end ||
		    splice->removed > end - splice->offset)
			return false;
		at = splice->offset + splice->removed;
	}
	return true;
}

static uint64_t map(const struct splices *splices, uint64_t offset, bool behind)
{
	uint64_t mapped = offset;

	array__for_each(splice, &splices->list) {
		bool here = behind && splice->offset == offset && splice->removed == 0;

		if (splice->offset < offset || here)
			mapped += splice->size - splice->removed;
	}
	return mapped;
}

uint64_t splices__map_before(const struct splices *splices, uint64_t offset)
{
	return map(splices, offset, false);
}

uint64_t splices__map_behind(const struct splices *splices, uint64_t offset)
{
	return map(splices, offset, true);
}

void splices__free(struct splices *splices)
{
	array__free(&splices->list);
	buf__free(&splices->bytes);
}
