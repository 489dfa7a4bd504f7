// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parts of dumps that real runtimes wrote: what is read of each is what another parser says
 * stands there (testdata/jitdumps/README).
 */
#include <inttypes.h>
#include <zlib.h>

#include "jitdump/testing.h"

static uint32_t checksum(struct bytes bytes)
{
	return (uint32_t)crc32(0, bytes.data, (uInt)bytes.size);
}

static void print_code(FILE *out, const struct code_record *code)
{
	fprintf(out, "%" PRIu64 " %" PRIx64 "+%" PRIu64 " #%" PRIu64 " %u/%u code %08x %s\n",
		code->time, code->addr, code->size, code->index, code->pid, code->tid,
		checksum(code->code), code->name);
	if (code->unwind)
		fprintf(out, "\tcfi %zu %08x, hdr %zu %08x, mapped %" PRIu64 "\n",
			code->unwind->eh_frame.size, checksum(code->unwind->eh_frame),
			code->unwind->eh_frame_hdr.size, checksum(code->unwind->eh_frame_hdr),
			code->unwind->mapped_size);
	for (size_t i = 0; code->lines && i < code->lines->nr_rows; i++) {
		const struct code_line *row = &code->lines->rows[i];

		fprintf(out, "\t+%" PRIx64 " %u:%u %s\n", row->addr - code->addr, row->line,
			row->column, code->lines->files[row->file]);
	}
}

static char *print_reading(const struct reading *reading)
{
	const struct jitdump_header *header = jitdump__header(reading->dump);
	const struct jitdump_stats *stats = jitdump__stats(reading->dump);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "machine %u pid %u\n", header->elf_mach, header->pid);
	fprintf(out, "LOAD %" PRIu64 " MOVE %" PRIu64 " DEBUG_INFO %" PRIu64 " CLOSE %" PRIu64,
		stats->loads, stats->moves, stats->debug_infos, stats->closes);
	fprintf(out, " UNWINDING_INFO %" PRIu64 "\n", stats->unwinding_infos);
	array__for_each(event, &reading->events)
		if (event->kind == JITDUMP_LOAD)
			print_code(out, event->code);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *slurp(const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(in);
	assert_true(getdelim(&text, &size, '\0', in) > 0);
	fclose(in);
	return text;
}

/* Line by line, so that a failure shows which one it is. */
static void compare(char *found, char *expected)
{
	char *next_found, *next_expected;
	char *line = strtok_r(found, "\n", &next_found);
	char *wanted = strtok_r(expected, "\n", &next_expected);

	while (line && wanted) {
		assert_string_equal(line, wanted);
		line = strtok_r(NULL, "\n", &next_found);
		wanted = strtok_r(NULL, "\n", &next_expected);
	}
	assert_string_equal(line ? line : "the end", wanted ? wanted : "the end");
}

/* Kinds of what is said about a dump, each once, by first mention. */
static void expect_said(const struct reading *reading, const char *kinds)
{
	char text[256] = "";

	array__for_each(said, &reading->said) {
		size_t length = strlen(text);

		if (!strstr(text, said->kind))
			snprintf(text + length, sizeof(text) - length, "%s%s", length ? " " : "",
				 said->kind);
	}
	assert_string_equal(text, kinds);
}

static const struct real {
	const char *name, *said;
	uint64_t skipped, truncated; /* bytes */
} reals[] = {
	{ "cpython313", "", 0, 0 },
	{ "cpython313-fork", "jitdump.record-past-end jitdump.resync", 68, 0 },
	{ "cpython313-killed", "jitdump.truncated-record", 0, 61 },
	{ "cpython314", "", 0, 0 },
	{ "node20", "jitdump.file-name jitdump.biased-lines", 0, 0 },
	{ "node20-unwind", "jitdump.file-name jitdump.biased-lines", 0, 0 },
	{ "node20-churn", "jitdump.biased-lines", 0, 0 },
	{ "node20-killed",
	  "jitdump.truncated-prefix jitdump.file-name "
	  "jitdump.biased-lines",
	  0, 3 },
	{ "node24", "jitdump.file-name jitdump.biased-lines", 0, 0 },
	{ "node22", "jitdump.file-name jitdump.biased-lines", 0, 0 },
	{ "perf73-workload", "", 0, 0 },
	{ "deno", "jitdump.biased-lines", 0, 0 },
	{ "bun", "", 0, 0 },
	{ "java17", "", 0, 0 },
	{ "php82", "", 0, 0 },
	{ "erlang25", "", 0, 0 },
	{ "llvm14-mcjit", "jitdump.biased-lines", 0, 0 },
	{ "llvm19-mcjit", "jitdump.biased-lines", 0, 0 },
	{ "postgresql15", "", 0, 0 },
	{ "qemu10", "", 0, 0 },
};

static void reads_what_another_parser_reads(void **state)
{
	const struct real *real = *state;
	struct reading reading;
	char path[128], *found, *expected;

	snprintf(path, sizeof(path), "testdata/jitdumps/%s.dump.gz", real->name);
	assert_true(jitdump__is_jitdump(path));
	read_path(&reading, path);
	assert_int_equal(reading.err, 0);
	snprintf(path, sizeof(path), "testdata/jitdumps/%s.txt", real->name);
	expected = slurp(path);
	found = print_reading(&reading);
	compare(found, expected);
	expect_said(&reading, real->said);
	assert_int_equal(jitdump__stats(reading.dump)->skipped_bytes, real->skipped);
	assert_int_equal(jitdump__stats(reading.dump)->truncated_bytes, real->truncated);
	assert_int_equal(jitdump__stats(reading.dump)->unusable, 0);
	free(found);
	free(expected);
	end_reading(&reading);
}

int main(void)
{
	struct CMUnitTest tests[sizeof(reals) / sizeof(reals[0])];

	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		tests[i] = (struct CMUnitTest){
			.name = reals[i].name,
			.test_func = reads_what_another_parser_reads,
			.initial_state = (void *)(uintptr_t)&reals[i],
		};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
