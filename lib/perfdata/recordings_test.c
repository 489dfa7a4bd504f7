// SPDX-License-Identifier: GPL-2.0-or-later
/* What is read from recordings against what perf prints of them (testdata/recordings/expect.sh). */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/diag.h"
#include "base/file.h"
#include "perfdata/event.h"

#define FOLDER "testdata/recordings/"

struct lines {
	ARRAY(char *) list;
};

static void add_line(struct lines *lines, char *line)
{
	assert_true(array__push(&lines->list, line));
}

static void free_lines(struct lines *lines)
{
	array__for_each(line, &lines->list)
		free(*line);
	array__free(&lines->list);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A recording brought into the other byte order (-be) holds what the original does. */
static void read_expected(const char *name, struct lines *lines, struct diag *diag)
{
	const char *suffix = strstr(name, "-be");
	int length = suffix ? (int)(suffix - name) : (int)strlen(name);
	char path[256];
	struct file_map map;
	const char *at, *end;

	snprintf(path, sizeof(path), FOLDER "%.*s.expect", length, name);
	assert_int_equal(file_map__open(&map, path, false, diag), 0);
	at = (const char *)map.bytes.data;
	end = at + map.bytes.size;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		assert_non_null(newline);
		add_line(lines, strndup(at, (size_t)(newline - at)));
		at = newline + 1;
	}
	file_map__close(&map);
}

/* perf prints 0 without 0x, as %#lx does. */
static void print_mmap(FILE *out, const struct perfdata_record *record,
		       const struct perfdata_mmap *mmap)
{
	fprintf(out, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (int)mmap->pid,
		(int)mmap->tid, mmap->start, mmap->size, mmap->pgoff);
	if (record->type == PERFDATA_MMAP) {
		fprintf(out, "]: %c %s", record->misc & PERFDATA_MISC_MMAP_DATA ? 'r' : 'x',
			mmap->name);
		return;
	}
	if (mmap->has_build_id) {
		fputs(" <", out);
		for (unsigned int i = 0; i < mmap->build_id_size; i++)
			fprintf(out, "%02x", mmap->build_id[i]);
		fputs(">", out);
	} else {
		fprintf(out, " %02x:%02x %" PRIu64 " %" PRIu64, mmap->maj, mmap->min, mmap->ino,
			mmap->ino_generation);
	}
	/* PROT_READ, PROT_WRITE, PROT_EXEC; MAP_SHARED */
	fprintf(out, "]: %c%c%c%c %s", mmap->prot & 1 ? 'r' : '-', mmap->prot & 2 ? 'w' : '-',
		mmap->prot & 4 ? 'x' : '-', mmap->flags & 1 ? 's' : 'p', mmap->name);
}

static void print_sample(FILE *out, const struct perfdata_sample *sample)
{
	uint64_t fields = sample->attr->attr.sample_type;

	fprintf(out, "(IP, %#x): %d/%d: %#" PRIx64 " period: %" PRIu64 " addr: %#" PRIx64,
		sample->misc, (int)sample->pid, (int)sample->tid, sample->ip, sample->period,
		sample->addr);
	if (fields & PERF_SAMPLE_CALLCHAIN)
		fprintf(out, " chain: %zu", sample->callchain.size / 8);
	if (fields & PERF_SAMPLE_BRANCH_STACK)
		fprintf(out, " branches: %zu", sample->branches.size / 24);
	if (fields & PERF_SAMPLE_STACK_USER)
		fprintf(out, " stack: %zu", sample->user_stack.size);
}

