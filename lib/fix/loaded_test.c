// SPDX-License-Identifier: GPL-2.0-or-later
/* What a dump says happened to code, in the code map of its process. */
#include "fix/testing.h"

#include "codemap/codemap.h"
#include "codemap/process.h"
#include "fix/scan.h"

#define LO   UINT64_C(0x10200)
#define AWAY UINT64_C(0x18200)
#define SIZE 16

static void dump__move(struct testing *testing, uint64_t time, uint64_t from, uint64_t to,
		       uint64_t size)
{
	struct buf *buf = &testing->dump;

	buf__put_u32(buf, JIT_CODE_MOVE);
	buf__put_u32(buf, 64);
	buf__put_u64(buf, time);
	buf__put_u32(buf, 1);
	buf__put_u32(buf, 1);
	buf__put_u64(buf, to);
	buf__put_u64(buf, from);
	buf__put_u64(buf, to);
	buf__put_u64(buf, size);
	buf__put_u64(buf, from);
}

static void begin(struct testing *testing)
{
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
	dump__load(testing, 30, LO, SIZE, "a");
}

static const struct code *find(const struct plan *plan, uint64_t addr, uint64_t time)
{
	return codemap__find(plan->discovery->dumps.items[0].process->codemap, addr, time);
}

/* V8's garbage collector moves code: samples before and after it are in one function. */
static void test_moved_code(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__move(testing, 50, LO, AWAY, SIZE);
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO + 1);
	profile__sample(testing, 60, 1, AWAY + 1);
	plan = testing__plan(testing, 0);
	assert_string_equal(find(plan, LO + 1, 49)->record->name, "a");
	assert_null(find(plan, LO + 1, 50));
	assert_string_equal(find(plan, AWAY + 1, 50)->record->name, "a");
	assert_null(find(plan, AWAY + 1, 49));
	assert_int_equal(plan->counts.jit_samples, 2);
	assert_int_equal(diag__count(testing->diag, DIAG_WARNING), 0);
	plan__free(plan);
}

/* It is said once, however many there are. */
static void test_moves_of_what_is_not_there(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__move(testing, 50, AWAY, AWAY + 0x100, SIZE);
	dump__move(testing, 51, AWAY, AWAY + 0x200, SIZE);
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 60, 1, LO + 1);
	plan = testing__plan(testing, 0);
	assert_string_equal(testing->last_kind, "jitdump.move-of-unknown");
	assert_string_equal(testing->last_text,
			    "moves code that was never loaded, 2 times: skipped");
	assert_int_equal(diag__count(testing->diag, DIAG_WARNING), 1);
	assert_int_equal(plan->counts.jit_samples, 1);
	plan__free(plan);
}

/* A perf map beside the dump adds what the dump says nothing of, where code was moved to too. */
static void test_moved_code_and_a_map(void **state)
{
	static const char map[] = "10200 10 old name\n18200 10 moved name\n1a000 10 helper\n";
	struct testing *testing = *state;
	const char *folders[] = { testing->folder };
	struct plan *plan;

	begin(testing);
	dump__load(testing, 31, LO + SIZE, SIZE, "b");
	dump__load(testing, 32, LO, 3 * SIZE, "c");
	dump__move(testing, 50, LO, AWAY, 3 * SIZE);
	dump__write(testing, "jit-1.dump");
	testing__write(testing__path(testing, "perf-1.map"),
		       (struct bytes){ (const uint8_t *)map, sizeof(map) - 1 });
	testing->discover.perf_map_dirs = folders;
	testing->discover.nr_perf_map_dirs = 1;
	profile__sample(testing, 60, 1, AWAY + 1);
	profile__sample(testing, 61, 1, 0x1a001);
	plan = testing__plan(testing, 0);
	assert_string_equal(find(plan, AWAY + 1, 60)->record->name, "c");
	assert_string_equal(find(plan, 0x1a001, 61)->record->name, "helper");
	assert_null(find(plan, LO + 1, 60));
	assert_int_equal(plan->counts.jit_samples, 2);
	plan__free(plan);
}

/* Memory of a library that was unloaded is used again for code: its samples stay its own. */
static void test_code_where_a_library_was(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 11, 1, 0x10000, 0x10000, 0, "/lib/libold.so");
	profile__sample(testing, 12, 1, LO + 1);
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
	profile__sample(testing, 25, 1, LO + 2);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO + 3);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->counts.jit_samples, 2);
	assert_int_equal(plan->counts.jit_samples_early, 1);
	assert_int_equal(plan->counts.jit_samples_file, 0);
	assert_int_equal(plan->inserts.count, 1);
	assert_int_equal(plan->inserts.items[0].time, 25);
	plan__free(plan);
}

/* But what V8 says of its embedded builtins, in its program file, may come late like all else. */
static void test_code_in_a_file(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 11, 1, 0x10000, 0x10000, 0, "/usr/bin/node");
	profile__sample(testing, 12, 1, LO + 1);
	dump__begin(testing, 1);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->counts.jit_samples_early, 1);
	plan__free(plan);
}

