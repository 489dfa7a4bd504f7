// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doctor/diagnosis.h"

static void add(struct diagnosis *diagnosis, const char *slug, enum finding_weight weight,
		uint64_t samples, uint64_t of)
{
	struct finding *finding = diagnosis__add(diagnosis, slug, weight);

	assert_non_null(finding);
	finding->samples = samples;
	finding->of = of;
	diagnosis__say(diagnosis, &finding->command, "cure %s", slug);
}

static void expect_order(struct diagnosis *diagnosis, const char *slugs)
{
	char found[256] = "";

	diagnosis__sort(diagnosis);
	array__for_each(finding, &diagnosis->findings) {
		strcat(found, finding->slug);
		strcat(found, " ");
	}
	assert_string_equal(found, slugs);
}

static void test_causes_first(void **state)
{
	struct diagnosis diagnosis = { 0 };

	(void)state;
	add(&diagnosis, "note", FINDING_NOTE, 0, 0);
	add(&diagnosis, "small", FINDING_LOSS, 9, 100);
	add(&diagnosis, "cause", FINDING_PERF, 10, 100);
	add(&diagnosis, "effect", FINDING_LOSS, 100, 100);
	add(&diagnosis, "uncounted", FINDING_LOSS, 0, 0);
	expect_order(&diagnosis, "cause effect uncounted small note ");
	assert_true(diagnosis__is_bad(&diagnosis));
	assert_string_equal(diagnosis__next(&diagnosis), "cure cause");
	diagnosis__say(&diagnosis, &diagnosis.next, "all of it");
	assert_string_equal(diagnosis__next(&diagnosis), "cure cause");
	diagnosis.next_is_for_all = true;
	assert_string_equal(diagnosis__next(&diagnosis), "all of it");
	assert_false(diagnosis.failed);
	diagnosis__free(&diagnosis);
}

static void test_nothing_wrong(void **state)
{
	struct diagnosis diagnosis = { 0 };

	(void)state;
	assert_false(diagnosis__is_bad(&diagnosis));
	expect_order(&diagnosis, "");
	assert_null(diagnosis__next(&diagnosis));
	add(&diagnosis, "note", FINDING_NOTE, 100, 100);
	add(&diagnosis, "small", FINDING_LOSS, 9, 100);
	expect_order(&diagnosis, "small note ");
	assert_false(diagnosis__is_bad(&diagnosis));
	diagnosis__say(&diagnosis, &diagnosis.next, "go on");
	assert_string_equal(diagnosis__next(&diagnosis), "go on");
	diagnosis__free(&diagnosis);
}

static void expect_places(const char *path, size_t count, const char *first, const char *second,
			  const char *third)
{
	const char *const expected[] = { first, second, third };
	struct diagnosis diagnosis = { 0 };

	diagnosis__note_place(&diagnosis, path);
	assert_int_equal(diagnosis.places.count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(diagnosis.places.items[i], expected[i]);
	diagnosis__free(&diagnosis);
}

static void test_places(void **state)
{
	(void)state;
	expect_places("/home/eve black/jit-1.dump", 3, "/home/eve black/jit-1.dump", "jit-1.dump",
		      "/home/eve black");
	expect_places("perf.data", 1, "perf.data", NULL, NULL);
	expect_places("./perf.data", 2, "./perf.data", "perf.data", NULL);
	expect_places("/a", 2, "/a", "a", NULL);
	/* these stand in any text */
	expect_places(".", 0, NULL, NULL, NULL);
	expect_places("../", 0, NULL, NULL, NULL);
	expect_places("", 0, NULL, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes_first),
		cmocka_unit_test(test_nothing_wrong),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
