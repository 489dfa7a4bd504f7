// SPDX-License-Identifier: GPL-2.0-or-later
/* Which execs readers are told to forget at what was mapped before. */
#include "fix/emit_testing.h"

#define LIBRARY "/usr/lib/libc.so.6"
#define LOW     UINT64_C(0x7f1000000000)
#define MIDDLE  UINT64_C(0x7f2000000000)
#define HIGH    UINT64_C(0x7f3000000000)

/* The DSO of process 1, then the FORKs that are wanted. */
static void expect_forks(struct testing *testing, unsigned int without,
			 const struct expected *forks, size_t count)
{
	struct expected expected[4] = { { PLAN_MMAP2, 1, 30, BASE, END, 0, 0 } };
	struct plan *plan = testing__plan(testing, without);

	for (size_t i = 0; i < count; i++)
		expected[1 + i] = forks[i];
	expect_inserts(plan, expected, count + 1);
	expect_places(plan);
	plan__free(plan);
}

static void library(struct testing *testing, uint64_t time, uint32_t pid, uint64_t start)
{
	profile__map(testing, time, pid, start, 0x20000, 0, LIBRARY);
	profile__map(testing, time, pid, start + 0x20000, 0x100000, 0x20000, LIBRARY);
}

/* Process 1 with code in it, and a library in the middle. */
static void begin_with_library(struct testing *testing)
{
	begin(testing);
	library(testing, 25, 1, MIDDLE);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
}

/* Process 1 starts process 2, which has the library at start. */
static void begin_child(struct testing *testing, uint64_t start)
{
	begin_with_library(testing);
	profile__fork(testing, 50, 2, 1);
	profile__comm(testing, 60, 2, "child", true);
	library(testing, 61, 2, start);
	profile__sample(testing, 70, 2, start);
}

static void test_further_up(void **state)
{
	static const struct expected fork = { PLAN_FORK, 2, 60, 0, 0, 0, 0 };

	begin_child(*state, HIGH);
	expect_forks(*state, 0, &fork, 1);
	expect_forks(*state, FIX_EXEC_FORK, NULL, 0);
}

static void test_further_down(void **state)
{
	begin_child(*state, LOW);
	expect_forks(*state, 0, NULL, 0);
}

static void test_at_the_same_place(void **state)
{
	begin_child(*state, MIDDLE);
	expect_forks(*state, 0, NULL, 0);
}

/* Nobody unwinds by files. */
static void test_frame_pointers(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP;
	begin_child(testing, HIGH);
	plan = testing__plan(testing, 0);
	array__for_each(insert, &plan->inserts)
		assert_int_equal(insert->kind, PLAN_MMAP2);
	plan__free(plan);
}

/* perf would forget them at the FORK. */
static void test_namespaces(void **state)
{
	struct testing *testing = *state;

	testing->namespaces = true;
	begin_child(testing, HIGH);
	expect_forks(testing, 0, NULL, 0);
}

/* A profile without JIT code stays as it is. */
static void test_nothing_to_do(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	library(testing, 25, 1, MIDDLE);
	profile__fork(testing, 50, 2, 1);
	profile__comm(testing, 60, 2, "child", true);
	library(testing, 61, 2, HIGH);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->inserts.count, 0);
	plan__free(plan);
}

/* What was dropped at one exec does not mislead behind the next. */
static void test_exec_after_exec(void **state)
{
	static const struct expected forks[] = {
		{ PLAN_FORK, 2, 60, 0, 0, 0, 0 },
		{ PLAN_FORK, 2, 90, 0, 0, 0, 0 },
	};
	struct testing *testing = *state;

	begin_child(testing, MIDDLE + 0x2000000);
	profile__comm(testing, 80, 2, "lower", true);
	library(testing, 81, 2, MIDDLE + 0x1000000);
	profile__comm(testing, 90, 2, "higher", true);
	library(testing, 91, 2, HIGH);
	expect_forks(testing, 0, forks, 2);
}

/* A child's child has all that was mapped before both forks, and nothing that came behind. */
static void test_generations(void **state)
{
	static const struct expected fork = { PLAN_FORK, 3, 60, 0, 0, 0, 0 };
	struct testing *testing = *state;

	begin_with_library(testing);
	profile__fork(testing, 50, 2, 1);
	profile__fork(testing, 51, 3, 2);
	profile__fork(testing, 52, 4, 2);
	profile__map(testing, 53, 2, LOW, 0x20000, 0, "/usr/lib/libm.so.6");
	profile__comm(testing, 60, 3, "child", true);
	library(testing, 61, 3, HIGH);
	profile__comm(testing, 70, 4, "other", true);
	profile__map(testing, 71, 4, HIGH, 0x20000, 0, "/usr/lib/libm.so.6");
	expect_forks(testing, 0, &fork, 1);
}

/* A library that was unmapped and loaded again is for readers where it was, too. */
static void test_lowest_of_several(void **state)
{
	static const struct expected fork = { PLAN_FORK, 2, 60, 0, 0, 0, 0 };
	struct testing *testing = *state;

	begin_with_library(testing);
	library(testing, 41, 1, HIGH);
	profile__fork(testing, 50, 2, 1);
	profile__comm(testing, 60, 2, "child", true);
	library(testing, 61, 2, MIDDLE + 0x1000000);
	expect_forks(testing, 0, &fork, 1);
}

/* Code that was there when its process began is mapped behind the FORK, not dropped by it. */
static void test_code_from_the_exec_on(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_FORK, 1, 20, 0, 0, 0, 0 },
		{ PLAN_MMAP2, 1, 21, BASE, END, 0, 0 },
		{ PLAN_MMAP2, 1, 24, BASE, END, 0, 0 }, /* the memory hid it */
	};
	struct testing *testing = *state;
	struct plan *plan;

	profile__comm(testing, 5, 1, "env", true);
	library(testing, 6, 1, LOW);
	profile__comm(testing, 20, 1, "jit", true);
	library(testing, 21, 1, HIGH);
	profile__marker(testing, 22, 1, "jit-1.dump");
	profile__map(testing, 23, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
	load(testing, 20, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 3);
	plan__free(plan);
}

/* Memory has no unwind data. */
static void test_memory(void **state)
{
	struct testing *testing = *state;

	begin_with_library(testing);
	profile__map(testing, 41, 1, LOW, 0x20000, 0, "//anon");
	profile__fork(testing, 50, 2, 1);
	profile__comm(testing, 60, 2, "child", true);
	profile__map(testing, 61, 2, HIGH, 0x20000, 0, "//anon");
	expect_forks(testing, 0, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_further_up),
		TESTING(test_further_down),
		TESTING(test_at_the_same_place),
		TESTING(test_frame_pointers),
		TESTING(test_nothing_to_do),
		TESTING(test_exec_after_exec),
		TESTING(test_generations),
		TESTING(test_memory),
		TESTING(test_namespaces),
		TESTING(test_lowest_of_several),
		TESTING(test_code_from_the_exec_on),
	};

	return cmocka_run_group_tests_name("exec", tests, NULL, NULL);
}
