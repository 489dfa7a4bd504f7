// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps that are packed by gzip or zstd, whole and damaged. */
#include <errno.h>
#include <zlib.h>
#include <zstd.h>

#include "jitdump/testing.h"

#define FUNCTIONS 8000 /* several blocks of zstd, which gives whole ones only */

static struct buf plain_dump(void)
{
	struct buf buf = BUF(ORDER_LITTLE);
	char name[32];

	put_header(&buf);
	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "function%llu", (unsigned long long)i * 7919 % 1009);
		put_load(&buf, i, 0x1000 + 0x40 * i, 16 + i % 32, name);
	}
	return buf;
}

/* Appends one member. */
static void pack_gzip(struct buf *out, struct bytes bytes)
{
	z_stream stream = { 0 };
	size_t bound, start = out->size;

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	bound = deflateBound(&stream, bytes.size);
	stream.next_in = (Bytef *)(uintptr_t)bytes.data;
	stream.avail_in = (uInt)bytes.size;
	stream.next_out = buf__extend(out, bound);
	stream.avail_out = (uInt)bound;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	out->size = start + stream.total_out;
	deflateEnd(&stream);
}

/* Appends one frame with a checksum. */
static void pack_zstd(struct buf *out, struct bytes bytes)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(bytes.size), start = out->size, got;

	assert_non_null(context);
	assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
	got = ZSTD_compress2(context, buf__extend(out, bound), bound, bytes.data, bytes.size);
	assert_false(ZSTD_isError(got));
	out->size = start + got;
	ZSTD_freeCCtx(context);
}

struct packing {
	void (*pack)(struct buf *out, struct bytes bytes);
	const char *damaged, *bomb;
	size_t checksum; /* where it is, from the end */
};

static struct packing gzip = { pack_gzip, "jitdump.gzip-damaged", "jitdump.gzip-bomb", 8 };
static struct packing zstd = { pack_zstd, "jitdump.zstd-damaged", "jitdump.zstd-bomb", 4 };

static void expect_all(struct reading *reading)
{
	assert_int_equal(reading->err, 0);
	assert_int_equal(reading->events.count, FUNCTIONS);
	assert_string_equal(function(reading, 2)->name, "function703");
	assert_int_equal(function(reading, FUNCTIONS - 1)->code.size, 16 + (FUNCTIONS - 1) % 32);
}

static void unwraps(void **state)
{
	const struct packing *packing = *state;
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	packing->pack(&packed, buf__bytes(&plain));
	read_dump(&reading, &packed);
	expect_all(&reading);
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
	buf__free(&plain);
}

/* What `cat a.gz b.gz` makes. */
static void unwraps_all_members(void **state)
{
	const struct packing *packing = *state;
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	packing->pack(&packed, (struct bytes){ plain.data, 1000 });
	packing->pack(&packed, (struct bytes){ plain.data + 1000, plain.size - 1000 });
	read_dump(&reading, &packed);
	expect_all(&reading);
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
	buf__free(&plain);
}

/* Cut off: all functions that came out of it are there. */
static void reads_what_is_left(void **state)
{
	const struct packing *packing = *state;
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	packing->pack(&packed, buf__bytes(&plain));
	packed.size -= packed.size / 2;
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, 0);
	assert_in_range(reading.events.count, FUNCTIONS / 8, FUNCTIONS - 1);
	assert_string_equal(reading.said.items[0].kind, packing->damaged);
	assert_non_null(strstr(reading.said.items[0].text, "is cut off after"));
	end_reading(&reading);
	buf__free(&plain);
}

static void says_that_it_is_damaged(void **state)
{
	const struct packing *packing = *state;
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	packing->pack(&packed, buf__bytes(&plain));
	packed.data[packed.size - packing->checksum] ^= 1; /* the checksum */
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, 0);
	assert_in_range(reading.events.count, FUNCTIONS / 8, FUNCTIONS);
	assert_string_equal(reading.said.items[0].kind, packing->damaged);
	assert_non_null(strstr(reading.said.items[0].text, "is damaged after"));
	end_reading(&reading);
	buf__free(&plain);
}

static void refuses_what_grows_without_end(void **state)
{
	const struct packing *packing = *state;
	struct buf plain = BUF(ORDER_LITTLE), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	put_header(&plain);
	buf__put_zeros(&plain, 16 << 20);
	packing->pack(&packed, buf__bytes(&plain));
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, -EFBIG);
	assert_string_equal(reading.said.items[0].kind, packing->bomb);
	end_reading(&reading);
	buf__free(&plain);
}

static void empty_and_foreign_contents(void **state)
{
	const struct packing *packing = *state;
	struct buf packed = BUF(ORDER_LITTLE);
	struct reading reading;

	packing->pack(&packed, (struct bytes){ (const uint8_t *)"", 0 });
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, 0);
	assert_int_equal(count_said(&reading, "jitdump.empty"), 1);
	end_reading(&reading);
	packing->pack(&packed, (struct bytes){ (const uint8_t *)"a text of another kind", 22 });
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, -EINVAL);
	assert_int_equal(count_said(&reading, "jitdump.magic"), 1);
	end_reading(&reading);
}

/* Whether a file is a jitdump is seen without unpacking it, however large its blocks are. */
static void is_recognised(void **state)
{
	const struct packing *packing = *state;
	struct buf plain = BUF(ORDER_LITTLE), packed = BUF(ORDER_LITTLE);
	char path[] = "/tmp/perfjit-test-packed-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	put_header(&plain);
	for (unsigned int i = 0, noise = 1; i < 300000; i++) {
		noise = noise * 1103515245 + 12345;
		buf__put_u8(&plain, (uint8_t)(noise >> 16));
	}
	packing->pack(&packed, buf__bytes(&plain));
	assert_int_equal(write(fd, packed.data, packed.size), packed.size);
	assert_true(jitdump__is_jitdump(path));
	packed.size = 0;
	packing->pack(&packed, (struct bytes){ plain.data + 1, plain.size - 1 });
	assert_int_equal(pwrite(fd, packed.data, packed.size, 0), packed.size);
	assert_false(jitdump__is_jitdump(path));
	close(fd);
	unlink(path);
	buf__free(&packed);
	buf__free(&plain);
}

#define BOTH(test) cmocka_unit_test_prestate(test, &gzip), cmocka_unit_test_prestate(test, &zstd)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(unwraps),
		BOTH(unwraps_all_members),
		BOTH(reads_what_is_left),
		BOTH(says_that_it_is_damaged),
		BOTH(refuses_what_grows_without_end),
		BOTH(empty_and_foreign_contents),
		BOTH(is_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
