// SPDX-License-Identifier: GPL-2.0-or-later
/* Of which process, and of which of its runs, a dump is. */
#include "fix/discover_testing.h"

#include "codemap/process.h"

#define SECOND UINT64_C(1000000000)

/* Pids come round again: a dump that says another pid is passed over, and the next place tried. */
static void test_another_process(void **state)
{
	struct testing *testing = *state;
	struct folder old = make_folder(testing, "old");
	const char *dirs[] = { old.path };
	struct plan *plan;

	profile_of(testing, 7, testing__path(testing, "jit-7.dump"));
	testing->discover.jitdump_dirs = dirs;
	testing->discover.nr_jitdump_dirs = 1;
	write_dump(testing, 8, "old/jit-7.dump");
	write_dump(testing, 7, "jit-7.dump");
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "jit-7.dump"), 7);
	assert_string_equal(testing->last_kind, "discover.other-process");
	plan__free(plan);
	write_dump(testing, 8, "jit-7.dump");
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 0);
	assert_int_equal(plan->discovery->nr_missing, 1);
	plan__free(plan);
}

/* A program that calls exec writes its dump anew under the same name: it tells of what runs now. */
static void test_after_exec(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	write_dump(testing, 7, "jit-7.dump");
	profile__comm(testing, 0, 7, "wrapper", false);
	profile__marker(testing, 10, 7, "jit-7.dump");
	profile__comm(testing, 15, 7, "runtime", true);
	profile__marker(testing, 20, 7, "jit-7.dump");
	profile__sample(testing, 40, 7, 0x10200);
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "jit-7.dump"), 7);
	assert_int_equal(plan->discovery->dumps.items[0].process->start, 15);
	assert_int_equal(plan->counts.jit_samples, 1);
	plan__free(plan);
}

static void test_of_nobody(void **state)
{
	struct testing *testing = *state;
	char path[192];
	const char *names[] = { path };
	struct plan *plan;

	profile__comm(testing, 0, 1, "jit", false);
	write_dump(testing, 3, "any-name");
	snprintf(path, sizeof(path), "%s", testing__path(testing, "any-name"));
	testing->discover.jitdumps = names;
	testing->discover.nr_jitdumps = 1;
	plan = testing__plan(testing, 0);
	assert_string_equal(testing->last_kind, "discover.no-such-process");
	assert_int_equal(plan->inserts.count, 0);
	plan__free(plan);
}

/* The inode of the last record, an MMAP2 of this name: behind header, pids, range and device. */
static void set_inode(struct testing *testing, size_t begin, uint64_t inode)
{
	set_u64(testing->records.data + begin + 48, inode, ORDER_LITTLE);
}

static uint64_t inode_of(const struct testing *testing, const char *name)
{
	struct stat file;

	assert_int_equal(stat(testing__path(testing, name), &file), 0);
	return file.st_ino;
}

/* Of two processes of two containers that wrote one path, the last one's file is there. */
static void test_same_path(void **state)
{
	struct testing *testing = *state;
	const char *path = testing__path(testing, "jit-1.dump");
	struct plan *plan;
	size_t first, second;

	write_dump(testing, 1, "jit-1.dump");
	profile__comm(testing, 0, 70, "jit", false);
	first = testing->records.size;
	profile__map(testing, 10, 70, 0x7f0000000000, 0x1000, 0, path);
	profile__comm(testing, 0, 80, "jit", false);
	second = testing->records.size;
	profile__map(testing, 20, 80, 0x7f0000000000, 0x1000, 0, path);
	profile__sample(testing, 40, 80, 0x10200);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 1);
	assert_int_equal(plan->discovery->dumps.items[0].pid, 80);
	assert_int_equal(plan->discovery->nr_missing, 1);
	assert_non_null(strstr(testing->last_text, "pid 70"));
	assert_non_null(strstr(testing->last_text, "of another process, pid 80"));
	plan__free(plan);
	perfdata__close(testing->perfdata);
	testing->perfdata = NULL;

	/* the file is the first one's */
	set_inode(testing, first, inode_of(testing, "jit-1.dump"));
	set_inode(testing, second, inode_of(testing, "jit-1.dump") + 1);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 1);
	assert_int_equal(plan->discovery->dumps.items[0].pid, 70);
	assert_int_equal(plan->discovery->nr_missing, 1);
	plan__free(plan);
}

static void write_timed(struct testing *testing, uint64_t time, const char *path)
{
	dump__begin(testing, 7);
	dump__load(testing, time, 0x10200, 16, "a");
	dump__write(testing, path);
}

