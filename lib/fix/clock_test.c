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

static void test_shift(void **state)
{
	(void)state;
	assert_int_equal(clock__shift(100, -100), 0);
	assert_int_equal(clock__shift(100, -101), 0);
	assert_int_equal(clock__shift(100, INT64_MIN), 0);
	assert_true(clock__shift(UINT64_MAX - 5, 5) == UINT64_MAX);
	assert_true(clock__shift(UINT64_MAX - 5, INT64_MAX) == UINT64_MAX);
	assert_int_equal(clock__shift(100, 28), 128);
	assert_int_equal(clock__shift(100, -28), 72);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_tsc),
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_kind_without_bounds),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_shift),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
