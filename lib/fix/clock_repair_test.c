// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "fix/clock.h"

#define MS INT64_C(1000000)

static const char *reported; /* the kind of the last report */
static char text[1024];      /* what it said */

static void note(void *context, const struct diag_message *message)
{
	(void)context;
	reported = message->kind;
	snprintf(text, sizeof(text), "%s", message->text);
}

static struct diag *new_diag(void)
{
	struct diag *diag = diag__new(note, NULL);

	assert_non_null(diag);
	reported = "";
	return diag;
}

struct fact {
	enum { END, LOAD, OTHER, SEEN } what; /* OTHER: a record of another kind */
	int64_t time; /* ms: of perf's clock in SEEN, of the dump's in all else */
	uint64_t addr, size;
};

struct scenario {
	const char *title;
	struct fact facts[20]; /* SEEN last */
	int64_t begin, end;    /* ms; 0: not known */
	int result;
	int64_t low, high, offset; /* ms */
	bool by_samples;
	size_t early, unmapped;
};

#define NONE INT64_MIN
#define ANY  INT64_MAX

static const struct scenario scenarios[] = {
	{ "dump mapped at 100, first load at 30, second run 5 after its load",
	  { { LOAD, 30, 1000, 10 },
	    { LOAD, 40, 2000, 10 },
	    { SEEN, 120, 1005, 0 },
	    { SEEN, 115, 2000, 0 },
	    { SEEN, 200, 2009, 0 } },
	  .begin = 100,
	  .low = 70,
	  .high = 75,
	  .offset = 75,
	  .by_samples = true },
	{ "the start of the dump alone",
	  { { LOAD, 30, 1000, 10 },
	    { LOAD, 40, 2000, 10 },
	    { SEEN, 50, 1010, 0 },
	    { SEEN, 50, 999, 0 } },
	  .begin = 100,
	  .low = 70,
	  .high = ANY,
	  .offset = 70 },
	{ "a start and an exit",
	  { { LOAD, 30, 1000, 10 }, { LOAD, 60, 2000, 10 } },
	  .begin = 100,
	  .end = 140,
	  .low = 70,
	  .high = 80,
	  .offset = 70 },
	{ "an exit that bounds closer than samples",
	  { { LOAD, 30, 1000, 10 }, { LOAD, 60, 2000, 10 }, { SEEN, 124, 1000, 0 } },
	  .begin = 95,
	  .end = 125,
	  .low = 65,
	  .high = 65,
	  .offset = 65,
	  .by_samples = true },
	{ "an exit alone",
	  { { LOAD, 60, 1000, 10 } },
	  .end = 140,
	  .low = NONE,
	  .high = 80,
	  .offset = 80 },
	{ "dump's clock ahead of perf's",
	  { { LOAD, 1000, 1000, 10 }, { SEEN, 105, 1000, 0 } },
	  .begin = 100,
	  .low = -900,
	  .high = -895,
	  .offset = -895,
	  .by_samples = true },
	{ "where two were loaded, and where they overlap, nothing is told",
	  { { LOAD, 30, 1000, 20 },
	    { LOAD, 40, 1010, 20 },
	    { LOAD, 50, 3000, 10 },
	    { LOAD, 60, 3000, 10 },
	    { SEEN, 10, 1010, 0 },
	    { SEEN, 10, 1019, 0 },
	    { SEEN, 10, 3000, 0 },
	    { SEEN, 106, 1009, 0 },
	    { SEEN, 112, 1020, 0 } },
	  .begin = 100,
	  .low = 70,
	  .high = 72,
	  .offset = 72,
	  .by_samples = true },
	{ "a method ran 8 before its load was told: the others hold",
	  { { LOAD, 30, 1000, 10 },
	    { LOAD, 31, 2000, 10 },
	    { LOAD, 32, 3000, 10 },
	    { LOAD, 90, 4000, 10 },
	    { SEEN, 104, 1000, 0 },
	    { SEEN, 105, 2000, 0 },
	    { SEEN, 107, 3000, 0 },
	    { SEEN, 152, 4000, 0 } },
	  .begin = 100,
	  .low = 70,
	  .high = 74,
	  .offset = 74,
	  .by_samples = true,
	  .early = 1 },
	{ "a load 11 before the dump was mapped: the samples hold",
	  { { LOAD, 19, 1000, 10 },
	    { LOAD, 30, 2000, 10 },
	    { LOAD, 40, 3000, 10 },
	    { SEEN, 101, 2000, 0 },
	    { SEEN, 112, 3000, 0 } },
	  .begin = 100,
	  .low = 70,
	  .high = 71,
	  .offset = 71,
	  .by_samples = true,
	  .unmapped = 1 },
	{ "a dump of other code: all of it ran seconds before",
	  { { LOAD, 30000, 1000, 10 },
	    { LOAD, 30001, 2000, 10 },
	    { SEEN, 101, 1000, 0 },
	    { SEEN, 102, 2000, 0 } },
	  .begin = 9000,
	  .result = -EDOM,
	  .low = NONE,
	  .high = -29899,
	  .offset = -29899,
	  .by_samples = true,
	  .unmapped = 2 },
	{ "a load 11 before the dump was mapped, against two that ran after theirs",
	  { { LOAD, 19, 1000, 10 },
	    { LOAD, 30, 2000, 10 },
	    { LOAD, 31, 3000, 10 },
	    { LOAD, 40, 4000, 10 },
	    { SEEN, 101, 2000, 0 },
	    { SEEN, 103, 3000, 0 },
	    { SEEN, 130, 4000, 0 } },
	  .begin = 100,
	  .low = 70,
	  .high = 71,
	  .offset = 71,
	  .by_samples = true,
	  .unmapped = 1 },
	{ "one that ran seconds before its load, and no other that ran",
	  { { LOAD, 30, 1000, 10 },
	    { LOAD, 31, 2000, 10 },
	    { LOAD, 10000, 3000, 10 },
	    { SEEN, 0, 3000, 0 } },
	  .begin = 100,
	  .result = -EDOM,
	  .low = 70,
	  .high = ANY,
	  .offset = 70,
	  .early = 1 },
	{ "the clock was slewed by 400 in an hour",
	  { { LOAD, 1000, 1000, 10 }, { LOAD, 3601000, 2000, 10 }, { SEEN, 3601600, 2000, 0 } },
	  .begin = 2000,
	  .low = -3599000,
	  .high = 600,
	  .offset = 600,
	  .by_samples = true,
	  .unmapped = 1 },
	{ "no slew makes 2400 of an hour",
	  { { LOAD, 1000, 1000, 10 }, { LOAD, 3601000, 2000, 10 }, { SEEN, 3601600, 2000, 0 } },
	  .begin = 4000,
	  .result = -EDOM,
	  .low = -3597000,
	  .high = 600,
	  .offset = 600,
	  .by_samples = true,
	  .unmapped = 1 },
	{ "samples that tell that the process went on when its main thread had ended",
	  { { LOAD, 30, 1000, 10 }, { LOAD, 60, 2000, 10 }, { SEEN, 132, 2000, 0 } },
	  .begin = 100,
	  .end = 125,
	  .low = 70,
	  .high = 72,
	  .offset = 72,
	  .by_samples = true },
	{ "functions a while after their CFI: that of most was written before the dump was "
	  "mapped",
	  { { OTHER, 30, 0, 0 },
	    { LOAD, 1000030, 1000, 10 },
	    { OTHER, 40, 0, 0 },
	    { LOAD, 1000040, 2000, 10 },
	    { SEEN, 104, 1000, 0 },
	    { SEEN, 115, 2000, 0 } },
	  .begin = 100,
	  .result = -EDOM,
	  .low = -999930,
	  .high = -999926,
	  .offset = -999926,
	  .by_samples = true,
	  .unmapped = 2 },
	{ "CFI a while after the functions: one of them was written outside of the process' life",
	  { { OTHER, 1000030, 0, 0 },
	    { LOAD, 30, 1000, 10 },
	    { OTHER, 1000040, 0, 0 },
	    { LOAD, 40, 2000, 10 },
	    { SEEN, 104, 1000, 0 },
	    { SEEN, 115, 2000, 0 } },
	  .begin = 100,
	  .end = 200,
	  .result = -EDOM,
	  .low = -999930,
	  .high = -999840,
	  .offset = -999840,
	  .by_samples = true,
	  .unmapped = 2 },
	{ "one of eight records a while after all others costs nothing",
	  { { LOAD, 30, 1000, 10 },
	    { LOAD, 31, 2000, 10 },
	    { LOAD, 32, 3000, 10 },
	    { LOAD, 33, 4000, 10 },
	    { OTHER, 1000000, 0, 0 },
	    { OTHER, 35, 0, 0 },
	    { OTHER, 36, 0, 0 },
	    { LOAD, 37, 5000, 10 },
	    { SEEN, 108, 5000, 0 } },
	  .begin = 100,
	  .end = 200,
	  .low = 70,
	  .high = 71,
	  .offset = 71,
	  .by_samples = true },
	{ "two of eight do not, though the process' end is not known: they go back and forth",
	  { { LOAD, 1000030, 1000, 10 },
	    { LOAD, 31, 2000, 10 },
	    { LOAD, 1000032, 3000, 10 },
	    { LOAD, 33, 4000, 10 },
	    { OTHER, 34, 0, 0 },
	    { OTHER, 35, 0, 0 },
	    { OTHER, 36, 0, 0 },
	    { LOAD, 37, 5000, 10 },
	    { SEEN, 108, 5000, 0 } },
	  .result = -EDOM,
	  .low = NONE,
	  .high = 71,
	  .offset = 71,
	  .by_samples = true },
	{ "threads write one dump, each from a buffer of its own",
	  { { LOAD, 900, 1000, 10 },
	    { LOAD, 31, 2000, 10 },
	    { LOAD, 932, 3000, 10 },
	    { LOAD, 33, 4000, 10 },
	    { LOAD, 934, 5000, 10 },
	    { SEEN, 1005, 5000, 0 } },
	  .begin = 100,
	  .low = 69,
	  .high = 71,
	  .offset = 71,
	  .by_samples = true },
	{ "nothing at all",
	  { { LOAD, 30, 1000, 10 } },
	  .result = -ENODATA,
	  .low = NONE,
	  .high = ANY,
	  .offset = ANY },
};

