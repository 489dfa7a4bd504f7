// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codemap/process.h"

static void map(struct processes *processes, uint32_t pid, uint64_t time, uint64_t start,
		uint64_t size, const char *name)
{
	struct mapping mapping = { .time = time, .start = start, .size = size, .name = name };

	assert_int_equal(processes__map(processes, pid, &mapping), 0);
}

static void expect(struct processes *processes, uint32_t pid, uint64_t time, uint64_t addr,
		   const char *name)
{
	struct process *process = processes__find(processes, pid, time);
	const struct mapping *mapping = process ? process__mapping(process, addr, time) : NULL;

	const char *found = mapping ? mapping->name : "nothing";

	assert_string_equal(found, name ? name : "nothing");
}

static void test_fork_and_exec(void **state)
{
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	map(processes, 1, 10, 100, 10, "/bin/a");
	assert_int_equal(processes__fork(processes, 20, 2, 1), 0);
	map(processes, 1, 30, 105, 10, "/bin/b");
	map(processes, 2, 40, 100, 5, "/bin/c");
	assert_int_equal(processes__exec(processes, 50, 2, "new"), 0);
	map(processes, 2, 60, 100, 10, "/bin/d");

	expect(processes, 1, 9, 100, NULL);
	expect(processes, 1, 10, 100, "/bin/a");
	expect(processes, 1, 30, 104, "/bin/a");
	expect(processes, 1, 30, 105, "/bin/b");
	expect(processes, 2, 19, 100, NULL);
	expect(processes, 2, 20, 100, "/bin/a");
	expect(processes, 2, 45, 100, "/bin/c");
	expect(processes, 2, 45, 105, "/bin/a");
	expect(processes, 2, 50, 100, NULL);
	expect(processes, 2, 60, 100, "/bin/d");
	processes__free(processes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_and_exec),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
