// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codemap/slots.h"

static void compare(const struct slots *slots, const bool *member, size_t count, size_t i)
{
	size_t next = i, before = i < count ? i : count;

	while (next < count && !member[next])
		next++;
	while (before && !member[before - 1])
		before--;
	assert_int_equal(slots__next(slots, i), next < count ? next : SLOTS_NONE);
	assert_int_equal(slots__before(slots, i), before ? before - 1 : SLOTS_NONE);
}

/* Sizes around where levels are added, dense and sparse, against an array of booleans. */
static void test_against_array(void **state)
{
	static const size_t counts[] = { 1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 300000 };

	(void)state;
	srand(1);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		size_t count = counts[c];
		bool *member = calloc(count, sizeof(*member));
		struct slots slots;

		assert_non_null(member);
		assert_int_equal(slots__init(&slots, count), 0);
		for (size_t step = 0; step < 4000; step++) {
			size_t i = (size_t)rand() % count;

			if (step / 500 % 2 || rand() % 4 == 0) {
				slots__remove(&slots, i);
				member[i] = false;
			} else {
				slots__add(&slots, i);
				member[i] = true;
			}
			assert_int_equal(slots__has(&slots, i), member[i]);
			if (count < 5000 || step % 100 == 0) {
				compare(&slots, member, count, (size_t)rand() % count);
				compare(&slots, member, count, i);
				compare(&slots, member, count, i + 1);
			}
		}
		compare(&slots, member, count, 0);
		compare(&slots, member, count, count);
		compare(&slots, member, count, SIZE_MAX);
		slots__free(&slots);
		free(member);
	}
}

static void test_ends(void **state)
{
	struct slots slots;

	(void)state;
	assert_int_equal(slots__init(&slots, 0), 0);
	assert_int_equal(slots__next(&slots, 0), SLOTS_NONE);
	assert_int_equal(slots__before(&slots, 5), SLOTS_NONE);
	slots__free(&slots);

	assert_int_equal(slots__init(&slots, 1 << 20), 0);
	slots__add(&slots, 0);
	slots__add(&slots, (1 << 20) - 1);
	assert_int_equal(slots__next(&slots, 1), (1 << 20) - 1);
	assert_int_equal(slots__before(&slots, (1 << 20) - 1), 0);
	assert_int_equal(slots__before(&slots, 0), SLOTS_NONE);
	slots__remove(&slots, 0);
	slots__remove(&slots, 0);
	assert_int_equal(slots__before(&slots, (1 << 20) - 1), SLOTS_NONE);
	slots__free(&slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_array),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
