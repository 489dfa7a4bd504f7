// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings changed at one place each: what is said, and what can be read all the same. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"

#define FOLDER "testdata/recordings/"
/* perf report --stats of 6.1-fp */
#define NR_SAMPLES 44
/* struct perf_file_header */
#define AT_ATTRS       24
#define AT_DATA_OFFSET 40
#define AT_FEATURES    72
/* struct perf_event_attr */
#define AT_ATTR_SIZE 4

struct fixture {
	struct diag *diag;
	char kind[64], text[256]; /* of the last report */
	uint64_t offset;
	char path[64];
	uint8_t *bytes; /* of a recording, to be changed */
	size_t size;
	enum byte_order order;
};

static void remember(void *context, const struct diag_message *message)
{
	struct fixture *fixture = context;

	snprintf(fixture->kind, sizeof(fixture->kind), "%s", message->kind);
	snprintf(fixture->text, sizeof(fixture->text), "%s", message->text);
	fixture->offset = message->offset;
	assert_string_equal(message->file, fixture->path);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fixture->diag = diag__new(remember, fixture);
	strcpy(fixture->path, "/tmp/perfdata-damaged-XXXXXX");
	close(mkstemp(fixture->path));
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->path);
	free(fixture->bytes);
	diag__free(fixture->diag);
	free(fixture);
	return 0;
}

static void take(struct fixture *fixture, const char *name)
{
	char path[128];
	struct file_map map;

	snprintf(path, sizeof(path), FOLDER "%s.data", name);
	assert_int_equal(file_map__open(&map, path, false, fixture->diag), 0);
	free(fixture->bytes);
	fixture->bytes = malloc(map.bytes.size);
	assert_non_null(fixture->bytes);
	memcpy(fixture->bytes, map.bytes.data, map.bytes.size);
	fixture->size = map.bytes.size;
	fixture->order = fixture->bytes[0] == 'P' ? ORDER_LITTLE : ORDER_BIG;
	file_map__close(&map);
}

static uint64_t number_at(const struct fixture *fixture, size_t at)
{
	return get_u64(fixture->bytes + at, fixture->order);
}

static void change(struct fixture *fixture, size_t at, uint64_t value)
{
	set_u64(fixture->bytes + at, value, fixture->order);
}

static void write_to(struct fixture *fixture, const char *path)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(fixture->bytes, 1, fixture->size, file), fixture->size);
	assert_int_equal(fclose(file), 0);
}

static void refuses(struct fixture *fixture, const char *kind, const char *text, uint64_t offset)
{
	struct perfdata *perfdata;

	write_to(fixture, fixture->path);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), -EINVAL);
	assert_null(perfdata);
	assert_string_equal(fixture->kind, kind);
	assert_string_equal(fixture->text, text);
	assert_int_equal(fixture->offset, offset);
}

static struct perfdata *opens(struct fixture *fixture, size_t nr_samples)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	struct perfdata *perfdata;
	size_t count = 0;

	write_to(fixture, fixture->path);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0)
		count += record.type == PERFDATA_SAMPLE;
	perfdata_walk__end(&walk);
	assert_int_equal(count, nr_samples);
	return perfdata;
}

static void sections_that_cannot_be(void **state)
{
	struct fixture *fixture = *state;

	take(fixture, "6.1-fp");
	change(fixture, AT_ATTRS + 8, 0);
	refuses(fixture, "perfdata.bad-header", "the header's event section cannot be", 16);
	take(fixture, "6.1-fp");
	change(fixture, AT_DATA_OFFSET, 10);
	refuses(fixture, "perfdata.bad-header", "the records would begin outside the file", 40);
	take(fixture, "6.1-fp");
	change(fixture, AT_DATA_OFFSET, fixture->size + 1);
	refuses(fixture, "perfdata.bad-header", "the records would begin outside the file", 40);
}

static void events_that_cannot_be(void **state)
{
	struct fixture *fixture = *state;
	uint64_t attr;

	take(fixture, "6.1-fp");
	attr = number_at(fixture, AT_ATTRS);
	set_u32(fixture->bytes + attr + AT_ATTR_SIZE, 8, fixture->order);
	refuses(fixture, "perfdata.bad-attr", "an event's size cannot be", attr);
	/* the first record behind the header of 16 bytes; size of record, then type of event */
	take(fixture, "6.1-pipe");
	assert_int_equal(get_u32(fixture->bytes + 16, fixture->order), PERFDATA_HEADER_ATTR);
	set_u32(fixture->bytes + 24 + AT_ATTR_SIZE, 8, fixture->order);
	refuses(fixture, "perfdata.bad-attr", "an event's size cannot be", 16);
}

