// SPDX-License-Identifier: GPL-2.0-or-later
/* What is made of perf inject's files, by perfs that write such as the real ones do. */
#include "host/testing.h"

/*
 * inject copies its input and writes a DSO beside the dump, with the build-id $id and .text where
 * $layout has it; script names the sample $symbol.
 */
#define PERF                                                                              \
	"for out; do :; done\n"                                                           \
	"case $1 in script)\n"                                                            \
	"[ ! -s \"$out\" ] || printf ' 2001/2001  1.003000001: '\n"                       \
	"[ ! -s \"$out\" ] || echo \"  7f0000300104 $symbol+0x4 (/jitted.so)\"; exit;;\n" \
	"esac\n"                                                                          \
	"folder=${out%/*}; name=${folder##*/}\n"                                          \
	"set -- \"$folder\"/jit-*.dump\n"                                                 \
	"[ -f \"$1\" ] || { : >\"$out\"; exit 255; }\n"                                   \
	"cp \"$folder/in.data\" \"$out\"\n"

#define WRITE_DSO                                                                       \
	"echo '.globl f; f: nop' | as -o $HOME.o - || exit 1\n"                         \
	"ld -shared -o \"$folder/jitted-2001-1.so\" $HOME.o --build-id=0x$id $layout\n" \
	"mkdir -p \"$HOME/.debug/.build-id/${id%${id#??}}/${id#??}\"\n"

/* Build-ids by the folder are as many as there are runs. */
#define OWN_IDS "id=$(printf %s $name | od -An -tx1 | tr -d ' ')00000000\n"

static void run(struct testing *testing, const char *before, const char *after)
{
	char lines[4096];

	snprintf(lines, sizeof(lines), "%s%s%s", before, PERF, after);
	/* each run's folders are to be new */
	testing__renew(testing);
	testing__perf_is(testing, lines);
	assert_int_equal(probe__inject(&testing->probe, &testing->probing), 0);
}

static void test_without(void **state)
{
	struct testing *testing = *state;

	run(testing, "echo \"Error: unknown switch \\`j'\" >&2; exit 129\n", "");
	testing__expect(testing, PROBE_INJECT, PROBE_FAULTY);
	assert_string_equal(testing->probe.results[PROBE_INJECT].evidence,
			    "exit code 129: Error: unknown switch `j'");
	testing__expect(testing, PROBE_OFFSETS, PROBE_UNKNOWN);
	testing__expect(testing, PROBE_BUILD_IDS, PROBE_UNKNOWN);
	testing__expect(testing, PROBE_MISSING, PROBE_UNKNOWN);
}

static void test_sound(void **state)
{
	struct testing *testing = *state;

	run(testing, "symbol=beta layout=-Ttext=0x1000\n", OWN_IDS WRITE_DSO);
	testing__expect(testing, PROBE_INJECT, PROBE_OK);
	testing__expect(testing, PROBE_OFFSETS, PROBE_OK);
	testing__expect(testing, PROBE_BUILD_IDS, PROBE_OK);
	testing__expect(testing, PROBE_CACHED, PROBE_OK);
	/* it left an empty file where the dump was missing, and read that of process 1 */
	testing__expect(testing, PROBE_MISSING, PROBE_FAULTY);
	testing__expect(testing, PROBE_CONTAINER, PROBE_OK);
	testing__expect(testing, PROBE_FOREIGN, PROBE_FAULTY);
}

static void test_equal_build_ids(void **state)
{
	struct testing *testing = *state;

	run(testing, "symbol=alpha layout=-Ttext=0x2040\n", "id=0011223344556677\n" WRITE_DSO);
	testing__expect(testing, PROBE_BUILD_IDS, PROBE_FAULTY);
	assert_string_equal(
		testing->probe.results[PROBE_BUILD_IDS].evidence,
		"beta, of a second run with equal code, is shown as alpha, of the first");
	/* one id for two, but nothing was shown wrong: it will be */
	run(testing, "symbol=beta layout=-Ttext=0x2040\n", "id=0011223344556677\n" WRITE_DSO);
	testing__expect(testing, PROBE_BUILD_IDS, PROBE_FAULTY);
}

/* As perf 5.10's: .text has another address than its file offset. */
static void test_offsets(void **state)
{
	struct testing *testing = *state;

	run(testing, "symbol=beta layout=-Ttext=0x5000\n",
	    OWN_IDS WRITE_DSO "rm -rf \"$HOME/.debug\"\n");
	testing__expect(testing, PROBE_OFFSETS, PROBE_FAULTY);
	testing__expect(testing, PROBE_CACHED, PROBE_FAULTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_without, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_sound, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_equal_build_ids, testing__setup,
						testing__teardown),
		cmocka_unit_test_setup_teardown(test_offsets, testing__setup, testing__teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
