// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/array.h"

static void pushes_keep_order_and_content(void **state)
{
	ARRAY(uint32_t) numbers = { 0 };
	uint32_t expected = 0;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		assert_true(array__push(&numbers, i * 7));
	assert_int_equal(numbers.count, 10000);
	array__for_each (number, &numbers) {
		assert_int_equal(*number, expected);
		expected += 7;
	}
	assert_int_equal(expected, 70000);
	array__free(&numbers);
	assert_null(numbers.items);
	assert_int_equal(numbers.count, 0);
}

static void pushes_structs(void **state)
{
	struct pair {
		int a, b;
	};
	ARRAY(struct pair) pairs = { 0 };

	(void)state;
	assert_true(array__push(&pairs, (struct pair){ 1, 2 }));
	assert_true(array__push(&pairs, (struct pair){ .b = 4 }));
	assert_int_equal(pairs.items[0].b, 2);
	assert_int_equal(pairs.items[1].a, 0);
	assert_int_equal(pairs.items[1].b, 4);
	array__free(&pairs);
}

static void walks_an_empty_array(void **state)
{
	ARRAY(int) none = { 0 };

	(void)state;
	array__for_each (item, &none)
		fail_msg("an empty array has no item %p", (void *)item);
}

static void counts_those_that_lead(void **state)
{
	static const int sorted[] = { 1, 3, 3, 5, 9 };
	ARRAY(int) numbers = { 0 };

	(void)state;
	assert_int_equal(array__count_leading(n, &numbers, *n < 5), 0);
	for (size_t i = 0; i < 5; i++)
		assert_true(array__push(&numbers, sorted[i]));
	for (int limit = 0; limit <= 10; limit++) {
		size_t below = 0, up_to = 0;

		for (size_t i = 0; i < 5; i++) {
			below += sorted[i] < limit;
			up_to += sorted[i] <= limit;
		}
		assert_int_equal(array__count_leading(n, &numbers, *n < limit), below);
		assert_int_equal(array__count_leading(n, &numbers, *n <= limit), up_to);
		assert_int_equal(items__count_leading(n, sorted, 3, *n < limit),
				 below < 3 ? below : 3);
	}
	array__free(&numbers);
}

static void refuses_a_size_that_overflows(void **state)
{
	ARRAY(uint64_t) numbers = { 0 };

	(void)state;
	assert_true(array__push(&numbers, 5));
	assert_false(array__reserve(&numbers, SIZE_MAX / sizeof(uint64_t) + 1));
	assert_false(array__reserve(&numbers, SIZE_MAX));
	assert_int_equal(numbers.count, 1);
	assert_int_equal(numbers.items[0], 5);
	array__free(&numbers);
}

static void reserve_leaves_the_count(void **state)
{
	ARRAY(char) text = { 0 };

	(void)state;
	assert_true(array__reserve(&text, 100));
	assert_int_equal(text.count, 0);
	assert_true(text.capacity >= 100);
	array__free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_keep_order_and_content),
		cmocka_unit_test(pushes_structs),
		cmocka_unit_test(walks_an_empty_array),
		cmocka_unit_test(counts_those_that_lead),
		cmocka_unit_test(refuses_a_size_that_overflows),
		cmocka_unit_test(reserve_leaves_the_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
