// SPDX-License-Identifier: GPL-2.0-or-later
/* Records that are damaged, each in one way. */
#include "jitdump/malformed.h"

static void size_zero(struct buf *buf)
{
	begin_record(buf, JIT_CODE_LOAD, 15);
	buf__put_zeros(buf, 48);
}

static void size_below_prefix(struct buf *buf)
{
	set_size(buf, begin_record(buf, JIT_CODE_LOAD, 15), 15);
	put_code(buf, A, 41);
}

static void size_past_end(struct buf *buf)
{
	size_t start = begin_load(buf, 15, A, A, 8);

	buf__put_string(buf, "lost");
	put_code(buf, A, 8);
	set_size(buf, start, 0xffffff00);
}

static void unknown_kind(struct buf *buf)
{
	size_t start = begin_record(buf, 77, 15);

	put_code(buf, A, 24);
	end_record(buf, start);
}

static void unknown_kind_with_a_high_number(struct buf *buf)
{
	size_t start = begin_record(buf, 0x80000001, 15);

	buf__put_zeros(buf, 5);
	end_record(buf, start);
}

static void text_between(struct buf *buf)
{
	buf__put(buf, "Traceback (most recent call last): in <module>", 46);
}

static void few_bytes_between(struct buf *buf)
{
	buf__put(buf, "\xde\xad\xbe\xef\x01", 5);
}

/* What looks like a load but says nothing is no place to go on at. */
static void empty_loads_in_garbage(struct buf *buf)
{
	buf__put(buf, "\xde\xad\xbe\xef\x02", 5);
	put_load(buf, 15, A, 0, "no code");
	put_load(buf, 15, A, 8, "");
}

static void short_load(struct buf *buf)
{
	size_t start = begin_record(buf, JIT_CODE_LOAD, 15);

	buf__put_zeros(buf, 24);
	end_record(buf, start);
}

static void short_move(struct buf *buf)
{
	size_t start = begin_record(buf, JIT_CODE_MOVE, 15);

	buf__put_zeros(buf, 40);
	end_record(buf, start);
}

static void short_debug_info(struct buf *buf)
{
	size_t start = begin_record(buf, JIT_CODE_DEBUG_INFO, 15);

	buf__put_u64(buf, A);
	end_record(buf, start);
}

static void short_unwinding(struct buf *buf)
{
	size_t start = begin_record(buf, JIT_CODE_UNWINDING_INFO, 15);

	buf__put_u64(buf, 0);
	buf__put_u64(buf, 0);
	end_record(buf, start);
}

static void short_debug_info2(struct buf *buf)
{
	size_t start = begin_record(buf, JIT_CODE_DEBUG_INFO2, 15);

	buf__put_zeros(buf, 24);
	end_record(buf, start);
}

static void code_larger_than_record(struct buf *buf)
{
	size_t start = begin_load(buf, 15, A, A, 100);

	buf__put_string(buf, "lost");
	put_code(buf, A, 10);
	end_record(buf, start);
}

static void code_as_large_as_can_be(struct buf *buf)
{
	size_t start = begin_load(buf, 15, A, A, UINT64_MAX);

	buf__put_string(buf, "largest");
	put_code(buf, A, 10);
	end_record(buf, start);
}

static void no_code(struct buf *buf)
{
	put_load(buf, 15, A, 0, "lost");
}

static void no_address(struct buf *buf)
{
	put_load(buf, 15, 0, 8, "lost");
}

static void address_overflow(struct buf *buf)
{
	put_load(buf, 15, UINT64_MAX - 4, 8, "lost");
}

static void no_name(struct buf *buf)
{
	put_load(buf, 15, A, 8, "");
}

static void move_of_nothing(struct buf *buf)
{
	put_move(buf, 15, A, 2 * A, 0);
}

static void move_to_overflow(struct buf *buf)
{
	put_move(buf, 15, A, UINT64_MAX - 1, 8);
}

static void entries_more_than_fit(struct buf *buf)
{
	size_t start = begin_debug_info(buf, 15, A, 3);

	put_entry(buf, A, 1, "a.c");
	put_entry(buf, A + 1, 2, "a.c");
	end_record(buf, start);
}

