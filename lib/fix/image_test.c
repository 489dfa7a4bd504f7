// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * That no DSO's mapping hides another's, whatever lies where: code, headers before it, CFI behind
 * it or in holes; in children, too, what they have from their parents.
 */
#include "fix/testing.h"

#include "fix/region.h"

#define LO   UINT64_C(0x100000)
#define SIZE 16

/*
 * 300 functions of 16 bytes without gaps. Behind them go 12 + 8 * 300 bytes of search table and,
 * at a multiple of 8, 24 + 24 * 300 + 4 bytes of CFI: 0x25ac in all.
 */
#define MANY      300
#define MANY_SIZE UINT64_C(0x12c0)
#define MANY_TAIL UINT64_C(0x25ac)

static void begin(struct testing *testing)
{
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	dump__begin(testing, 1);
}

static void load(struct testing *testing, uint64_t time, uint64_t addr, const char *name)
{
	dump__unwinding(testing, time);
	dump__load(testing, time, addr, SIZE, name);
}

static void load_many(struct testing *testing, uint64_t time, uint64_t addr)
{
	for (uint64_t i = 0; i < MANY; i++)
		load(testing, time, addr + SIZE * i, "many");
}

static bool shares_memory(const struct process *a, const struct process *b)
{
	for (const struct process *process = a; process; process = process->parent)
		if (process == b)
			return true;
	for (const struct process *process = b; process; process = process->parent)
		if (process == a)
			return true;
	return false;
}

static size_t family_of(const struct plan *plan, const struct plan_insert *insert)
{
	return plan->regions->list.items[plan->dsos.items[insert->dso].region].family;
}

/* Mappings of different families are disjoint. */
static void expect_disjoint(const struct plan *plan)
{
	for (size_t i = 0; i < plan->inserts.count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct plan_insert *a = &plan->inserts.items[i];
			const struct plan_insert *b = &plan->inserts.items[j];

			if (a->kind != PLAN_MMAP2 || b->kind != PLAN_MMAP2 ||
			    family_of(plan, a) == family_of(plan, b) ||
			    !shares_memory(a->process, b->process))
				continue;
			if (a->start < b->start + b->size && b->start < a->start + a->size)
				fail_msg("%#lx+%#lx hides %#lx+%#lx", a->start, a->size, b->start,
					 b->size);
		}
}

static size_t mappings_of(const struct plan *plan, size_t dso)
{
	size_t count = 0;

	array__for_each(insert, &plan->inserts)
		count += insert->kind == PLAN_MMAP2 && insert->dso == dso;
	return count;
}

static void test_room_enough(void **state)
{
	struct testing *testing = *state;
	uint64_t end = LO + MANY_SIZE + MANY_TAIL;
	struct plan *plan;

	begin(testing);
	load_many(testing, 30, LO);
	load(testing, 30, end + 0x120, "next");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(plan->dsos.items[0].layout.unwind_end, end);
	assert_int_equal(plan->dsos.items[1].spec.base, end);
	assert_int_equal(mappings_of(plan, 0), 1);
	assert_int_equal(mappings_of(plan, 1), 1);
	expect_disjoint(plan);
	plan__free(plan);
}

/* Eight bytes less, and the CFI of one DSO would reach into the header of the next. */
static void test_header_behind_cfi(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load_many(testing, 30, LO);
	load(testing, 30, LO + MANY_SIZE + MANY_TAIL + 0x118, "next");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	expect_disjoint(plan);
	assert_true(plan->dsos.items[0].unwind_mapped);
	assert_true(plan->dsos.items[1].unwind_mapped);
	plan__free(plan);
}

static void test_cfi_into_code(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load_many(testing, 30, LO);
	load(testing, 30, LO + MANY_SIZE + 0x2100, "next");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(mappings_of(plan, 0), 2);
	expect_disjoint(plan);
	plan__free(plan);
}

/* Two regions with files right behind them: each has a hole of its own. */
static void test_two_holes(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	profile__map(testing, 20, 1, LO + SIZE, 0x4000 - SIZE, 0, "/lib/a.so");
	profile__map(testing, 20, 1, LO + 0x4000 + SIZE, 0x4000 - SIZE, 0, "/lib/b.so");
	load(testing, 30, LO, "a");
	load(testing, 30, LO + 0x4000, "b");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(mappings_of(plan, 0), 2);
	assert_int_equal(mappings_of(plan, 1), 2);
	expect_disjoint(plan);
	plan__free(plan);
}

/* Without stacks nobody reads CFI: it needs no hole, which would make the DSO's file long. */
static void test_no_hole_for_nobody(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP;
	begin(testing);
	profile__map(testing, 20, 1, LO + SIZE, 0x4000 - SIZE, 0, "/lib/a.so");
	load(testing, 30, LO, "a");
	load(testing, 30, LO + 0x4000, "b");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(mappings_of(plan, 0), 1);
	assert_false(plan->dsos.items[0].unwind_mapped);
	assert_true(plan->dsos.items[0].layout.unwind_end < LO + 0x1000);
	assert_true(plan->dsos.items[1].unwind_mapped);
	plan__free(plan);
}