static void a_pipe_without_events(void **state)
{
	struct fixture *fixture = *state;

	take(fixture, "6.1-pipe");
	fixture->size = 16;
	refuses(fixture, "perfdata.bad-attr", "the file describes no event", DIAG_NO_OFFSET);
}

static void ids_outside_of_the_file(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;
	uint64_t attr;

	take(fixture, "6.1-fp");
	attr = number_at(fixture, AT_ATTRS);
	change(fixture, attr + 128, fixture->size);
	perfdata = opens(fixture, NR_SAMPLES);
	assert_string_equal(fixture->kind, "perfdata.bad-ids");
	assert_int_equal(fixture->offset, attr);
	assert_int_equal(perfdata__attr(perfdata, 0)->nr_ids, 0);
	perfdata__close(perfdata);
}

/* Each of fifty events says that all of the file is its ids: only one can be right. */
static void ids_over_each_other(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t size = 128 + 16, count = 50;
	struct perfdata *perfdata;
	uint64_t attr;

	take(fixture, "6.1-fp");
	attr = number_at(fixture, AT_ATTRS);
	fixture->bytes = realloc(fixture->bytes, fixture->size + count * size);
	assert_non_null(fixture->bytes);
	for (uint64_t i = 0; i < count; i++) {
		uint8_t *copy = fixture->bytes + fixture->size + i * size;

		memcpy(copy, fixture->bytes + attr, size);
		set_u64(copy + 128, 0, fixture->order);
		set_u64(copy + 136, fixture->size & ~UINT64_C(7), fixture->order);
	}
	change(fixture, AT_ATTRS, fixture->size);
	change(fixture, AT_ATTRS + 8, count * size);
	fixture->size += count * size;
	perfdata = opens(fixture, NR_SAMPLES);
	assert_string_equal(fixture->kind, "perfdata.bad-ids");
	assert_string_equal(fixture->text, "events' ids lie over each other");
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), count - 1);
	assert_int_equal(perfdata__nr_attrs(perfdata), count);
	assert_int_equal(perfdata__attr(perfdata, 0)->nr_ids, (fixture->size - count * size) / 8);
	assert_int_equal(perfdata__attr(perfdata, count - 1)->nr_ids, 0);
	perfdata__close(perfdata);
}

static void a_file_that_ends_in_its_table_of_features(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;
	uint64_t table;

	take(fixture, "6.1-fp");
	table = number_at(fixture, AT_DATA_OFFSET) + number_at(fixture, AT_DATA_OFFSET + 8);
	fixture->size = table + 8;
	perfdata = opens(fixture, NR_SAMPLES);
	assert_string_equal(fixture->kind, "perfdata.cut-features");
	assert_string_equal(fixture->text, "the table of header features is cut off");
	assert_int_equal(fixture->offset, table);
	assert_false(perfdata__has_feature(perfdata, PERFDATA_FEAT_HOSTNAME));
	perfdata__close(perfdata);
}

/* An event without ids is told by its place in the list of descriptions. */
static void names_an_event_without_ids(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;
	struct bytes described;
	char name[64];

	take(fixture, "6.1-fp");
	perfdata = opens(fixture, NR_SAMPLES);
	snprintf(name, sizeof(name), "%s", perfdata__attr(perfdata, 0)->name);
	assert_true(strlen(name) >= 6);
	described = perfdata__feature(perfdata, PERFDATA_FEAT_EVENT_DESC);
	/* number of events, size of attr, attr, number of ids */
	assert_int_equal(get_u32(described.data, fixture->order), 1);
	set_u32(fixture->bytes + (described.data - perfdata__bytes(perfdata).data) + 8 +
			get_u32(described.data + 4, fixture->order),
		0, fixture->order);
	perfdata__close(perfdata);
	perfdata = opens(fixture, NR_SAMPLES);
	assert_string_equal(perfdata__attr(perfdata, 0)->name, name);
	perfdata__close(perfdata);
}

