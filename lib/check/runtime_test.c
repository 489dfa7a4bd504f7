// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/reason.h"
#include "check/recorded.h"
#include "check/runtime.h"
#include "codemap/process.h"

static const char *name_of(const struct runtime *runtime)
{
	return runtime ? runtime->name : "none";
}

static void test_files(void **state)
{
	/* as mapped in recordings of them */
	static const char *const files[][2] = {
		{ "/root/.pyenv/versions/3.13.0/bin/python3.13", "CPython" },
		{ "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", "CPython" },
		{ "/usr/bin/node", "Node.js" },
		{ "/usr/bin/node-22", "Node.js" },
		{ "/usr/bin/node22", "Node.js" },
		{ "/usr/bin/node-gyp", "none" },
		{ "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", "JVM" },
		{ "/usr/bin/php8.2", "PHP" },
		{ "/usr/lib/erlang/erts-13.1.5/bin/beam.smp", "Erlang" },
		{ "/usr/lib/postgresql/15/bin/postgres", "PostgreSQL" },
		{ "/usr/lib/llvm-14/bin/lli", "LLVM" },
		{ "/usr/bin/qemu-aarch64", "QEMU" },
		{ "/usr/bin/mono-sgen", "Mono" },
		{ "/usr/bin/luajit-2.1.0-beta3", "LuaJIT" },
		{ "/root/.deno/bin/deno", "Deno" },
		{ "/usr/lib/chromium/chromium", "Chromium" },
		{ "/usr/lib/chromium/chrome_crashpad_handler", "none" },
		{ "/usr/lib/x86_64-linux-gnu/libjavascriptcoregtk-4.0.so.18.28.11", "WebKit" },
		{ "/memfd:doublemapper (deleted)", ".NET" },
		{ "/usr/bin/bunzip2", "none" },
		{ "/usr/bin/nodemon", "none" },
		{ "/usr/bin/dash", "none" },
		{ "", "none" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_string_equal(name_of(runtime__of_file(files[i][0])), files[i][1]);
}

static void map(struct processes *processes, uint32_t pid, uint64_t start, const char *name)
{
	const struct mapping mapping = {
		.time = 5, .start = start, .size = 0x1000, .name = name, .exec = true
	};

	assert_int_equal(processes__map(processes, pid, &mapping), 0);
}

static void test_processes(void **state)
{
	struct processes *processes = processes__new();

	(void)state;
	assert_non_null(processes);
	assert_int_equal(processes__comm(processes, 1, 7, "postgres"), 0);
	map(processes, 7, 0x1000, "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1");
	map(processes, 7, 0x3000, "/usr/lib/postgresql/15/bin/postgres");
	/* who embeds LLVM is what it is */
	assert_string_equal(name_of(runtime__of(processes__find(processes, 7, 10))), "PostgreSQL");
	assert_int_equal(processes__fork(processes, 20, 8, 7), 0);
	assert_string_equal(name_of(runtime__of(processes__find(processes, 8, 25))), "PostgreSQL");
	assert_int_equal(processes__exec(processes, 30, 8, "dash"), 0);
	assert_string_equal(name_of(runtime__of(processes__find(processes, 8, 35))), "none");
	processes__free(processes);
}

static char unknown[] = "", java[] = "perf record -g java -XX:+PreserveFramePointer Nest";

/*
 * What really made chains whole that ended so, in recordings of each: of Node.js, Java and CPython
 * with frame pointers and with copies of the stack, fixed and not.
 */
static const struct advice {
	enum check_end end;
	const char *file;
	struct check_recorded recorded;
	const char *contains, *lacks; /* or NULL */
	const char *chains;           /* for perf record; "": none */
} advices[] = {
	{ CHECK_FRAME_POINTER, "node", { 0 }, "dwarf,16384", "fp", "--call-graph dwarf,16384" },
	{ CHECK_FRAME_POINTER, "libjvm.so", { 0 }, "-XX:+PreserveFramePointer", NULL, "-g" },
	{ CHECK_FRAME_POINTER,
	  "libjvm.so",
	  { .command = java },
	  "dwarf,16384",
	  "-XX",
	  "--call-graph dwarf,16384" },
	{ CHECK_FRAME_POINTER, "beam.smp", { 0 }, "+JPperf true", NULL, "-g" },
	{ CHECK_FRAME_POINTER, "python3.13", { 0 }, "dwarf", NULL, "--call-graph dwarf,16384" },
	/* perfjit-fix makes unwind data of its code: all of check-matrix's chains are complete */
	{ CHECK_FRAME_POINTER, "php8.2", { 0 }, "dwarf", NULL, "--call-graph dwarf,16384" },
	{ CHECK_FRAME_POINTER, "", { 0 }, "dwarf,16384", NULL, "--call-graph dwarf,16384" },
	{ CHECK_STACK_SHORT,
	  "node",
	  { .stack = 4096 },
	  "than 4096 bytes: perf record --call-graph dwarf,65528",
	  NULL,
	  "--call-graph dwarf,65528" },
	{ CHECK_STACK_SHORT, "node", { .stack = 65528 }, "as much as can be", "65528", "-g" },
	{ CHECK_STACK_SHORT, "python3.13", { .stack = 65528 }, "as much as can be", "65528", "" },
	{ CHECK_NO_CFI,
	  "node",
	  { .described = true, .stack = 8192 },
	  "run perfjit-fix",
	  NULL,
	  "-g" },
	{ CHECK_NO_CFI,
	  "node",
	  { .described = true, .fixed = true, .stack = 8192 },
	  "frame pointers",
	  "perfjit-fix",
	  "-g" },
	{ CHECK_NO_CFI, "python3.13", { .stack = 8192 }, "unwind data", "perfjit-fix", "" },
	{ CHECK_NO_CFI, "php8.2", { .fixed = true }, "unwind data", "perfjit-fix", "" },
	{ CHECK_BAD_CFI, "node", { .described = true }, "run perfjit-fix", NULL, "-g" },
	{ CHECK_TOO_DEEP, "", { .stack = 8192 }, "--max-stack", "dwarf", "" },
	{ CHECK_TOO_DEEP, "", { 0 }, "kernel.perf_event_max_stack", NULL, "" },
};

static void test_advice_on_chains(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		const struct advice *advice = &advices[i];
		const struct runtime *runtime = runtime__of_file(advice->file);
		struct check_recorded recorded = advice->recorded;
		const char *chains;
		char text[512];

		if (!recorded.command)
			recorded.command = unknown;
		check_end__advice(advice->end, runtime, &recorded, text, sizeof(text));
		chains = check_end__chains(advice->end, runtime, &recorded);
		if (!strstr(text, advice->contains) ||
		    (advice->lacks && strstr(text, advice->lacks)) ||
		    strcmp(chains ? chains : "", advice->chains) != 0)
			fail_msg("%zu: %s (%s)", i, text, chains);
	}
}

static void test_advice_on_clocks(void **state)
{
	struct check_recorded recorded = { .command = unknown };
	char text[512];

	(void)state;
	assert_non_null(strstr(
		check_reason__advice(CHECK_CLOCK, NULL, &recorded, text, sizeof(text)), "-k mono"));
	recorded.monotonic = true;
	assert_null(strstr(check_reason__advice(CHECK_CLOCK, NULL, &recorded, text, sizeof(text)),
			   "-k mono"));
}

static void test_advice(void **state)
{
	const struct check_recorded recorded = { .command = unknown };
	char text[512];

	(void)state;
	assert_string_equal(check_reason__advice(CHECK_NO_DUMP, runtime__of_file("/usr/bin/node"),
						 &recorded, text, sizeof(text)),
			    "let Node.js tell perf of its code (node --perf-prof), and record it "
			    "from its start");
	assert_string_equal(check_reason__advice(CHECK_NO_DUMP, runtime__of_file("luajit"),
						 &recorded, text, sizeof(text)),
			    "nothing can be done: LuaJIT tells perf of no code");
	/* all have something to say, with and without a runtime */
	for (enum check_reason i = 0; i < CHECK_REASONS; i++) {
		assert_true(check_reason__slug(i) && check_reason__text(i));
		assert_true(*check_reason__advice(i, NULL, &recorded, text, sizeof(text)));
	}
	for (enum check_end i = 0; i < CHECK_ENDS; i++) {
		assert_true(check_end__slug(i) && check_end__text(i));
		assert_true(*check_end__advice(i, NULL, &recorded, text, sizeof(text)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_advice_on_chains),
		cmocka_unit_test(test_advice_on_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
