// SPDX-License-Identifier: GPL-2.0-or-later
/* Headers, loads, moves and inlined calls as producers write them. */

#include "jitdump/testing.h"

#define CODE 0x400000u

/* JavaScriptCore swaps the magic on big-endian machines: the header's size tells the order. */
static void the_magic_may_lie(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct buf buf = BUF(big ? ORDER_BIG : ORDER_LITTLE);
		struct reading reading;

		put_header(&buf);
		set_u32(buf.data, 0x4454694a, buf.order);
		put_load(&buf, 10, CODE, 16, "f");
		read_dump(&reading, &buf);
		assert_int_equal(jitdump__header(reading.dump)->order,
				 big ? ORDER_BIG : ORDER_LITTLE);
		assert_int_equal(jitdump__header(reading.dump)->pid, TEST_PID);
		assert_string_equal(function(&reading, 0)->name, "f");
		assert_int_equal(count_said(&reading, "jitdump.swapped-magic"), 1);
		end_reading(&reading);
	}
}

static void reads_either_byte_order(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct buf buf = BUF(big ? ORDER_BIG : ORDER_LITTLE);
		struct reading reading;

		put_header(&buf);
		put_load(&buf, UINT64_C(0x1122334455667788), CODE, 16, "f");
		read_dump(&reading, &buf);
		assert_int_equal(reading.said.count, 0);
		assert_int_equal(function(&reading, 0)->time, UINT64_C(0x1122334455667788));
		assert_int_equal(function(&reading, 0)->addr, CODE);
		assert_int_equal(function(&reading, 0)->pid, TEST_PID);
		assert_int_equal(function(&reading, 0)->tid, TEST_PID + 1);
		end_reading(&reading);
	}
}

/* Records begin behind the header, however long it is; TSC times are the caller's to convert. */
static void a_header_may_be_longer(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	set_u32(buf.data + 8, 56, ORDER_LITTLE);
	set_u64(buf.data + 32, JITDUMP_FLAG_ARCH_TIMESTAMP, ORDER_LITTLE);
	put_code(&buf, CODE, 16);
	put_load(&buf, 10, CODE, 16, "f");
	read_dump(&reading, &buf);
	assert_int_equal(jitdump__header(reading.dump)->total_size, 56);
	assert_int_equal(jitdump__header(reading.dump)->flags, JITDUMP_FLAG_ARCH_TIMESTAMP);
	assert_string_equal(function(&reading, 0)->name, "f");
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
}

/* LLVM's vma is 0; where they differ, perf goes by code_addr; a vma alone is better than nothing.
 */
static void code_addr_goes_before_vma(void **state)
{
	static const struct {
		uint64_t vma, code_addr, expected;
	} loads[] = { { 0, CODE, CODE }, { 0x9000, CODE, CODE }, { CODE, 0, CODE } };
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	for (size_t i = 0; i < 3; i++) {
		size_t start = begin_load(&buf, 10, loads[i].vma, loads[i].code_addr, 4);

		buf__put_string(&buf, "f");
		put_code(&buf, CODE, 4);
		end_record(&buf, start);
	}
	read_dump(&reading, &buf);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(function(&reading, i)->addr, loads[i].expected);
	end_reading(&reading);
}

