// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings and dumps of testdata, and what is wrong with them. How many samples each has was
 * counted with perf script (testdata/recordings/README, testdata/programs/README).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/scratch.h"
#include "doctor/diagnosis.h"

struct testing {
	struct scratch scratch;
	struct diag *diag;
	char *symfs, *profile;
	struct perf_probe probe; /* finds nothing wrong unless it is told */
	struct recording_options options;
	struct recording_counts counts;
	struct diagnosis diagnosis;
};

static int setup(void **state)
{
	struct testing *testing = calloc(1, sizeof(*testing));

	assert_non_null(testing);
	testing->diag = diag__new(NULL, NULL);
	assert_non_null(testing->diag);
	assert_int_equal(scratch__make(&testing->scratch, NULL, "perfjit-test"), 0);
	testing->symfs = scratch__path(&testing->scratch, "symfs");
	testing->profile = scratch__path(&testing->scratch, "perf.data");
	assert_true(testing->symfs && testing->profile);
	testing->options.path = testing->profile;
	testing->options.unwind.symfs = testing->symfs;
	*state = testing;
	return 0;
}

static int teardown(void **state)
{
	struct testing *testing = *state;

	diagnosis__free(&testing->diagnosis);
	scratch__remove(&testing->scratch);
	diag__free(testing->diag);
	free(testing->symfs);
	free(testing->profile);
	free(testing);
	return 0;
}

/* In the scratch folder, by a shell at the top of the tree: $to is the folder. */
static void shell(const struct testing *testing, const char *command)
{
	char *line;

	assert_true(asprintf(&line, "set -e; to=%s; %s", testing->scratch.folder, command) > 0);
	assert_int_equal(system(line), 0);
	free(line);
}

/* The files of a folder of testdata, and the programs that ran, below symfs. */
static void unpack(const struct testing *testing, const char *name)
{
	char *command;

	assert_true(
		asprintf(&command,
			 "for file in testdata/%s/*.gz; do"
			 " gzip -dc $file >$to/$(basename $file .gz); done;"
			 "mkdir -p $to/symfs/tmp/perfjit-testdata;"
			 "for file in jitprog neighbour.so; do gzip -dc"
			 " testdata/programs/$file.gz >$to/symfs/tmp/perfjit-testdata/$file; done",
			 name) > 0);
	shell(testing, command);
	free(command);
}

static void examine(struct testing *testing)
{
	diagnosis__free(&testing->diagnosis);
	testing->diagnosis = (struct diagnosis){ 0 };
	assert_int_equal(diagnose__recording(&testing->diagnosis, &testing->options,
					     &testing->counts, testing->diag),
			 0);
	diagnosis__sort(&testing->diagnosis);
}

static const struct finding *finding_of(const struct testing *testing, const char *slug)
{
	array__for_each(finding, &testing->diagnosis.findings)
		if (strcmp(finding->slug, slug) == 0)
			return finding;
	return NULL;
}

static void expect_first(const struct testing *testing, const char *slug,
			 enum finding_weight weight, uint64_t samples, uint64_t of)
{
	const struct finding *first = testing->diagnosis.findings.items;

	assert_true(testing->diagnosis.findings.count > 0);
	assert_string_equal(first->slug, slug);
	assert_int_equal(first->weight, weight);
	assert_int_equal(first->samples, samples);
	assert_int_equal(first->of, of);
	assert_true(diagnosis__is_bad(&testing->diagnosis));
	assert_non_null(first->evidence);
	assert_non_null(first->cure);
}

static void expect_command(const struct testing *testing, const char *before, const char *perf)
{
	char *expected;

	assert_true(asprintf(&expected, "perfjit-fix%s%s %s", before, perf, testing->profile) > 0);
	assert_string_equal(diagnosis__next(&testing->diagnosis), expected);
	free(expected);
}

