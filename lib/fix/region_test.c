// SPDX-License-Identifier: GPL-2.0-or-later
/* Where code is cut into regions, and which of them are one family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fix/region.h"

#define MAX_RECORDS 16

struct fixture {
	struct processes *processes;
	struct regions regions;
	struct code_record records[MAX_RECORDS];
	size_t nr_records;
	struct region_options options;
	bool finished[3]; /* by pid */
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->processes = processes__new();
	assert_non_null(fixture->processes);
	fixture->options.unwinds = true;
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	regions__free(&fixture->regions);
	processes__free(fixture->processes);
	free(fixture);
	return 0;
}

static void map(struct fixture *fixture, uint64_t time, uint64_t start, uint64_t end,
		const char *name)
{
	struct mapping mapping = {
		.time = time, .start = start, .size = end - start, .name = name, .exec = true
	};

	assert_int_equal(processes__map(fixture->processes, 1, &mapping), 0);
}

static struct process *process(struct fixture *fixture, uint32_t pid)
{
	struct process *process;

	if (!processes__find(fixture->processes, pid, 0) && pid == 1)
		assert_int_equal(processes__comm(fixture->processes, 0, pid, "jit"), 0);
	process = processes__find(fixture->processes, pid, UINT64_MAX);
	assert_non_null(process);
	if (!process->codemap)
		process->codemap = codemap__new();
	assert_non_null(process->codemap);
	return process;
}

static void load(struct fixture *fixture, uint32_t pid, uint64_t time, uint64_t start, uint64_t end,
		 const char *name)
{
	struct code_record *record = &fixture->records[fixture->nr_records++];

	assert_true(fixture->nr_records <= MAX_RECORDS);
	*record = (struct code_record){ .addr = start, .size = end - start, .name = name };
	assert_int_equal(codemap__load(process(fixture, pid)->codemap, time, record), 0);
}

static void finish(struct fixture *fixture, uint32_t pid)
{
	if (!fixture->finished[pid])
		assert_int_equal(codemap__finish(process(fixture, pid)->codemap), 0);
	fixture->finished[pid] = true;
}

static void cut(struct fixture *fixture, uint32_t pid)
{
	finish(fixture, pid);
	assert_int_equal(regions__add(&fixture->regions, process(fixture, pid), &fixture->options),
			 0);
}

/* As a sample does; all loads are told. */
static void refer(struct fixture *fixture, uint32_t pid, uint64_t addr, uint64_t time)
{
	struct codemap *map = process(fixture, pid)->codemap;
	struct code *code;

	finish(fixture, pid);
	code = codemap__find(map, addr, time);
	if (!code)
		code = codemap__find_early(map, addr, time);
	assert_non_null(code);
	if (time < code->first_reference)
		code->first_reference = time;
	if (time > code->last_reference)
		code->last_reference = time;
}

static const struct region *expect_region(const struct fixture *fixture, size_t i, uint64_t lo,
					  uint64_t hi, size_t nr_members)
{
	const struct region *region = &fixture->regions.list.items[i];

	assert_true(i < fixture->regions.list.count);
	assert_int_equal(region->lo, lo);
	assert_int_equal(region->hi, hi);
	assert_int_equal(region->members.count, nr_members);
	return region;
}

/* Up to 8192 bytes between functions are one region. */
static void test_cut_at_gaps(void **state)
{
	struct fixture *fixture = *state;

	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	load(fixture, 1, 10, 0x12100, 0x12200, "b");
	load(fixture, 1, 10, 0x14201, 0x14300, "c");
	cut(fixture, 1);
	assert_int_equal(fixture->regions.list.count, 2);
	expect_region(fixture, 0, 0x10000, 0x12200, 2);
	expect_region(fixture, 1, 0x14201, 0x14300, 1);
	assert_int_equal(fixture->regions.families.count, 2);
	assert_int_equal(fixture->regions.list.items[0].home, HOME_MEMORY);
	assert_true(fixture->regions.list.items[0].whole);
}

