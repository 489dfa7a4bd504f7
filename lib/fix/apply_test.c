// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written, and that nothing is when something can't be. */
#include "fix/testing.h"

#include <errno.h>

#include "fix/apply.h"
#include "perfdata/event.h"

#define LO   UINT64_C(0x10200)
#define SIZE 11

/* Two generations of one function in process 1. */
static struct plan *make_plan(struct testing *testing)
{
	profile__comm(testing, 0, 1, "jit", false);
	profile__marker(testing, 10, 1, "jit-1.dump");
	profile__map(testing, 20, 1, 0x10000, 0x10000, 0, "//anon");
	dump__begin(testing, 1);
	dump__unwinding(testing, 30);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__unwinding(testing, 60);
	dump__load(testing, 60, LO, SIZE, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__comm(testing, 55, 1, "renamed", false);
	profile__sample(testing, 70, 1, LO);
	return testing__plan(testing, 0);
}

static int apply(struct testing *testing, const struct plan *plan)
{
	struct apply_options options = { .output = testing__path(testing, "fixed") };

	return plan__apply(plan, &options, testing->diag);
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static size_t count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count < 2 ? 0 : count - 2;
}

static void write_text(const char *path, const char *text)
{
	testing__write(path, (struct bytes){ (const uint8_t *)text, strlen(text) });
}

static void expect_text(const char *path, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(got, sizeof(got), file));
	fclose(file);
	assert_string_equal(got, text);
}

static bool is_elf(const char *path)
{
	struct stat st;
	char magic[4] = "";
	FILE *file;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(magic, 1, 4, file), 4);
	fclose(file);
	return memcmp(magic, "\177ELF", 4) == 0;
}

/* The next record of a type, from the walk on. */
static void next(struct perfdata_walk *walk, uint32_t type, struct perfdata_record *record)
{
	do
		assert_int_equal(perfdata_walk__next(walk, record), 1);
	while (record->type != type);
}

static void test_records(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);
	struct perfdata *fixed;
	struct perfdata_walk walk;
	struct perfdata_record record;
	struct perfdata_mmap mmap;
	struct perfdata_comm comm;

	assert_int_equal(apply(testing, plan), 0);
	assert_int_equal(perfdata__open(&fixed, testing__path(testing, "fixed"), testing->diag), 0);
	perfdata_walk__begin(&walk, fixed);
	next(&walk, PERFDATA_COMM, &record);
	next(&walk, PERFDATA_MMAP2, &record);
	assert_true(perfdata__parse_mmap(fixed, &record, &mmap));
	assert_string_equal(mmap.name, testing__path(testing, "jit-1.done"));
	next(&walk, PERFDATA_MMAP2, &record);
	next(&walk, PERFDATA_MMAP2, &record);
	assert_true(perfdata__parse_mmap(fixed, &record, &mmap));
	assert_string_equal(mmap.name, plan->dsos.items[0].path);
	assert_int_equal(mmap.pid, 1);
	assert_int_equal(mmap.tid, 1);
	assert_int_equal(mmap.start, plan->dsos.items[0].spec.base);
	assert_int_equal(mmap.pgoff, 0);
	assert_int_equal(mmap.prot, 5);
	assert_int_equal(mmap.misc & 7, PERF_RECORD_MISC_USER);
	assert_int_equal(mmap.sample_id.time, 30);
	assert_int_equal(mmap.sample_id.pid, 1);
	next(&walk, PERFDATA_SAMPLE, &record);
	next(&walk, PERFDATA_COMM, &record);
	/* the switch: the name that the process then has */
	next(&walk, PERFDATA_COMM, &record);
	assert_true(perfdata__parse_comm(fixed, &record, &comm));
	assert_string_equal(comm.comm, "renamed");
	assert_true(comm.exec);
	assert_int_equal(comm.pid, 1);
	assert_int_equal(comm.sample_id.time, 60);
	next(&walk, PERFDATA_MMAP2, &record);
	assert_true(perfdata__parse_mmap(fixed, &record, &mmap));
	assert_string_equal(mmap.name, plan->dsos.items[1].path);
	assert_int_equal(mmap.sample_id.time, 60);
	next(&walk, PERFDATA_SAMPLE, &record);
	assert_int_equal(perfdata_walk__next(&walk, &record), 0);
	perfdata_walk__end(&walk);
	perfdata__close(fixed);
	assert_true(is_elf(plan->dsos.items[0].path));
	assert_true(is_elf(plan->dsos.items[1].path));
	assert_int_equal(diag__count(testing->diag, DIAG_WARNING), 0);
	plan__free(plan);
}

