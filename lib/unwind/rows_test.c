// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of rows grows while it is filled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unwind/rows.h"

#define NR_ADDRESSES 5000

static void test_growth(void **state)
{
	struct row_table table = { 0 };
	const struct unwind_row *row;

	(void)state;
	for (uint64_t i = 0; i < NR_ADDRESSES; i++) {
		assert_false(row_table__find(&table, 0x401000 + 3 * i, &row));
		assert_int_equal(row_table__add(&table, 0x401000 + 3 * i, NULL, NULL, &row), 0);
		assert_null(row);
	}
	assert_int_equal(table.count, NR_ADDRESSES);
	for (uint64_t i = 0; i < 3 * NR_ADDRESSES; i++) {
		row = (const struct unwind_row *)(const void *)&table;
		assert_int_equal(row_table__find(&table, 0x401000 + i, &row), i % 3 == 0);
		if (i % 3 == 0)
			assert_null(row);
	}
	row_table__free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_growth) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
