// SPDX-License-Identifier: GPL-2.0-or-later
/* Line tables as producers write them. */
#include "jitdump/testing.h"

#define CODE 0x400000u

struct row {
	uint64_t offset;
	uint32_t line;
	const char *file;
};

static void expect_rows(const struct code_record *code, size_t count, const struct row *rows)
{
	assert_non_null(code->lines);
	assert_int_equal(code->lines->nr_rows, count);
	for (size_t i = 0; i < count; i++) {
		const struct code_line *row = &code->lines->rows[i];

		assert_int_equal(row->addr - code->addr, rows[i].offset);
		assert_int_equal(row->line, rows[i].line);
		assert_int_equal(row->column, rows[i].line + 100);
		assert_true(row->file < code->lines->nr_files);
		assert_string_equal(code->lines->files[row->file], rows[i].file);
	}
}

#define EXPECT_ROWS(code, ...)                                                        \
	expect_rows(code, sizeof((struct row[]){ __VA_ARGS__ }) / sizeof(struct row), \
		    (struct row[]){ __VA_ARGS__ })

/* A function of size bytes at addr whose table has a row at each of two offsets. */
static void put_function(struct buf *buf, uint64_t addr, uint64_t size, uint64_t first,
			 uint64_t second)
{
	size_t start = begin_debug_info(buf, 10, addr, 2);

	put_entry(buf, addr + first, 1, "a.c");
	put_entry(buf, addr + second, 2, "a.c");
	end_record(buf, start);
	put_load(buf, 10, addr, size, "f");
}

/* LLVM and V8 add 0x40 to all addresses; a row beyond its function gives it away. */
static void takes_off_the_bias(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_function(&buf, CODE, 0x30, 0x40, 0x60);
	put_function(&buf, CODE + 0x1000, 0x100, 0x43, 0x13f);
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 1, "a.c" }, { 0x20, 2, "a.c" });
	EXPECT_ROWS(function(&reading, 1), { 3, 1, "a.c" }, { 0xff, 2, "a.c" });
	assert_int_equal(count_said(&reading, "jitdump.biased-lines"), 1);
	end_reading(&reading);
}

/*
 * A table that begins at 0x40 exactly is no accident either; one that begins behind it, as after a
 * long prologue, may be.
 */
static void believes_what_is_exact(void **state)
{
	(void)state;
	for (unsigned int extra = 0; extra < 2; extra++) {
		struct buf buf = BUF(ORDER_LITTLE);
		struct reading reading;

		put_header(&buf);
		put_function(&buf, CODE, 0x800, 0x40 + extra, 0x80);
		read_dump(&reading, &buf);
		if (extra)
			EXPECT_ROWS(function(&reading, 0), { 0x41, 1, "a.c" }, { 0x80, 2, "a.c" });
		else
			EXPECT_ROWS(function(&reading, 0), { 0, 1, "a.c" }, { 0x40, 2, "a.c" });
		end_reading(&reading);
	}
}

/* Tables that begin where their functions do have no bias, long prologues in others or not. */
static void leaves_right_addresses(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_function(&buf, CODE, 0x100, 0, 0xff);
	for (unsigned int i = 1; i <= 8; i++)
		put_function(&buf, CODE + i * 0x1000, 0x100, 0x40, 0x80);
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 1, "a.c" }, { 0xff, 2, "a.c" });
	EXPECT_ROWS(function(&reading, 8), { 0x40, 1, "a.c" }, { 0x80, 2, "a.c" });
	end_reading(&reading);
}

/* One damaged table does not change what many say. */
static void a_stray_table_has_no_say(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_function(&buf, CODE, 0x100, 8, 0x80);
	for (unsigned int i = 1; i <= 9; i++)
		put_function(&buf, CODE + i * 0x1000, 0x100, 0x40, 0x80);
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 9), { 0, 1, "a.c" }, { 0x40, 2, "a.c" });
	end_reading(&reading);
}

/* QEMU's only row stands at the end of the code and has no line. */
static void rows_without_lines_are_no_evidence(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	for (unsigned int i = 0; i < 5; i++) {
		size_t start = begin_debug_info(&buf, 10, CODE + i * 0x1000, 1);

		put_entry(&buf, CODE + i * 0x1000 + 0x50, 0, "");
		end_record(&buf, start);
		put_load(&buf, 10, CODE + i * 0x1000, 0x50, "guest");
	}
	read_dump(&reading, &buf);
	assert_int_equal(reading.said.count, 0);
	assert_null(function(&reading, 4)->lines);
	end_reading(&reading);
}

/* Erlang's rows before the function: the last of them tells where it begins. */
static void rows_before_the_code_are_its_beginning(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_debug_info(&buf, 10, CODE, 5);
	put_entry(&buf, CODE - 50, 5, "a.erl");
	put_entry(&buf, CODE - 2, 6, "b.erl");
	put_entry(&buf, CODE + 8, 7, "a.erl");
	put_entry(&buf, CODE + 15, 8, "\xff");
	put_entry(&buf, CODE + 16, 9, "a.erl");
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "m:f/1");
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 6, "b.erl" }, { 8, 7, "a.erl" },
		    { 15, 8, "a.erl" });
	assert_int_equal(reading.said.count, 1);
	assert_int_equal(count_said(&reading, "jitdump.line-outside"), 1);
	end_reading(&reading);
}

