// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps that are damaged where they begin or end. */
#include "jitdump/malformed.h"

/* ---- what a dump ends with --------------------------------------------------------------------
 */

static void cut(struct buf *buf, size_t bytes)
{
	buf->size -= bytes;
}

static void cut_in_prefix(struct buf *buf)
{
	begin_record(buf, JIT_CODE_LOAD, 15);
	cut(buf, 1);
}

static void cut_in_load(struct buf *buf)
{
	put_load(buf, 15, A, 8, "lost");
	cut(buf, 8 + 5 + 3);
}

static void cut_in_name(struct buf *buf)
{
	put_load(buf, 15, A, 8, "lost");
	cut(buf, 8 + 2);
}

static void cut_in_code(struct buf *buf)
{
	put_load(buf, 15, A, 8, "cut");
	cut(buf, 3);
}

static void cut_in_unwinding(struct buf *buf)
{
	size_t start = begin_unwinding(buf, 15, 64, 20, 80);

	put_code(buf, A, 64);
	end_record(buf, start);
	cut(buf, 10);
}

static void cut_in_debug_info(struct buf *buf)
{
	size_t start = begin_debug_info(buf, 15, A, 1);

	put_entry(buf, A, 1, "a.c");
	end_record(buf, start);
	cut(buf, 2);
}

static void cut_in_move(struct buf *buf)
{
	put_move(buf, 15, A, 2 * A, 8);
	cut(buf, 9);
}

static void zeros_at_the_end(struct buf *buf)
{
	buf__put_zeros(buf, 4000);
}

static void garbage_at_the_end(struct buf *buf)
{
	put_code(buf, A, 500);
}

/* ---- headers: put_header, changed -------------------------------------------------------------
 */

static void set_header(struct buf *buf, size_t offset, uint32_t value)
{
	set_u32(buf->data + offset, value, buf->order);
}

static void version_2(struct buf *buf)
{
	set_header(buf, 4, 2);
}

static void unknown_flags(struct buf *buf)
{
	set_header(buf, 32, 0x1234560);
}

static void header_size_0(struct buf *buf)
{
	set_header(buf, 8, 0);
}

static void header_size_39(struct buf *buf)
{
	set_header(buf, 8, 39);
}

static void header_size_past_end(struct buf *buf)
{
	set_header(buf, 8, 4000);
}

static void header_size_beyond_number(struct buf *buf)
{
	set_header(buf, 8, UINT32_MAX);
}

static void no_magic(struct buf *buf)
{
	set_header(buf, 0, 0x464c457f);
}

static void magic_alone(struct buf *buf)
{
	cut(buf, 36);
}

static void header_cut(struct buf *buf)
{
	cut(buf, 1);
}

static void empty(struct buf *buf)
{
	cut(buf, 40);
}

static const struct malformed cases[] = {
	MALFORMED(
		cut_in_prefix, .place = LAST, .functions = "before",
		.said = "jitdump.truncated-prefix: the last record is cut off in its prefix, after 15 bytes",
		.level = DIAG_WARNING),
	MALFORMED(
		cut_in_load, .place = LAST, .functions = "before",
		.said = "jitdump.truncated-record: the last record (JIT_CODE_LOAD) is cut off after 53 of 69 bytes",
		.level = DIAG_WARNING),
	MALFORMED(
		cut_in_name, .place = LAST, .functions = "before",
		.said = "jitdump.truncated-record: the last record (JIT_CODE_LOAD) is cut off after 59 of 69 bytes",
		.level = DIAG_WARNING),
	MALFORMED(cut_in_code, .place = LAST, .functions = "before cut",
		  .said = "jitdump.truncated-load: the last function is cut off: its code is lost",
		  .level = DIAG_WARNING),
	MALFORMED(
		cut_in_unwinding, .place = LAST, .functions = "before",
		.said = "jitdump.truncated-record: the last record (JIT_CODE_UNWINDING_INFO) is cut off after 94 of 104 bytes",
		.level = DIAG_WARNING),
	MALFORMED(
		cut_in_debug_info, .place = LAST, .functions = "before",
		.said = "jitdump.truncated-record: the last record (JIT_CODE_DEBUG_INFO) is cut off after 50 of 52 bytes",
		.level = DIAG_WARNING),
	MALFORMED(
		cut_in_move, .place = LAST, .functions = "before",
		.said = "jitdump.truncated-record: the last record (JIT_CODE_MOVE) is cut off after 55 of 64 bytes",
		.level = DIAG_WARNING),
	MALFORMED(zeros_at_the_end, .place = LAST, .functions = "before",
		  .said = "jitdump.garbage-tail: no record is to be found in the last 4000 bytes",
		  .level = DIAG_WARNING),
	MALFORMED(garbage_at_the_end, .place = LAST, .functions = "before",
		  .said = "jitdump.garbage-tail: no record is to be found in the last 500 bytes",
		  .level = DIAG_WARNING),
	MALFORMED(version_2, .place = HEADER, .functions = "before after",
		  .said = "jitdump.version: version is 2, not 1: read as version 1",
		  .level = DIAG_WARNING),
	MALFORMED(unknown_flags, .place = HEADER, .functions = "before after",
		  .said = "jitdump.flags: unknown flags 0x1234560 are ignored",
		  .level = DIAG_WARNING),
	MALFORMED(header_size_0, .place = HEADER, .functions = "before after",
		  .said = "jitdump.header-size: the header says it has 0 bytes: taken as 40",
		  .level = DIAG_WARNING),
	MALFORMED(header_size_39, .place = HEADER, .functions = "before after",
		  .said = "jitdump.header-size: the header says it has 39 bytes: taken as 40",
		  .level = DIAG_WARNING),
	MALFORMED(header_size_past_end, .place = HEADER, .functions = "before after",
		  .said = "jitdump.header-size: the header says it has 4000 bytes: taken as 40",
		  .level = DIAG_WARNING),
	MALFORMED(
		header_size_beyond_number, .place = HEADER, .functions = "before after",
		.said = "jitdump.header-size: the header says it has 4294967295 bytes: taken as 40",
		.level = DIAG_WARNING),
	MALFORMED(no_magic, .place = HEADER, .functions = "",
		  .said = "jitdump.magic: is no jitdump", .level = DIAG_ERROR),
	MALFORMED(magic_alone, .place = ALONE, .functions = "",
		  .said = "jitdump.truncated-header: is cut off in its header, after 4 bytes",
		  .level = DIAG_WARNING),
	MALFORMED(header_cut, .place = ALONE, .functions = "",
		  .said = "jitdump.truncated-header: is cut off in its header, after 39 bytes",
		  .level = DIAG_WARNING),
	MALFORMED(empty, .place = ALONE, .functions = "",
		  .said = "jitdump.empty: is empty: nothing was written to it", .level = DIAG_NOTE),
};

int main(void)
{
	return run_malformed(cases, sizeof(cases) / sizeof(cases[0]));
}
