// SPDX-License-Identifier: GPL-2.0-or-later
/* Which mappings are a dump's sign, where dumps are looked for, and which are the right ones. */
#include "fix/testing.h"

#include <zlib.h>

#include "codemap/process.h"

static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool is_marker;
		uint32_t pid;
	} names[] = {
		{ "/tmp/jit-7.dump", true, 7 },
		{ "jit-7.dump", true, 7 },
		{ "/x/jit-7-8.dump", true, 8 },
		{ "/home/u/.debug/jit/perf-1/jit-123456.dump (deleted)", true, 123456 },
		{ "/x/jit-2147483647.dump", true, 2147483647 },
		{ "/x/jit-2147483648.dump", false, 0 },
		{ "/x/jit-99999999999.dump", false, 0 },
		{ "/x/jit-99999999999999999999999.dump", false, 0 },
		{ "/x/jit-7-99999999999.dump", false, 0 },
		{ "/x/jit-.dump", false, 0 },
		{ "/x/jit--7.dump", false, 0 },
		{ "/x/jit-+7.dump", false, 0 },
		{ "/x/jit- 7.dump", false, 0 },
		{ "/x/jit-7-.dump", false, 0 },
		{ "/x/jit-7-8-9.dump", false, 0 },
		{ "/x/jit-7.dump.gz", false, 0 },
		{ "/x/jit-7.dump (deleted", false, 0 },
		{ "/x/jit-7.done", false, 0 },
		{ "/x/jit-7", false, 0 },
		{ "/x/jit-7.dump/y", false, 0 },
		{ "/jit-7.dump/jit-8", false, 0 },
		{ "/x/xjit-7.dump", false, 0 },
		{ "//anon", false, 0 },
		{ "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t pid = 99;

		if (discover__is_marker(names[i].name, &pid) != names[i].is_marker ||
		    pid != names[i].pid)
			fail_msg("%s: pid %u", names[i].name, pid);
	}
}

/* A profile with one process whose runtime mapped a dump of that name. */
static void profile_of(struct testing *testing, uint32_t pid, const char *dump)
{
	profile__comm(testing, 0, pid, "jit", false);
	profile__map(testing, 10, pid, 0x7f0000000000, 0x1000, 0, dump);
	profile__sample(testing, 40, pid, 0x10200);
}

static void write_dump(struct testing *testing, uint32_t pid, const char *path)
{
	dump__begin(testing, pid);
	dump__load(testing, 30, 0x10200, 16, "a");
	dump__write(testing, path);
}

struct folder {
	char path[192];
};

static struct folder make_folder(const struct testing *testing, const char *name)
{
	struct folder folder;

	snprintf(folder.path, sizeof(folder.path), "%s/%s", testing->folder, name);
	assert_int_equal(mkdir(folder.path, 0777), 0);
	return folder;
}

static void expect_dump(const struct plan *plan, const char *path, uint32_t pid)
{
	assert_int_equal(plan->discovery->dumps.count, 1);
	assert_string_equal(jitdump__path(plan->discovery->dumps.items[0].dump), path);
	assert_int_equal(plan->discovery->dumps.items[0].pid, pid);
	assert_non_null(plan->discovery->dumps.items[0].process);
	assert_int_equal(plan->discovery->nr_missing, 0);
}

/* The user's folders, then the recorded path, then the profile's folder. */
static void test_order(void **state)
{
	struct testing *testing = *state;
	struct folder recorded_folder = make_folder(testing, "recorded");
	struct folder mine = make_folder(testing, "mine"), empty = make_folder(testing, "empty");
	const char *dirs[] = { empty.path, mine.path };
	const char *const places[] = { "mine/jit-7.dump", "recorded/jit-7.dump", "jit-7.dump" };
	char recorded[256];
	struct plan *plan;

	snprintf(recorded, sizeof(recorded), "%s/jit-7.dump", recorded_folder.path);
	profile_of(testing, 7, recorded);
	testing->discover.jitdump_dirs = dirs;
	testing->discover.nr_jitdump_dirs = 2;
	for (size_t i = 0; i < 3; i++)
		write_dump(testing, 7, places[i]);
	for (size_t i = 0; i < 3; i++) {
		plan = testing__plan(testing, 0);
		expect_dump(plan, testing__path(testing, places[i]), 7);
		assert_int_equal(plan->nr_functions, 1);
		plan__free(plan);
		unlink(testing__path(testing, places[i]));
	}
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 0);
	assert_int_equal(plan->discovery->nr_missing, 1);
	assert_string_equal(testing->last_kind, "discover.missing-dump");
	/* each place that was looked at is told */
	assert_non_null(strstr(testing->last_text, "empty/jit-7.dump"));
	assert_non_null(strstr(testing->last_text, "mine/jit-7.dump"));
	assert_non_null(strstr(testing->last_text, "recorded/jit-7.dump"));
	assert_non_null(strstr(testing->last_text, testing__path(testing, "jit-7.dump")));
	assert_non_null(strstr(testing->last_text, "pid 7"));
	plan__free(plan);
}

static void test_deleted(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	profile_of(testing, 7, "/nowhere/jit-7.dump (deleted)");
	plan = testing__plan(testing, 0);
	assert_non_null(strstr(testing->last_text, "deleted while"));
	plan__free(plan);
	/* a copy that was kept serves */
	write_dump(testing, 7, "jit-7.dump");
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "jit-7.dump"), 7);
	plan__free(plan);
}

