// SPDX-License-Identifier: GPL-2.0-or-later
/* Which mappings are a dump's sign, and where dumps are looked for. */
#include "fix/discover_testing.h"

#include <zlib.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_names),
		TESTING(test_order),
		TESTING(test_deleted),
		TESTING(test_root),
		TESTING(test_wrapped),
		TESTING(test_what_is_no_dump),
		TESTING(test_mapped_twice),
		TESTING(test_named_by_the_user),
		TESTING(test_named_but_not_there),
		TESTING(test_by_magic),
	};

	return cmocka_run_group_tests_name("discover", tests, NULL, NULL);
}
