// SPDX-License-Identifier: GPL-2.0-or-later
/* Records once more: after the kernel mapped something over the code, and in forked children. */
#include "fix/emit_testing.h"

/* A function that no later sample is in stays hidden: "a" at 50, "b" at 75, but not at 65. */
static void test_layers_again_while_needed(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, LO, LO + SIZE, HEADER, 1 },
		{ PLAN_MMAP2, 1, 60, LO, LO + SIZE, HEADER, 2 },
		{ PLAN_MMAP2, 1, 66, LO, LO + SIZE, HEADER, 2 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP;
	begin(testing);
	load(testing, 30, LO, "a");
	load(testing, 60, LO, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__map(testing, 50, 1, 0x10000, 0x10000, 0, "//anon");
	profile__map(testing, 65, 1, 0x10000, 0x10000, 0, "//anon");
	profile__sample(testing, 70, 1, LO);
	profile__map(testing, 75, 1, 0x10000, 0x10000, 0, "//anon");
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 3);
	expect_places(plan);
	plan__free(plan);
}

/* What the kernel maps later over the code is mapped over again: as much as it hid. */
static void test_again_after_the_kernel(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, BASE, END, 0, 0 },
		{ PLAN_MMAP2, 1, 51, BASE, END, 0, 0 },
		{ PLAN_MMAP2, 1, 56, LO + 8, END, HEADER + 8, 0 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__map(testing, 50, 1, 0x10000, 0x10000, 0, "//anon");
	profile__map(testing, 55, 1, LO + 8, 0x1000, 0, "[anon:code]");
	profile__map(testing, 56, 1, 0x30000, 0x1000, 0, "//anon");
	profile__sample(testing, 60, 1, LO);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 3);
	expect_places(plan);
	plan__free(plan);
	plan = testing__plan(testing, FIX_REEMISSION);
	expect_inserts(plan, expected, 1);
	plan__free(plan);
}

/* The memory at 59 is hidden from 60 on by the generation that comes then, not by the one before.
 */
static void test_again_as_the_next_generation(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load(testing, 30, LO, "a");
	load(testing, 60, LO, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__map(testing, 59, 1, 0x10000, 0x10000, 0, "//anon");
	profile__sample(testing, 70, 1, LO);
	plan = testing__plan(testing, 0);
	assert_true(plan->inserts.count >= 3);
	assert_int_equal(plan->inserts.items[plan->inserts.count - 1].dso, 1);
	plan__free(plan);
}

/* A forked child has the parent's maps; what the kernel maps over them there is only there. */
static void test_in_a_child(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, BASE, END, 0, 0 },
		{ PLAN_MMAP2, 2, 61, BASE, END, 0, 0 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__fork(testing, 50, 2, 1);
	profile__fork(testing, 50, 3, 1);
	profile__comm(testing, 55, 3, "other", true);
	profile__map(testing, 60, 2, 0x10000, 0x10000, 0, "//anon");
	profile__map(testing, 60, 3, 0x10000, 0x10000, 0, "//anon");
	profile__sample(testing, 70, 2, LO);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 2);
	expect_places(plan);
	plan__free(plan);
}

/* What the parent maps after the fork takes the place of the parent's code only. */
static void test_in_a_child_whose_parent_goes_on(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;
	size_t again = 0;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__fork(testing, 50, 2, 1);
	profile__map(testing, 58, 1, 0x10000, 0x10000, 0, "/lib/libnew.so");
	profile__map(testing, 60, 2, 0x10000, 0x10000, 0, "//anon");
	profile__sample(testing, 70, 2, LO);
	plan = testing__plan(testing, 0);
	array__for_each(insert, &plan->inserts)
		again += insert->process->pid == 2 && insert->time == 61 && insert->start <= LO &&
			 LO + SIZE <= insert->start + insert->size;
	assert_int_equal(again, 1);
	plan__free(plan);
}

/* What the parent loads after the fork is not in the child. */
static void test_in_a_child_without_stacks(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, LO, LO + SIZE, HEADER, 1 },
		{ PLAN_MMAP2, 1, 60, LO, LO + SIZE, HEADER, 2 },
		{ PLAN_MMAP2, 2, 66, LO, LO + SIZE, HEADER, 1 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP;
	reuse(testing);
	profile__fork(testing, 50, 2, 1);
	profile__map(testing, 65, 2, 0x10000, 0x10000, 0, "//anon");
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 3);
	plan__free(plan);
}

/*
 * A child with a dump of its own: its DSO holds both. Readers make the child anew when they see
 * its FORK, so that nothing may be mapped in it before.
 */
static void test_in_a_child_that_loads(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;
	uint64_t fork_at;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	fork_at = profile__here(testing);
	profile__fork(testing, 50, 2, 1);
	profile__marker(testing, 60, 2, "jit-2.dump");
	dump__begin(testing, 2);
	load(testing, 70, LO + 0x20, "b");
	dump__write(testing, "jit-2.dump");
	profile__sample(testing, 80, 2, LO);
	profile__sample(testing, 81, 2, LO + 0x20);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(plan->dsos.items[0].spec.nr_functions, 1);
	assert_int_equal(plan->dsos.items[1].spec.nr_functions, 2);
	/* nested like generations: the child's is the newer */
	assert_int_equal(plan->dsos.items[0].spec.base, BASE - 16);
	assert_int_equal(plan->dsos.items[1].spec.base, BASE);
	assert_int_equal(plan->inserts.count, 3);
	assert_int_equal(plan->inserts.items[0].process->pid, 1);
	assert_int_equal(plan->inserts.items[1].kind, PLAN_COMM);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(plan->inserts.items[i].process->pid, 2);
		assert_true(plan->inserts.items[i].offset > fork_at);
	}
	expect_places(plan);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_layers_again_while_needed),
		TESTING(test_again_after_the_kernel),
		TESTING(test_again_as_the_next_generation),
		TESTING(test_in_a_child),
		TESTING(test_in_a_child_whose_parent_goes_on),
		TESTING(test_in_a_child_without_stacks),
		TESTING(test_in_a_child_that_loads),
	};

	return cmocka_run_group_tests_name("emit again", tests, NULL, NULL);
}