/* Rows out of order are sorted; those of one address keep theirs. */
static void sorts_rows(void **state)
{
	static const uint8_t offsets[] = { 9, 3, 9, 0, 3, 9, 3, 0, 9, 3, 9, 9 };
	static const struct row expected[] = {
		{ 0, 3, "a.c" }, { 0, 7, "a.c" }, { 3, 1, "a.c" },  { 3, 4, "a.c" },
		{ 3, 6, "a.c" }, { 3, 9, "a.c" }, { 9, 0, "a.c" },  { 9, 2, "a.c" },
		{ 9, 5, "a.c" }, { 9, 8, "a.c" }, { 9, 10, "a.c" }, { 9, 11, "a.c" },
	};
	struct buf buf = BUF(ORDER_BIG);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_debug_info(&buf, 10, CODE, sizeof(offsets));
	for (uint32_t i = 0; i < sizeof(offsets); i++)
		put_entry(&buf, CODE + offsets[i], i, "a.c");
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "f");
	read_dump(&reading, &buf);
	expect_rows(function(&reading, 0), sizeof(offsets), expected);
	end_reading(&reading);
}

static void put_overwritten(struct buf *buf, uint64_t addr, uint32_t line, const char *over,
			    size_t size, const char *file)
{
	size_t start = buf->size;

	put_entry(buf, addr, line, file);
	memcpy(buf->data + start + 16, over, size);
}

/* Node overwrites up to 16 bytes of file names, also of functions inlined from other files. */
static void mends_overwritten_names(void **state)
{
	static const char ours[] = "/srv/my app/src/main.js",
			  other[] = "node:internal/util/inspect";
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_debug_info(&buf, 10, CODE, 7);
	put_overwritten(&buf, CODE, 1, "9%\x01\0\0\0\0\0", 8, ours);
	put_entry(&buf, CODE + 1, 2, other);
	put_overwritten(&buf, CODE + 2, 3, "ab\0\0\0\0\0\0\x81\xd0\x11\0\0\0\0\0", 16, other);
	put_overwritten(&buf, CODE + 3, 4, "\xc1\x80\x01\x02\x03\x04\x05\x06", 8, ours);
	put_overwritten(&buf, CODE + 4, 5, "\x01\0", 2, "no/body/knows/it.js");
	put_entry(&buf, CODE + 5, 6, ours);
	put_overwritten(&buf, CODE + 6, 7, "\xe9\x02\0\0\0\0\0\0\x31\0\0\0\0\0\0\0", 16, ours);
	buf__align(&buf, 8);
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "JS:*get it /srv/my app/src/main.js:10:20");
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 1, ours }, { 1, 2, other }, { 2, 3, other },
		    { 3, 4, ours }, { 4, 5, "" }, { 5, 6, ours }, { 6, 7, ours });
	assert_int_equal(count_said(&reading, "jitdump.file-name"), 1);
	assert_int_equal(count_said(&reading, "jitdump.debug-entries"), 0);
	end_reading(&reading);
}

/* A short name may be gone as a whole: its length is all that is left. */
static void mends_short_names(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_debug_info(&buf, 10, CODE, 2);
	put_overwritten(&buf, CODE, 1, "\x09\0\0\0\0\0\0\0", 8, "t/cpu.js");
	put_overwritten(&buf, CODE + 4, 2, "\x09\0\0\0\0\0", 6, "t/cpu.js");
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "JS:^leaf t/cpu.js:1:15");
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 1, "t/cpu.js" }, { 4, 2, "t/cpu.js" });
	end_reading(&reading);
}

/* Names that are no UTF-8 may be meant so. */
static void keeps_strange_names(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_debug_info(&buf, 10, CODE, 3);
	put_entry(&buf, CODE, 1, "gr\xfc\xdf.c");
	put_entry(&buf, CODE + 1, 2, "gr\xc3\xbc\xc3\x9f.c");
	put_entry(&buf, CODE + 2, 3, "");
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "f");
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 1, "gr\xfc\xdf.c" },
		    { 1, 2, "gr\xc3\xbc\xc3\x9f.c" }, { 2, 3, "" });
	end_reading(&reading);
}

/* Tables are known by their address: ORC writes all of them before the functions. */
static void finds_the_function_of_each_table(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	for (uint32_t i = 0; i < 3; i++) {
		size_t start = begin_debug_info(&buf, 10, CODE + i * 0x100, 1);

		put_entry(&buf, CODE + i * 0x100, i + 1, "a.c");
		end_record(&buf, start);
	}
	put_load(&buf, 11, CODE + 0x200, 16, "third");
	put_load(&buf, 11, CODE, 16, "first");
	put_load(&buf, 11, CODE + 0x100, 16, "second");
	put_load(&buf, 12, CODE, 16, "without");
	put_function(&buf, CODE, 16, 1, 2);
	read_dump(&reading, &buf);
	EXPECT_ROWS(function(&reading, 0), { 0, 3, "a.c" });
	EXPECT_ROWS(function(&reading, 1), { 0, 1, "a.c" });
	EXPECT_ROWS(function(&reading, 2), { 0, 2, "a.c" });
	assert_null(function(&reading, 3)->lines);
	EXPECT_ROWS(function(&reading, 4), { 1, 1, "a.c" }, { 2, 2, "a.c" });
	end_reading(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_off_the_bias),
		cmocka_unit_test(believes_what_is_exact),
		cmocka_unit_test(leaves_right_addresses),
		cmocka_unit_test(a_stray_table_has_no_say),
		cmocka_unit_test(rows_without_lines_are_no_evidence),
		cmocka_unit_test(rows_before_the_code_are_its_beginning),
		cmocka_unit_test(sorts_rows),
		cmocka_unit_test(mends_overwritten_names),
		cmocka_unit_test(mends_short_names),
		cmocka_unit_test(keeps_strange_names),
		cmocka_unit_test(finds_the_function_of_each_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
