// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "codemap/model_testing.h"
#include "codemap/process_model.h"

/* Looks up until the index of mappings is worth building. */
static void warm_up(struct processes *processes, uint32_t pid, uint64_t time)
{
	struct process *process = processes__find(processes, pid, time);

	for (size_t i = 0; i < 1000; i++)
		process__mapping(process, UINT64_MAX, time);
}

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

static void test_exec_clears(void **state)
{
	struct processes *processes = processes__new();
	struct process *before, *after;

	(void)state;
	assert_non_null(processes);
	assert_int_equal(processes__comm(processes, 5, 1, "perf"), 0);
	map(processes, 1, 10, 100, 10, "/bin/perf");
	assert_int_equal(processes__exec(processes, 20, 1, "python3"), 0);
	before = processes__find(processes, 1, 19);
	after = processes__find(processes, 1, 20);
	assert_ptr_not_equal(before, after);
	assert_int_equal(before->start, 0);
	assert_int_equal(before->end, 20);
	assert_false(before->execed);
	assert_int_equal(after->start, 20);
	assert_int_equal(after->end, CODE_FOREVER);
	assert_true(after->execed);
	assert_null(after->parent);
	expect(processes, 1, 19, 100, "/bin/perf");
	expect(processes, 1, 20, 100, NULL);
	assert_string_equal(process__comm(before, 4), "");
	assert_string_equal(process__comm(before, 5), "perf");
	assert_string_equal(process__comm(after, 20), "python3");
	processes__free(processes);
}

static void test_pid_reuse(void **state)
{
	static const uint64_t starts[] = { 0, 10, 30, 40 };
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	assert_int_equal(processes__comm(processes, 0, 1, "init"), 0);
	assert_int_equal(processes__fork(processes, 10, 7, 1), 0);
	map(processes, 7, 11, 100, 10, "/bin/first");
	assert_int_equal(processes__exit(processes, 20, 7), 0);
	assert_int_equal(processes__fork(processes, 30, 7, 1), 0);
	map(processes, 7, 31, 100, 10, "/bin/second");
	/* One whose exit was lost. */
	assert_int_equal(processes__fork(processes, 40, 7, 1), 0);

	assert_null(processes__find(processes, 7, 9));
	assert_int_equal(processes__find(processes, 7, 10)->end, 20);
	/* Threads may go on when the main thread is gone. */
	assert_ptr_equal(processes__find(processes, 7, 29), processes__find(processes, 7, 10));
	assert_int_equal(processes__find(processes, 7, 30)->end, 40);
	expect(processes, 7, 15, 105, "/bin/first");
	expect(processes, 7, 30, 105, NULL);
	expect(processes, 7, 35, 105, "/bin/second");
	expect(processes, 7, 41, 105, NULL);
	assert_int_equal(processes__count(processes), 4);
	assert_int_equal(processes__at(processes, 0)->pid, 1);
	for (size_t i = 1; i < 4; i++) {
		assert_int_equal(processes__at(processes, i)->start, starts[i]);
		assert_string_equal(processes__at(processes, i)->comm, "init");
	}
	processes__free(processes);
}

static void test_threads(void **state)
{
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	map(processes, 5, 10, 100, 10, "/bin/java");
	assert_int_equal(processes__fork(processes, 20, 5, 5), 0);
	assert_int_equal(processes__count(processes), 1);
	assert_int_equal(processes__exit(processes, 30, 5), 0);
	assert_int_equal(processes__find(processes, 5, 31)->end, 30);
	map(processes, 5, 40, 200, 10, "//anon");
	assert_int_equal(processes__count(processes), 1);
	assert_int_equal(processes__find(processes, 5, 31)->end, CODE_FOREVER);
	expect(processes, 5, 40, 205, "//anon");
	processes__free(processes);
}

static void test_long_lines(void **state)
{
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	map(processes, 1, 1, 100, 10, "/bin/first");
	for (uint32_t pid = 2; pid <= PROCESS_MAX_FORKS + 2; pid++)
		assert_int_equal(processes__fork(processes, pid, pid, pid - 1), 0);
	expect(processes, PROCESS_MAX_FORKS + 1, 1000, 105, "/bin/first");
	expect(processes, PROCESS_MAX_FORKS + 2, 1000, 105, NULL);
	processes__free(processes);
}