/* A small function behind a large one that reaches over it does not end the region sooner. */
static void test_the_end_is_the_highest(void **state)
{
	struct fixture *fixture = *state;

	load(fixture, 1, 10, 0x10000, 0x14000, "large");
	load(fixture, 1, 20, 0x10100, 0x10200, "small");
	load(fixture, 1, 10, 0x16000, 0x16100, "next");
	cut(fixture, 1);
	assert_int_equal(fixture->regions.list.count, 1);
	expect_region(fixture, 0, 0x10000, 0x16100, 3);
}

static void test_cut_at_files(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 5, 0x11000, 0x12000, "/lib/a.so");
	map(fixture, 5, 0x13000, 0x14000, "//anon");
	load(fixture, 1, 10, 0x10f00, 0x11000, "before");
	load(fixture, 1, 10, 0x12000, 0x12100, "behind");
	load(fixture, 1, 10, 0x14000, 0x14100, "behind memory");
	cut(fixture, 1);
	assert_int_equal(fixture->regions.list.count, 2);
	expect_region(fixture, 0, 0x10f00, 0x11000, 1);
	expect_region(fixture, 1, 0x12000, 0x14100, 2);
}

/* Within a file what is between is the file's own code: more than 64 bytes of it part regions. */
static void test_cut_in_a_file(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 5, 0x400000, 0x500000, "/usr/bin/node");
	load(fixture, 1, 10, 0x401000, 0x401100, "Builtin:A");
	load(fixture, 1, 10, 0x401140, 0x401200, "Builtin:B");
	load(fixture, 1, 10, 0x401241, 0x401300, "Builtin:C");
	load(fixture, 1, 10, 0x500000, 0x500100, "outside");
	cut(fixture, 1);
	assert_int_equal(fixture->regions.list.count, 3);
	assert_int_equal(expect_region(fixture, 0, 0x401000, 0x401200, 2)->home, HOME_FILE);
	assert_int_equal(expect_region(fixture, 1, 0x401241, 0x401300, 1)->home, HOME_FILE);
	assert_int_equal(expect_region(fixture, 2, 0x500000, 0x500100, 1)->home, HOME_MEMORY);
}

static void test_force_singles(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.force_singles = true;
	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	load(fixture, 1, 10, 0x10100, 0x10200, "b");
	/* what shares addresses shares a region still */
	load(fixture, 1, 20, 0x10180, 0x10300, "c");
	refer(fixture, 1, 0x10100, 15);
	refer(fixture, 1, 0x10180, 25);
	cut(fixture, 1);
	assert_int_equal(fixture->regions.list.count, 2);
	expect_region(fixture, 0, 0x10000, 0x10100, 1);
	assert_int_equal(expect_region(fixture, 1, 0x10100, 0x10300, 2)->generations.count, 2);
}

static void test_identical_reloads_are_one(void **state)
{
	struct fixture *fixture = *state;
	const struct member *member;

	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	load(fixture, 1, 20, 0x10000, 0x10100, "a");
	load(fixture, 1, 30, 0x10000, 0x10100, "a");
	load(fixture, 1, 40, 0x10000, 0x10100, "other");
	refer(fixture, 1, 0x10010, 12);
	refer(fixture, 1, 0x10010, 35);
	refer(fixture, 1, 0x10010, 45);
	cut(fixture, 1);
	member = expect_region(fixture, 0, 0x10000, 0x10100, 2)->members.items;
	assert_int_equal(member[0].from, 10);
	assert_int_equal(member[0].until, 40);
	assert_int_equal(member[0].first_reference, 12);
	assert_int_equal(member[0].last_reference, 35);
	assert_int_equal(fixture->regions.list.items[0].generations.count, 2);
	assert_int_equal(fixture->regions.list.items[0].generations.items[1].start, 40);
}

