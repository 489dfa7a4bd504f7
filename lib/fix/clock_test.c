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

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static const char *reported; /* the kind of the last report */

static void note(void *context, const struct diag_message *message)
{
	(void)context;
	reported = message->kind;
}

static struct diag *new_diag(void)
{
	struct diag *diag = diag__new(note, NULL);

	assert_non_null(diag);
	reported = "";
	return diag;
}

static void test_from_tsc(void **state)
{
	const struct perfdata_time_conv full = { 10, 512, 1000, 0, UINT64_MAX };
	const struct perfdata_time_conv narrow = { 10, 512, 1000, 0x10010, 0xffff };

	(void)state;
	/* 4096 = 4 << 10; 5000 = (4 << 10) + 904 */
	assert_int_equal(clock__from_tsc(&full, 4096), 1000 + 4 * 512);
	assert_int_equal(clock__from_tsc(&full, 5000), 1000 + 4 * 512 + 904 / 2);
	/* A 16-bit counter that went around after 0x10010: 5 is 0x20005 = (128 << 10) + 5. */
	assert_int_equal(clock__from_tsc(&narrow, 5), 1000 + 128 * 512 + 2);
	assert_int_equal(clock__from_tsc(&narrow, 0x11), 1000 + 64 * 512 + 17 / 2);
}

static void test_kind(void **state)
{
	/* 2 GHz: perf's time is half of the count. */
	static const struct perfdata_time_conv conv = { 1, 1, 0, 0, UINT64_MAX };
	static const struct perfdata_time_conv bad = { 64, 1, 0, 0, UINT64_MAX };
	static const struct {
		bool flag, monotonic;
		const struct perfdata_time_conv *conv;
		uint64_t first, last; /* s; the profile is from 100 s to 110 s */
		enum clock_kind kind;
		const char *reported;
	} cases[] = {
		{ false, true, NULL, 101, 109, CLOCK_PERF, "" },
		{ false, true, &conv, 101, 109, CLOCK_PERF, "" },
		{ false, false, NULL, 101, 109, CLOCK_OFFSET, "" },
		{ true, false, &conv, 202, 218, CLOCK_TSC, "" },
		{ true, true, &conv, 202, 218, CLOCK_TSC, "" },
		{ true, true, &conv, 101, 109, CLOCK_PERF, "clock.false-arch-flag" },
		{ true, true, NULL, 101, 109, CLOCK_PERF, "clock.false-arch-flag" },
		{ true, false, &conv, 101, 109, CLOCK_OFFSET, "clock.false-arch-flag" },
		{ true, true, &bad, 101, 109, CLOCK_PERF, "clock.false-arch-flag" },
		{ true, true, NULL, 202, 218, CLOCK_OFFSET, "clock.unknown" },
		{ true, true, &conv, 1000, 1009, CLOCK_OFFSET, "clock.unknown" },
		{ true, true, &conv, 10, 20, CLOCK_OFFSET, "clock.unknown" },
	};
	struct diag *diag = new_diag();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct clock_profile profile = { cases[i].monotonic, cases[i].conv,
						       100 * SECOND, 110 * SECOND };
		const struct clock_dump dump = { "d", cases[i].flag, cases[i].first * SECOND,
						 cases[i].last * SECOND };

		reported = "";
		if (clock__kind(&dump, &profile, diag) != cases[i].kind ||
		    strcmp(reported, cases[i].reported))
			fail_msg("case %zu: kind %u, reported \"%s\"", i,
				 clock__kind(&dump, &profile, diag), reported);
	}
	diag__free(diag);
}

/* Where neither beginning nor end of the profile is known, times of any clock fit. */
static void test_kind_without_bounds(void **state)
{
	const struct clock_profile profile = { true, NULL, 0, UINT64_MAX };
	const struct clock_dump dump = { "d", true, 5, 6 };
	struct diag *diag = new_diag();

	(void)state;
	assert_int_equal(clock__kind(&dump, &profile, diag), CLOCK_PERF);
	assert_string_equal(reported, "clock.false-arch-flag");
	diag__free(diag);
}

struct fact {
	enum { END, LOAD, SEEN } what;
	int64_t time; /* ms: of the dump's clock in LOAD, of perf's in SEEN */
	uint64_t addr, size;
};

struct scenario {
	const char *title;
	struct fact facts[16]; /* LOADs first */
	int64_t begin, end;    /* ms; 0: not known */
	int result;
	int64_t low, high, offset; /* ms */
	bool by_samples;
	size_t early, unmapped;
};

#define NONE INT64_MIN
#define ANY  INT64_MAX

