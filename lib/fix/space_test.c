// SPDX-License-Identifier: GPL-2.0-or-later
/* What may be covered by a DSO's mapping, and where there is room for its CFI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fix/space.h"

#define GIB (UINT64_C(1) << 30)

static void map(struct processes *processes, uint32_t pid, uint64_t time, uint64_t start,
		uint64_t size, const char *name)
{
	struct mapping mapping = {
		.time = time, .start = start, .size = size, .name = name, .exec = true
	};

	assert_int_equal(processes__map(processes, pid, &mapping), 0);
}

static struct space read_space(const struct processes *processes, uint32_t pid)
{
	struct space space = { .used = { 0 } };

	assert_int_equal(space__read(&space, processes__find(processes, pid, UINT64_MAX)), 0);
	return space;
}

static void test_files_are_not_covered(void **state)
{
	struct processes *processes = processes__new();
	struct space space;

	(void)state;
	map(processes, 1, 0, 0x10000, 0x1000, "/usr/lib/libc.so.6");
	map(processes, 1, 0, 0x20000, 0x1000, "//anon");
	map(processes, 1, 0, 0x30000, 0x1000, "[heap]");
	map(processes, 1, 0, 0x40000, 0x1000, "/memfd:doublemapper (deleted)");
	space = read_space(processes, 1);
	assert_false(space__is_covered(&space, 0xf000, 0x10000, 0));
	assert_true(space__is_covered(&space, 0xf000, 0x10001, 0));
	assert_true(space__is_covered(&space, 0x10fff, 0x11000, 0));
	assert_false(space__is_covered(&space, 0x11000, 0x12000, 0));
	assert_false(space__is_covered(&space, 0x20000, 0x21000, 0));
	assert_false(space__is_covered(&space, 0x30000, 0x31000, 0));
	assert_false(space__is_covered(&space, 0x40000, 0x41000, 0));
	space__free(&space);
	processes__free(processes);
}

/* Samples in the vdso have names too. */
static void test_the_kernels_code_is_not_covered(void **state)
{
	struct processes *processes = processes__new();
	struct space space;

	(void)state;
	map(processes, 1, 0, 0x10000, 0x2000, "[vdso]");
	space = read_space(processes, 1);
	assert_true(space__is_covered(&space, 0xff00, 0x10010, 0));
	space__free(&space);
	processes__free(processes);
}

static void test_code_is_covered_only_by_its_own(void **state)
{
	struct space space = { .used = { 0 } };

	(void)state;
	assert_int_equal(space__take(&space, 0x1000, 0x2000, 7), 0);
	assert_false(space__is_covered(&space, 0x1800, 0x2800, 7));
	assert_true(space__is_covered(&space, 0x1800, 0x2800, 8));
	assert_false(space__is_covered(&space, 0x2000, 0x2800, 8));
	space__free(&space);
}

static void test_a_fork_has_its_parents_mappings(void **state)
{
	struct processes *processes = processes__new();
	struct space space;

	(void)state;
	map(processes, 1, 0, 0x10000, 0x1000, "/lib/a.so");
	assert_int_equal(processes__fork(processes, 5, 2, 1), 0);
	assert_int_equal(processes__fork(processes, 5, 3, 1), 0);
	assert_int_equal(processes__exec(processes, 6, 3, "other"), 0);
	map(processes, 2, 7, 0x20000, 0x1000, "/lib/b.so");
	space = read_space(processes, 2);
	assert_true(space__is_covered(&space, 0x10000, 0x10010, 0));
	assert_true(space__is_covered(&space, 0x20000, 0x20010, 0));
	space__free(&space);
	space = read_space(processes, 3);
	assert_false(space__is_covered(&space, 0x10000, 0x10010, 0));
	space__free(&space);
	space = read_space(processes, 1);
	assert_false(space__is_covered(&space, 0x20000, 0x20010, 0));
	space__free(&space);
	processes__free(processes);
}

/* A record may say any size: what goes past the end of memory reaches up to it. */
static void test_sizes_that_wrap_around(void **state)
{
	struct processes *processes = processes__new();
	struct space space;

	(void)state;
	map(processes, 1, 0, 0x7fff00000000, UINT64_MAX - 10, "/lib/a.so");
	space = read_space(processes, 1);
	assert_true(space__is_covered(&space, 0x7fff00001000, 0x7fff00002000, 0));
	assert_false(space__is_covered(&space, 0x1000, 0x2000, 0));
	assert_int_equal(space__find_hole(&space, 0x7fff00000000, 16, GIB), 0);
	space__free(&space);
	processes__free(processes);
}

/*
 * [0x10000, 0x11000) and [0x11800, 0x13000) leave no page between them; behind 0x13000 there is
 * one up to 0x14000, and much behind 0x15000.
 */
static void test_holes(void **state)
{
	struct processes *processes = processes__new();
	struct space space;

	(void)state;
	map(processes, 1, 0, 0x10000, 0x1000, "/lib/a.so");
	map(processes, 1, 0, 0x11800, 0x1800, "//anon");
	map(processes, 1, 0, 0x14000, 0x1000, "/lib/b.so");
	space = read_space(processes, 1);
	/* a hole is wanted empty, so anonymous memory is no room */
	assert_int_equal(space__find_hole(&space, 0x10010, 0x900, GIB), 0x13000);
	assert_int_equal(space__find_hole(&space, 0x10010, 0x800, GIB), 0x11000);
	assert_int_equal(space__find_hole(&space, 0x10010, 0x1000, GIB), 0x13000);
	assert_int_equal(space__find_hole(&space, 0x10010, 0x1001, GIB), 0x15000);
	assert_int_equal(space__find_hole(&space, 0x10010, 0x1001, 0x4000), 0);
	assert_int_equal(space__find_hole(&space, 0x8001, 0x100, GIB), 0x9000);
	assert_int_equal(space__take(&space, 0x13000, 0x13100, 0), 0);
	assert_int_equal(space__find_hole(&space, 0x10010, 0x1000, GIB), 0x15000);
	space__free(&space);
	processes__free(processes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_are_not_covered),
		cmocka_unit_test(test_the_kernels_code_is_not_covered),
		cmocka_unit_test(test_code_is_covered_only_by_its_own),
		cmocka_unit_test(test_a_fork_has_its_parents_mappings),
		cmocka_unit_test(test_sizes_that_wrap_around),
		cmocka_unit_test(test_holes),
	};

	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
