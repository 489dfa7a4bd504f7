// SPDX-License-Identifier: GPL-2.0-or-later
/* What perf maps name: anonymous memory that no dump tells of. */
#include "fix/testing.h"

static void write_map(struct testing *testing, const char *name, const char *text)
{
	testing__write(testing__path(testing, name),
		       (struct bytes){ (const uint8_t *)text, strlen(text) });
}

static uint64_t used(const struct plan *plan)
{
	assert_int_equal(plan->discovery->maps.count, 1);
	return plan->discovery->maps.items[0].used;
}

static void test_kinds_of_memory(void **state)
{
	static const struct {
		const char *name;
		uint64_t used;
	} cases[] = {
		{ "//anon", 1 },
		{ "/memfd:doublemapper (deleted)", 1 },
		{ "/usr/lib/libx.so", 0 },
		{ "[vdso]", 0 },
	};
	struct testing *testing = *state;

	write_map(testing, "perf-7.map", "10200 10 a\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plan *plan;

		testing->records.size = 0;
		profile__comm(testing, 0, 7, "jit", false);
		profile__map(testing, 10, 7, 0x10000, 0x1000, 0, cases[i].name);
		profile__sample(testing, 40, 7, 0x10208);
		plan = testing__plan(testing, 0);
		assert_int_equal(used(plan), cases[i].used);
		assert_int_equal(plan->counts.jit_samples_map, cases[i].used);
		assert_int_equal(plan->counts.jit_samples, cases[i].used);
		assert_int_equal(plan->nr_functions, cases[i].used);
		plan__free(plan);
		perfdata__close(testing->perfdata);
		testing->perfdata = NULL;
	}
}

/* A dump that was cut off, and a map that tells of all. */
static void test_beside_a_dump(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	dump__begin(testing, 7);
	dump__load(testing, 30, 0x10200, 16, "of the dump");
	dump__write(testing, "jit-7.dump");
	write_map(testing, "perf-7.map",
		  "10200 10 of the map\n10208 4 within\n10210 10 behind\n101f8 10 reaches in\n");
	profile__comm(testing, 0, 7, "jit", false);
	profile__marker(testing, 10, 7, "jit-7.dump");
	profile__map(testing, 20, 7, 0x10000, 0x1000, 0, "//anon");
	profile__sample(testing, 40, 7, 0x10208);
	profile__sample(testing, 41, 7, 0x10218);
	plan = testing__plan(testing, 0);
	assert_int_equal(used(plan), 1);
	assert_int_equal(plan->counts.jit_samples, 2);
	assert_int_equal(plan->counts.jit_samples_map, 1);
	plan__free(plan);
}

/* The map is of the last process of its pid; children have what their parent had. */
static void test_whose(void **state)
{
	struct testing *testing = *state;
	struct plan *plan;

	write_map(testing, "perf-7.map", "10200 10 a\n");
	profile__comm(testing, 0, 7, "sh", false);
	profile__map(testing, 5, 7, 0x10000, 0x1000, 0, "//anon");
	profile__sample(testing, 6, 7, 0x10208);
	profile__comm(testing, 10, 7, "jit", true);
	profile__map(testing, 20, 7, 0x10000, 0x1000, 0, "//anon");
	profile__sample(testing, 40, 7, 0x10208);
	profile__fork(testing, 50, 8, 7);
	profile__sample(testing, 60, 8, 0x10208);
	plan = testing__plan(testing, 0);
	assert_int_equal(used(plan), 1);
	assert_int_equal(plan->discovery->maps.items[0].process->start, 10);
	assert_int_equal(plan->counts.jit_samples_map, 2);
	plan__free(plan);
}

/* The user's folders come first. */
static void test_folders(void **state)
{
	struct testing *testing = *state;
	char folder[192];
	const char *dirs[] = { "/", folder };
	struct plan *plan;

	snprintf(folder, sizeof(folder), "%s", testing__path(testing, "maps"));
	assert_int_equal(mkdir(folder, 0777), 0);
	write_map(testing, "maps/perf-7.map", "10200 10 a\n10210 10 b\n");
	write_map(testing, "perf-7.map", "10200 10 a\n");
	profile__comm(testing, 0, 7, "jit", false);
	profile__map(testing, 10, 7, 0x10000, 0x1000, 0, "//anon");
	plan = testing__plan(testing, 0);
	assert_int_equal(used(plan), 1);
	plan__free(plan);
	testing->discover.perf_map_dirs = dirs;
	testing->discover.nr_perf_map_dirs = 2;
	plan = testing__plan(testing, 0);
	assert_int_equal(used(plan), 2);
	plan__free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TESTING(test_kinds_of_memory),
		TESTING(test_beside_a_dump),
		TESTING(test_whose),
		TESTING(test_folders),
	};

	return cmocka_run_group_tests_name("map_source", tests, NULL, NULL);
}