/* perf calls a process whose name it was never told ":PID": the switch does not make it nameless.
 */
static void test_process_without_a_name(void **state)
{
	struct testing *testing = *state;
	struct perfdata *fixed;
	struct perfdata_walk walk;
	struct perfdata_record record;
	struct perfdata_comm comm;
	struct plan *plan;

	profile__marker(testing, 10, 1, "jit-1.dump");
	dump__begin(testing, 1);
	dump__load(testing, 30, LO, SIZE, "a");
	dump__load(testing, 60, LO, SIZE, "b");
	dump__write(testing, "jit-1.dump");
	profile__sample(testing, 40, 1, LO);
	profile__sample(testing, 70, 1, LO);
	plan = testing__plan(testing, 0);
	assert_int_equal(apply(testing, plan), 0);
	plan__free(plan);
	assert_int_equal(perfdata__open(&fixed, testing__path(testing, "fixed"), testing->diag), 0);
	perfdata_walk__begin(&walk, fixed);
	next(&walk, PERFDATA_COMM, &record);
	assert_true(perfdata__parse_comm(fixed, &record, &comm));
	assert_string_equal(comm.comm, ":1");
	perfdata_walk__end(&walk);
	perfdata__close(fixed);
}

/* No one may read from the output what he could not from the input. */
static void test_modes(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;
	struct stat st;
	mode_t mask = umask(022);

	profile__comm(testing, 0, 1, "jit", false);
	profile__open(testing);
	assert_int_equal(chmod(testing->profile, 0600), 0);
	perfdata__close(testing->perfdata);
	testing->perfdata = NULL;
	testing->records.size = 0;
	plan = make_plan(testing);
	perfdata__close(testing->perfdata);
	testing->perfdata = NULL;
	plan__free(plan);
	assert_int_equal(chmod(testing->profile, 0640), 0);
	assert_int_equal(perfdata__open(&testing->perfdata, testing->profile, testing->diag), 0);
	plan = testing__plan(testing, 0);
	assert_int_equal(apply(testing, plan), 0);
	assert_int_equal(stat(testing__path(testing, "fixed"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(stat(plan->dsos.items[0].path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(stat(plan->dso_folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	plan__free(plan);
	umask(mask);
}

/* What stands at the output's or a DSO's path is replaced, not what it points to. */
static void test_symlinks_are_replaced(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);
	char victim[192];

	snprintf(victim, sizeof(victim), "%s", testing__path(testing, "victim"));
	write_text(victim, "mine");
	assert_int_equal(symlink(victim, testing__path(testing, "fixed")), 0);
	assert_int_equal(mkdir(plan->dso_folder, 0777), 0);
	assert_int_equal(symlink(victim, plan->dsos.items[0].path), 0);
	assert_int_equal(symlink("/nowhere/at/all", plan->dsos.items[1].path), 0);
	assert_int_equal(apply(testing, plan), 0);
	expect_text(victim, "mine");
	assert_true(is_elf(plan->dsos.items[0].path));
	assert_true(is_elf(plan->dsos.items[1].path));
	plan__free(plan);
}

/* Nothing but what was there: profile and dump, and others named. */
static void expect_failure(struct testing *testing, const struct plan *plan, int err, size_t others)
{
	assert_int_equal(apply(testing, plan), err);
	assert_int_equal(diag__count(testing->diag, DIAG_ERROR), 1);
	assert_int_equal(count_files(testing->folder), 2 + others);
}

static void test_no_folder_for_the_output(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);
	struct apply_options options = { .output = testing__path(testing, "nowhere/fixed") };

	assert_int_equal(plan__apply(plan, &options, testing->diag), -ENOENT);
	assert_int_equal(diag__count(testing->diag, DIAG_ERROR), 1);
	assert_int_equal(count_files(testing->folder), 2);
	plan__free(plan);
}

static void test_folder_is_a_file(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);

	write_text(testing__path(testing, "fixed"), "old");
	write_text(plan->dso_folder, "file");
	expect_failure(testing, plan, -ENOTDIR, 2);
	expect_text(testing__path(testing, "fixed"), "old");
	expect_text(plan->dso_folder, "file");
	plan__free(plan);
}

/* Others could make it point anywhere. */
static void test_folder_is_a_symlink(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);

	assert_int_equal(mkdir(testing__path(testing, "elsewhere"), 0777), 0);
	assert_int_equal(symlink(testing__path(testing, "elsewhere"), plan->dso_folder), 0);
	expect_failure(testing, plan, -ENOTDIR, 2);
	assert_int_equal(count_files(testing__path(testing, "elsewhere")), 0);
	plan__free(plan);
}

static void test_output_is_a_folder(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);

	assert_int_equal(mkdir(testing__path(testing, "fixed"), 0777), 0);
	write_text(testing__path(testing, "fixed/kept"), "kept");
	expect_failure(testing, plan, -EISDIR, 1);
	assert_false(exists(plan->dso_folder));
	expect_text(testing__path(testing, "fixed/kept"), "kept");
	plan__free(plan);
}

/* DSOs that an earlier output needs stay when a later run fails. */
static void test_earlier_dsos_stay(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);

	assert_int_equal(apply(testing, plan), 0);
	unlink(plan->dsos.items[1].path);
	assert_int_equal(unlink(testing__path(testing, "fixed")), 0);
	assert_int_equal(mkdir(testing__path(testing, "fixed"), 0777), 0);
	expect_failure(testing, plan, -EISDIR, 2);
	assert_true(is_elf(plan->dsos.items[0].path));
	assert_false(exists(plan->dsos.items[1].path));
	plan__free(plan);
}

/* A DSO that can't be put in its place takes those before it along. */
static void test_dso_is_a_folder(void **state)
{
	struct testing *testing = *state;
	struct plan *plan = make_plan(testing);

	write_text(testing__path(testing, "fixed"), "old");
	assert_int_equal(mkdir(plan->dso_folder, 0777), 0);
	assert_int_equal(mkdir(plan->dsos.items[1].path, 0777), 0);
	expect_failure(testing, plan, -EISDIR, 2);
	expect_text(testing__path(testing, "fixed"), "old");
	assert_int_equal(count_files(plan->dso_folder), 1);
	plan__free(plan);
}

/* A profile without jitdumps: a copy, and no folder. */
static void test_nothing_to_do(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	profile__comm(testing, 0, 1, "sh", false);
	profile__sample(testing, 40, 1, LO);
	plan = testing__plan(testing, 0);
	assert_int_equal(plan->inserts.count, 0);
	assert_int_equal(apply(testing, plan), 0);
	assert_true(exists(testing__path(testing, "fixed")));
	assert_false(exists(plan->dso_folder));
	plan__free(plan);
}

/* perf record --threads: a directory comes out of a directory. */
static void test_directories(void **state)
{
	struct testing *testing = *state;
	struct perfdata *fixed;
	struct plan *plan;
	struct stat st;

	assert_int_equal(perfdata__open(&testing->perfdata, "testdata/recordings/7.3-threads.data",
					testing->diag),
			 0);
	plan = testing__plan(testing, 0);
	assert_int_equal(apply(testing, plan), 0);
	assert_int_equal(stat(testing__path(testing, "fixed"), &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(count_files(testing__path(testing, "fixed")), 3);
	assert_int_equal(perfdata__open(&fixed, testing__path(testing, "fixed"), testing->diag), 0);
	assert_int_equal(perfdata__form(fixed), PERFDATA_FORM_DIRECTORY);
	perfdata__close(fixed);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_records),
		TESTING(test_process_without_a_name),
		TESTING(test_modes),
		TESTING(test_symlinks_are_replaced),
		TESTING(test_no_folder_for_the_output),
		TESTING(test_folder_is_a_file),
		TESTING(test_folder_is_a_symlink),
		TESTING(test_output_is_a_folder),
		TESTING(test_earlier_dsos_stay),
		TESTING(test_dso_is_a_folder),
		TESTING(test_nothing_to_do),
		TESTING(test_directories),
	};

	return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
