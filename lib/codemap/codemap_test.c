// SPDX-License-Identifier: GPL-2.0-or-later
/* What the map says of its code beside where it is, forks, odd ranges, and the model. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codemap/codemap_model.h"
#include "codemap/model_testing.h"

static struct codemap *new_map(void)
{
	struct codemap *map = codemap__new();

	assert_non_null(map);
	return map;
}

static void load(struct codemap *map, uint64_t time, const struct code_record *record)
{
	assert_int_equal(codemap__load(map, time, record), 0);
}

static void finish(struct codemap *map)
{
	assert_int_equal(codemap__finish(map), 0);
}

static void test_generations(void **state)
{
	struct codemap *map = new_map();
	struct code_record records[100];

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		records[i] = (struct code_record){ .addr = 4096, .size = 16 + i % 7, .name = "g" };
		load(map, 10 * i, &records[i]);
	}
	finish(map);
	assert_int_equal(codemap__count(map), 100);
	for (size_t i = 0; i < 100; i++) {
		const struct code *code = codemap__at(map, i);

		assert_ptr_equal(code->record, &records[i]);
		assert_int_equal(code->load, 10 * i);
		assert_int_equal(code->end, i == 99 ? CODE_FOREVER : 10 * (i + 1));
		assert_ptr_equal(codemap__find(map, 4096 + 15, 10 * i + 9), code);
		if (i % 7 != 6)
			assert_null(codemap__find(map, 4096 + 16 + i % 7, 10 * i + 9));
	}
	codemap__free(map);
}

static void test_flags(void **state)
{
	static const uint8_t nop[] = { 0x90 }, ret[] = { 0xc3 };
	const struct code_record records[] = {
		{ .addr = 100, .size = 1, .name = "f", .code = { nop, 1 } },
		{ .addr = 100, .size = 1, .name = "f", .code = { nop, 1 } },
		{ .addr = 100, .size = 1, .name = "f", .code = { ret, 1 } },
		{ .addr = 100, .size = 1, .name = "g", .code = { ret, 1 } },
		{ .addr = 100, .size = 1, .name = "g" },
		{ .addr = 100, .size = 1, .name = "g" },
	};
	const bool identical[] = { false, true, false, false, false, true };
	struct codemap *map = new_map();

	(void)state;
	for (size_t i = 0; i < 6; i++)
		load(map, i, &records[i]);
	finish(map);
	for (size_t i = 0; i < 6; i++) {
		const struct code *code = codemap__find(map, 100, i);

		assert_ptr_equal(code->record, &records[i]);
		assert_int_equal(code->identical, identical[i]);
		assert_false(code->moved || code->inherited);
		assert_true(code->first_reference > code->last_reference);
	}
	codemap__free(map);
}

/* Node's workers: each isolate loads the same builtins again. */
static void test_isolates(void **state)
{
	struct code_record records[2] = {
		{ .addr = 100, .size = 10, .name = "Builtin:A" },
		{ .addr = 110, .size = 10, .name = "Builtin:B" },
	};
	struct codemap *map = new_map();
	size_t identical = 0;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		load(map, i, &records[i % 2]);
	finish(map);
	for (size_t i = 0; i < codemap__count(map); i++)
		identical += codemap__at(map, i)->identical;
	assert_int_equal(identical, 6);
	for (uint64_t time = 1; time < 10; time++) {
		assert_ptr_equal(codemap__find(map, 109, time)->record, &records[0]);
		assert_ptr_equal(codemap__find(map, 110, time)->record, &records[1]);
	}
	codemap__free(map);
}

static void test_fork(void **state)
{
	const struct code_record a = { .addr = 100, .size = 10, .name = "a", .index = 1 };
	const struct code_record b = { .addr = 110, .size = 10, .name = "b", .index = 2 };
	const struct code_record p = { .addr = 100, .size = 10, .name = "p", .index = 3 };
	const struct code_record c = { .addr = 105, .size = 10, .name = "c", .index = 3 };
	struct codemap *parent = new_map(), *child = new_map();

	(void)state;
	load(parent, 10, &a);
	load(parent, 10, &b);
	assert_int_equal(codemap__move(parent, 15, 110, 210, 10, 2), 0);
	load(parent, 30, &p);
	assert_int_equal(codemap__inherit(child, parent, 20), -EINVAL);
	finish(parent);
	assert_int_equal(codemap__inherit(child, parent, 20), 0);
	load(child, 40, &c);
	assert_int_equal(codemap__move(child, 50, 210, 310, 10, 2), 0);
	finish(child);

	assert_ptr_equal(codemap__find(parent, 105, 29)->record, &a);
	assert_ptr_equal(codemap__find(parent, 105, 30)->record, &p);
	assert_ptr_equal(codemap__find(parent, 210, 60)->record, &b);

	assert_null(codemap__find(child, 105, 19));
	assert_ptr_equal(codemap__find(child, 105, 20)->record, &a);
	assert_true(codemap__find(child, 105, 20)->inherited);
	assert_false(codemap__find(child, 105, 20)->moved);
	assert_ptr_equal(codemap__find(child, 105, 39)->record, &a);
	assert_ptr_equal(codemap__find(child, 105, 40)->record, &c);
	assert_false(codemap__find(child, 105, 40)->inherited);
	assert_ptr_equal(codemap__find(child, 210, 49)->record, &b);
	assert_true(codemap__find(child, 210, 49)->moved);
	assert_null(codemap__find(child, 210, 50));
	assert_ptr_equal(codemap__find(child, 310, 50)->record, &b);
	assert_null(codemap__find(child, 110, 20));
	codemap__free(child);
	codemap__free(parent);
}

