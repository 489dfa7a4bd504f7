// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/array.h"

#include <stdint.h>

bool array__reserve_raw(void **items, size_t *capacity, size_t needed, size_t size)
{
	size_t grown = *capacity + *capacity / 2 + 8;
	void *moved;

	if (needed <= *capacity)
		return true;
	if (grown < needed)
		grown = needed;
	if (grown > SIZE_MAX / size)
		return false;
	moved = realloc(*items, grown * size);
	if (!moved)
		return false;
	*items = moved;
	*capacity = grown;
	return true;
}