/* What perf makes up for those that are there when it attaches has time 0, in any order. */
static void test_synthesised(void **state)
{
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	map(processes, 10, 0, 100, 10, "/bin/parent");
	map(processes, 11, 0, 200, 10, "/bin/child");
	assert_int_equal(processes__fork(processes, 0, 11, 10), 0);
	assert_int_equal(processes__fork(processes, 0, 12, 11), 0);
	assert_int_equal(processes__fork(processes, 0, 10, 12), 0);
	assert_int_equal(processes__count(processes), 3);
	assert_ptr_equal(processes__find(processes, 11, 0)->parent,
			 processes__find(processes, 10, 0));
	expect(processes, 11, 5, 200, "/bin/child");
	expect(processes, 11, 5, 100, NULL);
	expect(processes, 12, 5, 200, NULL);
	processes__free(processes);
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool file, kernel;
	} names[] = {
		{ "/usr/lib/libc.so.6", true, false },
		{ "/tmp/lib.so (deleted)", true, false },
		{ "//toolong", true, false },
		{ "(unreachable)/lib.so", true, false },
		{ "/dev/shm/jit (deleted)", false, false },
		{ "/dev/zero (deleted)", false, false },
		{ "/memfd:doublemapper (deleted)", false, false },
		{ "/SYSV00000000 (deleted)", false, false },
		{ "/anon_hugepage (deleted)", false, false },
		{ "//anon", false, false },
		{ "[anon:cpython:perf_trampoline]", false, false },
		{ "[anon_shmem:x]", false, false },
		{ "[heap]", false, false },
		{ "[stack]", false, false },
		{ "[stack:12]", false, false },
		{ "", false, false },
		{ "anon_inode:[io_uring]", false, false },
		{ "[vdso]", false, true },
		{ "[vsyscall]", false, true },
		{ "[uprobes]", false, true },
	};
	struct processes *processes = processes__new();
	const struct process *process;

	(void)state;
	assert_non_null(processes);
	for (size_t i = 0; i < 2 * (sizeof(names) / sizeof(names[0])); i++)
		map(processes, 1, i, i * 10, 10, names[i / 2].name);
	process = processes__find(processes, 1, 100);
	for (size_t i = 0; i < process->mappings.count; i++) {
		const struct mapping *mapping = &process->mappings.items[i];

		if (mapping->file != names[i / 2].file || mapping->kernel != names[i / 2].kernel)
			fail_msg("\"%s\": file %d kernel %d", mapping->name, mapping->file,
				 mapping->kernel);
		assert_string_equal(mapping->name, names[i / 2].name);
		assert_ptr_equal(mapping->name, process->mappings.items[i / 2 * 2].name);
	}
	processes__free(processes);
}

static void test_ends_of_memory(void **state)
{
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	map(processes, 1, 1, 0, UINT64_MAX, "/all");
	map(processes, 1, 2, UINT64_MAX - 9, 100, "/wraps");
	map(processes, 1, 3, 50, 0, "/empty");
	for (uint64_t i = 0; i < 100; i++)
		map(processes, 1, 4 + i, 1000 + i, 1, "/more");
	expect(processes, 1, 500, 50, "/all");
	warm_up(processes, 1, 500);
	expect(processes, 1, 3, 50, "/all");
	expect(processes, 1, 500, 50, "/all");
	expect(processes, 1, 500, UINT64_MAX - 10, "/all");
	expect(processes, 1, 500, UINT64_MAX - 9, "/wraps");
	expect(processes, 1, 1, UINT64_MAX - 9, "/all");
	expect(processes, 1, 500, 1099, "/more");
	expect(processes, 1, 102, 1099, "/all");
	processes__free(processes);
}

/* Events that come late still count from their time on. */
static void test_late_events(void **state)
{
	struct processes *processes = processes__new();
	const struct process *process;

	(void)state;
	assert_non_null(processes);
	for (uint64_t i = 0; i < 200; i++)
		map(processes, 1, 10 * i, 0, 10, "/a");
	warm_up(processes, 1, 2000);
	expect(processes, 1, 1000, 5, "/a");
	map(processes, 1, 995, 5, 5, "/late");
	expect(processes, 1, 994, 5, "/a");
	expect(processes, 1, 999, 5, "/late");
	expect(processes, 1, 999, 4, "/a");
	expect(processes, 1, 1000, 5, "/a");
	assert_int_equal(processes__comm(processes, 20, 1, "second"), 0);
	assert_int_equal(processes__comm(processes, 10, 1, "first"), 0);
	process = processes__find(processes, 1, 0);
	assert_string_equal(process__comm(process, 9), "");
	assert_string_equal(process__comm(process, 19), "first");
	assert_string_equal(process__comm(process, 20), "second");
	assert_string_equal(process->comm, "second");
	processes__free(processes);
}

static void test_model(void **state)
{
	static const struct model_run runs[] = { { 80, 500 }, { 800, 60 }, { 20000, 2 } };

	(void)state;
	check_model(process_model__check, runs, sizeof(runs) / sizeof(runs[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_and_exec), cmocka_unit_test(test_exec_clears),
		cmocka_unit_test(test_pid_reuse),     cmocka_unit_test(test_threads),
		cmocka_unit_test(test_long_lines),    cmocka_unit_test(test_synthesised),
		cmocka_unit_test(test_names),         cmocka_unit_test(test_ends_of_memory),
		cmocka_unit_test(test_late_events),   cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
