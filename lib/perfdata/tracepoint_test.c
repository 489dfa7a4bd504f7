// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoints of a recording against what perf prints of each sample
 * (testdata/recordings/node20-tracepoints/recipe), and tracing data that no kernel writes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/file.h"
#include "perfdata/event.h"
#include "perfdata/tracepoint.h"

#define FOLDER "testdata/recordings/node20-tracepoints/"

struct lines {
	ARRAY(char *) list;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_lines(struct lines *lines, const char *path, struct diag *diag)
{
	struct file_map map;
	struct cursor cur;

	assert_int_equal(file_map__open(&map, path, false, diag), 0);
	cur = cursor__at(map.bytes, ORDER_HOST);
	while (cursor__left(&cur)) {
		const uint8_t *end = memchr(cur.pos, '\n', cursor__left(&cur));
		size_t length = (size_t)(end - cur.pos);

		assert_non_null(end);
		assert_true(array__push(&lines->list, strndup((const char *)cur.pos, length)));
		cursor__take(&cur, length + 1);
	}
	file_map__close(&map);
}

static void free_lines(struct lines *lines)
{
	array__for_each(line, &lines->list)
		free(*line);
	array__free(&lines->list);
}

/* The fields named, by libtraceevent's format, in the words that the kernel's print fmt has. */
static char *print_sample(const struct perfdata *perfdata, const struct tracepoint *tracepoint,
			  const struct perfdata_sample *sample)
{
	static const char *const of_switch[] = { "prev_comm", "prev_pid", "prev_prio",
						 "next_comm", "next_pid", "next_prio" };
	static const char *const of_write[] = { "fd", "buf", "count" };
	bool is_write = strcmp(tracepoint->name, "sys_enter_write") == 0;
	char line[400], value[64];
	int used = snprintf(line, sizeof(line), "%s:%s:", tracepoint->system, tracepoint->name);
	uint64_t number;

	for (size_t i = 0; i < (is_write ? 3 : 6); i++) {
		const char *name = is_write ? of_write[i] : of_switch[i];
		const struct tracepoint_field *field = tracepoint__field(tracepoint, name);

		assert_non_null(field);
		tracepoint_field__print(field, sample->raw, perfdata__order(perfdata), value,
					sizeof(value));
		if (is_write) {
			assert_true(tracepoint_field__number(field, sample->raw,
							     perfdata__order(perfdata), &number));
			snprintf(value, sizeof(value), "0x%08" PRIx64, number);
		}
		used += snprintf(line + used, sizeof(line) - (size_t)used,
				 is_write ? "%s %s: %s" : "%s %s=%s", is_write && i ? "," : "",
				 name, value);
	}
	return strdup(line);
}

static void print_samples(struct lines *lines, struct perfdata *perfdata,
			  const struct tracepoints *tracepoints)
{
	struct perfdata_walk walk;
	struct perfdata_record record;
	struct perfdata_sample sample;

	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		const struct tracepoint *tracepoint;
		uint64_t type;

		if (!perfdata__parse_sample(perfdata, &record, &sample))
			continue;
		tracepoint = tracepoints__of(tracepoints, &sample.attr->attr);
		if (!tracepoint)
			continue;
		assert_true(tracepoint_field__number(tracepoint__field(tracepoint, "common_type"),
						     sample.raw, perfdata__order(perfdata), &type));
		assert_int_equal(type, tracepoint->id);
		assert_true(array__push(&lines->list, print_sample(perfdata, tracepoint, &sample)));
	}
	perfdata_walk__end(&walk);
}

static void sort(struct lines *lines)
{
	qsort(lines->list.items, lines->list.count, sizeof(char *), compare_lines);
}

static void check_recording(const char *file, const char *expected, size_t count)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct lines want = { 0 }, have = { 0 };
	struct tracepoints *tracepoints;
	struct perfdata *perfdata;
	char name[64];

	read_lines(&want, expected, diag);
	assert_int_equal(want.list.count, count);
	assert_int_equal(perfdata__open(&perfdata, file, diag), 0);
	assert_int_equal(tracepoints__read(&tracepoints, perfdata, diag), 0);
	assert_int_equal(tracepoints__count(tracepoints), 2);
	assert_string_equal(tracepoints__event_name(tracepoints, perfdata, 0, name, sizeof(name)),
			    "sched:sched_switch");
	assert_string_equal(tracepoints__event_name(tracepoints, perfdata, 1, name, sizeof(name)),
			    "syscalls:sys_enter_write");
	print_samples(&have, perfdata, tracepoints);
	sort(&want);
	sort(&have);
	assert_int_equal(have.list.count, want.list.count);
	for (size_t i = 0; i < want.list.count; i++)
		assert_string_equal(have.list.items[i], want.list.items[i]);
	assert_int_equal(diag__count(diag, DIAG_WARNING), 0);
	free_lines(&want);
	free_lines(&have);
	tracepoints__free(tracepoints);
	perfdata__close(perfdata);
	diag__free(diag);
}

