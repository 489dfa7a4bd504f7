// SPDX-License-Identifier: GPL-2.0-or-later
/* Records in compressed records, cut at places where no recorder may have cut them yet. */
#include <stdlib.h>
#include <zstd.h>

#include "perfdata/memory_profile.h"

#define NR_RECORDS 200
#define MAX_PIECES 4096

static const struct memory_event event = { .sample_type = PERF_SAMPLE_IP };

/* Bytes of records as the kernel would have written them: SAMPLEs with ip 0, 1, 2 ... */
static struct buf sample_stream(void)
{
	struct buf buf = BUF(ORDER_LITTLE);

	for (uint64_t i = 0; i < NR_RECORDS; i++) {
		buf__put_u32(&buf, PERFDATA_SAMPLE);
		buf__put_u16(&buf, 2);
		buf__put_u16(&buf, 16);
		buf__put_u64(&buf, i);
	}
	return buf;
}

static size_t compress_piece(ZSTD_CStream *stream, struct bytes piece, uint8_t *out, size_t room)
{
	ZSTD_inBuffer in = { piece.data, piece.size, 0 };
	ZSTD_outBuffer to = { out, room, 0 };

	assert_int_equal(ZSTD_compressStream2(stream, &to, &in, ZSTD_e_flush), 0);
	assert_int_equal(in.pos, in.size);
	return to.pos;
}

static void put_compressed(struct memory_profile *profile, uint32_t type, struct bytes bytes)
{
	size_t at = memory_profile__begin(profile, type, 0);

	if (type == PERFDATA_COMPRESSED2)
		buf__put_u64(&profile->records, bytes.size);
	buf__put(&profile->records, bytes.data, bytes.size);
	if (type == PERFDATA_COMPRESSED2)
		buf__align(&profile->records, 8);
	memory_profile__end(profile, at);
}

/* The stream in pieces of piece_size bytes, each in a record of its own, and a plain one between.
 */
static void put_pieces(struct memory_profile *profile, uint32_t type, struct bytes bytes,
		       size_t piece_size)
{
	ZSTD_CStream *stream = ZSTD_createCStream();
	uint8_t out[8192];

	assert_non_null(stream);
	for (size_t at = 0; at < bytes.size; at += piece_size) {
		size_t left = bytes.size - at;
		struct bytes piece = { bytes.data + at, left < piece_size ? left : piece_size };
		size_t size = compress_piece(stream, piece, out, sizeof(out));

		put_compressed(profile, type, (struct bytes){ out, size });
		memory_profile__end(profile,
				    memory_profile__begin(profile, PERFDATA_FINISHED_ROUND, 0));
	}
	ZSTD_freeCStream(stream);
}

/* Where the compressed records of the profile begin, and one more: where they end. */
static size_t container_offsets(const struct perfdata *perfdata, uint64_t *offsets)
{
	uint64_t at = perfdata__data_offset(perfdata);
	uint64_t end = at + perfdata__data_size(perfdata);
	struct perfdata_record record;
	size_t count = 0;

	for (; at < end; at = record.end) {
		assert_null(perfdata__read_record(perfdata, at, end, &record));
		if (record.type != PERFDATA_FINISHED_ROUND)
			offsets[count++] = at;
		assert_true(count < MAX_PIECES);
	}
	offsets[count] = end;
	return count;
}

/* Each sample comes once, in order, and belongs to the container that holds its first byte. */
static void inflates_pieces(uint32_t type, size_t piece_size)
{
	static uint64_t offsets[MAX_PIECES];
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	struct buf stream = sample_stream();
	struct perfdata_record record;
	struct perfdata_walk walk;
	uint64_t samples = 0, rounds = 0;

	put_pieces(&profile, type, buf__bytes(&stream), piece_size);
	memory_profile__open(&profile, &event, 1);
	assert_int_equal(container_offsets(profile.perfdata, offsets),
			 (stream.size + piece_size - 1) / piece_size);
	perfdata_walk__begin(&walk, profile.perfdata);
	while (perfdata_walk__next(&walk, &record) > 0) {
		if (record.type == PERFDATA_FINISHED_ROUND) {
			assert_false(record.compressed);
			rounds++;
			continue;
		}
		assert_int_equal(record.type, PERFDATA_SAMPLE);
		assert_true(record.compressed);
		assert_int_equal(get_u64(record.data + 8, ORDER_LITTLE), samples);
		assert_int_equal(record.offset, offsets[16 * samples / piece_size]);
		assert_true(record.end > record.offset);
		samples++;
	}
	perfdata_walk__end(&walk);
	assert_int_equal(samples, NR_RECORDS);
	assert_int_equal(rounds, (stream.size + piece_size - 1) / piece_size);
	assert_true(perfdata__compressed(profile.perfdata));
	buf__free(&stream);
	memory_profile__close(&profile);
}

static void records_straddle_pieces(void **state)
{
	static const size_t sizes[] = { 1, 3, 7, 8, 15, 16, 17, 100, 1000, 3200 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		inflates_pieces(PERFDATA_COMPRESSED, sizes[i]);
		inflates_pieces(PERFDATA_COMPRESSED2, sizes[i]);
	}
}