/* Big-endian 32-bit machines: each 64 bits of the bitmap were written as two longs. */
static void features_of_short_longs(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;
	uint64_t bits;

	take(fixture, "6.1-fp-be");
	bits = number_at(fixture, AT_FEATURES);
	change(fixture, AT_FEATURES, bits << 32 | bits >> 32);
	perfdata = opens(fixture, NR_SAMPLES);
	for (unsigned int i = 0; i < 64; i++)
		assert_int_equal(perfdata__has_feature(perfdata, i), bits >> i & 1);
	assert_non_null(perfdata__feature_string(perfdata, PERFDATA_FEAT_HOSTNAME));
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 0);
	perfdata__close(perfdata);
}

/* And are written so again. */
static void edits_features_of_short_longs(void **state)
{
	static const uint8_t build_id[PERFDATA_BUILD_ID_SIZE] = { 1 };
	struct fixture *fixture = *state;
	struct perfdata_edits *edits;
	struct perfdata *perfdata;
	struct file_out out;
	uint64_t bits;

	take(fixture, "6.1-fp-be");
	bits = number_at(fixture, AT_FEATURES) & ~(UINT64_C(1) << PERFDATA_FEAT_BUILD_ID);
	change(fixture, AT_FEATURES, bits << 32 | bits >> 32);
	perfdata = opens(fixture, NR_SAMPLES);
	edits = perfdata_edits__new(perfdata);
	assert_int_equal(
		perfdata_edits__add_build_id(edits, 1, build_id, sizeof(build_id), 2, "/x.so"), 0);
	assert_int_equal(file_out__open(&out, fixture->path, 0600, fixture->diag), 0);
	assert_int_equal(perfdata_edits__write(edits, &out, fixture->diag), 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), 0);
	bits |= UINT64_C(1) << PERFDATA_FEAT_BUILD_ID;
	assert_int_equal(get_u64(perfdata__bytes(perfdata).data + AT_FEATURES, ORDER_BIG),
			 bits << 32 | bits >> 32);
	assert_true(perfdata__feature(perfdata, PERFDATA_FEAT_BUILD_ID).size > 36);
	perfdata__close(perfdata);
}

/* Version 1 has its magic as a text: the byte order is that in which the header's size is one. */
static void version_1_in_either_order(void **state)
{
	static const char *const names[] = { "6.1-fp", "6.1-fp-be" };
	struct fixture *fixture = *state;

	for (size_t i = 0; i < 2; i++) {
		struct perfdata *perfdata;

		take(fixture, names[i]);
		memcpy(fixture->bytes, PERFDATA_MAGIC_V1, 8);
		perfdata = opens(fixture, NR_SAMPLES);
		assert_int_equal(perfdata__form(perfdata), PERFDATA_FORM_V1);
		assert_int_equal(perfdata__order(perfdata), i ? ORDER_BIG : ORDER_LITTLE);
		perfdata__close(perfdata);
	}
	change(fixture, 8, 105);
	refuses(fixture, "perfdata.not-perf-data", "is no perf.data file", DIAG_NO_OFFSET);
}

/* A directory with a file that is none, then one whose records are a pipe's. */
static void directories_that_cannot_be(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *perfdata;
	char data[96], first[96];

	unlink(fixture->path);
	assert_int_equal(mkdir(fixture->path, 0700), 0);
	snprintf(data, sizeof(data), "%s/data", fixture->path);
	snprintf(first, sizeof(first), "%s/data.0", fixture->path);
	take(fixture, "6.1-fp");
	write_to(fixture, data);
	assert_int_equal(mkfifo(first, 0600), 0);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), -EINVAL);
	assert_string_equal(fixture->kind, "file.open");
	assert_string_equal(fixture->text, "data.0 in it is no regular file");
	unlink(first);
	take(fixture, "6.1-pipe");
	write_to(fixture, data);
	assert_int_equal(perfdata__open(&perfdata, fixture->path, fixture->diag), -EINVAL);
	assert_string_equal(fixture->text, "the directory's data file is in pipe form");
	unlink(data);
	assert_int_equal(rmdir(fixture->path), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sections_that_cannot_be),
		TEST(events_that_cannot_be),
		TEST(a_pipe_without_events),
		TEST(ids_outside_of_the_file),
		TEST(ids_over_each_other),
		TEST(a_file_that_ends_in_its_table_of_features),
		TEST(names_an_event_without_ids),
		TEST(features_of_short_longs),
		TEST(edits_features_of_short_longs),
		TEST(version_1_in_either_order),
		TEST(directories_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