static void test_recording(void **state)
{
	(void)state;
	check_recording(FOLDER "perf.data.gz", FOLDER "perf.fields", 100);
}

static void test_pipe(void **state)
{
	(void)state;
	check_recording(FOLDER "pipe.data.gz", FOLDER "pipe.fields", 8);
}

static void test_none(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = 1 };
	struct diag *diag = diag__new(NULL, NULL);
	struct tracepoints *tracepoints;
	struct perfdata *perfdata;
	char name[64];

	(void)state;
	assert_int_equal(perfdata__open(&perfdata, "testdata/recordings/6.1-fp.data", diag), 0);
	assert_int_equal(tracepoints__read(&tracepoints, perfdata, diag), 0);
	assert_null(tracepoints);
	assert_int_equal(tracepoints__count(NULL), 0);
	assert_null(tracepoints__of(NULL, &attr));
	assert_null(tracepoint__field(NULL, "x"));
	assert_string_equal(tracepoints__event_name(NULL, perfdata, 0, name, sizeof(name)),
			    perfdata__attr(perfdata, 0)->name);
	tracepoints__free(NULL);
	perfdata__close(perfdata);
	diag__free(diag);
}

static void put_file(struct buf *buf, const char *text)
{
	buf__put_u64(buf, strlen(text));
	buf__put(buf, text, strlen(text));
}

static void put_data(struct buf *buf, const char *const *formats, uint32_t count)
{
	buf__put(buf, "\x17\x08\x44tracing", 10);
	buf__put_string(buf, "0.6");
	buf__put_u8(buf, buf->order == ORDER_BIG);
	buf__put_u8(buf, 8);
	buf__put_u32(buf, 4096);
	buf__put_string(buf, "header_page");
	put_file(buf, "");
	buf__put_string(buf, "header_event");
	put_file(buf, "");
	buf__put_u32(buf, 0);
	buf__put_u32(buf, 1);
	buf__put_string(buf, "made");
	buf__put_u32(buf, count);
	for (uint32_t i = 0; i < count; i++)
		put_file(buf, formats[i]);
}

static struct tracepoints *parse(const char *const *formats, uint32_t count, uint64_t warnings,
				 enum byte_order order)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct tracepoints *tracepoints;
	struct buf buf = BUF(order);

	put_data(&buf, formats, count);
	assert_int_equal(tracepoints__parse(&tracepoints, buf__bytes(&buf), "made", 0, diag), 0);
	assert_int_equal(diag__count(diag, DIAG_WARNING), warnings);
	buf__free(&buf);
	diag__free(diag);
	return tracepoints;
}

#define FORMAT(id, fields) "name: event\nID: " id "\nformat:\n" fields "\n\nprint fmt: \"\"\n"

static const char kinds[] =
	FORMAT("7", "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\n"
		    "\tfield:s8 small;\toffset:2;\tsize:1;\tsigned:1;\n"
		    "\tfield:int four;\toffset:4;\tsize:4;\tsigned:1;\n"
		    "\tfield:const char * pointer;\toffset:8;\tsize:8;\tsigned:0;\n"
		    "\tfield:char text[8];\toffset:16;\tsize:8;\tsigned:0;\n"
		    "\tfield:u16 list[2];\toffset:24;\tsize:4;\tsigned:0;\n"
		    "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
		    "\tfield:__rel_loc char[] other;\toffset:32;\tsize:4;\tsigned:0;\n"
		    "\tfield:long far;\toffset:4000000000;\tsize:8;\tsigned:1;\n"
		    "\tfield:long edge;\toffset:44;\tsize:8;\tsigned:1;\n");

static void put_raw(struct buf *raw)
{
	buf__put_u16(raw, 7);
	buf__put_u8(raw, 0xfd);
	buf__put_u8(raw, 0);
	buf__put_u32(raw, (uint32_t)-5);
	buf__put_u64(raw, 0xffff888000000010);
	buf__put(raw, "a\x1b[1mbcd", 8); /* no NUL behind it */
	buf__put_u16(raw, 3);
	buf__put_u16(raw, 65535);
	buf__put_u32(raw, 4 << 16 | 36);
	buf__put_u32(raw, 6 << 16 | 4);
	buf__put(raw, "abc", 4);
	buf__put(raw, "other\0\0", 8);
}

