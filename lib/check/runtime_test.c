// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/reason.h"
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
		{ "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", "JVM" },
		{ "/usr/bin/php8.2", "PHP" },
		{ "/usr/lib/erlang/erts-13.1.5/bin/beam.smp", "Erlang" },
		{ "/usr/lib/postgresql/15/bin/postgres", "PostgreSQL" },
		{ "/usr/lib/llvm-14/bin/lli", "LLVM" },
		{ "/usr/bin/qemu-aarch64", "QEMU" },
		{ "/usr/bin/mono-sgen", "Mono" },
		{ "/usr/bin/luajit-2.1.0-beta3", "LuaJIT" },
		{ "/root/.deno/bin/deno", "Deno" },
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

static void test_advice(void **state)
{
	char text[512];

	(void)state;
	assert_string_equal(check_reason__advice(CHECK_NO_DUMP, runtime__of_file("/usr/bin/node"),
						 text, sizeof(text)),
			    "let Node.js tell perf of its code (node --perf-prof), and record it "
			    "from its start");
	assert_string_equal(
		check_reason__advice(CHECK_NO_DUMP, runtime__of_file("luajit"), text, sizeof(text)),
		"nothing can be done: LuaJIT tells perf of no code");
	/* all have something to say, with and without a runtime */
	for (enum check_reason i = 0; i < CHECK_REASONS; i++) {
		assert_true(check_reason__slug(i) && check_reason__text(i));
		assert_true(*check_reason__advice(i, NULL, text, sizeof(text)));
	}
	for (enum check_end i = 0; i < CHECK_ENDS; i++) {
		assert_true(check_end__slug(i) && check_end__text(i));
		assert_true(*check_end__advice(i, NULL, text, sizeof(text)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
