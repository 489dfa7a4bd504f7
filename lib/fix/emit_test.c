// SPDX-License-Identifier: GPL-2.0-or-later
/* Which records are planned, when and where. */
#include "fix/emit_testing.h"

static void test_at_the_load(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, BASE, END, 0, 0 },
	};
	struct testing *testing = *state;
	struct plan *plan;
	uint64_t place;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__round(testing);
	profile__sample(testing, 29, 1, 0x5000);
	profile__round(testing);
	place = profile__here(testing);
	profile__sample(testing, 30, 1, LO);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 1);
	expect_places(plan);
	assert_int_equal(plan->inserts.items[0].offset, place);
	plan__free(plan);
}

/*
 * In a DSO for one function the ELF header alone stands before the code, 0x40 bytes; CFI follows
 * from 0x50 on as above.
 */
static void test_singles(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, LO - 0x40, LO + 0x5c, 0, 0 },
		{ PLAN_MMAP2, 1, 35, LO + 0xc0, LO + 0x15c, 0, 1 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load(testing, 30, LO, "a");
	load(testing, 35, LO + 0x100, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	testing->layout = FIX_LAYOUT_AUTO;
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 2);
	plan__free(plan);
}

/* Files hold the buffers of one CPU after the other: the first record that is later counts. */
static void test_records_out_of_order(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;
	uint64_t place;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 25, 1, 0x5000);
	place = profile__here(testing);
	profile__sample(testing, 50, 1, LO);
	profile__sample(testing, 26, 1, 0x5000);
	profile__sample(testing, 45, 1, LO);
	profile__round(testing);
	plan = testing__plan(testing, 0);
	expect_places(plan);
	assert_int_equal(plan->inserts.items[0].offset, place);
	plan__free(plan);
}

/* Loaded when all records were written: at the end of the records. */
static void test_at_the_end(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 25, 1, 0x5000);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->inserts.count, 1);
	assert_int_equal(plan->inserts.items[0].offset, profile__here(testing));
	plan__free(plan);
}

/* The newer DSO begins 16 bytes further on and ends where the older does. */
static void test_generations(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, BASE - 16, END, 0, 0 },
		{ PLAN_COMM, 1, 60, 0, 0, 0, 0 },
		{ PLAN_MMAP2, 1, 60, BASE, END, 0, 1 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	reuse(testing);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 3);
	expect_places(plan);
	assert_int_equal(plan->dsos.items[0].spec.memory_end, plan->dsos.items[1].spec.memory_end);
	assert_true(plan->dsos.items[0].spec.memory_end >= plan->dsos.items[0].layout.load_end);
	assert_true(plan->dsos.items[1].spec.memory_end >= plan->dsos.items[1].layout.load_end);
	plan__free(plan);
}

static void test_generations_without(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, BASE, END, 0, 0 },
		{ PLAN_MMAP2, 1, 60, BASE, END, 0, 1 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	reuse(testing);
	plan = testing__plan(testing, FIX_NESTING | FIX_EXEC_COMM);
	expect_inserts(plan, expected, 2);
	plan__free(plan);
}

/* Without stacks nobody unwinds: each function is mapped alone from its load on. */
static void test_layers(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, LO, LO + SIZE, HEADER, 1 },
		{ PLAN_MMAP2, 1, 60, LO, LO + SIZE, HEADER, 2 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP;
	reuse(testing);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 2);
	expect_places(plan);
	plan__free(plan);
}

