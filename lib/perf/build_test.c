// SPDX-License-Identifier: GPL-2.0-or-later
/* What perfs print of themselves, and such as none should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/build.h"

static void test_build(void **state)
{
	struct perf_build build = { .major = 0 };

	(void)state;
	perf_build__line(&build, "perf version 6.12.118");
	perf_build__line(&build, "          dwarf-unwind: [ on  ]  # HAVE_DWARF_UNWIND_SUPPORT");
	perf_build__line(&build, "                libelf: [ OFF ]  # HAVE_LIBELF_SUPPORT");
	perf_build__line(&build, "    libdw-dwarf-unwind: [ on  ]  # HAVE_DWARF_SUPPORT");
	perf_build__line(&build, "             libunwind: [ OFF ]  # HAVE_LIBUNWIND_SUPPORT ( tip: "
				 "Deprecated, use LIBUNWIND=1 )");
	perf_build__line(&build, "nothing");
	perf_build__line(&build, "");
	assert_string_equal(build.version, "6.12.118");
	assert_int_equal(build.major, 6);
	assert_int_equal(build.minor, 12);
	assert_int_equal(build.unwinder, BUILT_WITH);
	assert_int_equal(build.libelf, BUILT_WITHOUT);
	assert_int_equal(build.libdw, BUILT_WITH);
	assert_int_equal(build.libunwind, BUILT_WITHOUT);
	assert_int_equal(build.libcrypto, BUILT_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
