// SPDX-License-Identifier: GPL-2.0-or-later
/* Where reading goes on behind what is no record, and how far a record reaches that lies about it.
 */
#include "jitdump/testing.h"

#define CODE 0x10000u

/* What no kind of record begins with, at any offset. */
static void put_garbage(struct buf *buf, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf__put_u8(buf, 0xdb);
}

static void expect_names(const struct reading *reading, const char *first, const char *second)
{
	assert_int_equal(jitdump__stats(reading->dump)->loads, 2);
	assert_string_equal(function(reading, 0)->name, first);
	assert_string_equal(function(reading, 1)->name, second);
}

static void finds_a_move(void **state)
{
	struct buf buf = BUF(ORDER_BIG);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_load(&buf, 10, CODE, 16, "f");
	put_garbage(&buf, 40);
	put_move(&buf, 20, CODE, 2 * CODE, 16);
	put_load(&buf, 30, CODE, 16, "g");
	read_dump(&reading, &buf);
	expect_names(&reading, "f", "g");
	assert_int_equal(reading.events.count, 3);
	assert_int_equal(reading.events.items[1].kind, JITDUMP_MOVE);
	assert_int_equal(reading.events.items[1].move.to, 2 * CODE);
	assert_int_equal(jitdump__stats(reading.dump)->skipped_bytes, 40);
	end_reading(&reading);
}

/* A CLOSE has nothing but its time to be known by: not one before what was read already. */
static void finds_a_close(void **state)
{
	(void)state;
	for (uint64_t time = 5; time <= 15; time += 10) {
		struct buf buf = BUF(ORDER_LITTLE);
		struct reading reading;

		put_header(&buf);
		put_load(&buf, 10, CODE, 16, "f");
		put_garbage(&buf, 40);
		end_record(&buf, begin_record(&buf, JIT_CODE_CLOSE, time));
		put_load(&buf, 20, 2 * CODE, 16, "g");
		read_dump(&reading, &buf);
		expect_names(&reading, "f", "g");
		assert_int_equal(jitdump__stats(reading.dump)->closes, time > 10);
		assert_int_equal(jitdump__stats(reading.dump)->skipped_bytes, time > 10 ? 40 : 56);
		end_reading(&reading);
	}
}

static void finds_lines(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	put_load(&buf, 10, CODE, 16, "f");
	put_garbage(&buf, 40);
	start = begin_debug_info(&buf, 20, 2 * CODE, 1);
	put_entry(&buf, 2 * CODE, 7, "g.js");
	end_record(&buf, start);
	put_load(&buf, 20, 2 * CODE, 16, "g");
	read_dump(&reading, &buf);
	expect_names(&reading, "f", "g");
	assert_non_null(function(&reading, 1)->lines);
	assert_int_equal(function(&reading, 1)->lines->rows[0].line, 7);
	end_reading(&reading);
}

/*
 * A size that leads into the midst of a later record, and garbage behind where the record's fields
 * end it: code is what follows the name, and nothing that follows the garbage is lost.
 */
static void fields_go_before_a_size_that_leads_nowhere(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE), code = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_load(&buf, 10, CODE, CODE, 16);
	buf__put_string(&buf, "f");
	put_code(&buf, CODE, 16);
	put_garbage(&buf, 40);
	set_size(&buf, start, (uint32_t)(buf.size - start + 30));
	put_load(&buf, 20, 2 * CODE, 16, "g");
	read_dump(&reading, &buf);
	expect_names(&reading, "f", "g");
	put_code(&code, CODE, 16);
	assert_int_equal(function(&reading, 0)->code.size, 16);
	assert_memory_equal(function(&reading, 0)->code.data, code.data, 16);
	assert_int_equal(count_said(&reading, "jitdump.wrong-size"), 1);
	assert_int_equal(jitdump__stats(reading.dump)->skipped_bytes, 40);
	end_reading(&reading);
	buf__free(&code);
}

static void a_close_has_one_size(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_load(&buf, 10, CODE, 16, "f");
	set_size(&buf, begin_record(&buf, JIT_CODE_CLOSE, 15), 20);
	put_load(&buf, 20, 2 * CODE, 16, "g");
	read_dump(&reading, &buf);
	expect_names(&reading, "f", "g");
	assert_int_equal(jitdump__stats(reading.dump)->closes, 1);
	assert_int_equal(reading.said.count, 1);
	assert_string_equal(reading.said.items[0].text,
			    "JIT_CODE_CLOSE record says it has 20 bytes; its fields and what "
			    "follows say 16");
	end_reading(&reading);
}

static void put_load_of_much_code(struct buf *buf, uint64_t size)
{
	size_t start = begin_load(buf, 15, CODE, CODE, size);

	buf__put_string(buf, "lost");
	end_record(buf, start);
}

static void put_much_unwinding(struct buf *buf, uint64_t size)
{
	size_t start = begin_unwinding(buf, 15, size, 0, 0);

	buf__put_zeros(buf, 24);
	end_record(buf, start);
}

static void put_many_entries(struct buf *buf, uint64_t count)
{
	size_t start = begin_debug_info(buf, 15, CODE, count);

	put_entry(buf, CODE, 1, "f.js");
	end_record(buf, start);
}

/* Neither its size nor its fields lead to another record: what follows is looked for. */
static void a_damaged_record_before_garbage(void **state)
{
	static const struct {
		void (*put)(struct buf *buf, uint64_t number);
		const char *kind;
	} cases[] = {
		{ put_load_of_much_code, "jitdump.code-size" },
		{ put_much_unwinding, "jitdump.unwinding-size" },
		{ put_many_entries, "jitdump.entry-count" },
	};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct buf buf = BUF(ORDER_LITTLE);
		struct reading reading;

		put_header(&buf);
		put_load(&buf, 10, CODE, 16, "f");
		cases[i / 2].put(&buf, i % 2 ? UINT64_C(1) << 33 : 1000000);
		put_garbage(&buf, 40);
		put_load(&buf, 20, 2 * CODE, 16, "g");
		read_dump(&reading, &buf);
		expect_names(&reading, "f", "g");
		assert_int_equal(reading.said.count, 2);
		assert_string_equal(reading.said.items[0].kind, cases[i / 2].kind);
		assert_int_equal(reading.said.items[0].offset, 40 + 56 + 2 + 16);
		assert_string_equal(reading.said.items[1].kind, "jitdump.resync");
		end_reading(&reading);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_move),
		cmocka_unit_test(finds_a_close),
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(fields_go_before_a_size_that_leads_nowhere),
		cmocka_unit_test(a_close_has_one_size),
		cmocka_unit_test(a_damaged_record_before_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