/* A child has its parent's code but where it maps a library later. */
static void test_library_over_inherited_code(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	begin(testing);
	dump__write(testing, "jit-1.dump");
	profile__fork(testing, 40, 2, 1);
	profile__sample(testing, 41, 2, LO + 1);
	profile__map(testing, 42, 2, 0x10000, 0x1000, 0, "/lib/libnew.so");
	profile__sample(testing, 43, 2, LO + 1);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->counts.samples, 2);
	assert_int_equal(plan->counts.jit_samples, 1);
	plan__free(plan);
}

/* A grandchild has what the first process had when the one in between was forked from it. */
static void test_grandchild(void **state)
{
	struct testing *testing = *state;
	const struct process *grandchild;
	struct plan *plan;

	begin(testing);
	profile__fork(testing, 40, 2, 1);
	dump__load(testing, 50, LO, SIZE, "not in the others");
	dump__write(testing, "jit-1.dump");
	profile__fork(testing, 60, 3, 2);
	profile__marker(testing, 61, 3, "jit-3.dump");
	dump__begin(testing, 3);
	dump__load(testing, 70, AWAY, SIZE, "its own");
	dump__write(testing, "jit-3.dump");
	profile__sample(testing, 80, 3, LO + 1);
	profile__sample(testing, 81, 3, AWAY + 1);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->counts.jit_samples, 2);
	grandchild = processes__find(plan->scan->processes, 3, 80);
	assert_string_equal(codemap__find(grandchild->codemap, LO + 1, 80)->record->name, "a");
	plan__free(plan);
}

/* As dump__load, by the process said. */
static void load_by(struct testing *testing, uint32_t pid, uint64_t time, uint64_t addr,
		    const char *name)
{
	size_t at = testing->dump.size;

	dump__load(testing, time, addr, SIZE, name);
	set_u32(testing->dump.data + at + 16, pid, ORDER_LITTLE);
	set_u32(testing->dump.data + at + 20, pid, ORDER_LITTLE);
}

static struct plan *plan_of_workers(struct testing *testing, const char *memory)
{
	profile__comm(testing, 0, 1, "php-fpm", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, memory);
	dump__begin(testing, 1);
	load_by(testing, 1, 30, LO, "a stub");
	profile__fork(testing, 40, 2, 1);
	profile__fork(testing, 41, 3, 1);
	load_by(testing, 2, 50, LO + 0x100, "the second's");
	load_by(testing, 3, 60, AWAY, "the third's");
	profile__sample(testing, 70, 2, LO + 1);
	profile__sample(testing, 71, 2, LO + 0x101);
	profile__sample(testing, 72, 3, LO + 0x101);
	profile__sample(testing, 73, 3, AWAY + 1);
	profile__fork(testing, 80, 4, 1);
	profile__sample(testing, 81, 4, AWAY + 1);
	dump__write(testing, "jit-1.dump");
	return testing__plan(testing, 0);
}

/*
 * PHP opens one dump and then forks: each worker writes what it compiles to it, under its own pid,
 * and the code lies in memory that all of them have.
 */
static void test_workers_with_shared_memory(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = plan_of_workers(testing, "/dev/zero (deleted)");

	assert_int_equal(plan->counts.samples, 5);
	assert_int_equal(plan->counts.jit_samples, 5);
	assert_int_equal(plan->counts.jit_samples_early, 0);
	plan__free(plan);
}

/* Of memory that each has for itself a process has what was there when it was forked. */
static void test_workers_with_memory_of_their_own(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = plan_of_workers(testing, "//anon");

	assert_int_equal(plan->counts.jit_samples, 2);
	plan__free(plan);
}

/* Those that were there before the profile: each has the mapping of the dump. */
static void test_workers_from_before(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	for (uint32_t pid = 1; pid <= 3; pid++) {
		profile__comm(testing, 0, pid, "php-fpm", false);
		if (pid > 1)
			profile__fork(testing, 0, pid, 1);
		profile__map(testing, 0, pid, 0x10000, 0x10000, 0, "/dev/zero (deleted)");
		profile__marker(testing, 0, pid, "jit-1.dump");
	}
	dump__begin(testing, 1);
	load_by(testing, 2, 30, LO, "from before");
	profile__sample(testing, 40, 2, 0x5000);
	load_by(testing, 2, 50, LO + 0x100, "the second's");
	profile__sample(testing, 60, 2, LO + 1);
	profile__sample(testing, 61, 3, LO + 1);
	profile__sample(testing, 62, 2, LO + 0x101);
	profile__sample(testing, 63, 3, LO + 0x101);
	dump__write(testing, "jit-1.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->counts.jit_samples, 4);
	assert_int_equal(plan->counts.jit_samples_early, 0);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_moved_code),
		TESTING(test_moves_of_what_is_not_there),
		TESTING(test_moved_code_and_a_map),
		TESTING(test_code_where_a_library_was),
		TESTING(test_code_in_a_file),
		TESTING(test_library_over_inherited_code),
		TESTING(test_grandchild),
		TESTING(test_workers_with_shared_memory),
		TESTING(test_workers_with_memory_of_their_own),
		TESTING(test_workers_from_before),
	};

	return cmocka_run_group_tests_name("loaded", tests, NULL, NULL);
}