static void test_root(void **state)
{
	struct testing *testing = *state;
	struct folder root = make_folder(testing, "root");
	struct plan *plan;

	make_folder(testing, "root/tmp");
	/* in the container the process is pid 3 */
	profile_of(testing, 4711, "/tmp/jit-3.dump");
	write_dump(testing, 3, "root/tmp/jit-3.dump");
	testing->discover.root = root.path;
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "root/tmp/jit-3.dump"), 4711);
	assert_int_equal(plan->nr_functions, 1);
	plan__free(plan);
}

static void test_wrapped(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;
	gzFile file;

	profile_of(testing, 7, "/nowhere/jit-7.dump");
	write_dump(testing, 7, "plain");
	file = gzopen(testing__path(testing, "jit-7.dump.gz"), "w");
	assert_non_null(file);
	assert_int_equal(gzwrite(file, testing->dump.data, (unsigned int)testing->dump.size),
			 testing->dump.size);
	assert_int_equal(gzclose(file), Z_OK);
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "jit-7.dump.gz"), 7);
	assert_int_equal(plan->nr_functions, 1);
	plan__free(plan);
}

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

static void test_what_is_no_dump(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	profile_of(testing, 7, testing__path(testing, "jit-7.dump"));
	testing__write(testing__path(testing, "jit-7.dump"),
		       (struct bytes){ (const uint8_t *)"hello, world, this is text", 26 });
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 0);
	assert_int_equal(plan->discovery->nr_missing, 1);
	assert_int_equal(plan->inserts.count, 0);
	plan__free(plan);
}

/* A dump may be mapped often: it is read once. */
static void test_mapped_twice(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	write_dump(testing, 7, "jit-7.dump");
	profile_of(testing, 7, testing__path(testing, "jit-7.dump"));
	profile__marker(testing, 20, 7, "jit-7.dump");
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "jit-7.dump"), 7);
	assert_int_equal(plan->discovery->markers.count, 2);
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

static void test_named_by_the_user(void **state)
{
	struct testing *testing = *state;
	char with_pid[256], without_pid[256];
	const char *names[1];
	struct plan *plan;

	profile_of(testing, 7, "/nowhere/jit-7.dump");
	profile__comm(testing, 0, 9, "jit", false);
	write_dump(testing, 3, "any-name");
	snprintf(with_pid, sizeof(with_pid), "9=%s", testing__path(testing, "any-name"));
	testing->discover.jitdumps = names;
	testing->discover.nr_jitdumps = 1;
	names[0] = with_pid;
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->discovery->dumps.count, 1);
	assert_int_equal(plan->discovery->dumps.items[0].pid, 9);
	assert_null(plan->discovery->dumps.items[0].marker);
	assert_int_equal(plan->discovery->dumps.items[0].process->pid, 9);
	plan__free(plan);

	/* the header's pid tells whose it is */
	write_dump(testing, 7, "any-name");
	snprintf(without_pid, sizeof(without_pid), "%s", testing__path(testing, "any-name"));
	names[0] = without_pid;
	plan = testing__plan(testing, 0);
	expect_dump(plan, without_pid, 7);
	assert_non_null(plan->discovery->dumps.items[0].marker);
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

static void test_named_but_not_there(void **state)
{
	struct testing *testing = *state;
	const char *names[] = { "/nowhere/any-name" };
	struct plan_options options = {
		.output = "fixed",
		.discover = { .jitdumps = names, .nr_jitdumps = 1 },
	};
	struct plan *plan;

	profile__comm(testing, 0, 1, "jit", false);
	profile__open(testing);
	assert_true(plan__make(&plan, testing->perfdata, &options, testing->diag) < 0);
	assert_null(plan);
	assert_true(diag__count(testing->diag, DIAG_ERROR) > 0);
}

#define SECOND UINT64_C(1000000000)

static void expect_nothing(const struct plan *plan, size_t missing)
{
	assert_int_equal(plan->discovery->dumps.count, 0);
	assert_int_equal(plan->discovery->nr_missing, missing);
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

/* What is mapped like a dump is one when the file says so, and nobody misses it otherwise. */
static void test_by_magic(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	write_dump(testing, 7, "strange");
	profile_of(testing, 7, testing__path(testing, "strange"));
	profile__marker(testing, 12, 7, "text.dump");
	profile__marker(testing, 13, 7, "gone.dump");
	testing__write(testing__path(testing, "text.dump"),
		       (struct bytes){ (const uint8_t *)"hello, world, this is text", 26 });
	plan = testing__plan(testing, 0);
	expect_dump(plan, testing__path(testing, "strange"), 7);
	assert_int_equal(plan->nr_functions, 1);
	assert_int_equal(diag__count(testing->diag, DIAG_WARNING), 0);
	assert_int_equal(diag__count(testing->diag, DIAG_ERROR), 0);
	plan__free(plan);
	testing__write(testing__path(testing, "strange"),
		       (struct bytes){ (const uint8_t *)"\177ELF and so on", 15 });
	plan = testing__plan(testing, 0);
	expect_nothing(plan, 0);
	plan__free(plan);
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
		TESTING(test_names),
		TESTING(test_order),
		TESTING(test_deleted),
		TESTING(test_root),
		TESTING(test_wrapped),
		TESTING(test_another_process),
		TESTING(test_what_is_no_dump),
		TESTING(test_mapped_twice),
		TESTING(test_after_exec),
		TESTING(test_named_by_the_user),
		TESTING(test_of_nobody),
		TESTING(test_named_but_not_there),
		TESTING(test_by_magic),
		TESTING(test_same_path),
		TESTING(test_dated_folders),
		TESTING(test_inherited),
		TESTING(test_inherited_at_fork),
		TESTING(test_open_but_deleted),
	};

	return cmocka_run_group_tests_name("discover", tests, NULL, NULL);
}