static const struct scenario scenarios[] = {
	{
		"dump mapped at 100, first load at 30, second run 5 after its load",
		{ { LOAD, 30, 1000, 10 },
		  { LOAD, 40, 2000, 10 },
		  { SEEN, 120, 1005, 0 },
		  { SEEN, 115, 2000, 0 },
		  { SEEN, 200, 2009, 0 } },
		100,
		0,
		0,
		70,
		75,
		75,
		true,
		0,
		0,
	},
	{
		"the start of the dump alone",
		{ { LOAD, 30, 1000, 10 },
		  { LOAD, 40, 2000, 10 },
		  { SEEN, 50, 1010, 0 },
		  { SEEN, 50, 999, 0 } },
		100,
		0,
		0,
		70,
		ANY,
		70,
		false,
		0,
		0,
	},
	{
		"a start and an exit",
		{ { LOAD, 30, 1000, 10 }, { LOAD, 60, 2000, 10 } },
		100,
		140,
		0,
		70,
		80,
		70,
		false,
		0,
		0,
	},
	{
		"an exit that bounds closer than samples",
		{ { LOAD, 30, 1000, 10 }, { LOAD, 60, 2000, 10 }, { SEEN, 130, 2000, 0 } },
		95,
		125,
		0,
		65,
		65,
		65,
		true,
		0,
		0,
	},
	{
		"an exit alone",
		{ { LOAD, 60, 1000, 10 } },
		0,
		140,
		0,
		NONE,
		80,
		80,
		false,
		0,
		0,
	},
	{
		"dump's clock ahead of perf's",
		{ { LOAD, 1000, 1000, 10 }, { SEEN, 105, 1000, 0 } },
		100,
		0,
		0,
		-900,
		-895,
		-895,
		true,
		0,
		0,
	},
	{
		"where two were loaded, and where they overlap, nothing is told",
		{ { LOAD, 30, 1000, 20 },
		  { LOAD, 40, 1010, 20 },
		  { LOAD, 50, 3000, 10 },
		  { LOAD, 60, 3000, 10 },
		  { SEEN, 10, 1010, 0 },
		  { SEEN, 10, 1019, 0 },
		  { SEEN, 10, 3000, 0 },
		  { SEEN, 106, 1009, 0 },
		  { SEEN, 112, 1020, 0 } },
		100,
		0,
		0,
		70,
		72,
		72,
		true,
		0,
		0,
	},
	{
		"a method ran 8 before its load was told: the others hold",
		{ { LOAD, 30, 1000, 10 },
		  { LOAD, 31, 2000, 10 },
		  { LOAD, 32, 3000, 10 },
		  { LOAD, 90, 4000, 10 },
		  { SEEN, 104, 1000, 0 },
		  { SEEN, 105, 2000, 0 },
		  { SEEN, 107, 3000, 0 },
		  { SEEN, 152, 4000, 0 } },
		100,
		0,
		0,
		70,
		74,
		74,
		true,
		1,
		0,
	},
	{
		"a load 11 before the dump was mapped: the samples hold",
		{ { LOAD, 19, 1000, 10 },
		  { LOAD, 30, 2000, 10 },
		  { LOAD, 40, 3000, 10 },
		  { SEEN, 101, 2000, 0 },
		  { SEEN, 112, 3000, 0 } },
		100,
		0,
		0,
		70,
		71,
		71,
		true,
		0,
		1,
	},
	{
		"a dump of other code: all of it ran seconds before",
		{ { LOAD, 30000, 1000, 10 },
		  { LOAD, 30001, 2000, 10 },
		  { SEEN, 101, 1000, 0 },
		  { SEEN, 102, 2000, 0 } },
		9000,
		0,
		-EDOM,
		NONE,
		-29899,
		-29899,
		true,
		0,
		2,
	},
	{
		"a load 11 before the dump was mapped, against two that ran after theirs",
		{ { LOAD, 19, 1000, 10 },
		  { LOAD, 30, 2000, 10 },
		  { LOAD, 31, 3000, 10 },
		  { LOAD, 40, 4000, 10 },
		  { SEEN, 101, 2000, 0 },
		  { SEEN, 103, 3000, 0 },
		  { SEEN, 130, 4000, 0 } },
		100,
		0,
		0,
		70,
		71,
		71,
		true,
		0,
		1,
	},
	{
		"one that ran seconds before its load, and no other that ran",
		{ { LOAD, 30, 1000, 10 },
		  { LOAD, 31, 2000, 10 },
		  { LOAD, 10000, 3000, 10 },
		  { SEEN, 0, 3000, 0 } },
		100,
		0,
		-EDOM,
		70,
		ANY,
		70,
		false,
		1,
		0,
	},
	{
		"the clock was slewed by 400 in an hour",
		{ { LOAD, 1000, 1000, 10 },
		  { LOAD, 3601000, 2000, 10 },
		  { SEEN, 3601600, 2000, 0 } },
		2000,
		0,
		0,
		-3599000,
		600,
		600,
		true,
		0,
		1,
	},
	{
		"no slew makes 2400 of an hour",
		{ { LOAD, 1000, 1000, 10 },
		  { LOAD, 3601000, 2000, 10 },
		  { SEEN, 3601600, 2000, 0 } },
		4000,
		0,
		-EDOM,
		-3597000,
		600,
		600,
		true,
		0,
		1,
	},
	{
		"nothing at all",
		{ { LOAD, 30, 1000, 10 } },
		0,
		0,
		-ENODATA,
		NONE,
		ANY,
		ANY,
		false,
		0,
		0,
	},
};

