// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/root.h"
#include "codemap/process.h"
#include "unwind/unwind.h"

static const struct mapping program = { .name = "/usr/bin/program", .file = true };
static const struct mapping jit = { .name = "//anon" };
static const struct mapping libc = { .name = "/lib/x86_64-linux-gnu/libc.so.6", .file = true };
static const struct mapping pthread = { .name = "/lib64/libpthread-2.31.so", .file = true };
static const struct mapping memory = { .name = "libc.so.6" };

/* A frame without a name. */
static struct unwind_frame in(const struct mapping *mapping, enum unwind_reason reason)
{
	return (struct unwind_frame){ .mapping = mapping, .reason = reason };
}

static bool ends(struct unwind_frame first, struct unwind_frame callee, struct unwind_frame last)
{
	const struct unwind_frame frames[] = { first, callee, last };

	return root__is_last(frames, 3);
}

static void test_names(void **state)
{
	static const char *const roots[] = { "_start",       "__libc_start_main_impl",
					     "clone3",       "__GI___clone3",
					     "start_thread", "thread_start" };
	struct unwind_frame frames[2] = { in(&program, UNWIND_NAMED), in(&program, UNWIND_NAMED) };

	(void)state;
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		frames[1].symbol = roots[i];
		assert_true(root__is_last(frames, 2));
	}
	frames[1].symbol = "main";
	assert_false(root__is_last(frames, 2));
	frames[1].mapping = &libc;
	frames[1].symbol = "qsort_r";
	assert_false(root__is_last(frames, 2));
}

/* perf's outermost frame of a recording of Erlang 25, by its jitdump, by its perf map, unwound. */
static void test_own(void **state)
{
	static const char *const roots[] = {
		"erts_beamasm:normal_exit/0",
		"$erts_beamasm:normal_exit/0",
		"erts_beamasm:normal_exit/0-CodeInfoPrologue",
	};
	struct unwind_frame frame = in(&jit, UNWIND_NAMED);

	(void)state;
	assert_false(root__is_own(&frame));
	frame.jit = true;
	assert_false(root__is_own(&frame));
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		frame.symbol = roots[i];
		assert_true(root__is_own(&frame));
	}
	frame.jit = false;
	assert_false(root__is_own(&frame));
	frame.jit = true;
	frame.symbol = "erts_beamasm:run_process/0";
	assert_false(root__is_own(&frame));
}

static void test_stripped(void **state)
{
	struct unwind_frame named = in(&libc, UNWIND_NAMED);

	(void)state;
	named.symbol = "memcpy";
	assert_true(ends(in(&program, UNWIND_NAMED), named, in(&libc, UNWIND_NO_SYMBOL)));
	assert_false(ends(in(&libc, UNWIND_NAMED), named, in(&program, UNWIND_NO_SYMBOL)));
	assert_false(ends(named, in(&program, UNWIND_NAMED), in(&memory, UNWIND_ANONYMOUS)));
	assert_false(ends(named, in(&program, UNWIND_NAMED), in(NULL, UNWIND_NOT_MAPPED)));
}

/* Nothing in the C library has a name. */
static void test_no_file(void **state)
{
	(void)state;
	for (enum unwind_reason why = UNWIND_NO_FILE; why <= UNWIND_NOT_ELF; why++) {
		struct unwind_frame c = in(&libc, why), start_thread = in(&pthread, why);
		struct unwind_frame main = in(&program, why), nowhere = in(NULL, UNWIND_NOT_MAPPED);
		struct unwind_frame last_two[] = { main, c };

		assert_true(ends(c, main, c));
		assert_true(ends(c, in(&jit, UNWIND_ANONYMOUS), c));
		assert_true(ends(main, start_thread, c));
		assert_true(root__is_last(last_two, 2));
		/* it called only itself, or from where nothing is */
		assert_false(ends(c, c, c));
		assert_false(ends(main, nowhere, c));
		assert_false(ends(nowhere, c, c));
		assert_false(ends(c, c, main));
		last_two[0] = c;
		assert_false(root__is_last(last_two, 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
