// SPDX-License-Identifier: GPL-2.0-or-later
/* Which fault explains what was seen; builds as in the version outputs of real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check/fault.h"

static const struct perf_build debian_6_1 = { .version = "6.1.192",
					      .major = 6,
					      .minor = 1,
					      .libelf = BUILT_WITH,
					      .libdw = BUILT_WITH,
					      .libunwind = BUILT_WITH,
					      .libcrypto = BUILT_WITHOUT };
static const struct perf_build debian_7_3 = { .version = "7.3.4",
					      .major = 7,
					      .minor = 3,
					      .libelf = BUILT_WITH,
					      .libdw = BUILT_WITH,
					      .libunwind = BUILT_WITHOUT,
					      .unwinder = BUILT_WITH };

static const char *slug(const struct compared *compared, bool fixed)
{
	const struct fault *fault = fault__of(compared, fixed);

	return fault ? fault->slug : "none";
}

static struct compared differing(const struct perf_build *build, enum difference kind, bool jit)
{
	struct compared compared = {
		.build = *build, .samples = 100, .samples_differing = 50, .unwound_differing = 50
	};

	compared.kinds[kind] = 50;
	compared.at_jit[kind] = jit ? 50 : 0;
	return compared;
}

static void test_none(void **state)
{
	struct compared compared = { .build = debian_6_1, .samples = 100 };

	(void)state;
	assert_string_equal(slug(&compared, true), "none");
	/* what the kernel recorded no unwinder can have spoilt */
	compared = differing(&debian_6_1, DIFFER_SHORTER, true);
	compared.unwound_differing = 0;
	assert_string_equal(slug(&compared, true), "none");
	assert_string_equal(slug(&compared, false), "none");
}

static void test_unwinders(void **state)
{
	struct compared compared = differing(&debian_6_1, DIFFER_SHORTER, true);

	(void)state;
	assert_string_equal(slug(&compared, false), "libunwind-no-map");
	assert_string_equal(slug(&compared, true), "libunwind-steps");
	/* that gzip's chains end in libc, which sh had mapped lower before it ran gzip */
	compared.at_jit[DIFFER_SHORTER] = 0;
	assert_string_equal(slug(&compared, true), "libunwind-lowest-map");
	compared = differing(&debian_7_3, DIFFER_SHORTER, true);
	assert_string_equal(slug(&compared, false), "libdw-no-file");
	assert_string_equal(slug(&compared, true), "libdw-old-modules");
}

static void test_builds(void **state)
{
	struct compared compared = differing(&debian_7_3, DIFFER_SHORTER, false);

	(void)state;
	compared.leaf_only = 50;
	compared.build.unwinder = BUILT_WITHOUT;
	assert_string_equal(slug(&compared, true), "no-unwinder");
	/* 6.1 says only that libdw is there, which it may be for something else */
	compared.build = debian_6_1;
	compared.build.libunwind = BUILT_WITHOUT;
	assert_string_equal(slug(&compared, true), "no-unwinder");
	compared.build = debian_7_3;
	compared.build.libunwind = BUILT_WITH;
	compared.build.libdw = BUILT_WITHOUT;
	assert_string_equal(slug(&compared, true), "drops-failed-chains");
	compared = differing(&debian_6_1, DIFFER_UNNAMED, false);
	assert_string_equal(slug(&compared, true), "none");
	compared.build.libelf = BUILT_WITHOUT;
	assert_string_equal(slug(&compared, true), "no-libelf");
}

static void test_names(void **state)
{
	struct compared compared = differing(&debian_6_1, DIFFER_NAME, true);

	(void)state;
	assert_string_equal(slug(&compared, true), "stale-cache");
	compared = differing(&debian_6_1, DIFFER_NAME, false);
	assert_string_equal(slug(&compared, true), "none");
	compared = differing(&debian_6_1, DIFFER_NAMED, false);
	assert_string_equal(slug(&compared, true), "other-names");
}

static void test_failures(void **state)
{
	struct compared compared = differing(&debian_6_1, DIFFER_ABSENT, false);

	(void)state;
	compared.status = 255;
	assert_string_equal(slug(&compared, true), "failed");
	strcpy(compared.errors, "incompatible file format (rerun with -v to learn more)\n");
	assert_string_equal(slug(&compared, true), "older");
	strcpy(compared.errors, "0x250 [0x8]: failed to process type: 82 [Invalid argument]\n");
	assert_string_equal(slug(&compared, true), "older");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),     cmocka_unit_test(test_unwinders),
		cmocka_unit_test(test_builds),   cmocka_unit_test(test_names),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
