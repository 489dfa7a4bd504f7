// SPDX-License-Identifier: GPL-2.0-or-later
/* Jitdumps of several clocks: what is said of one is not said of another. */
#include "fix/testing.h"

#include "doctor/diagnosis.h"

#define SECOND UINT64_C(1000000000)
#define BEHIND (5000 * SECOND) /* what the dumps' clock is ahead of the profile's */
#define CODE   UINT64_C(0x10000)
#define COUNT  40

/* Writes the profile as one that was recorded without -k mono: its clock is any. */
static void write_profile(struct testing *testing)
{
	const long flags = 104 + 40;
	uint64_t bits;
	FILE *file;

	profile__open(testing);
	file = fopen(testing->profile, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, flags, SEEK_SET), 0);
	assert_int_equal(fread(&bits, sizeof(bits), 1, file), 1);
	bits &= ~(UINT64_C(1) << 25); /* use_clockid */
	assert_int_equal(fseek(file, flags, SEEK_SET), 0);
	assert_int_equal(fwrite(&bits, sizeof(bits), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

/* A process whose functions each run right after they were loaded; its dump's times may be mad. */
static void add_process(struct testing *testing, uint32_t pid, uint64_t start, bool mad)
{
	char name[32];

	snprintf(name, sizeof(name), "jit-%u.dump", pid);
	profile__comm(testing, start, pid, "jit", true);
	profile__marker(testing, start + 1, pid, name);
	profile__map(testing, start + 2, pid, CODE, 0x10000, 0, "//anon");
	dump__begin(testing, pid);
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t at = mad ? i * 7919 % COUNT * 5 * SECOND : 1000 + i * SECOND / 1000;

		dump__load(testing, start + at + BEHIND, CODE + 64 * i, 48, "f");
		profile__sample(testing, start + 2000 + i * SECOND / 1000, pid, CODE + 64 * i + 4);
	}
	dump__write(testing, name);
}

static void test_one_of_two_is_mad(void **state)
{
	struct testing *testing = *state;
	struct recording_options options = { .path = testing->profile };
	struct recording_counts counts;
	struct diagnosis diagnosis = { 0 };
	const char *evidence;

	add_process(testing, 7, 100 * SECOND, true);
	add_process(testing, 8, 200 * SECOND, false);
	write_profile(testing);
	assert_int_equal(diagnose__recording(&diagnosis, &options, &counts, testing->diag), 0);
	diagnosis__sort(&diagnosis);
	assert_true(diagnosis.findings.count > 0);
	assert_string_equal(diagnosis.findings.items[0].slug, "wrong-clock");
	assert_int_equal(diagnosis.findings.items[0].weight, FINDING_LOSS);
	evidence = diagnosis.findings.items[0].evidence;
	assert_non_null(strstr(evidence, "/jit-7.dump: its times "));
	assert_null(strstr(evidence, "jit-8.dump"));
	diagnosis__free(&diagnosis);
}

/* Nothing bounds the offset of a dump that is named for a process of which no sample is in code. */
static void test_nothing_tells(void **state)
{
	struct testing *testing = *state;
	const char *jitdumps[] = { testing__path(testing, "named") };
	struct recording_options options = {
		.path = testing->profile,
		.discover = { .jitdumps = jitdumps, .nr_jitdumps = 1 },
	};
	struct recording_counts counts;
	struct diagnosis diagnosis = { 0 };

	profile__map(testing, 5 * SECOND, 7, CODE, 0x10000, 0, "//anon");
	profile__sample(testing, 6 * SECOND, 7, CODE + 0x8000);
	dump__begin(testing, 7);
	for (uint64_t i = 0; i < COUNT; i++)
		dump__load(testing, BEHIND + i, CODE + 64 * i, 48, "f");
	dump__write(testing, "named");
	write_profile(testing);
	assert_int_equal(diagnose__recording(&diagnosis, &options, &counts, testing->diag), 0);
	diagnosis__sort(&diagnosis);
	assert_true(diagnosis.findings.count > 0);
	assert_string_equal(diagnosis.findings.items[0].slug, "wrong-clock");
	assert_non_null(strstr(diagnosis.findings.items[0].evidence,
			       "/named: nothing tells how the profile's clock relates"));
	diagnosis__free(&diagnosis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_one_of_two_is_mad),
		TESTING(test_nothing_tells),
	};

	return cmocka_run_group_tests_name("doctor clock", tests, NULL, NULL);
}
