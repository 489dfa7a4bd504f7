// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What perfdata does not know, or knows nothing to do with, is carried over: records of any type
 * with what stands behind them, features of any number, tails that are cut off. Profiles are laid
 * out by hand and read back by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/abi_level.h"
#include "perfdata/edit.h"
#include "perfdata/event.h"

#define ATTR_SIZE        128
#define DATA_BEGIN       (104 + ATTR_SIZE + 16)
#define NR_RECORDS       64
#define UNKNOWN_FEATURES 3

struct made {
	char input[64], output[64], restored[64];
	struct diag *diag;
	struct buf file;
	size_t at[NR_RECORDS], size[NR_RECORDS], count; /* records, with what stands behind them */
};

static int setup(void **state)
{
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->diag = diag__new(NULL, NULL);
	made->file = BUF(ORDER_LITTLE);
	strcpy(made->input, "/tmp/perfdata-carried-XXXXXX");
	close(mkstemp(made->input));
	snprintf(made->output, sizeof(made->output), "%s.out", made->input);
	snprintf(made->restored, sizeof(made->restored), "%s.back", made->input);
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	struct made *made = *state;

	unlink(made->input);
	unlink(made->output);
	unlink(made->restored);
	buf__free(&made->file);
	diag__free(made->diag);
	free(made);
	return 0;
}

/* One event: a software one that samples IP, TID and TIME, with sample_id_all. */
static void put_attr(struct buf *buf)
{
	uint8_t *attr = buf__extend(buf, ATTR_SIZE);

	memset(attr, 0, ATTR_SIZE);
	set_u32(attr, PERF_TYPE_SOFTWARE, buf->order);
	set_u32(attr + 4, ATTR_SIZE, buf->order);
	set_u64(attr + 24, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, buf->order);
	set_u64(attr + 40, 1 << 18, buf->order);
}

/* A record whose contents count up from its type, and payload bytes behind it. */
static void put_record(struct made *made, uint32_t type, size_t contents, size_t payload)
{
	struct buf *buf = &made->file;
	size_t at = buf->size;

	buf__put_u32(buf, type);
	buf__put_u16(buf, PERF_RECORD_MISC_USER);
	buf__put_u16(buf, (uint16_t)(8 + contents));
	for (size_t i = 0; i < contents; i++)
		buf__put_u8(buf, (uint8_t)(type + i));
	if (type == PERFDATA_AUXTRACE)
		set_u64(buf->data + at + 8, payload, buf->order);
	if (type == PERFDATA_HEADER_TRACING_DATA)
		set_u32(buf->data + at + 8, (uint32_t)payload - 3, buf->order);
	/* as records of no size, which no reader would get past */
	buf__put_zeros(buf, payload);
	assert_true(made->count < NR_RECORDS);
	made->at[made->count] = at;
	made->size[made->count++] = buf->size - at;
}

/* Of each type one, known or not; some with contents that are shorter than any sample_id. */
static void put_records(struct made *made)
{
	static const uint32_t types[] = {
		PERFDATA_NAMESPACES,
		PERFDATA_KSYMBOL,
		PERFDATA_BPF_EVENT,
		PERFDATA_CGROUP,
		PERFDATA_TEXT_POKE,
		PERFDATA_AUX_OUTPUT_HW_ID,
		PERFDATA_CALLCHAIN_DEFERRED,
		PERFDATA_SWITCH,
		PERFDATA_SWITCH_CPU_WIDE,
		PERFDATA_AUX,
		PERFDATA_ITRACE_START,
		PERFDATA_LOST_SAMPLES,
		PERFDATA_THROTTLE,
		PERFDATA_BPF_METADATA,
		23,
		63,
		85,
		200,
		65536,
		UINT32_MAX,
	};

	put_record(made, PERFDATA_AUXTRACE_INFO, 24, 0);
	put_record(made, PERFDATA_AUXTRACE, 40, 72);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		put_record(made, types[i], 64, 0);
		put_record(made, types[i], i % 3 ? 0 : 8, 0);
	}
	put_record(made, PERFDATA_SAMPLE, 24, 0);
	put_record(made, PERFDATA_AUXTRACE, 40, 0);
	put_record(made, PERFDATA_AUXTRACE, 40, 65536);
}