/* The JVM and LLVM make a folder for each run: time tells which run was recorded. */
static void test_dated_folders(void **state)
{
	struct testing *testing = *state;
	struct folder top = make_folder(testing, "debug");
	const char *dirs[] = { top.path };
	struct plan *plan;

	make_folder(testing, "debug/jit");
	make_folder(testing, "debug/jit/java-1");
	make_folder(testing, "debug/jit/java-2");
	make_folder(testing, "debug/jit/java-3");
	write_timed(testing, 2 * SECOND, "debug/jit/java-1/jit-7.dump");
	write_timed(testing, 11 * SECOND, "debug/jit/java-2/jit-7.dump");
	write_timed(testing, 30 * SECOND, "debug/jit/java-3/jit-7.dump");
	profile__comm(testing, 0, 1, "sh", false);
	profile__fork(testing, 10 * SECOND, 7, 1);
	profile__map(testing, 10 * SECOND + 1, 7, 0x7f0000000000, 0x1000, 0, "/n/jit-7.dump");
	profile__sample(testing, 12 * SECOND, 7, 0x10200);
	profile__fork(testing, 20 * SECOND, 7, 1); /* the pid again */
	testing->discover.jitdump_dirs = dirs;
	testing->discover.nr_jitdump_dirs = 1;
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "debug/jit/java-2/jit-7.dump"), 7);
	assert_int_equal(plan->counts.jit_samples, 1);
	plan__free(plan);
	unlink(testing__path(testing, "debug/jit/java-2/jit-7.dump"));
	plan = testing__plan(testing, 0);
	expect_nothing(plan, 1);
	assert_non_null(strstr(testing->last_text, "java-1/jit-7.dump: a dump of another time"));
	plan__free(plan);
}

/* perf tells of what a child has mapped from its parent as if it were the child's own. */
static void test_inherited(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	dump__begin(testing, 7);
	dump__load(testing, 5, 0x10200, 16, "before");
	dump__load(testing, 50, 0x10300, 16, "after");
	dump__write(testing, "jit-7.dump");
	profile__comm(testing, 0, 7, "jit", false);
	profile__marker(testing, 0, 7, "jit-7.dump");
	profile__fork(testing, 0, 8, 7);
	profile__marker(testing, 0, 8, "jit-7.dump");
	profile__sample(testing, 40, 8, 0x10200);
	profile__sample(testing, 60, 8, 0x10300);
	profile__sample(testing, 61, 7, 0x10300);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 2);
	assert_int_equal(plan->discovery->nr_missing, 0);
	/* what the parent loaded later is not in the child */
	assert_int_equal(plan->counts.jit_samples, 2);
	plan__free(plan);
}

/* A fork that was seen needs nothing: the child takes over what was there. */
static void test_inherited_at_fork(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	write_dump(testing, 7, "jit-7.dump");
	profile_of(testing, 7, testing__path(testing, "jit-7.dump"));
	profile__fork(testing, 50, 8, 7);
	profile__marker(testing, 55, 8, "jit-7.dump");
	profile__sample(testing, 60, 8, 0x10200);
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "jit-7.dump"), 7);
	assert_int_equal(plan->counts.jit_samples, 2);
	plan__free(plan);
}

/* This process stands for one that still runs and whose dump was deleted. */
static void test_open_but_deleted(void **state)
{
	struct testing *testing = *state;
	uint32_t pid = (uint32_t)getpid();
	struct plan *plan;
	size_t begin;
	int fd;

	write_dump(testing, pid, "jit-1.dump");
	profile__comm(testing, 0, pid, "jit", false);
	begin = testing->records.size;
	profile__map(testing, 10, pid, 0x7f0000000000, 0x1000, 0, "/n/jit-1.dump (deleted)");
	set_inode(testing, begin, inode_of(testing, "jit-1.dump"));
	profile__sample(testing, 40, pid, 0x10200);
	fd = open(testing__path(testing, "jit-1.dump"), O_RDONLY);
	assert_true(fd >= 0);
	unlink(testing__path(testing, "jit-1.dump"));
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 1);
	assert_int_equal(plan->counts.jit_samples, 1);
	plan__free(plan);
	close(fd);
	plan = testing__plan(testing, 0);
	expect_nothing(plan, 1);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_another_process),   TESTING(test_after_exec),
		TESTING(test_of_nobody),         TESTING(test_same_path),
		TESTING(test_dated_folders),     TESTING(test_inherited),
		TESTING(test_inherited_at_fork), TESTING(test_open_but_deleted),
	};

	return cmocka_run_group_tests_name("discover process", tests, NULL, NULL);
}
