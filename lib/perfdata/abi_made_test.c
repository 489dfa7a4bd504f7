// SPDX-License-Identifier: GPL-2.0-or-later
/* What this machine can't record, or what must be seen word by word, cut down for older perfs. */
#include "base/buf.h"
#include "perfdata/abi_testing.h"

/* A profile of one event, made byte by byte. */
#define ATTR_SIZE  144
#define DATA_BEGIN (104 + ATTR_SIZE + 16)

static void put_attr(struct buf *buf, uint64_t sample_type, uint64_t flags, uint64_t branch_type)
{
	uint8_t *attr = buf__extend(buf, ATTR_SIZE + 16);

	memset(attr, 0, ATTR_SIZE + 16);
	set_u32(attr, PERF_TYPE_SOFTWARE, buf->order);
	set_u32(attr + 4, ATTR_SIZE, buf->order);
	set_u64(attr + 24, sample_type, buf->order);
	set_u64(attr + 40, flags | 1 << 18, buf->order); /* sample_id_all */
	set_u64(attr + 72, branch_type, buf->order);
}

static void put_header(struct buf *buf)
{
	static const uint64_t header[] = { 104, ATTR_SIZE + 16, 104, ATTR_SIZE + 16, DATA_BEGIN };

	buf__put(buf, buf->order == ORDER_BIG ? PERFDATA_MAGIC_V2_BIG : PERFDATA_MAGIC_V2, 8);
	for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		buf__put_u64(buf, header[i]);
	buf__put_zeros(buf, 104 - buf->size);
}

static void put_record(struct buf *buf, uint32_t type, const uint64_t *words, size_t count)
{
	buf__put_u32(buf, type);
	buf__put_u16(buf, PERF_RECORD_MISC_USER);
	buf__put_u16(buf, (uint16_t)(8 + 8 * count));
	for (size_t i = 0; i < count; i++)
		buf__put_u64(buf, words[i]);
}

static struct perfdata *lower_made(struct fixture *fixture, struct buf *buf, const char *level)
{
	struct file_out out;

	set_u64(buf->data + 48, buf->size - DATA_BEGIN, buf->order);
	assert_int_equal(file_out__open(&out, fixture->made, 0600, fixture->diag), 0);
	assert_int_equal(file_out__write(&out, buf__bytes(buf), fixture->diag), 0);
	assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
	return lower(fixture, fixture->made, level);
}

static size_t count_records(struct perfdata *perfdata, uint32_t type)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	size_t count = 0;

	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0)
		count += record.type == type;
	perfdata_walk__end(&walk);
	return count;
}

/* The nth record of a type: words behind the record's header; how many there are. */
static size_t record_words(struct perfdata *perfdata, uint32_t type, size_t nth, uint64_t *words,
			   size_t room)
{
	struct perfdata_record record;
	struct perfdata_walk walk;
	size_t count = 0;

	perfdata_walk__begin(&walk, perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		if (record.type != type || nth-- > 0)
			continue;
		count = record.size / 8 - 1u;
		assert_true(count <= room);
		memcpy(words, record.data + 8, 8 * count);
		break;
	}
	perfdata_walk__end(&walk);
	return count;
}

#define DEFER_FLAGS (3ull << 38)
#define USER_CHAIN  ((uint64_t)-512)
#define DEFERRED    ((uint64_t)-640)
#define TID(tid)    ((uint64_t)(tid) << 32 | 7)

