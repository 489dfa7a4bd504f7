// SPDX-License-Identifier: GPL-2.0-or-later
/* What samples refer to, and how they are counted. */
#include "fix/testing.h"

#include <elf.h>

#include "cfi/track.h"
#include "fix/region.h"
#include "fix/survey.h"

#define LO     UINT64_C(0x10200)
#define SIZE   16
#define KERNEL UINT64_C(0xffffffff81000000)

static const struct cfi_target x86_64 = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };

/* Process 1 with memory at [0x10000, 0x20000). */
static void begin(struct testing *testing)
{
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
}

static struct plan *end(struct testing *testing)
{
	dump__write(testing, "jit-1.dump");
	return testing__plan(testing, 0);
}

/* The function of that name; NULL when it was dropped from all regions. */
static const struct member *member(const struct plan *plan, const char *name)
{
	array__for_each(region, &plan->regions->list)
		array__for_each(member, &region->members)
			if (strcmp(member->code->record->name, name) == 0)
				return member;
	fail_msg("no function %s", name);
	return NULL;
}

static void expect_reference(const struct plan *plan, const char *name, uint64_t first,
			     uint64_t last)
{
	assert_int_equal(member(plan, name)->first_reference, first);
	assert_int_equal(member(plan, name)->last_reference, last);
}

static void expect_none(const struct plan *plan, const char *name)
{
	assert_true(member(plan, name)->first_reference > member(plan, name)->last_reference);
}

static void test_ips(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 30, LO + 0x100, SIZE, "b");
	profile__sample(testing, 40, 1, LO);
	profile__sample(testing, 50, 1, LO + SIZE - 1);
	/* outside: of code, in the kernel's part, of all memory, in the kernel, of a process that
	 * nobody knows */
	profile__map(testing, 50, 1, 0x7fff0000, 0x2000, 0, "[vdso]");
	profile__sample(testing, 51, 1, LO + SIZE);
	profile__sample(testing, 51, 1, 0x7fff0100);
	profile__sample(testing, 51, 1, 0x5000);
	profile__sample(testing, 51, 1, KERNEL);
	profile__sample(testing, 51, 9, LO);
	plan = end(testing);
	expect_reference(plan, "a", 40, 50);
	expect_none(plan, "b");
	assert_int_equal(plan->counts.samples, 6);
	assert_int_equal(plan->counts.jit_samples, 2);
	assert_int_equal(plan->counts.jit_samples_early, 0);
	assert_int_equal(plan->counts.jit_samples_file, 0);
	assert_int_equal(plan->counts.anon_samples, 1);
	assert_int_equal(plan->per_process.count, 1);
	assert_int_equal(plan->per_process.items[0].process->pid, 1);
	plan__free(plan);
}

static void test_code_in_files(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	profile__map(testing, 21, 1, 0x400000, 0x1000, 0, "/usr/bin/node");
	dump__load(testing, 30, 0x400100, SIZE, "Builtin:A");
	profile__sample(testing, 40, 1, 0x400100);
	profile__sample(testing, 41, 1, 0x400200);
	plan = end(testing);
	assert_int_equal(plan->counts.jit_samples, 1);
	assert_int_equal(plan->counts.jit_samples_file, 1);
	assert_int_equal(plan->counts.anon_samples, 0);
	plan__free(plan);
}

/* The JVM's dumps lag behind: nothing else was there before. */
static void test_early_samples(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 50, LO, SIZE, "b");
	profile__sample(testing, 25, 1, LO + 3);
	profile__sample(testing, 45, 1, LO + 3);
	profile__sample(testing, 55, 1, LO + 3);
	plan = end(testing);
	assert_int_equal(plan->counts.jit_samples, 3);
	assert_int_equal(plan->counts.jit_samples_early, 1);
	expect_reference(plan, "a", 25, 45);
	expect_reference(plan, "b", 55, 55);
	/* not mapped then: it may have been something else, as it was later */
	assert_int_equal(plan->inserts.items[0].time, 30);
	assert_int_equal(plan->nr_late, 1);
	plan__free(plan);
}

static void test_early_samples_of_code_that_stays(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	profile__sample(testing, 25, 1, LO + 3);
	plan = end(testing);
	assert_int_equal(plan->counts.jit_samples_early, 1);
	expect_reference(plan, "a", 25, 25);
	assert_int_equal(plan->inserts.items[0].time, 25);
	assert_int_equal(plan->nr_late, 0);
	plan__free(plan);
}

static void test_chains(void **state)
{
	static const uint64_t chain[] = {
		PERF_CONTEXT_KERNEL, KERNEL, PERF_CONTEXT_USER, LO + 4, LO + 0x108, 0x5000, 0,
	};
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 30, LO + 0x100, SIZE, "b");
	dump__load(testing, 30, LO + 0x200, SIZE, "c");
	profile__sample_stack(testing, 40, 1, KERNEL, chain, NULL);
	plan = end(testing);
	assert_int_equal(plan->counts.jit_samples, 0);
	assert_int_equal(plan->counts.jit_frames, 2);
	expect_reference(plan, "a", 40, 40);
	expect_reference(plan, "b", 40, 40);
	expect_none(plan, "c");
	plan__free(plan);
}