static void check_value(const struct tracepoint *tracepoint, const struct buf *raw,
			const char *name, const char *expected)
{
	const struct tracepoint_field *field = tracepoint__field(tracepoint, name);
	char value[64];

	assert_non_null(field);
	assert_string_equal(
		tracepoint_field__print(field, buf__bytes(raw), raw->order, value, sizeof(value)),
		expected);
}

/* Offset 4000000000 has a digit too many to be one. */
static void check_kinds(enum byte_order order)
{
	const char *const formats[] = { kinds };
	struct tracepoints *tracepoints = parse(formats, 1, 1, order);
	const struct tracepoint *tracepoint = tracepoints__at(tracepoints, 0);
	struct buf raw = BUF(order);

	put_raw(&raw);
	assert_int_equal(tracepoint->id, 7);
	assert_int_equal(tracepoint->nr_fields, 9);
	assert_true(tracepoint->fields[0].common);
	assert_false(tracepoint->fields[1].common);
	check_value(tracepoint, &raw, "common_type", "7");
	check_value(tracepoint, &raw, "small", "-3");
	check_value(tracepoint, &raw, "four", "-5");
	check_value(tracepoint, &raw, "pointer", "0xffff888000000010");
	check_value(tracepoint, &raw, "text", "a\\x1b[1mbcd");
	check_value(tracepoint, &raw, "list", "[3, 65535]");
	check_value(tracepoint, &raw, "name", "abc");
	check_value(tracepoint, &raw, "other", "other");
	check_value(tracepoint, &raw, "edge", "?");
	assert_null(tracepoint__field(tracepoint, "far"));
	raw.size = 40; /* the strings' places are there, the strings no longer */
	check_value(tracepoint, &raw, "name", "abc");
	check_value(tracepoint, &raw, "other", "?");
	raw.size = 0;
	for (size_t i = 0; i < tracepoint->nr_fields; i++)
		check_value(tracepoint, &raw, tracepoint->fields[i].name, "?");
	buf__free(&raw);
	tracepoints__free(tracepoints);
}

static void test_kinds(void **state)
{
	(void)state;
	check_kinds(ORDER_LITTLE);
	check_kinds(ORDER_BIG);
}

/* What libtraceevent itself reads from no address for, or never ends over. */
static void test_damaged_formats(void **state)
{
	static const char *const formats[] = {
		"",
		"name: event",
		"name: event\nID: 1",
		"name: \nID: 1\nformat:\n",
		"name: event\nID: -1\nformat:\n",
		"name: event\nID: 99999999999\nformat:\n",
		FORMAT("1", "\tfield:int x[;\toffset:0;\tsize:4;\tsigned:1;\n"),
		"name: event\nID: 2\nformat:\n\tfield:int x[",
		"name: event\nID: 3\nformat:\n\tfield:__attribute__((",
		FORMAT("4", "\tfield:\"int\" x;\toffset:0;\tsize:4;\tsigned:1;\n"),
		FORMAT("5", "\tfield:int;\toffset:0;\tsize:4;\tsigned:1;\n"),
		"name: event\nID: 5\nformat:\n\npri",
		FORMAT("6", "\tfield:int x;\toffset:zero;\tsize:4;\tsigned:1;\n"),
	};
	struct tracepoints *tracepoints = parse(formats, 13, 13, ORDER_LITTLE);

	(void)state;
	assert_int_equal(tracepoints__count(tracepoints), 7);
	for (size_t i = 0; i < tracepoints__count(tracepoints); i++)
		assert_int_equal(tracepoints__at(tracepoints, i)->nr_fields, 0);
	tracepoints__free(tracepoints);
}

/* Cut at every byte: used as far as it goes, and said to be cut. */
static void test_cut(void **state)
{
	const char *const formats[] = { kinds, FORMAT("9", "") };
	struct diag *diag = diag__new(NULL, NULL);
	struct tracepoints *tracepoints;
	struct buf buf = BUF(ORDER_LITTLE);
	size_t seen = 0;

	(void)state;
	put_data(&buf, formats, 2);
	for (size_t size = 1; size < buf.size; size++) {
		uint64_t before = diag__count(diag, DIAG_WARNING);
		uint8_t *copy = malloc(size);

		memcpy(copy, buf.data, size);
		assert_int_equal(tracepoints__parse(&tracepoints, (struct bytes){ copy, size },
						    "made", 0, diag),
				 0);
		assert_true(diag__count(diag, DIAG_WARNING) > before);
		assert_true(tracepoints__count(tracepoints) <= 1);
		seen += tracepoints__count(tracepoints);
		tracepoints__free(tracepoints);
		free(copy);
	}
	assert_true(seen >= 50);
	buf__free(&buf);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_damaged_formats),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