static void entries_beyond_number(struct buf *buf)
{
	size_t start = begin_debug_info(buf, 15, A, UINT64_MAX);

	put_entry(buf, A, 1, "b.c");
	end_record(buf, start);
}

static void debug_info_of_nothing(struct buf *buf)
{
	size_t start = begin_debug_info(buf, 15, 0x77770, 1);

	put_entry(buf, 0x77770, 1, "a.c");
	end_record(buf, start);
}

static void entries_of_nonsense(struct buf *buf)
{
	size_t start = begin_debug_info(buf, 15, A, 4);

	put_entry(buf, A, 1, "a.c");
	put_entry(buf, A + 4, 2, "a.c");
	put_entry(buf, 0xdeadbeef00000000, 3, "a.c");
	put_entry(buf, A + 6, 4, "a.c");
	end_record(buf, start);
	put_load(buf, 15, A, 8, "lines");
}

static void overwritten_file_names(struct buf *buf)
{
	size_t start = begin_debug_info(buf, 15, A, 2);

	put_entry(buf, A, 1, "a.c");
	put_entry(buf, A + 4, 2, "a\x01");
	end_record(buf, start);
	put_load(buf, 15, A, 8, "lines");
}

static void unwinding_larger_than_record(struct buf *buf)
{
	size_t start = begin_unwinding(buf, 15, 64, 20, 80);

	put_code(buf, A, 40);
	end_record(buf, start);
}

static void unwinding_beyond_number(struct buf *buf)
{
	size_t start = begin_unwinding(buf, 15, UINT64_MAX, 20, 80);

	put_code(buf, A, 48);
	end_record(buf, start);
}

static void hdr_larger_than_unwinding(struct buf *buf)
{
	size_t start = begin_unwinding(buf, 15, 16, 20, 80);

	put_code(buf, A, 16);
	end_record(buf, start);
}

static void hdr_beyond_number(struct buf *buf)
{
	size_t start = begin_unwinding(buf, 15, 24, UINT64_MAX, 80);

	put_code(buf, A, 24);
	end_record(buf, start);
}

static void put_debug_info2(struct buf *buf, uint64_t nr_offsets, uint64_t nr_positions,
			    uint64_t nr_strings, size_t room)
{
	size_t start = begin_debug_info2(buf, 15, A, nr_offsets, nr_positions, nr_strings);

	put_code(buf, A, room);
	end_record(buf, start);
}

static void offsets_more_than_fit(struct buf *buf)
{
	put_debug_info2(buf, UINT64_MAX / 8 + 2, 0, 0, 8);
}

static void positions_more_than_fit(struct buf *buf)
{
	put_debug_info2(buf, 1, 2, 0, 8 + 2 * 28 - 1);
}

static void strings_more_than_fit(struct buf *buf)
{
	put_debug_info2(buf, 1, 1, 5, 8 + 28 + 4);
}

static void strings_cut_off(struct buf *buf)
{
	put_debug_info2(buf, 0, 0, 2, 20);
	put_load(buf, 15, A, 8, "lines");
}

static void load_said_to_be_longer(struct buf *buf)
{
	size_t start = begin_load(buf, 15, A, A, 8);

	buf__put_string(buf, "longer");
	put_code(buf, A, 8);
	set_size(buf, start, (uint32_t)(buf->size - start) + 7);
}

static void load_said_to_be_shorter(struct buf *buf)
{
	size_t start = begin_load(buf, 15, A, A, 8);

	buf__put_string(buf, "shorter");
	put_code(buf, A, 8);
	set_size(buf, start, (uint32_t)(buf->size - start) - 3);
}

static void load_without_its_code_in_size(struct buf *buf)
{
	size_t start = begin_load(buf, 15, A, A, 32);

	buf__put_string(buf, "codeless");
	put_code(buf, A, 32);
	set_size(buf, start, (uint32_t)(buf->size - start) - 32);
}

static void unwinding_size_without_padding(struct buf *buf)
{
	size_t start = begin_unwinding(buf, 15, 68, 20, 80);

	put_code(buf, A, 72);
	set_size(buf, start, (uint32_t)(buf->size - start) - 4);
}