static void put_section(struct buf *buf, size_t at, uint64_t offset, uint64_t size)
{
	set_u64(buf->data + at, offset, buf->order);
	set_u64(buf->data + at + 8, size, buf->order);
}

/* Numbers that no perf has given yet, up to the last there can be; the second one is empty. */
static const unsigned int unknown_features[UNKNOWN_FEATURES] = { 77, 128, 255 };

static void put_features(struct made *made)
{
	struct buf *buf = &made->file;
	size_t table = buf->size;
	uint8_t *bits = buf->data + 72;

	buf__put_zeros(buf, 16 * (1 + UNKNOWN_FEATURES));
	bits = buf->data + 72;
	bits[PERFDATA_FEAT_AUXTRACE / 8] |= 1 << PERFDATA_FEAT_AUXTRACE % 8;
	put_section(buf, table, buf->size, 8 + 3 * 16);
	buf__put_u64(buf, 3);
	for (size_t i = 0; i < made->count; i++)
		if (get_u32(buf->data + made->at[i], buf->order) == PERFDATA_AUXTRACE) {
			buf__put_u64(buf, made->at[i]);
			buf__put_u64(buf, 48);
		}
	for (size_t i = 0; i < UNKNOWN_FEATURES; i++) {
		unsigned int bit = unknown_features[i];

		buf->data[72 + bit / 8] |= (uint8_t)(1u << bit % 8);
		put_section(buf, table + 16 * (i + 1), buf->size, i == 1 ? 0 : bit);
		for (size_t j = 0; i != 1 && j < bit; j++)
			buf__put_u8(buf, (uint8_t)(bit + j));
	}
}

static void write_input(struct made *made)
{
	FILE *file = fopen(made->input, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(made->file.data, 1, made->file.size, file), made->file.size);
	assert_int_equal(fclose(file), 0);
}

static void make_seekable(struct made *made)
{
	static const uint64_t header[] = { 104, ATTR_SIZE + 16, 104, ATTR_SIZE + 16, DATA_BEGIN };
	struct buf *buf = &made->file;
	size_t end;

	buf__put(buf, PERFDATA_MAGIC_V2, 8);
	for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		buf__put_u64(buf, header[i]);
	buf__put_zeros(buf, 104 - buf->size);
	put_attr(buf);
	buf__put_zeros(buf, 16);
	put_records(made);
	end = buf->size;
	put_features(made);
	set_u64(buf->data + 48, end - DATA_BEGIN, buf->order);
	write_input(made);
}

static void make_pipe(struct made *made)
{
	struct buf *buf = &made->file;
	size_t at;

	buf__put(buf, PERFDATA_MAGIC_V2, 8);
	buf__put_u64(buf, 16);
	at = buf->size;
	put_record(made, PERFDATA_HEADER_ATTR, 0, 0);
	put_attr(buf);
	set_u16(buf->data + at + 6, 8 + ATTR_SIZE, buf->order);
	made->size[0] = buf->size - at;
	put_record(made, PERFDATA_HEADER_TRACING_DATA, 4, 64);
	put_records(made);
}

/* A COMM of three words before each record and at the end. */
#define INSERTED 24

static void edit(struct made *made, struct bytes *inserted)
{
	static uint8_t record[INSERTED];
	struct perfdata *perfdata;
	struct perfdata_edits *edits;
	struct file_out out;

	set_u32(record, PERFDATA_COMM, ORDER_LITTLE);
	set_u16(record + 6, INSERTED, ORDER_LITTLE);
	*inserted = (struct bytes){ record, sizeof(record) };
	assert_int_equal(perfdata__open(&perfdata, made->input, made->diag), 0);
	edits = perfdata_edits__new(perfdata);
	for (size_t i = 0; i < made->count; i++)
		assert_int_equal(perfdata_edits__insert(edits, made->at[i], *inserted), 0);
	assert_int_equal(
		perfdata_edits__insert(
			edits, made->at[made->count - 1] + made->size[made->count - 1], *inserted),
		0);
	assert_int_equal(file_out__open(&out, made->output, 0600, made->diag), 0);
	assert_int_equal(perfdata_edits__write(edits, &out, made->diag), 0);
	assert_int_equal(file_out__commit(&out, false, made->diag), 0);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
}

