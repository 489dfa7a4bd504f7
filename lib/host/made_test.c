// SPDX-License-Identifier: GPL-2.0-or-later
/* The made-up files are what they are said to be: to the library's own readers, and to readelf. */
#include <errno.h>

#include "host/made.h"
#include "host/testing.h"
#include "jitdump/jitdump.h"
#include "perfdata/event.h"
#include "perfdata/perfdata.h"

#define BASE UINT64_C(0x7f0000100000)
#define PID  1001

static char *path_of(struct testing *testing, const char *name)
{
	char *path = scratch__path(&testing->probing.scratch, name);

	assert_non_null(path);
	return path;
}

/* One mapping and one sample with a stack, in a container; how many samples are read. */
static void expect_samples(struct testing *testing, enum made_container container,
			   enum made_samples samples)
{
	struct made_stack stack = { .ip = BASE + 0x10, .words = { 1, 2, 3 } };
	struct perfdata_record record;
	struct made_profile profile;
	struct perfdata *perfdata;
	struct perfdata_walk walk;
	char *path = path_of(testing, "made.data");
	unsigned int seen = 0;
	uint64_t time;

	made_profile__begin(&profile, samples);
	made_profile__comm(&profile, PID);
	made_profile__map(&profile, PID, BASE, 0x1000, 0, "//anon");
	time = made_profile__sample(&profile, PID, &stack);
	assert_int_equal(made_profile__write(&profile, container, path, testing->probing.diag), 0);
	made_profile__free(&profile);
	assert_int_equal(perfdata__open(&perfdata, path, testing->probing.diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		struct perfdata_sample sample;

		if (record.type != PERFDATA_SAMPLE)
			continue;
		assert_true(perfdata__parse_sample(perfdata, &record, &sample));
		assert_int_equal(sample.time, time);
		assert_int_equal(sample.pid, PID);
		assert_int_equal(sample.ip, BASE + 0x10);
		assert_int_equal(sample.user_stack.size, samples == MADE_STACKS ? 128 : 0);
		seen++;
	}
	perfdata_walk__end(&walk);
	assert_int_equal(seen, 1);
	perfdata__close(perfdata);
	free(path);
}

static void test_profiles(void **state)
{
	expect_samples(*state, MADE_FILE, MADE_FLAT);
	expect_samples(*state, MADE_FILE, MADE_STACKS);
	expect_samples(*state, MADE_PIPE, MADE_FLAT);
	expect_samples(*state, MADE_COMPRESSED, MADE_FLAT);
	expect_samples(*state, MADE_COMPRESSED2, MADE_FLAT);
}

/* Lines that a command prints and grep finds. */
static int count_lines(const char *command)
{
	FILE *pipe = popen(command, "r");
	int count = -1;

	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%d", &count), 1);
	pclose(pipe);
	return count;
}

static void expect_lines(const char *options, const char *path, const char *pattern, int count)
{
	char command[512];

	snprintf(command, sizeof(command), "readelf -W %s %s 2>&1 | grep -c '%s'", options, path,
		 pattern);
	if (count_lines(command) != count)
		print_error("%s\n", command);
	assert_int_equal(count_lines(command), count);
}

static void expect_code(struct testing *testing, enum made_form form, const char *type, int fdes)
{
	struct made_code code = { .form = form, .base = BASE, .prefix = "jit" };
	char *path = path_of(testing, "made.so"), symbol[64];

	if (form == MADE_EXEC)
		code.base = 0x400000;
	assert_int_equal(made_code__write(&code, path, testing->probing.diag), 0);
	expect_lines("-h", path, type, 1);
	expect_lines("-a", path, "Warning\\|Error\\|corrupt", 0);
	expect_lines("--debug-dump=frames", path, "FDE cie", fdes);
	snprintf(symbol, sizeof(symbol), "%016llx *64 FUNC .* jit_middle$",
		 (unsigned long long)(form == MADE_EXEC ? code.functions[1]
							: code.functions[1] - code.base));
	expect_lines("-s", path, symbol, 1);
	free(path);
}

static void test_code(void **state)
{
	expect_code(*state, MADE_REGION, "DYN", 3);
	expect_code(*state, MADE_BARE, "DYN", 0);
	expect_code(*state, MADE_INJECTED, "DYN", 3);
	expect_code(*state, MADE_EXEC, "EXEC", 3);
}

static void test_identity(void **state)
{
	struct testing *testing = *state;
	struct made_code a = { .form = MADE_REGION, .base = BASE, .prefix = "a" }, b = a;
	char *path = path_of(testing, "made.so");

	b.identity = 1;
	assert_int_equal(made_code__write(&a, path, testing->probing.diag), 0);
	assert_int_equal(made_code__write(&b, path, testing->probing.diag), 0);
	assert_memory_not_equal(a.build_id, b.build_id, DSO_BUILD_ID_SIZE);
	free(path);
}

static int take_event(void *context, const struct jitdump_event *event)
{
	unsigned int *loads = context;

	assert_int_equal(event->kind, JITDUMP_LOAD);
	assert_string_equal(event->code->name, "alpha");
	assert_int_equal(event->code->addr, BASE);
	assert_int_equal(event->code->code.size, MADE_DUMP_CODE_SIZE);
	assert_int_equal(event->time, 99);
	(*loads)++;
	return 0;
}

static void test_dump(void **state)
{
	struct testing *testing = *state;
	const struct made_dump made = { .pid = 7, .time = 99, .addr = BASE, .name = "alpha" };
	char *path = path_of(testing, "jit-7.dump");
	struct jitdump *dump;
	unsigned int loads = 0;

	assert_int_equal(made_dump__write(&made, path, testing->probing.diag), 0);
	assert_int_equal(jitdump__open(&dump, path, testing->probing.diag), 0);
	assert_int_equal(jitdump__header(dump)->pid, 7);
	assert_int_equal(jitdump__for_each_event(dump, take_event, &loads), 0);
	assert_int_equal(loads, 1);
	jitdump__close(dump);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_profiles, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_code, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_identity, testing__setup, testing__teardown),
		cmocka_unit_test_setup_teardown(test_dump, testing__setup, testing__teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