static void put_deferring(struct buf *buf)
{
	/* ip, pid and tid, chain */
	static const uint64_t first[] = { 0x10, TID(8), 4, (uint64_t)-128, 0x11, DEFERRED, 99 };
	static const uint64_t other[] = { 0x20, TID(9), 3, 0x21, DEFERRED, 99 };
	static const uint64_t never[] = { 0x30, TID(8), 3, 0x31, DEFERRED, 98 };
	/* cookie, chain, pid and tid */
	static const uint64_t chain8[] = { 99, 3, USER_CHAIN, 0x12, 0x13, TID(8) };
	static const uint64_t chain9[] = { 99, 2, USER_CHAIN, 0x22, TID(9) };

	put_header(buf);
	put_attr(buf, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN, DEFER_FLAGS, 0);
	put_record(buf, PERFDATA_SAMPLE, first, 7);
	put_record(buf, PERFDATA_SAMPLE, other, 6);
	put_record(buf, PERFDATA_CALLCHAIN_DEFERRED, chain9, 5);
	put_record(buf, PERFDATA_CALLCHAIN_DEFERRED, chain8, 6);
	put_record(buf, PERFDATA_SAMPLE, never, 6);
	assert_false(buf->failed);
}

static void deferred_chains_come_to_their_samples(void **state)
{
	static const uint64_t first[] = { 0x10, TID(8),     5,    (uint64_t)-128,
					  0x11, USER_CHAIN, 0x12, 0x13 };
	static const uint64_t other[] = { 0x20, TID(9), 3, 0x21, USER_CHAIN, 0x22 };
	static const uint64_t never[] = { 0x30, TID(8), 1, 0x31 };
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *output;
	uint64_t words[16];

	put_deferring(&buf);
	output = lower_made(fixture, &buf, "6.1");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 8);
	assert_memory_equal(words, first, sizeof(first));
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 1, words, 16), 6);
	assert_memory_equal(words, other, sizeof(other));
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 2, words, 16), 4);
	assert_memory_equal(words, never, sizeof(never));
	assert_int_equal(count_records(output, PERFDATA_CALLCHAIN_DEFERRED), 0);
	assert_restored(fixture, output, fixture->made);
	perfdata__close(output);
	output = lower_made(fixture, &buf, "7.x");
	assert_int_equal(count_records(output, PERFDATA_CALLCHAIN_DEFERRED), 2);
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 7);
	perfdata__close(output);
	buf__free(&buf);
}

/* PERF_SAMPLE_BRANCH_COUNTERS: a number for each branch, behind all branches. */
static void branch_counters_go(void **state)
{
	static const uint64_t sample[] = { 0x10, 2, 1, 2, 3, 4, 5, 6, 70, 80, 5 };
	static const uint64_t expected[] = { 0x10, 2, 1, 2, 3, 4, 5, 6, 5 };
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_PHYS_ADDR;
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *output;
	uint64_t words[16];

	put_header(&buf);
	put_attr(&buf, type, 0, PERF_SAMPLE_BRANCH_ANY | 1 << 19);
	set_u32(buf.data + 104 + 116, 1, buf.order); /* aux_start_paused */
	put_record(&buf, PERFDATA_SAMPLE, sample, 11);
	output = lower_made(fixture, &buf, "6.6");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 9);
	assert_memory_equal(words, expected, sizeof(expected));
	assert_int_equal(perfdata__attr(output, 0)->attr.branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(perfdata__attr(output, 0)->recorded_size, 80);
	assert_restored(fixture, output, fixture->made);
	perfdata__close(output);
	output = lower_made(fixture, &buf, "6.12");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 11);
	perfdata__close(output);
	buf__free(&buf);
}