/* The same function comes back after another was at its place: then the DSOs differ. */
static void test_what_comes_back_is_another(void **state)
{
	struct fixture *fixture = *state;

	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	load(fixture, 1, 20, 0x10000, 0x10100, "other");
	load(fixture, 1, 30, 0x10000, 0x10100, "a");
	refer(fixture, 1, 0x10010, 12);
	refer(fixture, 1, 0x10010, 22);
	refer(fixture, 1, 0x10010, 32);
	cut(fixture, 1);
	expect_region(fixture, 0, 0x10000, 0x10100, 3);
	assert_int_equal(fixture->regions.list.items[0].generations.count, 3);
}

/* Samples taken shortly before the LOAD: the DSO must be there then. */
static void test_early_samples_move_the_start(void **state)
{
	struct fixture *fixture = *state;
	const struct region *region;

	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	refer(fixture, 1, 0x10010, 7);
	cut(fixture, 1);
	region = expect_region(fixture, 0, 0x10000, 0x10100, 1);
	assert_int_equal(region->members.items[0].from, 7);
	assert_int_equal(region->generations.items[0].start, 7);
}

static void fork_at(struct fixture *fixture, uint64_t time, uint32_t pid, uint32_t parent)
{
	assert_int_equal(processes__fork(fixture->processes, time, pid, parent), 0);
	assert_int_equal(codemap__inherit(process(fixture, pid)->codemap,
					  process(fixture, parent)->codemap, time),
			 0);
}

/*
 * A child that loads more beside what it inherited gets a DSO of both, of the same family as the
 * parent's; what it only inherited is mapped by the parent's DSOs.
 */
static void test_families(void **state)
{
	struct fixture *fixture = *state;
	const struct region *region;

	load(fixture, 1, 10, 0x10000, 0x10100, "inherited and extended");
	load(fixture, 1, 10, 0x90000, 0x90100, "inherited");
	cut(fixture, 1);
	fork_at(fixture, 50, 2, 1);
	load(fixture, 2, 60, 0x10100, 0x10200, "child's own");
	load(fixture, 2, 60, 0x50000, 0x50100, "child's own, elsewhere");
	cut(fixture, 2);
	assert_int_equal(fixture->regions.list.count, 4);
	expect_region(fixture, 0, 0x10000, 0x10100, 1);
	expect_region(fixture, 1, 0x90000, 0x90100, 1);
	region = expect_region(fixture, 2, 0x10000, 0x10200, 2);
	assert_int_equal(region->family, 0);
	assert_int_equal(region->first_number, 1);
	assert_int_equal(expect_region(fixture, 3, 0x50000, 0x50100, 1)->family, 2);
	assert_int_equal(fixture->regions.families.count, 3);
	assert_int_equal(fixture->regions.families.items[0].lo, 0x10000);
	assert_int_equal(fixture->regions.families.items[0].hi, 0x10200);
	assert_int_equal(fixture->regions.families.items[0].nr_generations, 2);
}

/* Code of the child that lies between two regions of the parent joins one of them, not both. */
static void test_a_region_is_of_one_family(void **state)
{
	struct fixture *fixture = *state;

	load(fixture, 1, 10, 0x10000, 0x12000, "low");
	load(fixture, 1, 10, 0x16000, 0x18000, "high");
	cut(fixture, 1);
	assert_int_equal(fixture->regions.list.count, 2);
	fork_at(fixture, 50, 2, 1);
	load(fixture, 2, 60, 0x12000, 0x16000, "between");
	cut(fixture, 2);
	for (size_t i = 0; i < fixture->regions.families.count; i++) {
		const struct family *family = &fixture->regions.families.items[i];

		for (size_t j = 0; j < i; j++) {
			const struct family *other = &fixture->regions.families.items[j];

			assert_true(family->hi <= other->lo || other->hi <= family->lo);
		}
	}
	array__for_each(region, &fixture->regions.list)
		array__for_each(member, &region->members)
			assert_true(member->end <=
				    fixture->regions.families.items[region->family].hi);
}