/* False for a type whose contents are not compared. */
static bool print_contents(FILE *out, const struct perfdata *perfdata,
			   const struct perfdata_record *record)
{
	struct perfdata_mmap mmap;
	struct perfdata_task task;
	struct perfdata_comm comm;
	struct perfdata_sample sample;

	switch (record->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		assert_true(perfdata__parse_mmap(perfdata, record, &mmap));
		print_mmap(out, record, &mmap);
		return true;
	case PERFDATA_FORK:
	case PERFDATA_EXIT:
		assert_true(perfdata__parse_task(perfdata, record, &task));
		fprintf(out, "(%u:%u):(%u:%u)", task.pid, task.tid, task.ppid, task.ptid);
		return true;
	case PERFDATA_COMM:
		assert_true(perfdata__parse_comm(perfdata, record, &comm));
		fprintf(out, "%s: %s:%u/%u", comm.exec ? " exec" : "", comm.comm, comm.pid,
			comm.tid);
		return true;
	case PERFDATA_SAMPLE:
		assert_true(perfdata__parse_sample(perfdata, record, &sample));
		print_sample(out, &sample);
		return true;
	default:
		return false;
	}
}

/* perf gives two types of records shorter names. */
static const char *printed_name(uint32_t type)
{
	if (type == PERFDATA_HEADER_FEATURE)
		return "FEATURE";
	return perfdata__type_name(type);
}

static char *describe(const struct perfdata *perfdata, const struct perfdata_record *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t time = 0;

	assert_non_null(out);
	perfdata__record_time(perfdata, record, &time);
	fprintf(out, "%" PRIu64 " [%#x]: PERF_RECORD_%s", time, record->size,
		printed_name(record->type));
	print_contents(out, perfdata, record);
	fclose(out);
	assert_non_null(text);
	return text;
}

/* Types that perf -D has no line for. */
static bool is_silent(uint32_t type)
{
	return type == PERFDATA_HEADER_ATTR || type == PERFDATA_HEADER_TRACING_DATA ||
	       type == PERFDATA_HEADER_BUILD_ID;
}

static void read_recording(const char *name, struct lines *lines, struct diag *diag)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	struct perfdata *perfdata;
	char path[256];
	int ret;

	snprintf(path, sizeof(path), FOLDER "%s.data", name);
	assert_int_equal(perfdata__open(&perfdata, path, diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	while ((ret = perfdata_walk__next(&walk, &record)) > 0)
		if (!is_silent(record.type))
			add_line(lines, describe(perfdata, &record));
	assert_int_equal(ret, 0);
	perfdata_walk__end(&walk);
	perfdata__close(perfdata);
}

static void matches_perf(void **state)
{
	const char *name = *state;
	struct diag *diag = diag__new(NULL, NULL);
	struct lines expected = { 0 }, read = { 0 };

	read_expected(name, &expected, diag);
	read_recording(name, &read, diag);
	assert_true(expected.list.count > 50);
	qsort(read.list.items, read.list.count, sizeof(char *), compare_lines);
	for (size_t i = 0; i < expected.list.count && i < read.list.count; i++)
		assert_string_equal(read.list.items[i], expected.list.items[i]);
	assert_int_equal(read.list.count, expected.list.count);
	for (unsigned int level = 0; level < DIAG_LEVELS; level++)
		assert_int_equal(diag__count(diag, level), 0);
	free_lines(&expected);
	free_lines(&read);
	diag__free(diag);
}

#define RECORDING(name_)                                                            \
	{                                                                           \
		.name = name_, .test_func = matches_perf, .initial_state = (char[]) \
		{                                                                   \
			name_                                                       \
		}                                                                   \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDING("5.10-fp"),          RECORDING("6.1-fp"),
		RECORDING("7.3-fp"),           RECORDING("6.1-dwarf"),
		RECORDING("7.3-dwarf"),        RECORDING("6.1-two"),
		RECORDING("7.3-two"),          RECORDING("7.3-mixed"),
		RECORDING("6.1-zstd"),         RECORDING("7.3-zstd"),
		RECORDING("5.10-pipe"),        RECORDING("6.1-pipe"),
		RECORDING("7.3-pipe"),         RECORDING("6.1-zstd-pipe"),
		RECORDING("7.3-zstd-pipe"),    RECORDING("7.3-threads"),
		RECORDING("7.3-threads-zstd"), RECORDING("6.1-fp-be"),
		RECORDING("7.3-mixed-be"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