/* Counts of a group with losses, a weight in three parts, sizes of pages. */
static void fields_of_samples_go(void **state)
{
	static const uint64_t sample[] = { 0x10, 2,    77,  11, 91, 78, 12, 92, 0x3000200000001,
					   55,   4096, 8192 };
	static const uint64_t expected[] = { 0x10, 2, 77, 11, 78, 12, 1, 55 };
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CGROUP | 7ull << 22;
	uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | 1 << 4;
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *output;
	uint64_t words[16];

	put_header(&buf);
	put_attr(&buf, type, 0, 0);
	set_u64(buf.data + 104 + 32, format, buf.order);
	put_record(&buf, PERFDATA_SAMPLE, sample, 12);
	output = lower_made(fixture, &buf, "5.10");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 8);
	assert_memory_equal(words, expected, sizeof(expected));
	assert_int_equal(perfdata__attr(output, 0)->attr.sample_type,
			 (type & ((1 << 22) - 1)) | PERF_SAMPLE_WEIGHT);
	assert_restored(fixture, output, fixture->made);
	perfdata__close(output);
	output = lower_made(fixture, &buf, "5.15");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 10);
	assert_int_equal(words[6], 0x3000200000001);
	perfdata__close(output);
	output = lower_made(fixture, &buf, "6.1");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 12);
	perfdata__close(output);
	buf__free(&buf);
}

/* The value of an event alone, without an id; or with its losses. */
static void lone_counts(void **state)
{
	static const uint64_t alone[] = { 0x10, 77, 55, 4096 };
	static const uint64_t losing[] = { 0x10, 77, 91, 55, 4096 };
	static const uint64_t expected[] = { 0x10, 77, 55 };
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CGROUP | 1 << 22;
	struct fixture *fixture = *state;

	for (int lost = 0; lost < 2; lost++) {
		struct buf buf = BUF(ORDER_LITTLE);
		struct perfdata *output;
		uint64_t words[16];

		put_header(&buf);
		put_attr(&buf, type, 0, 0);
		set_u64(buf.data + 104 + 32, lost ? 1 << 4 : 0, buf.order);
		put_record(&buf, PERFDATA_SAMPLE, lost ? losing : alone, lost ? 5 : 4);
		output = lower_made(fixture, &buf, "5.10");
		assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 3);
		assert_memory_equal(words, expected, sizeof(expected));
		assert_restored(fixture, output, fixture->made);
		perfdata__close(output);
		buf__free(&buf);
	}
}

/* What stands between those fields, whatever its length, and stays. */
static void other_fields_stay(void **state)
{
	/* ip, chain, raw of 4 bytes, branch behind its index, register, size of page, AUX */
	static const uint64_t sample[] = { 0x10, 1,   0x11, 4 | 0xabcdull << 32,     1,    9,
					   1,    2,   3,    PERF_SAMPLE_REGS_ABI_64, 0x12, 4096,
					   8,    0x13 };
	static const uint64_t expected[] = { 0x10, 1, 0x11, 4 | 0xabcdull << 32,     1,    9,
					     1,    2, 3,    PERF_SAMPLE_REGS_ABI_64, 0x12, 8,
					     0x13 };
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX |
			1 << 22;
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *output;
	uint64_t words[16];

	put_header(&buf);
	put_attr(&buf, type, 0, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
	set_u64(buf.data + 104 + 96, 1, buf.order); /* sample_regs_intr */
	put_record(&buf, PERFDATA_SAMPLE, sample, 14);
	output = lower_made(fixture, &buf, "5.10");
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 0, words, 16), 13);
	assert_memory_equal(words, expected, sizeof(expected));
	assert_restored(fixture, output, fixture->made);
	perfdata__close(output);
	buf__free(&buf);
}

/* Samples that end before their fields do, by their size or by a number in them. */
static void samples_that_end_too_early(void **state)
{
	static const uint64_t branches[] = { 1, 1000, 1ull << 61, UINT64_MAX };
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | 1 << 22;
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *output;
	uint64_t words[16];

	put_header(&buf);
	put_attr(&buf, type, 0, PERF_SAMPLE_BRANCH_ANY);
	for (size_t i = 0; i < 4; i++)
		put_record(&buf, PERFDATA_SAMPLE, (uint64_t[]){ 0x10, branches[i], 1, 2, 3 }, 5);
	put_record(&buf, PERFDATA_SAMPLE, (uint64_t[]){ 0x20, 1, 1, 2, 3, 4096 }, 6);
	output = lower_made(fixture, &buf, "5.10");
	assert_int_equal(diag__count(fixture->diag, DIAG_WARNING), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(record_words(output, PERFDATA_SAMPLE, i, words, 16), 5);
		assert_int_equal(words[1], branches[i]);
	}
	assert_int_equal(record_words(output, PERFDATA_SAMPLE, 4, words, 16), 5);
	assert_int_equal(words[0], 0x20);
	perfdata__close(output);
	buf__free(&buf);
}