static int64_t in_ns(int64_t time)
{
	return time == NONE || time == ANY ? time : time * MS;
}

static void repair_of(const struct scenario *scenario, struct clock_repair *repair,
		      struct diag *diag, int result)
{
	const size_t nr_facts = sizeof(scenario->facts) / sizeof(scenario->facts[0]);
	struct clock_evidence *evidence = clock_evidence__new();
	size_t i;

	assert_non_null(evidence);
	for (i = 0; i < nr_facts && scenario->facts[i].what != SEEN; i++) {
		const struct fact *fact = &scenario->facts[i];
		uint64_t time = (uint64_t)(fact->time * MS);

		if (fact->what == END)
			break;
		assert_int_equal(clock_evidence__record(evidence, time, i), 0);
		if (fact->what == LOAD)
			assert_int_equal(
				clock_evidence__load(evidence, time, i, fact->addr, fact->size), 0);
	}
	assert_int_equal(clock_evidence__finish(evidence), 0);
	for (; i < nr_facts && scenario->facts[i].what == SEEN; i++)
		clock_evidence__seen(evidence, (uint64_t)(scenario->facts[i].time * MS),
				     scenario->facts[i].addr);
	reported = "";
	assert_int_equal(clock__repair(evidence, "d", (uint64_t)(scenario->begin * MS),
				       scenario->end ? (uint64_t)(scenario->end * MS) : UINT64_MAX,
				       repair, diag),
			 result);
	clock_evidence__free(evidence);
}

