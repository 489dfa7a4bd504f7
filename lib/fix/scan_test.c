// SPDX-License-Identifier: GPL-2.0-or-later
/* What the first walk makes of a profile: processes in order of time, mappings, markers. */
#include "fix/testing.h"

#include "fix/scan.h"

static void scan_profile(struct testing *testing, struct scan *scan)
{
	assert_int_equal(scan__run(scan, profile__open(testing)), 0);
}

/* Files hold the buffers of one CPU after the other: a FORK may stand behind what it begins. */
static void test_order_of_time(void **state)
{
	struct testing *testing = *state;
	const struct process *process;
	struct scan scan;

	profile__comm(testing, 0, 1, "jit", false);
	profile__map(testing, 60, 2, 0x2000, 0x1000, 0, "/lib/b.so");
	profile__sample(testing, 70, 2, 0x2000);
	profile__fork(testing, 50, 2, 1);
	profile__map(testing, 40, 1, 0x1000, 0x1000, 0, "/lib/a.so");
	profile__sample(testing, 45, 1, 0x1000);
	scan_profile(testing, &scan);
	process = processes__find(scan.processes, 2, 65);
	assert_non_null(process);
	assert_int_equal(process->start, 50);
	assert_non_null(process->parent);
	assert_int_equal(process->parent->pid, 1);
	assert_string_equal(process__mapping(process, 0x1800, 65)->name, "/lib/a.so");
	assert_string_equal(process__mapping(process, 0x2800, 65)->name, "/lib/b.so");
	assert_int_equal(scan.nr_samples, 2);
	assert_int_equal(scan.first_sample, 45);
	assert_int_equal(scan.last_sample, 70);
	assert_ptr_equal(scan.by_start[0], process->parent);
	assert_ptr_equal(scan.by_start[1], process);
	scan__free(&scan);
}

static void test_attrs(void **state)
{
	struct testing *testing = *state;
	struct scan scan;

	testing->sample_type = TEST_FLAT;
	profile__comm(testing, 0, 1, "jit", false);
	scan_profile(testing, &scan);
	assert_true(scan.timed);
	assert_false(scan.unwinds_stack);
	assert_true(scan.monotonic);
	assert_int_equal(scan.nr_samples, 0);
	assert_true(scan.first_sample > scan.last_sample);
	scan__free(&scan);
	perfdata__close(testing->perfdata);

	testing->sample_type = TEST_DWARF & ~(uint64_t)PERF_SAMPLE_TIME;
	testing->records.size = 0;
	profile__comm(testing, 0, 1, "jit", false);
	profile__sample(testing, 5, 1, 0x1000);
	scan_profile(testing, &scan);
	assert_false(scan.timed);
	assert_true(scan.unwinds_stack);
	assert_int_equal(scan.nr_samples, 1);
	scan__free(&scan);
}

static void test_markers(void **state)
{
	struct testing *testing = *state;
	const struct marker *marker;
	uint64_t offset, end;
	struct scan scan;

	profile__comm(testing, 0, 1, "jit", false);
	profile__map(testing, 5, 1, 0x1000, 0x1000, 0, "/tmp/perf-1.map");
	offset = profile__here(testing);
	profile__map(testing, 10, 1, 0x7f0000000000, 0x1000, 0, "/tmp/jit-3.dump (deleted)");
	end = profile__here(testing);
	profile__map(testing, 20, 2, 0x7f0000000000, 0x1000, 0, "/tmp/jit-2.dump");
	/* the kernel's */
	profile__map(testing, 20, UINT32_MAX, 0x7f0000000000, 0x1000, 0, "/tmp/jit-4.dump");
	scan_profile(testing, &scan);
	assert_int_equal(scan.markers.count, 3);
	/* the file would tell what it is */
	assert_string_equal(scan.markers.items[0].name, "/tmp/perf-1.map");
	assert_true(scan.markers.items[0].odd);
	marker = &scan.markers.items[1];
	assert_false(marker->odd);
	assert_string_equal(marker->name, "/tmp/jit-3.dump");
	assert_true(marker->deleted);
	assert_int_equal(marker->pid, 1);
	assert_int_equal(marker->file_pid, 3);
	assert_int_equal(marker->time, 10);
	assert_int_equal(marker->offset, offset);
	assert_int_equal(marker->end, end);
	/* header 8, pid and tid 8, addr, len, pgoff 24, device and inode 24, prot and flags 8 */
	assert_int_equal(marker->name_offset, offset + 72);
	assert_false(scan.markers.items[2].deleted);
	scan__free(&scan);
}

/* What an exec ends: the mappings from before it; and that a DSO's COMM doesn't. */
static void assert_ends_mappings(struct testing *testing, uint64_t mapped, const char *name,
				 bool ends)
{
	const struct process *process;
	const struct mapping *mapping;
	struct scan scan;

	testing->records.size = 0;
	profile__comm(testing, 0, 1, "jit", false);
	profile__map(testing, 10, 1, 0x1000, 0x1000, 0, "/bin/jit");
	profile__comm(testing, 20, 1, "jit", true);
	profile__map(testing, mapped, 1, 0x8000, 0x1000, 0, name);
	scan_profile(testing, &scan);
	process = processes__find(scan.processes, 1, 30);
	assert_non_null(process);
	mapping = process__mapping(process, 0x1800, 30);
	if (ends)
		assert_null(mapping);
	else
		assert_string_equal(mapping->name, "/bin/jit");
	assert_string_equal(process__mapping(process, 0x8800, 30)->name, name);
	scan__free(&scan);
	perfdata__close(testing->perfdata);
	testing->perfdata = NULL;
}

/* A program that becomes itself again has the same name, and clocks may be too coarse to tell. */
static void test_exec(void **state)
{
	struct testing *testing = *state;

	assert_ends_mappings(testing, 21, "/bin/jit", true);
	assert_ends_mappings(testing, 20, "/bin/jit", true);
	assert_ends_mappings(testing, 20, "/tmp/jit-1-0-1-0123456789ab.so", false);
	assert_ends_mappings(testing, 21, "/tmp/jit-1-0-1-0123456789ab.so", true);
}

/* What perfjit-fix puts before an exec begins no process, nor does it tell of a parent. */
static void test_fork_at_exec(void **state)
{
	struct testing *testing = *state;
	struct scan scan;
	size_t fork;

	profile__comm(testing, 0, 1, "env", false);
	fork = testing->records.size;
	profile__fork(testing, 20, 1, 0);
	set_u16(testing->records.data + fork + 4, PERFDATA_MISC_FORK_EXEC, ORDER_LITTLE);
	profile__comm(testing, 20, 1, "jit", true);
	scan_profile(testing, &scan);
	assert_int_equal(processes__count(scan.processes), 2);
	assert_null(scan.by_start[0]->parent);
	assert_null(scan.by_start[1]->parent);
	assert_int_equal(scan.by_start[1]->start, 20);
	assert_true(scan.by_start[1]->execed);
	scan__free(&scan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_order_of_time), TESTING(test_attrs),        TESTING(test_markers),
		TESTING(test_exec),          TESTING(test_fork_at_exec),
	};

	return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