static int64_t in_ns(int64_t time)
{
	return time == NONE || time == ANY ? time : time * MS;
}

static void run(const struct scenario *scenario, struct clock_repair *repair, struct diag *diag)
{
	const size_t nr_facts = sizeof(scenario->facts) / sizeof(scenario->facts[0]);
	struct clock_evidence *evidence = clock_evidence__new();
	size_t i;

	assert_non_null(evidence);
	for (i = 0; i < nr_facts && scenario->facts[i].what == LOAD; i++) {
		const struct fact *fact = &scenario->facts[i];

		assert_int_equal(clock_evidence__load(evidence, (uint64_t)(fact->time * MS),
						      fact->addr, fact->size),
				 0);
	}
	assert_int_equal(clock_evidence__finish(evidence), 0);
	for (; i < nr_facts && scenario->facts[i].what == SEEN; i++)
		clock_evidence__seen(evidence, (uint64_t)(scenario->facts[i].time * MS),
				     scenario->facts[i].addr);
	reported = "";
	assert_int_equal(clock__repair(evidence, "d", (uint64_t)(scenario->begin * MS),
				       scenario->end ? (uint64_t)(scenario->end * MS) : UINT64_MAX,
				       repair, diag),
			 scenario->result);
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
		run(scenario, &repair, diag);
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

static void test_share(void **state)
{
	struct clock_repair repairs[] = {
		{ .bounds = { -300, INT64_MAX }, .offset = -300 },
		{ .bounds = { -400, 20 }, .offset = 20, .by_samples = true },
		{ .bounds = { -400, 50 }, .offset = 50, .by_samples = true },
		{ .bounds = { 900, 950 }, .offset = 950, .by_samples = true },
		{ .bounds = { 30, INT64_MAX }, .offset = 30 },
		{ .bounds = { -500, 10 }, .offset = -500 },
		{ .bounds = { INT64_MIN, INT64_MAX }, .offset = INT64_MAX },
	};

	(void)state;
	clock__share(repairs, 7);
	assert_int_equal(repairs[0].offset, 20);
	assert_int_equal(repairs[1].offset, 20);
	assert_int_equal(repairs[2].offset, 20);
	assert_int_equal(repairs[3].offset, 950);
	assert_int_equal(repairs[4].offset, 30);
	assert_int_equal(repairs[5].offset, -500);
	assert_int_equal(repairs[6].offset, 20);
	clock__share(repairs, 1);
	clock__share(repairs, 0);
	assert_int_equal(repairs[0].offset, 20);
}

static void test_ends(void **state)
{
	struct clock_evidence *evidence = clock_evidence__new();
	struct diag *diag = new_diag();
	struct clock_repair repair;

	(void)state;
	assert_int_equal(clock__shift(100, -100), 0);
	assert_int_equal(clock__shift(100, -101), 0);
	assert_int_equal(clock__shift(100, INT64_MIN), 0);
	assert_true(clock__shift(UINT64_MAX - 5, 5) == UINT64_MAX);
	assert_true(clock__shift(UINT64_MAX - 5, INT64_MAX) == UINT64_MAX);
	assert_int_equal(clock__shift(100, 28), 128);
	assert_int_equal(clock__shift(100, -28), 72);

	assert_non_null(evidence);
	assert_int_equal(clock_evidence__load(evidence, 1, 100, 0), -EINVAL);
	assert_int_equal(clock_evidence__load(evidence, 1, UINT64_MAX, 1), -EINVAL);
	assert_int_equal(clock_evidence__load(evidence, UINT64_MAX, 100, 10), 0);
	assert_int_equal(clock_evidence__load(evidence, 0, 200, 10), 0);
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
		cmocka_unit_test(test_from_tsc),
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_kind_without_bounds),
		cmocka_unit_test(test_repair),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