/* All records stand in the output with one more before each; returns where they end. */
static size_t expect_records(const struct made *made, const struct bytes *out, size_t at,
			     struct bytes inserted)
{
	for (size_t i = 0; i < made->count; i++) {
		assert_memory_equal(out->data + at, inserted.data, inserted.size);
		at += inserted.size;
		assert_memory_equal(out->data + at, made->file.data + made->at[i], made->size[i]);
		at += made->size[i];
	}
	assert_memory_equal(out->data + at, inserted.data, inserted.size);
	return at + inserted.size;
}

static void expect_restored(struct made *made)
{
	struct perfdata *perfdata;
	struct file_out out;
	struct file_map map;

	assert_int_equal(perfdata__open(&perfdata, made->output, made->diag), 0);
	assert_int_equal(file_out__open(&out, made->restored, 0600, made->diag), 0);
	assert_int_equal(perfdata__restore(perfdata, &out, made->diag), 0);
	assert_int_equal(file_out__commit(&out, false, made->diag), 0);
	perfdata__close(perfdata);
	assert_int_equal(file_map__open(&map, made->restored, false, made->diag), 0);
	assert_int_equal(map.bytes.size, made->file.size);
	assert_memory_equal(map.bytes.data, made->file.data, map.bytes.size);
	file_map__close(&map);
}

/* The index tells where each AUXTRACE record is now, which is not before what was inserted there.
 */
static void expect_index(const struct made *made, const uint8_t *out, const uint8_t *index)
{
	size_t nth = 0;

	assert_int_equal(get_u64(index, ORDER_LITTLE), 3);
	for (size_t i = 0; i < made->count; i++) {
		const uint8_t *record = made->file.data + made->at[i];
		uint64_t at;

		if (get_u32(record, ORDER_LITTLE) != PERFDATA_AUXTRACE)
			continue;
		at = get_u64(index + 8 + 16 * nth, ORDER_LITTLE);
		assert_int_equal(get_u64(index + 16 + 16 * nth++, ORDER_LITTLE), 48);
		assert_int_equal(at, made->at[i] + (i + 1) * INSERTED);
		assert_memory_equal(out + at, record, made->size[i]);
	}
	assert_int_equal(nth, 3);
}

static void expect_features(const struct made *made, const uint8_t *out, size_t table)
{
	assert_memory_equal(out + 72, made->file.data + 72, 32);
	expect_index(made, out, out + get_u64(out + table, ORDER_LITTLE));
	for (size_t i = 0; i < UNKNOWN_FEATURES; i++) {
		uint64_t at = get_u64(out + table + 16 * (i + 1), ORDER_LITTLE);
		uint64_t size = get_u64(out + table + 16 * (i + 1) + 8, ORDER_LITTLE);

		assert_int_equal(size, i == 1 ? 0 : unknown_features[i]);
		for (size_t j = 0; j < size; j++)
			assert_int_equal(out[at + j], (uint8_t)(unknown_features[i] + j));
	}
}

static void carries_all_over_in_files(void **state)
{
	struct made *made = *state;
	struct bytes inserted;
	struct file_map map;
	size_t end;

	make_seekable(made);
	edit(made, &inserted);
	assert_int_equal(file_map__open(&map, made->output, false, made->diag), 0);
	end = expect_records(made, &map.bytes, DATA_BEGIN, inserted);
	assert_int_equal(get_u64(map.bytes.data + 48, ORDER_LITTLE), end - DATA_BEGIN);
	expect_features(made, map.bytes.data, end);
	file_map__close(&map);
	expect_restored(made);
	assert_int_equal(diag__count(made->diag, DIAG_WARNING), 0);
}

static void carries_all_over_in_pipes(void **state)
{
	struct made *made = *state;
	struct bytes inserted;
	struct file_map map;

	make_pipe(made);
	write_input(made);
	edit(made, &inserted);
	assert_int_equal(file_map__open(&map, made->output, false, made->diag), 0);
	expect_records(made, &map.bytes, 16, inserted);
	file_map__close(&map);
	expect_restored(made);
	assert_int_equal(diag__count(made->diag, DIAG_WARNING), 0);
}