/* A call may be the last thing in a function: then it returns to what lies behind. */
static void test_calls_at_the_end(void **state)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x5000, LO + SIZE, LO + 0x110, 0 };
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 30, LO + SIZE, SIZE, "right behind a");
	dump__load(testing, 30, LO + 0x100, SIZE, "b");
	profile__sample_stack(testing, 40, 1, 0x5000, chain, NULL);
	plan = end(testing);
	/* perf 5.10 to 7.3 leave the one behind b without a name */
	assert_int_equal(plan->counts.jit_frames, 1);
	/* readers differ in which of the two they look up */
	expect_reference(plan, "a", 40, 40);
	expect_reference(plan, "right behind a", 40, 40);
	expect_reference(plan, "b", 40, 40);
	plan__free(plan);
}

/*
 * Where addresses are used again, any word on the stack may be a return address, and code that it
 * points to must be kept. Words that stood there before the code was loaded are none.
 */
static void test_stacks(void **state)
{
	static const uint64_t stack[] = { 1, LO + 5, 0x7fff0000, LO + 0x100 + SIZE, 0 };
	static const uint64_t early[] = { LO + 0x205, 0 };
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 30, LO + 0x100, SIZE, "b");
	dump__load(testing, 50, LO, SIZE, "reuses a");
	dump__load(testing, 60, LO + 0x200, SIZE, "c");
	profile__sample_stack(testing, 40, 1, 0x5000, NULL, stack);
	profile__sample_stack(testing, 41, 1, 0x5000, NULL, early);
	profile__sample_stack(testing, 55, 1, LO, NULL, NULL);
	plan = end(testing);
	expect_reference(plan, "a", 40, 40);
	expect_reference(plan, "b", 40, 40);
	expect_reference(plan, "reuses a", 55, 55);
	expect_none(plan, "c");
	assert_int_equal(plan->counts.jit_samples, 1);
	assert_int_equal(plan->counts.jit_samples_early, 0);
	plan__free(plan);
}

/* Large samples' heads are read alone, but where their stacks, or long chains, are asked for. */
static void test_large_stacks(void **state)
{
	uint64_t chain[100] = { PERF_CONTEXT_USER }, stack[2000] = { 0 };
	struct testing *testing = *state;
	struct plan *plan;

	for (size_t i = 1; i < 99; i++)
		chain[i] = 0x5000;
	chain[98] = LO + 0x105;
	for (size_t i = 0; i < 1999; i++)
		stack[i] = 1;
	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 30, LO + 0x100, SIZE, "b");
	profile__sample_stack(testing, 40, 1, 0x5000, NULL, stack);
	profile__sample_stack(testing, 41, 1, 0x5000, chain, stack);
	stack[1998] = LO + 5;
	profile__sample_stack(testing, 42, 1, 0x5000, NULL, stack);
	/* only where addresses are used again are words looked at */
	dump__load(testing, 50, LO, SIZE, "reuses a");
	plan = end(testing);
	assert_int_equal(plan->counts.samples, 3);
	assert_int_equal(plan->counts.jit_frames, 1);
	expect_reference(plan, "b", 41, 41);
	expect_reference(plan, "a", 42, 42);
	plan__free(plan);
}

/* A forked child's samples are in what it inherited, not in what the parent loads later. */
static void test_children(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 60, LO, SIZE, "parent's later");
	dump__load(testing, 60, LO + 0x100, SIZE, "parent's later, elsewhere");
	profile__fork(testing, 50, 2, 1);
	profile__sample(testing, 70, 2, LO);
	profile__sample(testing, 71, 2, LO + 0x100);
	plan = end(testing);
	/* noted as of the last moment at which the parent's code was the child's too */
	expect_reference(plan, "a", 49, 49);
	expect_none(plan, "parent's later");
	expect_none(plan, "parent's later, elsewhere");
	assert_int_equal(plan->counts.jit_samples, 1);
	plan__free(plan);
}

/* perf makes up the FORKs of what ran before: such a process is not told to share its memory. */
static void test_children_from_before(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	profile__fork(testing, 0, 2, 1);
	profile__comm(testing, 0, 2, "other", false);
	profile__map(testing, 0, 2, 0x10000, 0x10000, 0, "/usr/bin/other");
	dump__load(testing, 30, LO, SIZE, "a");
	profile__sample(testing, 40, 2, LO);
	plan = end(testing);
	expect_none(plan, "a");
	assert_int_equal(plan->counts.jit_samples, 0);
	plan__free(plan);
}