static void move_said_to_be_longer(struct buf *buf)
{
	put_move(buf, 15, A, 2 * A, 8);
	set_size(buf, buf->size - 64, 70);
}

static const struct malformed cases[] = {
	MALFORMED(
		size_zero, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.record-size: JIT_CODE_LOAD record (id 0, 0 bytes) is smaller than its own prefix",
		.level = DIAG_WARNING, .more = "jitdump.resync"),
	MALFORMED(
		size_below_prefix, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.record-size: JIT_CODE_LOAD record (id 0, 15 bytes) is smaller than its own prefix",
		.level = DIAG_WARNING, .more = "jitdump.resync"),
	MALFORMED(
		size_past_end, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.record-past-end: JIT_CODE_LOAD record (id 0, 4294967040 bytes) is said to reach past the end",
		.level = DIAG_WARNING, .more = "jitdump.resync"),
	MALFORMED(
		unknown_kind, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.unknown-record: unknown record (id 77, 40 bytes) is of an unknown kind",
		.level = DIAG_NOTE),
	MALFORMED(
		unknown_kind_with_a_high_number, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.unknown-record: unknown record (id 2147483649, 21 bytes) is of an unknown kind",
		.level = DIAG_NOTE),
	MALFORMED(
		text_between, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.record-past-end: unknown record (id 1667330644, 1667326565 bytes) is said to reach past the end",
		.level = DIAG_WARNING, .more = "jitdump.resync"),
	MALFORMED(
		few_bytes_between, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.record-size: unknown record (id 4022250974, 1 bytes) is smaller than its own prefix",
		.level = DIAG_WARNING, .more = "jitdump.resync"),
	MALFORMED(
		short_load, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.short-record: JIT_CODE_LOAD record (id 0, 40 bytes) is too short for its kind",
		.level = DIAG_WARNING),
	MALFORMED(
		short_move, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.short-record: JIT_CODE_MOVE record (id 1, 56 bytes) is too short for its kind",
		.level = DIAG_WARNING),
	MALFORMED(
		short_debug_info, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.short-record: JIT_CODE_DEBUG_INFO record (id 2, 24 bytes) is too short for its kind",
		.level = DIAG_WARNING),
	MALFORMED(
		short_unwinding, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.short-record: JIT_CODE_UNWINDING_INFO record (id 4, 32 bytes) is too short for its kind",
		.level = DIAG_WARNING),
	MALFORMED(
		short_debug_info2, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.short-record: JIT_CODE_DEBUG_INFO2 record (id 827346260, 40 bytes) is too short for its kind",
		.level = DIAG_WARNING),
	MALFORMED(
		code_larger_than_record, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.code-size: JIT_CODE_LOAD record (id 0, 71 bytes) is said to hold more code than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		code_as_large_as_can_be, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.code-size: JIT_CODE_LOAD record (id 0, 74 bytes) is said to hold more code than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(no_code, .place = BETWEEN, .functions = "before after",
		  .said = "jitdump.empty-code: JIT_CODE_LOAD record has no code",
		  .level = DIAG_WARNING),
	MALFORMED(no_address, .place = BETWEEN, .functions = "before after",
		  .said = "jitdump.no-address: JIT_CODE_LOAD record has no address",
		  .level = DIAG_WARNING),
	MALFORMED(
		address_overflow, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.address-overflow: JIT_CODE_LOAD record reaches past the end of the address space",
		.level = DIAG_WARNING),
	MALFORMED(no_name, .place = BETWEEN, .functions = "before jit@0x10000 after",
		  .said = "jitdump.empty-name: a function has no name: called by its address",
		  .level = DIAG_NOTE),
	MALFORMED(move_of_nothing, .place = BETWEEN, .functions = "before after",
		  .said = "jitdump.empty-move: JIT_CODE_MOVE record moves nothing",
		  .level = DIAG_WARNING),
	MALFORMED(
		move_to_overflow, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.address-overflow: JIT_CODE_MOVE record reaches past the end of the address space",
		.level = DIAG_WARNING),
	MALFORMED(
		entries_more_than_fit, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.entry-count: JIT_CODE_DEBUG_INFO record (id 2, 72 bytes) is said to hold more entries than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		entries_beyond_number, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.entry-count: JIT_CODE_DEBUG_INFO record (id 2, 52 bytes) is said to hold more entries than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		debug_info_of_nothing, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.debug-info-unused: no function is loaded at 0x77770 after its debug info",
		.level = DIAG_NOTE),
	MALFORMED(entries_of_nonsense, .place = BETWEEN, .functions = "before lines after",
		  .said = "jitdump.debug-entries: 2 of 4 entries of a debug table make sense",
		  .level = DIAG_NOTE),
	MALFORMED(overwritten_file_names, .place = BETWEEN, .functions = "before lines after",
		  .said = "jitdump.file-name: 1 of 2 file names of a debug table are overwritten",
		  .level = DIAG_NOTE),
	MALFORMED(
		unwinding_larger_than_record, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.unwinding-size: JIT_CODE_UNWINDING_INFO record (id 4, 80 bytes) is said to hold more unwinding data than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		unwinding_beyond_number, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.unwinding-size: JIT_CODE_UNWINDING_INFO record (id 4, 88 bytes) is said to hold more unwinding data than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		hdr_larger_than_unwinding, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.eh-frame-hdr-size: JIT_CODE_UNWINDING_INFO record (id 4, 56 bytes) is said to hold an eh_frame_hdr larger than all its unwinding data",
		.level = DIAG_WARNING),
	MALFORMED(
		hdr_beyond_number, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.eh-frame-hdr-size: JIT_CODE_UNWINDING_INFO record (id 4, 64 bytes) is said to hold an eh_frame_hdr larger than all its unwinding data",
		.level = DIAG_WARNING),
	MALFORMED(
		offsets_more_than_fit, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.entry-count: JIT_CODE_DEBUG_INFO2 record (id 827346260, 56 bytes) is said to hold more entries than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		positions_more_than_fit, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.entry-count: JIT_CODE_DEBUG_INFO2 record (id 827346260, 111 bytes) is said to hold more entries than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(
		strings_more_than_fit, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.entry-count: JIT_CODE_DEBUG_INFO2 record (id 827346260, 88 bytes) is said to hold more entries than it has room for",
		.level = DIAG_WARNING),
	MALFORMED(strings_cut_off, .place = BETWEEN, .functions = "before lines after",
		  .said = "jitdump.debug-strings: a debug table has fewer strings than it says",
		  .level = DIAG_NOTE),
	MALFORMED(
		load_said_to_be_longer, .place = BETWEEN, .functions = "before longer after",
		.said = "jitdump.wrong-size: JIT_CODE_LOAD record says it has 78 bytes; its fields and what follows say 71",
		.level = DIAG_WARNING),
	MALFORMED(
		load_said_to_be_shorter, .place = BETWEEN, .functions = "before shorter after",
		.said = "jitdump.wrong-size: JIT_CODE_LOAD record says it has 69 bytes; its fields and what follows say 72",
		.level = DIAG_WARNING),
	MALFORMED(
		load_without_its_code_in_size, .place = BETWEEN,
		.functions = "before codeless after",
		.said = "jitdump.wrong-size: JIT_CODE_LOAD record says it has 65 bytes; its fields and what follows say 97",
		.level = DIAG_WARNING),
	MALFORMED(
		unwinding_size_without_padding, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.wrong-size: JIT_CODE_UNWINDING_INFO record says it has 108 bytes; its fields and what follows say 112",
		.level = DIAG_WARNING),
	MALFORMED(
		move_said_to_be_longer, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.wrong-size: JIT_CODE_MOVE record says it has 70 bytes; its fields and what follows say 64",
		.level = DIAG_WARNING),
	MALFORMED(
		empty_loads_in_garbage, .place = BETWEEN, .functions = "before after",
		.said = "jitdump.record-size: unknown record (id 4022250974, 2 bytes) is smaller than its own prefix",
		.level = DIAG_WARNING, .more = "jitdump.resync"),
};

int main(void)
{
	return run_malformed(cases, sizeof(cases) / sizeof(cases[0]));
}