static void test_wrong_clock(void **state)
{
	struct testing *testing = *state;

	unpack(testing, "programs/clock");
	examine(testing);
	expect_first(testing, "wrong-clock", FINDING_PERF, 185, 185);
	expect_command(testing, "", "");
	assert_int_equal(testing->counts.before.jit_frames_named, 0);
	assert_true(testing->counts.fixed);
	assert_int_equal(testing->counts.after.jit_frames_named, testing->counts.after.jit_frames);
	/* without its dump nothing is known of its clock */
	shell(testing, "rm $to/jit-*.dump");
	examine(testing);
	expect_first(testing, "dump-missing", FINDING_LOSS, testing->counts.unnamed, 185);
	assert_in_range(testing->counts.unnamed, 180, 185);
	expect_command(testing, " --jitdump-dir=DIR", "");
	assert_false(testing->counts.fixed);
}

static void test_compressed(void **state)
{
	struct testing *testing = *state;

	unpack(testing, "forms/zstd-6.1");
	examine(testing);
	expect_first(testing, "compressed", FINDING_PERF, 172, 172);
	expect_command(testing, "", "");
	assert_null(finding_of(testing, "no-zstd"));
	testing->probe.results[PROBE_ZSTD].status = PROBE_FAULTY;
	testing->options.probe = &testing->probe;
	testing->options.perf = "a perf";
	examine(testing);
	assert_non_null(finding_of(testing, "no-zstd"));
	expect_command(testing, " --for-perf=", "'a perf'");
}

static void test_stacks(void **state)
{
	struct testing *testing = *state;

	unpack(testing, "programs/short");
	examine(testing);
	expect_first(testing, "stack-short", FINDING_LOSS, 180, 180);
	assert_string_equal(diagnosis__next(&testing->diagnosis),
			    "perf record -k mono --call-graph dwarf,65528 PROGRAM");
	assert_null(finding_of(testing, "no-unwinder"));
	testing->probe.results[PROBE_UNWINDER].status = PROBE_FAULTY;
	testing->options.probe = &testing->probe;
	testing->options.perf = "perf";
	examine(testing);
	expect_first(testing, "no-unwinder", FINDING_PERF, 180, 180);
	expect_command(testing, " --for-perf=", "perf");
}

static void test_no_files(void **state)
{
	struct testing *testing = *state;
	const struct finding *first;

	unpack(testing, "programs/packed");
	examine(testing);
	assert_false(diagnosis__is_bad(&testing->diagnosis) &&
		     strcmp(testing->diagnosis.findings.items->slug, "dump-moved") != 0);
	assert_null(finding_of(testing, "no-file"));
	shell(testing, "rm -r $to/symfs/tmp");
	examine(testing);
	first = testing->diagnosis.findings.items;
	assert_true(testing->diagnosis.findings.count > 0);
	assert_string_equal(first->slug, "no-file");
	assert_in_range(first->samples, 20, 190);
	assert_int_equal(first->of, 190);
	assert_non_null(
		strstr(first->what, "/tmp/perfjit-testdata/jitprog, which is not on this machine"));
	assert_null(finding_of(testing, "no-unwind-data"));
}

static void test_older(void **state)
{
	struct testing *testing = *state;

	shell(testing, "cp testdata/recordings/7.3-fp.data $to/perf.data");
	testing->options.probe = &testing->probe;
	testing->options.perf = "perf";
	testing->probe.accepted_attr = 128;
	examine(testing);
	expect_first(testing, "older", FINDING_PERF, 71, 71);
	expect_command(testing, " --for-perf=", "perf");
	testing->probe.accepted_attr = 144;
	examine(testing);
	assert_null(finding_of(testing, "older"));
}

static void test_cut(void **state)
{
	struct testing *testing = *state;

	shell(testing, "head -c 4000 testdata/recordings/6.1-fp.data >$to/perf.data");
	examine(testing);
	expect_first(testing, "cut-off", FINDING_LOSS, 0, 0);
	expect_command(testing, "", "");
	/* struct perf_file_header: 48 is the size of what is recorded, 72 begin feature bits */
	shell(testing, "{ head -c 48 testdata/recordings/6.1-fp.data; head -c 8 /dev/zero;"
		       " head -c 72 testdata/recordings/6.1-fp.data | tail -c 16;"
		       " head -c 32 /dev/zero;"
		       " head -c 5000 testdata/recordings/6.1-fp.data | tail -c +105;"
		       "} >$to/perf.data");
	examine(testing);
	expect_first(testing, "unfinished", FINDING_LOSS, 0, 0);
	assert_true(testing->counts.before.samples > 40);
}

