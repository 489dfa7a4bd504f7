// SPDX-License-Identifier: GPL-2.0-or-later
/* Forms of a profile, by perfs that look at the file as the real ones do. */
#include "host/testing.h"

/* As perf 6.1 prints it; the time is that of the one sample. */
#define SHOWN   "printf '%s\\n' ' 1001/1001  1.002000000:      7f0000100100 [unknown] (//anon)'\n"
#define REFUSED "{ echo 'incompatible file format (rerun with -v to learn more)' >&2; exit 255; }\n"

/* The file is the last argument; perf_event_attr.size stands 4 bytes into what is at 104. */
#define SIZE                                                            \
	"for file; do :; done; [ \"$file\" != - ] || file=/dev/stdin\n" \
	"head -c 4096 \"$file\" >$HOME.copy; file=$HOME.copy\n"         \
	"header=$(od -An -tu8 -j8 -N8 $file | tr -d ' ')\n"             \
	"size=$(od -An -tu4 -j$((header + 4)) -N4 $file | tr -d ' ')\n" \
	"[ $header = 16 ] && size=120\n"                                \
	"first=$(od -An -tu4 -j$((header + size + 16)) -N4 $file | tr -d ' ')\n"

static void run(struct testing *testing, const char *lines)
{
	testing__perf_is(testing, lines);
	assert_int_equal(probe__forms(&testing->probe, &testing->probing), 0);
}

static void test_sizes(void **state)
{
	struct testing *testing = *state;

	run(testing, SIZE "[ $size -le 128 ] || " REFUSED SHOWN);
	assert_int_equal(testing->probe.accepted_attr, 128);
	assert_int_equal(testing->probe.refused_attr, 136);
	assert_string_equal(perf_probe__abi(&testing->probe), "6.1");
	testing__expect(testing, PROBE_ATTR, PROBE_FAULTY);
	testing__expect(testing, PROBE_PIPE, PROBE_OK);
	/* the newest that is known is no fault, also if a larger one is refused */
	run(testing, SIZE "[ $size -le 144 ] || " REFUSED SHOWN);
	assert_int_equal(testing->probe.accepted_attr, 144);
	assert_string_equal(perf_probe__abi(&testing->probe), "7.2");
	testing__expect(testing, PROBE_ATTR, PROBE_OK);
	/* older than all that are named */
	run(testing, SIZE "[ $size -le 112 ] || " REFUSED SHOWN);
	assert_int_equal(testing->probe.accepted_attr, 112);
	assert_string_equal(perf_probe__abi(&testing->probe), "5.10");
}

/* COMPRESSED is record type 81, COMPRESSED2 83. tools/lib/perf/include/perf/event.h */
static void test_compression(void **state)
{
	struct testing *testing = *state;

	run(testing, SIZE "[ $first != 83 ] || " REFUSED SHOWN);
	testing__expect(testing, PROBE_ZSTD, PROBE_OK);
	testing__expect(testing, PROBE_ZSTD2, PROBE_FAULTY);
	assert_string_equal(perf_probe__abi(&testing->probe), "7.2");
	run(testing, SIZE "[ $first != 81 -a $first != 83 ] || " REFUSED SHOWN);
	testing__expect(testing, PROBE_ZSTD, PROBE_FAULTY);
	testing__expect(testing, PROBE_ZSTD2, PROBE_UNKNOWN);
	assert_string_equal(perf_probe__abi(&testing->probe), "5.10");
	assert_non_null(strstr(testing->probe.results[PROBE_ZSTD].evidence,
			       "exit code 255: incompatible file format"));
}

static void test_nothing(void **state)
{
	struct testing *testing = *state;

	/* another sample's time */
	run(testing, "echo ' 1001/1001  1.002000001:      7f0000100100 [unknown] (//anon)'");
	assert_int_equal(testing->probe.accepted_attr, 0);
	assert_null(perf_probe__abi(&testing->probe));
	testing__expect(testing, PROBE_ATTR, PROBE_UNKNOWN);
	testing__expect(testing, PROBE_PIPE, PROBE_FAULTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sizes, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_compression, testing__setup,
						testing__teardown),
		cmocka_unit_test_setup_teardown(test_nothing, testing__setup, testing__teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
