// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which records are planned, when and where. All code is 11 bytes with CPython's CFI, so a DSO of
 * one function at lo is mapped from lo - 0x120 (an ELF header and four program headers) and ends
 * 0x5c behind lo: 0x120 + 11 rounded up to 0x130, a search table of 12 + 8 bytes, rounded up to
 * 0x148, and 24 (CIE) + 24 (FDE) + 4 bytes.
 */
#include "fix/testing.h"

#include "fix/emit.h"
#include "fix/region.h"
#include "fix/scan.h"
#include "perfdata/event.h"

#define LO     UINT64_C(0x10200)
#define HEADER UINT64_C(0x120)
#define BASE   (LO - HEADER)
#define END    (LO + 0x5c)
#define SIZE   11

struct expected {
	enum plan_insert_kind kind;
	uint32_t pid;
	uint64_t time, start, end, pgoff;
	size_t dso;
};

static void expect_inserts(const struct plan *plan, const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < plan->inserts.count && i < count; i++) {
		const struct plan_insert *insert = &plan->inserts.items[i];

		assert_int_equal(insert->kind, expected[i].kind);
		assert_int_equal(insert->process->pid, expected[i].pid);
		assert_int_equal(insert->time, expected[i].time);
		if (insert->kind == PLAN_COMM)
			continue;
		assert_int_equal(insert->start, expected[i].start);
		assert_int_equal(insert->start + insert->size, expected[i].end);
		assert_int_equal(insert->pgoff, expected[i].pgoff);
		assert_int_equal(insert->dso, expected[i].dso);
	}
	assert_int_equal(plan->inserts.count, count);
}

/* What stands before a place is earlier, what stands there is not. */
static void expect_places(const struct plan *plan)
{
	array__for_each(insert, &plan->inserts) {
		struct perfdata_record record;
		struct perfdata_walk walk;
		uint64_t time;

		perfdata_walk__begin(&walk, plan->perfdata);
		while (perfdata_walk__next(&walk, &record) > 0) {
			if (!perfdata__record_time(plan->perfdata, &record, &time))
				continue;
			if (record.offset < insert->offset)
				assert_true(time < insert->time);
			if (record.offset == insert->offset)
				assert_true(time >= insert->time);
		}
		perfdata_walk__end(&walk);
	}
	for (size_t i = 1; i < plan->inserts.count; i++)
		assert_true(plan->inserts.items[i - 1].offset <= plan->inserts.items[i].offset);
}

static void load(struct testing *testing, uint64_t time, uint64_t addr, const char *name)
{
	dump__unwinding(testing, time);
	dump__load(testing, time, addr, SIZE, name);
}

/* Process 1, its marker at 10 and its memory at 20. */
static void begin(struct testing *testing)
{
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
}

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

static void reuse(struct testing *testing)
{
	begin(testing);
	load(testing, 30, LO, "a");
	load(testing, 60, LO, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__sample(testing, 70, 1, LO);
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
		TESTING(test_layers_again_while_needed),
		TESTING(test_again_after_the_kernel),
		TESTING(test_again_as_the_next_generation),
		TESTING(test_between_files),
		TESTING(test_around_files),
		TESTING(test_in_a_child),
		TESTING(test_in_a_child_without_stacks),
		TESTING(test_in_a_child_that_loads),
		TESTING(test_without_times),
	};

	return cmocka_run_group_tests_name("emit", tests, NULL, NULL);
}