/* Equal bodies (CPython, .NET), indices, times and names are no reason to leave one out. */
static void equal_functions_stay_apart(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	for (int i = 0; i < 4; i++)
		put_load(&buf, 10, CODE + (i & 1) * 0x1000, 16, "same");
	read_dump(&reading, &buf);
	assert_int_equal(reading.events.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(function(&reading, i)->addr, CODE + (i & 1) * 0x1000);
	assert_true(function(&reading, 0)->offset < function(&reading, 2)->offset);
	end_reading(&reading);
}

static void keeps_names_as_they_are(void **state)
{
	static char long_name[70000];
	static const char *const names[] = { "JS:*f a b.js:1:1", "JIT$K::m\xc3\xa9thode",
					     "\x01\x02", "LNest;leaf(I)J", long_name };
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	memset(long_name, 'n', sizeof(long_name) - 1);
	put_header(&buf);
	for (size_t i = 0; i < 5; i++)
		put_load(&buf, 10, CODE + i * 0x1000, 16, names[i]);
	read_dump(&reading, &buf);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(function(&reading, i)->name, names[i]);
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
}

static void a_name_may_have_no_end(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_load(&buf, 10, CODE, CODE, 4);
	buf__put(&buf, "endless", 7);
	put_code(&buf, CODE, 4);
	end_record(&buf, start);
	put_load(&buf, 11, CODE, 4, "next");
	read_dump(&reading, &buf);
	assert_string_equal(function(&reading, 0)->name, "endless");
	assert_int_equal(function(&reading, 0)->code.data[0], 0x80);
	assert_string_equal(function(&reading, 1)->name, "next");
	end_reading(&reading);
}

/* Padding in front of the code, where perf wants it, or behind it. */
static void padding_is_no_code(void **state)
{
	(void)state;
	for (int behind = 0; behind < 2; behind++) {
		struct buf buf = BUF(ORDER_LITTLE);
		struct reading reading;
		size_t start;

		put_header(&buf);
		start = begin_load(&buf, 10, CODE, CODE, 8);
		buf__put_string(&buf, "f");
		buf__put_zeros(&buf, behind ? 0 : 6);
		put_code(&buf, CODE, 8);
		buf__put_zeros(&buf, behind ? 6 : 0);
		end_record(&buf, start);
		read_dump(&reading, &buf);
		assert_int_equal(function(&reading, 0)->code.size, 8);
		assert_int_equal(function(&reading, 0)->code.data[0], 0x80);
		assert_int_equal(function(&reading, 0)->code.data[7], 0x87);
		end_reading(&reading);
	}
}

static void tells_of_moves_and_the_end(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_load(&buf, 10, CODE, 16, "f");
	put_move(&buf, 20, CODE, 0x900000, 16);
	end_record(&buf, begin_record(&buf, JIT_CODE_CLOSE, 30));
	read_dump(&reading, &buf);
	assert_int_equal(reading.events.count, 3);
	assert_int_equal(reading.events.items[1].kind, JITDUMP_MOVE);
	assert_int_equal(reading.events.items[1].time, 20);
	assert_int_equal(reading.events.items[1].move.from, CODE);
	assert_int_equal(reading.events.items[1].move.to, 0x900000);
	assert_int_equal(reading.events.items[1].move.size, 16);
	assert_int_equal(reading.events.items[1].move.index, 1);
	assert_int_equal(reading.events.items[2].kind, JITDUMP_CLOSE);
	assert_int_equal(reading.events.items[2].time, 30);
	assert_int_equal(jitdump__stats(reading.dump)->moves, 1);
	assert_int_equal(jitdump__stats(reading.dump)->closes, 1);
	end_reading(&reading);
}

/* {caller, function, file, line} of a DEBUG_INFO2 position */
static void put_position(struct buf *buf, int32_t caller, uint32_t name, int32_t file,
			 uint32_t line)
{
	buf__put_u32(buf, (uint32_t)caller);
	buf__put_u32(buf, name);
	buf__put_u32(buf, (uint32_t)file);
	buf__put_u32(buf, 1);
	buf__put_u32(buf, 2);
	buf__put_u32(buf, line);
	buf__put_u32(buf, line + 100);
}

/* f calls g, inlined, at a.js:12, which calls h, inlined, at b.js:23; h comes first. */
static void put_inlined(struct buf *buf)
{
	static const uint32_t offsets[][2] = { { 8, 0 }, { 0, 2 }, { 4, 1 }, { 12, 3 }, { 99, 0 } };
	size_t start = begin_debug_info2(buf, 10, CODE, 5, 4, 5);

	for (size_t i = 0; i < 5; i++) {
		buf__put_u32(buf, offsets[i][0]);
		buf__put_u32(buf, offsets[i][1]);
	}
	put_position(buf, 1, 2, 4, 34);
	put_position(buf, 2, 1, 4, 23);
	put_position(buf, -1, 0, 3, 12);
	put_position(buf, -1, 0, -1, 0);
	buf__put(buf, "f\0g\0h\0a.js\0b.js", 16);
	end_record(buf, start);
}

static void check_inlined(const struct code_lines *lines)
{
	static const uint32_t expected[][3] = {
		{ 0, 12, 0 }, { 4, 23, 2 }, { 8, 34, 1 }, { 12, 0, 0 }
	};

	assert_non_null(lines);
	assert_int_equal(lines->nr_rows, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(lines->rows[i].addr, CODE + expected[i][0]);
		assert_int_equal(lines->rows[i].line, expected[i][1]);
		assert_int_equal(lines->rows[i].inlined, expected[i][2]);
	}
	assert_string_equal(lines->files[lines->rows[0].file], "a.js");
	assert_string_equal(lines->files[lines->rows[2].file], "b.js");
	assert_string_equal(lines->files[lines->rows[3].file], "");
	assert_int_equal(lines->rows[2].column, 134);
	assert_string_equal(lines->inlined[0].name, "h");
	assert_int_equal(lines->inlined[0].caller, 2);
	assert_int_equal(lines->inlined[0].call_line, 23);
	assert_string_equal(lines->files[lines->inlined[0].call_file], "b.js");
	assert_string_equal(lines->inlined[1].name, "g");
	assert_int_equal(lines->inlined[1].caller, 0);
	assert_int_equal(lines->inlined[1].call_line, 12);
	assert_int_equal(lines->inlined[1].call_column, 112);
	assert_string_equal(lines->files[lines->inlined[1].call_file], "a.js");
}

/* A producer may write the older kind as well, for perf. */
static void reads_inlined_calls(void **state)
{
	(void)state;
	for (int older = 0; older < 3; older++) {
		struct buf buf = BUF(older ? ORDER_LITTLE : ORDER_BIG);
		struct reading reading;
		size_t start;

		put_header(&buf);
		if (older != 1)
			put_inlined(&buf);
		if (older) {
			start = begin_debug_info(&buf, 10, CODE, 1);
			put_entry(&buf, CODE, 12, "a.js");
			end_record(&buf, start);
		}
		if (older == 1)
			put_inlined(&buf);
		put_load(&buf, 10, CODE, 16, "f");
		read_dump(&reading, &buf);
		check_inlined(function(&reading, 0)->lines);
		assert_int_equal(jitdump__stats(reading.dump)->debug_info2s, 1);
		end_reading(&reading);
	}
}

/* Callers that go round in a circle: each call is told once, and the way out of them ends. */
static void cuts_circles_of_callers(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	const struct code_lines *lines;
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_debug_info2(&buf, 10, CODE, 1, 3, 3);
	buf__put_u32(&buf, 0);
	buf__put_u32(&buf, 0);
	put_position(&buf, 1, 0, 2, 1);
	put_position(&buf, 2, 1, 2, 2);
	put_position(&buf, 0, 1, 2, 3);
	buf__put(&buf, "f\0g\0a.js", 9);
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "f");
	read_dump(&reading, &buf);
	lines = function(&reading, 0)->lines;
	assert_non_null(lines);
	assert_int_equal(lines->nr_inlined, 3);
	assert_int_equal(lines->rows[0].inlined, 1);
	assert_int_equal(lines->inlined[0].caller, 2);
	assert_int_equal(lines->inlined[1].caller, 3);
	assert_int_equal(lines->inlined[2].caller, 0);
	end_reading(&reading);
}