static void test_repair(void **state)
{
	struct diag *diag = new_diag();

	(void)state;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		const struct scenario *scenario = &scenarios[i];
		struct clock_repair repair;

		print_message("# %s\n", scenario->title);
		repair_of(scenario, &repair, diag, scenario->result);
		assert_int_equal(repair.bounds.low, in_ns(scenario->low));
		assert_int_equal(repair.bounds.high, in_ns(scenario->high));
		assert_int_equal(repair.offset, in_ns(scenario->offset));
		assert_int_equal(repair.by_samples, scenario->by_samples);
		assert_int_equal(repair.early, scenario->early);
		assert_int_equal(repair.unmapped, scenario->unmapped);
		assert_string_equal(reported,
				    scenario->result == -EDOM ? "clock.contradiction" : "");
		if (scenario->result == -EDOM)
			continue;
		assert_int_equal(clock__report(&repair, "d", diag), !scenario->result);
		assert_string_equal(reported,
				    scenario->result ? "clock.no-evidence" : "clock.repaired");
	}
	diag__free(diag);
}

/* What the message of a contradiction names: the two that contradict each other most. */
static void test_contradiction_is_told(void **state)
{
	static const struct scenario mapped = {
		.facts = { { LOAD, 10, 1, 1 }, { LOAD, 50, 2, 1 }, { LOAD, 5000, 3, 1 } },
		.begin = 1000,
		.end = 1100,
	};
	static const struct scenario ran = {
		.facts = { { LOAD, 10, 1, 1 },
			   { LOAD, 50, 2, 1 },
			   { LOAD, 5000, 3, 1 },
			   { SEEN, 1050, 3, 0 } },
		.begin = 1000,
		.end = 9000,
	};
	struct diag *diag = new_diag();
	struct clock_repair repair;

	(void)state;
	repair_of(&mapped, &repair, diag, -EDOM);
	assert_non_null(strstr(text, "the record at byte 0 was written after the dump was mapped, "
				     "so 990.000 ms or more"));
	assert_non_null(strstr(text, "that at byte 2 was written before the process ended, so "
				     "-3900.000 ms or less"));
	assert_non_null(strstr(text, "1 of 3 records"));
	repair_of(&ran, &repair, diag, -EDOM);
	assert_non_null(strstr(text, "that at byte 2 loads code that a sample saw run, so "
				     "-3950.000 ms or less"));
	diag__free(diag);
}