/* A child that grows a region up to the next one's place has two still, each of its own family. */
static void test_families_side_by_side(void **state)
{
	struct fixture *fixture = *state;

	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	load(fixture, 1, 10, 0x12200, 0x12300, "too far from a to be of its region");
	cut(fixture, 1);
	fork_at(fixture, 50, 2, 1);
	load(fixture, 2, 60, 0x10200, 0x10300, "near to both");
	load(fixture, 2, 60, 0x12300, 0x12400, "behind the other");
	cut(fixture, 2);
	assert_int_equal(fixture->regions.list.count, 4);
	assert_int_equal(expect_region(fixture, 2, 0x10000, 0x10300, 2)->family, 0);
	assert_int_equal(expect_region(fixture, 3, 0x12200, 0x12400, 2)->family, 1);
}

/*
 * What is far apart in a child, and one region of its parent, is one: DSOs of a family take all of
 * its place, and two of them would hide each other.
 */
static void test_one_region_of_a_family(void **state)
{
	struct fixture *fixture = *state;

	load(fixture, 1, 10, 0x10000, 0x10100, "first");
	load(fixture, 1, 10, 0x11000, 0x14000, "between");
	load(fixture, 1, 10, 0x14000, 0x14100, "last");
	assert_int_equal(codemap__unmap(process(fixture, 1)->codemap, 40, 0x11000, 0x3000), 0);
	cut(fixture, 1);
	fork_at(fixture, 50, 2, 1);
	load(fixture, 2, 60, 0x10100, 0x10200, "child's own");
	cut(fixture, 2);
	assert_int_equal(fixture->regions.list.count, 2);
	expect_region(fixture, 0, 0x10000, 0x14100, 3);
	assert_int_equal(expect_region(fixture, 1, 0x10000, 0x14100, 3)->family, 0);
}

/* With a DSO for each function, those of neighbours are strangers. */
static void test_families_of_functions(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.force_singles = true;
	load(fixture, 1, 10, 0x10000, 0x10100, "a");
	load(fixture, 1, 10, 0x10200, 0x10300, "b");
	cut(fixture, 1);
	fork_at(fixture, 50, 2, 1);
	load(fixture, 2, 60, 0x10100, 0x10200, "between");
	load(fixture, 2, 60, 0x10280, 0x10380, "over b");
	cut(fixture, 2);
	assert_int_equal(fixture->regions.list.count, 4);
	assert_int_equal(expect_region(fixture, 2, 0x10100, 0x10200, 1)->family, 2);
	assert_int_equal(expect_region(fixture, 3, 0x10200, 0x10380, 2)->family, 1);
	assert_int_equal(fixture->regions.families.items[0].hi, 0x10100);
}

/* In a file, a family that reached from function to function would hide what is between. */
static void test_families_in_a_file(void **state)
{
	struct fixture *fixture = *state;

	map(fixture, 5, 0x400000, 0x500000, "/usr/bin/node");
	load(fixture, 1, 10, 0x401000, 0x401100, "Builtin:A");
	cut(fixture, 1);
	fork_at(fixture, 50, 2, 1);
	load(fixture, 2, 60, 0x401200, 0x401300, "Builtin:B");
	cut(fixture, 2);
	assert_int_equal(expect_region(fixture, 1, 0x401200, 0x401300, 1)->family, 1);
	assert_int_equal(fixture->regions.families.items[0].hi, 0x401100);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cut_at_gaps),
		TEST(test_the_end_is_the_highest),
		TEST(test_cut_at_files),
		TEST(test_cut_in_a_file),
		TEST(test_force_singles),
		TEST(test_identical_reloads_are_one),
		TEST(test_what_comes_back_is_another),
		TEST(test_early_samples_move_the_start),
		TEST(test_families),
		TEST(test_a_region_is_of_one_family),
		TEST(test_families_side_by_side),
		TEST(test_one_region_of_a_family),
		TEST(test_families_of_functions),
		TEST(test_families_in_a_file),
	};

	return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