/* Said in a pass over the records, not said again when they are put together. */
static void says_it_once(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct jitdump_record record;
	struct reading reading = { 0 };
	size_t records = 0;
	char path[64];
	int fd = memfd_create("jitdump", MFD_CLOEXEC);

	(void)state;
	put_header(&buf);
	set_u32(buf.data + 8, 56, ORDER_LITTLE);
	put_code(&buf, CODE, 16);
	put_load(&buf, 10, CODE, 16, "f");
	buf__put(&buf, "garbage", 7);
	put_load(&buf, 10, CODE, 16, "g");
	put_load(&buf, 10, CODE, 0, "empty");
	end_record(&buf, begin_record(&buf, 99, 10));
	assert_int_equal(write(fd, buf.data, buf.size), buf.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reading.diag = diag__new(keep_said, &reading);
	assert_int_equal(jitdump__open(&reading.dump, path, reading.diag), 0);
	for (int pass = 0; pass < 2; pass++) {
		while (jitdump__next_record(reading.dump, &record) == 1)
			records++;
		jitdump__rewind(reading.dump);
	}
	assert_int_equal(records, 8);
	assert_int_equal(count_said(&reading, "jitdump.resync"), 1);
	for (int pass = 0; pass < 2; pass++)
		assert_int_equal(jitdump__for_each_event(reading.dump, keep_event, &reading), 0);
	assert_int_equal(reading.events.count, 4);
	assert_int_equal(count_said(&reading, "jitdump.resync"), 1);
	assert_int_equal(count_said(&reading, "jitdump.unknown-record"), 1);
	assert_int_equal(count_said(&reading, "jitdump.empty-code"), 1);
	end_reading(&reading);
	buf__free(&buf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_magic_may_lie),
		cmocka_unit_test(reads_either_byte_order),
		cmocka_unit_test(a_header_may_be_longer),
		cmocka_unit_test(code_addr_goes_before_vma),
		cmocka_unit_test(equal_functions_stay_apart),
		cmocka_unit_test(keeps_names_as_they_are),
		cmocka_unit_test(a_name_may_have_no_end),
		cmocka_unit_test(padding_is_no_code),
		cmocka_unit_test(tells_of_moves_and_the_end),
		cmocka_unit_test(reads_inlined_calls),
		cmocka_unit_test(cuts_circles_of_callers),
		cmocka_unit_test(says_it_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