static void count_records(struct memory_profile *profile, size_t *samples, size_t *others)
{
	struct perfdata_record record;
	struct perfdata_walk walk;

	*samples = *others = 0;
	perfdata_walk__begin(&walk, profile->perfdata);
	while (perfdata_walk__next(&walk, &record) > 0)
		++*(record.type == PERFDATA_SAMPLE ? samples : others);
	perfdata_walk__end(&walk);
}

/* Compressed records behind the damage are lost, and it is said; plain ones are not. */
static void damage_costs_only_what_is_compressed(void **state)
{
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	struct buf stream = sample_stream();
	struct bytes garbage = { (const uint8_t *)"this is no zstd stream at all...", 32 };
	size_t samples, others;

	(void)state;
	put_pieces(&profile, PERFDATA_COMPRESSED, (struct bytes){ stream.data, 1600 }, 800);
	put_compressed(&profile, PERFDATA_COMPRESSED, garbage);
	put_pieces(&profile, PERFDATA_COMPRESSED, (struct bytes){ stream.data, 1600 }, 800);
	memory_profile__open(&profile, &event, 1);
	count_records(&profile, &samples, &others);
	assert_int_equal(samples, 100);
	assert_int_equal(others, 4);
	assert_int_equal(diag__count(profile.diag, DIAG_WARNING), 1);
	buf__free(&stream);
	memory_profile__close(&profile);
}

static void expect_bad_record(struct memory_profile *profile, size_t expected_samples)
{
	size_t samples, others;

	memory_profile__open(profile, &event, 1);
	count_records(profile, &samples, &others);
	assert_int_equal(samples, expected_samples);
	assert_int_equal(others, 1);
	assert_int_equal(diag__count(profile->diag, DIAG_WARNING), 1);
	memory_profile__close(profile);
}

/* Of a compressed record, and of one in it; what comes before is there. */
static void sizes_that_cannot_be(void **state)
{
	struct memory_profile outer = memory_profile__new(ORDER_LITTLE);
	struct memory_profile no_size = memory_profile__new(ORDER_LITTLE);
	struct memory_profile inner = memory_profile__new(ORDER_LITTLE);
	struct buf stream = sample_stream();
	size_t at;

	(void)state;
	put_pieces(&outer, PERFDATA_COMPRESSED2, (struct bytes){ stream.data, 800 }, 800);
	at = memory_profile__begin(&outer, PERFDATA_COMPRESSED2, 0);
	put_u64s(&outer.records, 9, 2); /* of one byte more than there is */
	memory_profile__end(&outer, at);
	expect_bad_record(&outer, 50);

	put_pieces(&no_size, PERFDATA_COMPRESSED2, (struct bytes){ stream.data, 800 }, 800);
	memory_profile__end(&no_size, memory_profile__begin(&no_size, PERFDATA_COMPRESSED2, 0));
	expect_bad_record(&no_size, 50);

	set_u16(stream.data + 16 * 20 + 6, 7, ORDER_LITTLE);
	put_pieces(&inner, PERFDATA_COMPRESSED, (struct bytes){ stream.data, 800 }, 800);
	expect_bad_record(&inner, 20);
	buf__free(&stream);
}

static void says_that_a_record_is_cut_off(void **state)
{
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	struct buf stream = sample_stream();
	size_t samples, others;

	(void)state;
	put_pieces(&profile, PERFDATA_COMPRESSED2, (struct bytes){ stream.data, 1000 }, 800);
	memory_profile__open(&profile, &event, 1);
	count_records(&profile, &samples, &others);
	assert_int_equal(samples, 1000 / 16);
	assert_int_equal(diag__count(profile.diag, DIAG_WARNING), 1);
	buf__free(&stream);
	memory_profile__close(&profile);
}

/* Some kilobytes that would inflate to gigabytes take a moment, not minutes. */
static void does_not_inflate_without_end(void **state)
{
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	ZSTD_CStream *stream = ZSTD_createCStream();
	size_t room = 256u << 20, size, samples, others;
	uint8_t *zeros = calloc(1, room), *out = malloc(65536);

	(void)state;
	assert_non_null(zeros);
	assert_non_null(out);
	/* one record of the greatest size after the other */
	for (size_t at = 0; at + 65528 <= room; at += 65528) {
		set_u32(zeros + at, PERFDATA_AUX, ORDER_LITTLE);
		set_u16(zeros + at + 6, 65528, ORDER_LITTLE);
	}
	size = compress_piece(stream, (struct bytes){ zeros, room }, out, 65536);
	put_compressed(&profile, PERFDATA_COMPRESSED, (struct bytes){ out, size });
	memory_profile__open(&profile, &event, 1);
	count_records(&profile, &samples, &others);
	assert_true(others >= 900 && others <= (64u << 20) / 65528);
	assert_int_equal(diag__count(profile.diag, DIAG_WARNING), 1);
	ZSTD_freeCStream(stream);
	free(zeros);
	free(out);
	memory_profile__close(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_straddle_pieces),
		cmocka_unit_test(damage_costs_only_what_is_compressed),
		cmocka_unit_test(sizes_that_cannot_be),
		cmocka_unit_test(says_that_a_record_is_cut_off),
		cmocka_unit_test(does_not_inflate_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
