/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing arrays of any type: a struct declared by ARRAY(type), zero-initialised.
 * Pointers to elements are valid until the next push.
 */
#ifndef PERFJIT_BASE_ARRAY_H
#define PERFJIT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define ARRAY(type)              \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

/* Makes room for needed elements of size bytes each; false: out of memory, nothing changed. */
bool array__reserve_raw(void **items, size_t *capacity, size_t needed, size_t size);

#define array__reserve(array, needed)                                              \
	array__reserve_raw((void **)&(array)->items, &(array)->capacity, (needed), \
			   sizeof(*(array)->items))

/* Appends a value; false: out of memory, nothing changed. */
#define array__push(array, ...)                         \
	(array__reserve((array), (array)->count + 1) && \
	 ((array)->items[(array)->count++] = (__VA_ARGS__), true))

/* NOLINTBEGIN(bugprone-macro-parentheses): item is declared here */
#define array__for_each(item, array)                               \
	for (__typeof__((array)->items + 0) item = (array)->items; \
	     item && item < (array)->items + (array)->count; item++)

/*
 * How many items come before the first for which the condition, an expression with item, does not
 * hold; those for which it does must all stand before those for which it does not.
 */
#define array__count_leading(item, array, condition) \
	items__count_leading(item, (array)->items, (array)->count, condition)

#define items__count_leading(item, items, count, condition)         \
	({                                                          \
		__typeof__((items) + 0) items_ = (items);           \
		size_t low_ = 0, high_ = (count);                   \
                                                                    \
		while (low_ < high_) {                              \
			size_t middle_ = low_ + (high_ - low_) / 2; \
			__typeof__(items_) item = items_ + middle_; \
                                                                    \
			if (condition)                              \
				low_ = middle_ + 1;                 \
			else                                        \
				high_ = middle_;                    \
		}                                                   \
		low_;                                               \
	})
/* NOLINTEND(bugprone-macro-parentheses) */

#define array__free(array)                              \
	do {                                            \
		free((array)->items);                   \
		(array)->items = NULL;                  \
		(array)->count = (array)->capacity = 0; \
	} while (0)

#endif