static void test_alias(void **state)
{
	const struct code_record a = { .addr = 100, .size = 10, .name = "a", .index = 1 };
	struct codemap *map = new_map();

	(void)state;
	load(map, 10, &a);
	assert_int_equal(codemap__alias(map, 10, &a, 200), 0);
	assert_int_equal(codemap__alias(map, 10, &a, UINT64_MAX - 9), -EINVAL);
	assert_int_equal(codemap__move(map, 20, 100, 300, 10, 1), 0);
	finish(map);
	assert_ptr_equal(codemap__find(map, 109, 19)->record, &a);
	assert_null(codemap__find(map, 109, 20));
	assert_ptr_equal(codemap__find(map, 209, 20)->record, &a);
	assert_false(codemap__find(map, 209, 20)->identical);
	assert_ptr_equal(codemap__find(map, 309, 20)->record, &a);
	codemap__free(map);
}

static void test_walk_by_address(void **state)
{
	const struct code_record records[] = {
		{ .addr = 100, .size = 50, .name = "a" },
		{ .addr = 110, .size = 5, .name = "b" },
		{ .addr = 120, .size = 5, .name = "c" },
		{ .addr = 200, .size = 5, .name = "d" },
	};
	struct codemap *map = new_map();

	(void)state;
	for (size_t i = 4; i--;)
		load(map, 4 - i, &records[i]);
	finish(map);
	for (size_t i = 0; i < 4; i++)
		assert_ptr_equal(codemap__at(map, i)->record, &records[i]);
	codemap__free(map);
}

static void test_bad_ranges(void **state)
{
	const struct code_record empty = { .addr = 100, .size = 0, .name = "" };
	const struct code_record wraps = { .addr = UINT64_MAX - 5, .size = 6, .name = "" };
	const struct code_record last = { .addr = UINT64_MAX - 5, .size = 5, .name = "" };
	struct codemap *map = new_map();

	(void)state;
	assert_int_equal(codemap__load(map, 1, &empty), -EINVAL);
	assert_int_equal(codemap__load(map, 1, &wraps), -EINVAL);
	load(map, 1, &last);
	assert_int_equal(codemap__move(map, 1, UINT64_MAX - 5, 100, 0, 0), -EINVAL);
	assert_int_equal(codemap__move(map, 1, UINT64_MAX - 5, UINT64_MAX, 5, 0), -EINVAL);
	finish(map);
	finish(map);
	assert_int_equal(codemap__count(map), 1);
	assert_int_equal(codemap__load(map, 1, &last), -EINVAL);
	assert_int_equal(codemap__move(map, 1, UINT64_MAX - 5, 100, 5, 0), -EINVAL);
	assert_int_equal(codemap__unmap(map, 1, 0, 100), -EINVAL);
	assert_int_equal(codemap__inherit(map, map, 1), -EINVAL);
	assert_non_null(codemap__find(map, UINT64_MAX - 1, 1));
	assert_null(codemap__find(map, UINT64_MAX, 1));
	codemap__free(map);
}

static void test_empty(void **state)
{
	struct codemap *map = new_map();

	(void)state;
	assert_int_equal(codemap__unmap(map, 1, 0, UINT64_MAX), 0);
	assert_int_equal(codemap__move(map, 1, 100, 200, 5, 0), 0);
	finish(map);
	assert_int_equal(codemap__count(map), 0);
	assert_int_equal(codemap__lost_moves(map), 1);
	assert_null(codemap__find(map, 200, 1));
	assert_null(codemap__find_early(map, 200, 0));
	codemap__free(map);
	codemap__free(NULL);
}

/* A function over thousands of small ones, again and again. */
static void test_giants(void **state)
{
	enum { SMALL = 4096, ROUNDS = 64 };
	const struct code_record giant = { .addr = 1 << 20, .size = SMALL * 16, .name = "giant" };
	struct code_record *small = calloc(SMALL, sizeof(*small));
	struct codemap *map = new_map();

	(void)state;
	assert_non_null(small);
	for (size_t i = 0; i < SMALL; i++)
		small[i] = (struct code_record){ giant.addr + 16 * i, 16, .name = "small" };
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < SMALL; i++)
			load(map, 10 * round, &small[i]);
		load(map, 10 * round + 5, &giant);
	}
	finish(map);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < SMALL; i += 15) {
			uint64_t addr = giant.addr + 16 * i + 15;

			assert_ptr_equal(codemap__find(map, addr, 10 * round + 4)->record,
					 &small[i]);
			assert_ptr_equal(codemap__find(map, addr, 10 * round + 5)->record, &giant);
		}
	}
	codemap__free(map);
	free(small);
}

static void test_model(void **state)
{
	static const struct model_run runs[] = { { 60, 2000 }, { 600, 100 }, { 12000, 3 } };

	(void)state;
	check_model(codemap_model__check, runs, sizeof(runs) / sizeof(runs[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generations), cmocka_unit_test(test_flags),
		cmocka_unit_test(test_isolates),    cmocka_unit_test(test_fork),
		cmocka_unit_test(test_alias),       cmocka_unit_test(test_walk_by_address),
		cmocka_unit_test(test_bad_ranges),  cmocka_unit_test(test_empty),
		cmocka_unit_test(test_giants),      cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests_name("codemap", tests, NULL, NULL);
}