/* What is mapped function by function is as long as its functions, not as the region. */
static void test_layers_are_narrow(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP;
	begin(testing);
	load_many(testing, 30, LO);
	load(testing, 40, LO + SIZE * 100, "again");
	load(testing, 40, LO + SIZE * 102, "again");
	for (uint64_t time = 35; time <= 45; time += 10) {
		profile__sample(testing, time, 1, LO + SIZE * 100);
		profile__sample(testing, time, 1, LO + SIZE * 102);
	}
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	/* what stays, and what was there first and again of the two that do not */
	assert_int_equal(plan->dsos.count, 3);
	assert_int_equal(plan->dsos.items[0].lo, LO);
	assert_int_equal(plan->dsos.items[0].hi, LO + MANY_SIZE);
	for (size_t i = 1; i <= 2; i++) {
		assert_int_equal(plan->dsos.items[i].lo, LO + SIZE * 100);
		assert_int_equal(plan->dsos.items[i].hi, LO + SIZE * 103);
		assert_int_equal(mappings_of(plan, i), 2);
	}
	plan__free(plan);
}

/* The parent's hole is no hole in the child, nor is its code. */
static void test_holes_of_children(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	/* free behind the parent's code and behind the child's: from LO + 0xc000 on */
	profile__map(testing, 20, 1, LO + SIZE, 0x8000 - SIZE, 0, "/lib/a.so");
	profile__map(testing, 20, 1, LO + 0x8000 + SIZE, 0x4000 - SIZE, 0, "/lib/b.so");
	load(testing, 30, LO + 0x8000, "a");
	dump__write(testing, "jit-1.dump");
	profile__fork(testing, 50, 2, 1);
	profile__marker(testing, 60, 2, "jit-2.dump");
	dump__begin(testing, 2);
	load(testing, 70, LO, "b");
	dump__write(testing, "jit-2.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(mappings_of(plan, 0), 2);
	assert_int_equal(mappings_of(plan, 1), 2);
	expect_disjoint(plan);
	plan__free(plan);
}

static void test_cfi_of_children(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load(testing, 30, LO + MANY_SIZE + 0x2100, "a");
	dump__write(testing, "jit-1.dump");
	profile__fork(testing, 50, 2, 1);
	profile__marker(testing, 60, 2, "jit-2.dump");
	dump__begin(testing, 2);
	load_many(testing, 70, LO);
	dump__write(testing, "jit-2.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->dsos.count, 2);
	assert_int_equal(mappings_of(plan, 1), 2);
	expect_disjoint(plan);
	plan__free(plan);
}

/* A perf map of functions of 240 MiB, each step behind the one before, from LO on. */
static struct plan *plan_huge(struct testing *testing, unsigned int count, uint64_t step)
{
	struct buf map = BUF(ORDER_LITTLE);
	char line[64];

	testing->sample_type = TEST_FP;
	profile__comm(testing, 0, 1, "jit", false);
	profile__map(testing, 5, 1, LO, UINT64_C(1) << 33, 0, "//anon");
	for (unsigned int i = 0; i < count; i++) {
		uint64_t addr = LO + i * step;

		profile__sample(testing, 10 + i, 1, addr);
		snprintf(line, sizeof(line), "%lx f000000 f%u\n", addr, i);
		buf__put(&map, line, strlen(line));
	}
	testing__write(testing__path(testing, "perf-1.map"), buf__bytes(&map));
	buf__free(&map);
	return testing__plan(testing, 0);
}

/* What goes on for 2 GiB fits in no DSO, but in several. */
static void test_run_of_gigabytes(void **state)
{
	struct plan *plan = plan_huge(*state, 12, 0xf000000);

	assert_int_equal(plan->dsos.count, 6);
	assert_int_equal(plan->nr_functions, 12);
	assert_int_equal(plan->nr_unplaced, 0);
	expect_disjoint(plan);
	array__for_each(dso, &plan->dsos)
		assert_non_null(dso->path);
	plan__free(plan);
}

/* Where each function overlaps the next it can't be cut; that is no reason to say nothing. */
static void test_overlapping_gigabytes(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = plan_huge(testing, 12, 0xe000000);

	assert_int_equal(plan->nr_functions, 0);
	/* of two that overlap the map's later line counts */
	assert_int_equal(plan->nr_unplaced, 6);
	assert_int_equal(plan->per_process.count, 1);
	assert_int_equal(plan->per_process.items[0].nr_unplaced, 6);
	assert_string_equal(testing->last_kind, "fix.no-image");
	plan__free(plan);
}

/* A DSO can't begin before address 0. */
static void test_code_at_the_bottom(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	profile__sample(testing, 32, 1, 8);
	profile__sample(testing, 40, 1, 8);
	dump__load(testing, 30, 8, SIZE, "a");
	dump__load(testing, 35, 8, SIZE, "b");
	dump__load(testing, 30, LO, SIZE, "c");
	profile__sample(testing, 40, 1, LO);
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->nr_functions, 2);
	assert_int_equal(plan->nr_unplaced, 1);
	assert_string_equal(testing->last_kind, "fix.address-too-low");
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_room_enough),        TESTING(test_header_behind_cfi),
		TESTING(test_cfi_into_code),      TESTING(test_two_holes),
		TESTING(test_holes_of_children),  TESTING(test_cfi_of_children),
		TESTING(test_no_hole_for_nobody), TESTING(test_layers_are_narrow),
		TESTING(test_run_of_gigabytes),   TESTING(test_overlapping_gigabytes),
		TESTING(test_code_at_the_bottom),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