/* A file right before the code: headers over its first bytes. One behind: CFI in the next hole. */
static void test_between_files(void **state)
{
	static const struct expected expected[] = {
		{ PLAN_MMAP2, 1, 30, LO, LO + SIZE, 0, 0 },
		{ PLAN_MMAP2, 1, 30, 0x14000, 0x1404c, 0x14000 - LO, 0 },
	};
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	profile__map(testing, 21, 1, 0x10000, 0x200, 0, "/lib/before.so");
	profile__map(testing, 22, 1, 0x10210, 0x3df0, 0, "/lib/behind.so");
	profile__map(testing, 22, 1, 0x15000, 0xb000, 0, "/lib/last.so");
	load(testing, 30, LO, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 1);
	/* the memory of begin() is under all that: no hole before its end */
	assert_int_equal(plan->inserts.items[1].start, 0x20000);
	plan__free(plan);
	perfdata__close(testing->perfdata);
	testing->perfdata = NULL;

	testing->records.size = 0;
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 21, 1, 0x10000, 0x200, 0, "/lib/before.so");
	profile__map(testing, 22, 1, 0x10210, 0x3df0, 0, "/lib/behind.so");
	profile__sample(testing, 40, 1, LO);
	plan = testing__plan(testing, 0);
	expect_inserts(plan, expected, 2);
	plan__free(plan);
}

/* A file that took the place of code in the middle is not hidden by the next generation. */
static void test_around_files(void **state)
{
	static const uint64_t lo = 0x20000;
	struct testing *testing = *state;
	const struct plan_insert *insert;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, lo, 0x1000, "a");
	dump__load(testing, 30, lo + 0x1000, 0x1000, "b");
	dump__load(testing, 30, lo + 0x2000, 0x1000, "c");
	dump__load(testing, 60, lo + 0x2000, 0x1000, "d");
	dump__write(testing, "jit-1.dump");
	for (uint64_t i = 0; i < 3; i++)
		profile__sample(testing, 40 + i, 1, lo + 0x1000 * i);
	profile__map(testing, 50, 1, lo + 0x1000, 0x1000, 0, "/lib/a.so");
	profile__sample(testing, 70, 1, lo);
	profile__sample(testing, 71, 1, lo + 0x2000);
	plan = testing__plan(testing, 0);
	/* t30 all; t60 COMM, before the file, behind it */
	assert_int_equal(plan->inserts.count, 4);
	expect_places(plan);
	insert = &plan->inserts.items[2];
	assert_int_equal(insert->time, 60);
	assert_int_equal(insert->start, lo - HEADER);
	assert_int_equal(insert->start + insert->size, lo + 0x1000);
	assert_int_equal(insert->pgoff, 0);
	insert = &plan->inserts.items[3];
	assert_int_equal(insert->time, 60);
	assert_int_equal(insert->start, lo + 0x2000);
	assert_int_equal(insert->pgoff, 0x2000 + HEADER);
	plan__free(plan);
}

/* Without times, records take effect in the file's order. */
static void test_without_times(void **state)
{
	struct testing *testing = *state;
	const struct plan_insert *last;
	struct plan *plan;
	uint64_t marker, memory;

	testing->sample_type = TEST_FLAT & ~(uint64_t)PERF_SAMPLE_TIME;
	profile__comm(testing, 0, 1, "jit", false);
	profile__map(testing, 0, 1, 0x400000, 0x1000, 0, "/usr/bin/jit");
	profile__marker(testing, 0, 1, "jit-1.dump");
	marker = profile__here(testing);
	profile__map(testing, 0, 1, 0x10000, 0x10000, 0, "//anon");
	memory = profile__here(testing);
	profile__sample(testing, 0, 1, LO);
	dump__begin(testing, 1);
	load(testing, 30, LO, "a");
	dump__load(testing, 30, 0x400100, 32, "Builtin:A");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->nr_functions, 2);
	assert_true(plan->inserts.count >= 2);
	array__for_each(insert, &plan->inserts)
		assert_true(insert->offset >= marker && insert->offset <= memory);
	last = &plan->inserts.items[plan->inserts.count - 1];
	assert_int_equal(last->offset, memory);
	assert_true(last->start <= LO && LO + SIZE <= last->start + last->size);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_at_the_load),
		TESTING(test_singles),
		TESTING(test_records_out_of_order),
		TESTING(test_at_the_end),
		TESTING(test_generations),
		TESTING(test_generations_without),
		TESTING(test_layers),
		TESTING(test_between_files),
		TESTING(test_around_files),
		TESTING(test_without_times),
	};

	return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