/* Where branches went in code that is at the address of other code, and so may be left out. */
static void test_branches(void **state)
{
	static const uint64_t branches[] = { LO + 1, LO + 0x101, LO + 0x102, KERNEL, 0 };
	struct testing *testing = *state;
	struct plan *plan;

	testing->sample_type = TEST_FP | PERF_SAMPLE_BRANCH_STACK;
	testing->branches = branches;
	begin(testing);
	dump__load(testing, 30, LO, SIZE, "from");
	dump__load(testing, 31, LO + 0x100, SIZE, "to");
	dump__load(testing, 32, LO + 0x200, SIZE, "neither");
	profile__sample(testing, 40, 1, KERNEL);
	dump__load(testing, 50, LO, SIZE, "later");
	plan = end(testing);
	expect_reference(plan, "from", 40, 40);
	expect_reference(plan, "to", 40, 40);
	expect_none(plan, "neither");
	assert_int_equal(plan->counts.jit_samples, 0);
	assert_false(plan->traced);
	plan__free(plan);
}

/* Two functions at one address that no sample refers to, in a profile with trace data or without.
 */
static void expect_functions(struct testing *testing, bool traced, uint64_t count)
{
	struct plan *plan;

	begin(testing);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 50, LO, SIZE, "b");
	if (traced) {
		buf__put_u32(&testing->records, PERFDATA_AUXTRACE);
		buf__put_u32(&testing->records, 48u << 16);
		buf__put_zeros(&testing->records, 40);
	}
	plan = end(testing);
	assert_int_equal(plan->traced, traced);
	assert_int_equal(plan->nr_functions, count);
	plan__free(plan);
}

static void test_without_traces(void **state)
{
	expect_functions(*state, false, 1);
}

static void test_traces(void **state)
{
	expect_functions(*state, true, 2);
}

/* 0x40 bytes apart, each of other code than its neighbours; names are "a0", "b1", ... */
static void load_many(struct testing *testing, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%c%u", 'a' + i % 26, i);
		dump__load(testing, 30, LO + 0x40 * i, SIZE, name);
	}
}

static size_t count_wanting(const struct plan *plan)
{
	size_t count = 0;

	array__for_each(region, &plan->regions->list)
		array__for_each(member, &region->members)
			count += member->wants_cfi;
	return count;
}

/* To follow all of much code takes long: only what chains may come through is. */
static void test_code_that_chains_may_come_through(void **state)
{
	static const uint64_t early[] = { LO + 0x101, 0 };
	static const uint64_t stack[] = { LO + 0x40 + SIZE, 0x7fff0000, LO + 0x205, LO + 0x300, 0 };
	static const uint64_t chain[] = { PERF_CONTEXT_USER, LO + 0x384, 0 };
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load_many(testing, 100);
	/* the LOAD's time may be later than the code runs: readers come there all the same */
	profile__sample_stack(testing, 25, 1, 0x5000, NULL, early);
	profile__sample_stack(testing, 40, 1, LO + 3, chain, stack);
	plan = end(testing);
	assert_true(member(plan, "a0")->wants_cfi); /* the ip */
	assert_true(member(plan, "b1")->wants_cfi); /* returned to behind its end */
	assert_true(member(plan, "e4")->wants_cfi);
	expect_none(plan, "e4");
	assert_true(member(plan, "i8")->wants_cfi);
	assert_true(member(plan, "m12")->wants_cfi); /* its first byte */
	assert_true(member(plan, "o14")->wants_cfi); /* the recorded chain */
	/* without a disassembler nothing is followed, and all of it gets what there is */
	assert_int_equal(count_wanting(plan), cfi__can_track(&x86_64) ? 6 : 100);
	plan__free(plan);
}

static void test_little_code(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load_many(testing, 64);
	profile__sample_stack(testing, 40, 1, LO + 3, NULL, NULL);
	plan = end(testing);
	assert_int_equal(count_wanting(plan), 64);
	plan__free(plan);
}

/* The DSOs of a child's first memory are its parent's, and so are those of what it refers to. */
static void test_what_children_refer_to(void **state)
{
	static const uint64_t stack[] = { LO + 0x85, 0 };
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	load_many(testing, 100);
	profile__fork(testing, 50, 2, 1);
	profile__marker(testing, 51, 2, "jit-2.dump");
	profile__sample_stack(testing, 70, 2, LO + 3, NULL, stack);
	dump__write(testing, "jit-1.dump");
	testing->dump.size = 0;
	dump__begin(testing, 2);
	dump__load(testing, 60, LO + 0x8000, SIZE, "child's");
	dump__write(testing, "jit-2.dump");
	plan = testing__plan(testing, 0);
	assert_true(member(plan, "a0")->wants_cfi);
	expect_reference(plan, "a0", 50, 50);
	assert_true(member(plan, "c2")->wants_cfi);
	assert_int_equal(member(plan, "b1")->wants_cfi, !cfi__can_track(&x86_64));
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_ips),
		TESTING(test_code_in_files),
		TESTING(test_early_samples),
		TESTING(test_early_samples_of_code_that_stays),
		TESTING(test_chains),
		TESTING(test_calls_at_the_end),
		TESTING(test_stacks),
		TESTING(test_large_stacks),
		TESTING(test_branches),
		TESTING(test_children),
		TESTING(test_children_from_before),
		TESTING(test_without_traces),
		TESTING(test_traces),
		TESTING(test_code_that_chains_may_come_through),
		TESTING(test_little_code),
		TESTING(test_what_children_refer_to),
	};

	return cmocka_run_group_tests_name("survey", tests, NULL, NULL);
}
