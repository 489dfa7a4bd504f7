// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps that are gzip-wrapped, whole and damaged. */
#include <errno.h>
#include <zlib.h>

#include "jitdump/testing.h"

#define FUNCTIONS 200

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
static void wrap(struct buf *out, struct bytes bytes)
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

static void expect_all(struct reading *reading)
{
	assert_int_equal(reading->err, 0);
	assert_int_equal(reading->events.count, FUNCTIONS);
	assert_string_equal(function(reading, 2)->name, "function703");
	assert_int_equal(function(reading, FUNCTIONS - 1)->code.size, 16 + (FUNCTIONS - 1) % 32);
}

static void unwraps(void **state)
{
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	wrap(&packed, buf__bytes(&plain));
	read_dump(&reading, &packed);
	expect_all(&reading);
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
	buf__free(&plain);
}

/* What `cat a.gz b.gz` makes. */
static void unwraps_all_members(void **state)
{
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	wrap(&packed, (struct bytes){ plain.data, 1000 });
	wrap(&packed, (struct bytes){ plain.data + 1000, plain.size - 1000 });
	read_dump(&reading, &packed);
	expect_all(&reading);
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
	buf__free(&plain);
}

/* Cut off: all functions that came out of it are there. */
static void reads_what_is_left(void **state)
{
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	wrap(&packed, buf__bytes(&plain));
	packed.size -= packed.size / 2;
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, 0);
	assert_in_range(reading.events.count, FUNCTIONS / 8, FUNCTIONS - 1);
	assert_string_equal(reading.said.items[0].kind, "jitdump.gzip-damaged");
	assert_non_null(strstr(reading.said.items[0].text, "is cut off after"));
	end_reading(&reading);
	buf__free(&plain);
}

static void says_that_it_is_damaged(void **state)
{
	struct buf plain = plain_dump(), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	wrap(&packed, buf__bytes(&plain));
	packed.data[packed.size - 8] ^= 1; /* the checksum */
	read_dump(&reading, &packed);
	expect_all(&reading);
	assert_int_equal(reading.said.count, 1);
	assert_non_null(strstr(reading.said.items[0].text, "is damaged after"));
	end_reading(&reading);
	buf__free(&plain);
}

static void refuses_what_grows_without_end(void **state)
{
	struct buf plain = BUF(ORDER_LITTLE), packed = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&plain);
	buf__put_zeros(&plain, 16 << 20);
	wrap(&packed, buf__bytes(&plain));
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, -EFBIG);
	assert_string_equal(reading.said.items[0].kind, "jitdump.gzip-bomb");
	end_reading(&reading);
	buf__free(&plain);
}

static void empty_and_foreign_contents(void **state)
{
	struct buf packed = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	wrap(&packed, (struct bytes){ (const uint8_t *)"", 0 });
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, 0);
	assert_int_equal(count_said(&reading, "jitdump.empty"), 1);
	end_reading(&reading);
	wrap(&packed, (struct bytes){ (const uint8_t *)"a text of another kind", 22 });
	read_dump(&reading, &packed);
	assert_int_equal(reading.err, -EINVAL);
	assert_int_equal(count_said(&reading, "jitdump.magic"), 1);
	end_reading(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwraps),
		cmocka_unit_test(unwraps_all_members),
		cmocka_unit_test(reads_what_is_left),
		cmocka_unit_test(says_that_it_is_damaged),
		cmocka_unit_test(refuses_what_grows_without_end),
		cmocka_unit_test(empty_and_foreign_contents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