static void test_ends(void **state)
{
	struct clock_evidence *evidence = clock_evidence__new();
	struct diag *diag = new_diag();
	struct clock_repair repair;

	(void)state;
	assert_non_null(evidence);
	assert_int_equal(clock_evidence__load(evidence, 1, 0, 100, 0), -EINVAL);
	assert_int_equal(clock_evidence__load(evidence, 1, 0, UINT64_MAX, 1), -EINVAL);
	assert_int_equal(clock_evidence__record(evidence, UINT64_MAX, 40), 0);
	assert_int_equal(clock_evidence__record(evidence, 0, 90), 0);
	assert_int_equal(clock_evidence__load(evidence, UINT64_MAX, 40, 100, 10), 0);
	assert_int_equal(clock_evidence__load(evidence, 0, 90, 200, 10), 0);
	assert_int_equal(clock_evidence__finish(evidence), 0);
	clock_evidence__seen(evidence, UINT64_MAX - 1, 200);
	clock_evidence__seen(evidence, 0, 100);
	assert_int_equal(clock__repair(evidence, "d", 1, UINT64_MAX, &repair, diag), -EDOM);
	clock_evidence__free(evidence);

	evidence = clock_evidence__new();
	assert_non_null(evidence);
	assert_int_equal(clock_evidence__finish(evidence), 0);
	clock_evidence__seen(evidence, 5, 100);
	assert_int_equal(clock__repair(evidence, "d", 1, 2, &repair, diag), -ENODATA);
	clock_evidence__free(evidence);
	clock_evidence__free(NULL);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_contradiction_is_told),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests_name("clock_repair", tests, NULL, NULL);
}