/* perf before 7 does not turn them round, and reads a number of CPUs that there are not. */
static void updates_of_the_other_order_go(void **state)
{
	/* PERF_EVENT_UPDATE__CPUS, id, u16 type of the map, u16 number, u16 each */
	static const uint64_t update[] = { 3, 1, 1ull << 32 | 5ull << 16 };
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_BIG);
	struct perfdata *output;

	put_header(&buf);
	put_attr(&buf, PERF_SAMPLE_IP, 0, 0);
	put_record(&buf, PERFDATA_EVENT_UPDATE, update, 3);
	put_record(&buf, PERFDATA_SAMPLE, (uint64_t[]){ 0x10 }, 1);
	output = lower_made(fixture, &buf, "6.12");
	assert_int_equal(count_records(output, PERFDATA_EVENT_UPDATE), 0);
	assert_int_equal(count_records(output, PERFDATA_SAMPLE), 1);
	assert_restored(fixture, output, fixture->made);
	perfdata__close(output);
	output = lower_made(fixture, &buf, "7.0");
	assert_int_equal(count_records(output, PERFDATA_EVENT_UPDATE), 1);
	perfdata__close(output);
	buf__free(&buf);
}

/* struct perf_record_cpu_map: of type 2 a range, which perf before 6.0 does not know. */
static void ranges_become_lists(void **state)
{
	/* u16 type, u8 any CPU, u8, u16 first, u16 last */
	static const uint64_t range[] = { 2 | 1ull << 16 | 3ull << 32 | 7ull << 48 };
	/* u16 type, u16 count, u16 each: -1, 3, 4, 5, 6, 7 */
	static const uint64_t list[] = { 6ull << 16 | 0xffffull << 32 | 3ull << 48,
					 4 | 5ull << 16 | 6ull << 32 | 7ull << 48 };
	/* PERF_EVENT_UPDATE__CPUS, id */
	static const uint64_t update[] = { 3, 1, 2 | 3ull << 32 | 7ull << 48 };
	struct fixture *fixture = *state;
	struct buf buf = BUF(ORDER_LITTLE);
	struct perfdata *output;
	uint64_t words[16];

	put_header(&buf);
	put_attr(&buf, PERF_SAMPLE_IP, 0, 0);
	put_record(&buf, PERFDATA_CPU_MAP, range, 1);
	put_record(&buf, PERFDATA_EVENT_UPDATE, update, 3);
	output = lower_made(fixture, &buf, "5.15");
	assert_int_equal(record_words(output, PERFDATA_CPU_MAP, 0, words, 16), 2);
	assert_memory_equal(words, list, sizeof(list));
	assert_int_equal(record_words(output, PERFDATA_EVENT_UPDATE, 0, words, 16), 4);
	assert_int_equal(words[2], 5ull << 16 | 3ull << 32 | 4ull << 48);
	assert_restored(fixture, output, fixture->made);
	perfdata__close(output);
	output = lower_made(fixture, &buf, "6.1");
	assert_int_equal(record_words(output, PERFDATA_CPU_MAP, 0, words, 16), 1);
	perfdata__close(output);
	buf__free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deferred_chains_come_to_their_samples),
		TEST(branch_counters_go),
		TEST(fields_of_samples_go),
		TEST(other_fields_stay),
		TEST(samples_that_end_too_early),
		TEST(updates_of_the_other_order_go),
		TEST(lone_counts),
		TEST(ranges_become_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