/*
 * A pipe that broke off, at any byte of the last record or of its payload: what there is of it
 * would swallow what is put behind it, so it is left out, and back again after restoring.
 */
static void cuts_off_tails_of_pipes(void **state)
{
	struct made *made = *state;
	size_t whole, last, size;

	make_pipe(made);
	put_record(made, PERFDATA_SAMPLE, 24, 0);
	made->count--;
	last = made->at[made->count];
	whole = made->file.size;
	for (size = last + 1; size < whole; size++) {
		struct bytes inserted;
		struct file_map map;
		size_t end;

		made->file.size = size;
		write_input(made);
		edit(made, &inserted);
		assert_int_equal(file_map__open(&map, made->output, false, made->diag), 0);
		end = expect_records(made, &map.bytes, 16, inserted);
		/* the journal, and nothing else */
		assert_int_equal(get_u32(map.bytes.data + end, ORDER_LITTLE),
				 PERFDATA_HEADER_EVENT_TYPE);
		file_map__close(&map);
		expect_restored(made);
	}
}

/* Records that end before their sample_id does belong to some event and have no time. */
static void reads_short_records(void **state)
{
	struct made *made = *state;
	struct perfdata_sample_id id;
	struct perfdata_record record;
	struct perfdata_walk walk;
	struct perfdata *perfdata;
	size_t nr_short = 0;
	uint64_t time;

	make_seekable(made);
	assert_int_equal(perfdata__open(&perfdata, made->input, made->diag), 0);
	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		if (record.type >= PERFDATA_HEADER_ATTR || record.size >= 8 + 16)
			continue;
		assert_false(perfdata__parse_sample_id(perfdata, &record, &id));
		assert_non_null(id.attr);
		assert_false(perfdata__record_time(perfdata, &record, &time));
		nr_short++;
	}
	perfdata_walk__end(&walk);
	perfdata__close(perfdata);
	assert_int_equal(nr_short, 15);
}

/* perf 5.10 ends at any type above TEXT_POKE and, of perf's own, COMPRESSED: those go, no others.
 */
static bool known_to_510(uint32_t type)
{
	return type <= 20 || (type >= 64 && type <= 81);
}

static void drops_what_old_perfs_reject(void **state)
{
	struct made *made = *state;
	struct perfdata *perfdata;
	struct perfdata_edits *edits;
	struct file_out out;
	struct file_map map;
	size_t at = DATA_BEGIN, dropped = 0;

	make_seekable(made);
	assert_int_equal(perfdata__open(&perfdata, made->input, made->diag), 0);
	edits = perfdata_edits__new(perfdata);
	assert_int_equal(perfdata_edits__set_abi(edits, perfdata_abi__by_name("5.10"), made->diag),
			 0);
	assert_int_equal(file_out__open(&out, made->output, 0600, made->diag), 0);
	assert_int_equal(perfdata_edits__write(edits, &out, made->diag), 0);
	assert_int_equal(file_out__commit(&out, false, made->diag), 0);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
	assert_int_equal(file_map__open(&map, made->output, false, made->diag), 0);
	at = get_u64(map.bytes.data + 40, ORDER_LITTLE);
	for (size_t i = 0; i < made->count; i++) {
		const uint8_t *record = made->file.data + made->at[i];

		if (known_to_510(get_u32(record, ORDER_LITTLE))) {
			assert_memory_equal(map.bytes.data + at, record, made->size[i]);
			at += made->size[i];
		} else {
			dropped++;
		}
	}
	assert_int_equal(dropped, 2 * 9);
	assert_int_equal(at - get_u64(map.bytes.data + 40, ORDER_LITTLE),
			 get_u64(map.bytes.data + 48, ORDER_LITTLE));
	file_map__close(&map);
	expect_restored(made);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(carries_all_over_in_files),   TEST(carries_all_over_in_pipes),
		TEST(cuts_off_tails_of_pipes),     TEST(reads_short_records),
		TEST(drops_what_old_perfs_reject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