static bool stop(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	(void)done;
	(void)total;
	return false;
}

static struct finding killed_in(struct testing *testing, const char *cut)
{
	const struct finding *killed;

	unpack(testing, "forms/system-wide-6.1");
	shell(testing, cut);
	examine(testing);
	killed = finding_of(testing, "dump-killed");
	assert_non_null(killed);
	return killed ? *killed : (struct finding){ 0 };
}

/* Of two dumps that are cut off, one lost a function that was not sampled, the other all of them.
 */
static void expect_killed(struct testing *testing, const char *cut, const char *what)
{
	struct finding killed = killed_in(testing, cut);

	assert_non_null(strstr(killed.what, what));
	assert_int_equal(killed.weight, FINDING_LOSS);
	/* perf script shows 80 and 83 samples of them */
	assert_in_range(killed.samples, 40, 83);
}

static void test_killed(void **state)
{
	expect_killed(*state, "truncate -s -8 $to/jit-4.dump; truncate -s 99 $to/jit-5.dump",
		      "the jitdump of pid 5 ends in the middle");
	expect_killed(*state, "truncate -s -8 $to/jit-5.dump; truncate -s 99 $to/jit-4.dump",
		      "the jitdump of pid 4 ends in the middle");
}

/* Nothing that was sampled is missing: worth a word and no more. */
static void test_killed_late(void **state)
{
	struct finding killed = killed_in(*state, "truncate -s -8 $to/jit-5.dump");

	assert_int_equal(killed.weight, FINDING_NOTE);
	assert_int_equal(killed.samples, 0);
}

static void test_errors(void **state)
{
	struct testing *testing = *state;

	shell(testing, "echo nothing >$to/perf.data");
	assert_true(diagnose__recording(&testing->diagnosis, &testing->options, &testing->counts,
					testing->diag) < 0);
	assert_int_equal(diag__count(testing->diag, DIAG_ERROR), 1);
	shell(testing, "cp testdata/recordings/6.1-dwarf.data $to/perf.data");
	testing->options.progress = stop;
	assert_int_equal(diagnose__recording(&testing->diagnosis, &testing->options,
					     &testing->counts, testing->diag),
			 -ECANCELED);
}

static void expect_dump(struct testing *testing, const char *name, const char *slug,
			enum finding_weight weight)
{
	char *path;

	assert_true(asprintf(&path, "testdata/jitdumps/%s.dump.gz", name) > 0);
	diagnosis__free(&testing->diagnosis);
	testing->diagnosis = (struct diagnosis){ 0 };
	assert_int_equal(diagnose__dump(&testing->diagnosis, path, testing->diag), 0);
	diagnosis__sort(&testing->diagnosis);
	print_message("%s\n", name);
	assert_true(testing->diagnosis.findings.count > 0);
	assert_string_equal(testing->diagnosis.findings.items[0].slug, slug);
	assert_int_equal(testing->diagnosis.findings.items[0].weight, weight);
	free(path);
}

/* testdata/jitdumps/README says what each of them has. */
static void test_dumps(void **state)
{
	struct testing *testing = *state;

	expect_dump(testing, "cpython313-killed", "jitdump.truncated-record", FINDING_LOSS);
	expect_dump(testing, "node20-killed", "jitdump.truncated-prefix", FINDING_LOSS);
	expect_dump(testing, "node20", "jitdump.file-name", FINDING_PERF);
	expect_dump(testing, "llvm14-mcjit", "jitdump.biased-lines", FINDING_PERF);
	assert_int_equal(diagnose__dump(&testing->diagnosis, "/nowhere", testing->diag), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_wrong_clock, setup, teardown),
		cmocka_unit_test_setup_teardown(test_compressed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stacks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_older, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_killed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_killed_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dumps, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
