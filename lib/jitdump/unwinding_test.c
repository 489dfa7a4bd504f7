// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose the CFI of a dump is, and which part of it is which. Layouts: V8 and CPython as their
 * sources write them, LLVM ORC after JITLoaderPerf.cpp and PerfSupportPlugin.cpp.
 */
#include <elf.h>

#include "jitdump/testing.h"

#define EH_FRAME 0x7f0000002000u /* where ORC's .eh_frame is mapped */
#define CODE     0x7f0000001000u

/* DWARF pointer encodings: LSB core, section 10.5.1 */
#define PCREL_SDATA4 0x1b
#define ABSPTR       0x00
#define UDATA4       0x03
#define SDATA8       0x0c
#define OMIT         0xff

static void set_length(struct buf *buf, size_t start)
{
	buf__align(buf, 8);
	set_u32(buf->data + start, (uint32_t)(buf->size - start - 4), buf->order);
}

static size_t put_cie(struct buf *buf, const char *augmentation, uint8_t encoding)
{
	size_t start = buf->size;

	buf__put_u32(buf, 0);
	buf__put_u32(buf, 0);
	buf__put_u8(buf, 1);
	buf__put_string(buf, augmentation);
	buf__put_uleb128(buf, 1);
	buf__put_sleb128(buf, -8);
	buf__put_u8(buf, 16);
	buf__put_uleb128(buf, strcmp(augmentation, "zPLR") == 0 ? 11 : 1);
	if (strcmp(augmentation, "zPLR") == 0) {
		buf__put_u8(buf, ABSPTR);
		buf__put_u64(buf, 0x7f0000009000);
		buf__put_u8(buf, PCREL_SDATA4);
	}
	buf__put_u8(buf, encoding);
	set_length(buf, start);
	return start;
}

/* base: where the buffer begins in memory. */
static void put_fde(struct buf *buf, size_t cie, uint64_t base, uint64_t addr, uint32_t size,
		    uint8_t encoding)
{
	size_t start = buf->size;

	buf__put_u32(buf, 0);
	buf__put_u32(buf, (uint32_t)(start + 4 - cie));
	if (encoding == ABSPTR) {
		buf__put_u64(buf, addr);
		buf__put_u64(buf, size);
	} else {
		buf__put_u32(buf, (uint32_t)(addr - (base + start + 8)));
		buf__put_u32(buf, size);
	}
	buf__put_uleb128(buf, 0);
	set_length(buf, start);
}

/* The .eh_frame of one graph: functions of 0x20 bytes at CODE, CODE + 0x40, CODE + 0x80. */
static struct buf orc_eh_frame(enum byte_order order, const char *augmentation, uint8_t encoding)
{
	struct buf buf = BUF(order);
	size_t cie = put_cie(&buf, augmentation, encoding);

	put_fde(&buf, cie, EH_FRAME, CODE + 0x80, 0x20, encoding);
	put_fde(&buf, cie, EH_FRAME, CODE, 0x20, encoding);
	put_fde(&buf, cie, EH_FRAME, CODE + 0x40, 0x20, encoding);
	return buf;
}

/* createX64EHFrameHeader: an absolute pointer to .eh_frame and no table. */
static void put_orc_hdr(struct buf *buf)
{
	buf__put_u8(buf, 1);
	buf__put_u8(buf, SDATA8);
	buf__put_u8(buf, OMIT);
	buf__put_u8(buf, OMIT);
	buf__put_u64(buf, EH_FRAME);
}

/* One record for a graph, hdr first; its functions in any order, one that is not of it last. */
static void put_orc_dump(struct buf *buf, struct buf *frame)
{
	size_t start;

	put_header(buf);
	start = begin_unwinding(buf, 10, frame->size + 12, 12, 0);
	put_orc_hdr(buf);
	buf__put(buf, frame->data, frame->size);
	end_record(buf, start);
	put_load(buf, 11, CODE + 0x40, 0x20, "b");
	put_load(buf, 12, CODE + 0x80, 0x20, "c");
	put_load(buf, 13, CODE, 0x20, "a");
	put_load(buf, 14, CODE + 0x20, 0x20, "stub");
}

static void check_orc(enum byte_order order, const char *augmentation, uint8_t encoding)
{
	struct buf frame = orc_eh_frame(order, augmentation, encoding);
	struct buf buf = BUF(order);
	struct reading reading;

	put_orc_dump(&buf, &frame);
	read_dump(&reading, &buf);
	for (size_t i = 0; i < 3; i++) {
		const struct code_unwind *unwind = function(&reading, i)->unwind;

		assert_non_null(unwind);
		assert_true(unwind->shared);
		assert_int_equal(unwind->eh_frame_hdr.size, 12);
		assert_int_equal(unwind->eh_frame_hdr.data[0], 1);
		assert_int_equal(unwind->eh_frame.size, frame.size);
		assert_memory_equal(unwind->eh_frame.data, frame.data, frame.size);
		assert_int_equal(unwind->offset, 40);
	}
	assert_null(function(&reading, 3)->unwind);
	assert_int_equal(reading.said.count, 0);
	end_reading(&reading);
	buf__free(&frame);
}

static void orc_has_one_for_many(void **state)
{
	(void)state;
	check_orc(ORDER_LITTLE, "zR", PCREL_SDATA4);
	check_orc(ORDER_LITTLE, "zR", ABSPTR);
	check_orc(ORDER_BIG, "zR", PCREL_SDATA4);
}

static void orc_of_a_language_with_exceptions(void **state)
{
	(void)state;
	check_orc(ORDER_LITTLE, "zPLR", ABSPTR);
	check_orc(ORDER_BIG, "zPLR", PCREL_SDATA4);
}

/* Behind the next graph's record, the first graph's functions have none. */
static void a_graph_ends_where_the_next_begins(void **state)
{
	struct buf frame = orc_eh_frame(ORDER_LITTLE, "zR", PCREL_SDATA4);
	struct buf buf = BUF(ORDER_LITTLE), other = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_fde(&other, put_cie(&other, "zR", PCREL_SDATA4), EH_FRAME, CODE + 0x800, 0x20,
		PCREL_SDATA4);
	put_orc_dump(&buf, &frame);
	start = begin_unwinding(&buf, 20, other.size + 12, 12, 0);
	put_orc_hdr(&buf);
	buf__put(&buf, other.data, other.size);
	end_record(&buf, start);
	put_load(&buf, 21, CODE, 0x20, "a");
	put_load(&buf, 22, CODE + 0x800, 0x20, "d");
	read_dump(&reading, &buf);
	assert_null(function(&reading, 4)->unwind);
	assert_int_equal(function(&reading, 5)->unwind->eh_frame.size, other.size);
	end_reading(&reading);
	buf__free(&frame);
	buf__free(&other);
}

/* CPython's: eh_frame, then a hdr whose table is of 8-byte entries, relative to itself. */
static void put_cpython(struct buf *buf, uint32_t code_size)
{
	static const uint8_t hdr[] = { 1, 0x1b, 3,    0x3b, 0xcc, 0xff, 0xff, 0xff, 1,    0,
				       0, 0,    0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff, 0xff, 0xff };
	struct buf frame = BUF(buf->order);
	size_t start;

	put_fde(&frame, put_cie(&frame, "zR", PCREL_SDATA4), 0, (uint64_t)-16, code_size,
		PCREL_SDATA4);
	start = begin_unwinding(buf, 10, frame.size + sizeof(hdr), sizeof(hdr), 80);
	buf__put(buf, frame.data, frame.size);
	buf__put(buf, hdr, sizeof(hdr));
	buf__align(buf, 8);
	end_record(buf, start);
	buf__free(&frame);
}

static void cpython_has_one_for_each(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct buf buf = BUF(big ? ORDER_BIG : ORDER_LITTLE);
		struct reading reading;

		put_header(&buf);
		put_cpython(&buf, 11);
		put_load(&buf, 10, CODE, 11, "py::f:a.py");
		put_load(&buf, 10, CODE + 272, 11, "py::g:a.py");
		read_dump(&reading, &buf);
		assert_non_null(function(&reading, 0)->unwind);
		assert_false(function(&reading, 0)->unwind->shared);
		assert_int_equal(function(&reading, 0)->unwind->mapped_size, 80);
		assert_int_equal(function(&reading, 0)->unwind->eh_frame_hdr.size, 20);
		assert_int_equal(function(&reading, 0)->unwind->eh_frame_hdr.data[3], 0x3b);
		assert_int_equal(get_u32(function(&reading, 0)->unwind->eh_frame.data + 4,
					 big ? ORDER_BIG : ORDER_LITTLE),
				 0);
		/* stock perf gives the second function what was left over */
		assert_null(function(&reading, 1)->unwind);
		end_reading(&reading);
	}
}

/*
 * An augmentation that is damaged hides how addresses are encoded: what follows is no absolute
 * address then, and the record is for one function as any other of its producer.
 */
static void damaged_is_not_taken_for_shared(void **state)
{
	static const char *const damages[] = { "zX", "eh" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf buf = BUF(ORDER_LITTLE);
		struct reading reading;
		uint8_t *augmentation;

		put_header(&buf);
		put_cpython(&buf, 11);
		augmentation = memmem(buf.data, buf.size, "zR", 2);
		assert_non_null(augmentation);
		memcpy(augmentation, damages[i], 2);
		put_load(&buf, 10, CODE, 11, "py::f:a.py");
		put_load(&buf, 10, CODE + 272, 11, "py::g:a.py");
		read_dump(&reading, &buf);
		assert_non_null(function(&reading, 0)->unwind);
		assert_false(function(&reading, 0)->unwind->shared);
		assert_null(function(&reading, 1)->unwind);
		end_reading(&reading);
	}
}

/* One absolute address is enough for a table to be a graph's: functions of it may be without. */
static void a_graph_of_one_function(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE), frame = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_fde(&frame, put_cie(&frame, "zR", ABSPTR), EH_FRAME, CODE, 0x20, ABSPTR);
	put_header(&buf);
	start = begin_unwinding(&buf, 10, frame.size + 12, 12, 0);
	put_orc_hdr(&buf);
	buf__put(&buf, frame.data, frame.size);
	end_record(&buf, start);
	put_load(&buf, 11, CODE + 0x7fffff00, 0x20, "stub");
	put_load(&buf, 12, CODE, 0x20, "a");
	put_load(&buf, 13, CODE - 0x7fffff00, 0x20, "other stub");
	read_dump(&reading, &buf);
	assert_null(function(&reading, 0)->unwind);
	assert_non_null(function(&reading, 1)->unwind);
	assert_true(function(&reading, 1)->unwind->shared);
	assert_null(function(&reading, 2)->unwind);
	end_reading(&reading);
	buf__free(&frame);
}

/* A CIE "zPR" whose personality and addresses are 4 bytes each, and FDEs for functions at 0x1000.
 */
static struct buf narrow_eh_frame(uint8_t encoding)
{
	struct buf buf = BUF(ORDER_LITTLE);
	size_t start;

	buf__put(&buf, "\0\0\0\0\0\0\0\0\1zPR\0\1\x7c\x08\6\3\0\x90\0\0", 22);
	buf__put_u8(&buf, encoding);
	set_length(&buf, 0);
	for (uint32_t i = 0; i < 2; i++) {
		start = buf.size;
		buf__put_u32(&buf, 0);
		buf__put_u32(&buf, (uint32_t)(start + 4));
		buf__put_u32(&buf, 0x1000 + 0x40 * i);
		buf__put_u32(&buf, 0x20);
		buf__put_u8(&buf, 0);
		set_length(&buf, start);
	}
	return buf;
}

/* Which of the functions at 0x1000, 0x1040 and 0x1080 have CFI, as bits. */
static unsigned int functions_with_cfi(struct buf *frame, uint32_t elf_mach)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	unsigned int with = 0;
	size_t start;

	put_header(&buf);
	set_u32(buf.data + 12, elf_mach, ORDER_LITTLE);
	start = begin_unwinding(&buf, 10, frame->size, 0, 0);
	buf__put(&buf, frame->data, frame->size);
	end_record(&buf, start);
	for (uint32_t i = 0; i < 3; i++)
		put_load(&buf, 11 + i, 0x1080 - 0x40 * i, 0x20, "f");
	read_dump(&reading, &buf);
	for (unsigned int i = 0; i < 3; i++)
		with |= (function(&reading, 2 - i)->unwind != NULL) << i;
	end_reading(&reading);
	buf__free(frame);
	return with;
}

static void addresses_of_four_bytes(void **state)
{
	struct buf frame = narrow_eh_frame(UDATA4);

	(void)state;
	assert_int_equal(functions_with_cfi(&frame, EM_X86_64), 3);
}

/* DW_EH_PE_absptr is as wide as the machine's addresses. */
static void absolute_addresses_of_32_bits(void **state)
{
	struct buf frame = narrow_eh_frame(ABSPTR), personality = narrow_eh_frame(ABSPTR);

	(void)state;
	assert_int_equal(functions_with_cfi(&frame, EM_386), 3);
	assert_int_equal(personality.data[17], UDATA4);
	personality.data[17] = ABSPTR;
	assert_int_equal(functions_with_cfi(&personality, EM_ARM), 3);
}

/* Where addresses can't be read the table is of the one function that follows. */
static void addresses_that_cannot_be_read(void **state)
{
	struct buf uleb128 = narrow_eh_frame(1), cut = narrow_eh_frame(UDATA4),
		   astray = narrow_eh_frame(UDATA4);

	(void)state;
	assert_int_equal(functions_with_cfi(&uleb128, EM_X86_64), 4);
	/* the augmentation goes on to the CIE's end */
	memset(cut.data + 9, 'z', get_u32(cut.data, ORDER_LITTLE) - 5);
	assert_int_equal(functions_with_cfi(&cut, EM_X86_64), 4);
	/* the second FDE says that its CIE begins in itself; the first has a range all the same */
	set_u32(astray.data + astray.size - 20, 8, ORDER_LITTLE);
	assert_int_equal(functions_with_cfi(&astray, EM_X86_64), 1);
}

/* The specification's order, with a table: hdr first. */
static void reads_what_the_specification_says(void **state)
{
	static const uint8_t hdr[] = { 1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct buf buf = BUF(ORDER_LITTLE), frame = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_fde(&frame, put_cie(&frame, "zR", PCREL_SDATA4), 0, (uint64_t)-16, 16, PCREL_SDATA4);
	put_header(&buf);
	start = begin_unwinding(&buf, 10, frame.size + sizeof(hdr), sizeof(hdr), 80);
	buf__put(&buf, hdr, sizeof(hdr));
	buf__put(&buf, frame.data, frame.size);
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "f");
	read_dump(&reading, &buf);
	assert_int_equal(function(&reading, 0)->unwind->eh_frame.size, frame.size);
	assert_memory_equal(function(&reading, 0)->unwind->eh_frame.data, frame.data, frame.size);
	end_reading(&reading);
	buf__free(&frame);
}

/* A CIE of 257 bytes begins like a hdr of version 1. */
static void a_long_cie_is_no_hdr(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_unwinding(&buf, 10, 4 + 257 + 20, 20, 0);
	buf__put_u32(&buf, 257);
	buf__put_zeros(&buf, 257);
	put_code(&buf, CODE, 20);
	end_record(&buf, start);
	/* even where something like a CIE stands behind what would be the hdr */
	set_u32(buf.data + start + 40 + 20, 16, ORDER_LITTLE);
	put_load(&buf, 10, CODE, 16, "f");
	read_dump(&reading, &buf);
	assert_int_equal(get_u32(function(&reading, 0)->unwind->eh_frame.data, ORDER_LITTLE), 257);
	end_reading(&reading);
}

/* V8 without unwinding: a hdr alone says that frame pointers tell. */
static void v8_may_have_none(void **state)
{
	static const uint8_t hdr[20] = { 1, 0x1b, 3, 0x3b };
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;
	size_t start;

	(void)state;
	put_header(&buf);
	start = begin_unwinding(&buf, 10, sizeof(hdr), sizeof(hdr), 0);
	buf__put(&buf, hdr, sizeof(hdr));
	buf__align(&buf, 8);
	end_record(&buf, start);
	put_load(&buf, 10, CODE, 16, "JS:^f a.js:1:1");
	read_dump(&reading, &buf);
	assert_non_null(function(&reading, 0)->unwind);
	assert_int_equal(function(&reading, 0)->unwind->eh_frame.size, 0);
	assert_int_equal(function(&reading, 0)->unwind->eh_frame_hdr.size, 20);
	end_reading(&reading);
}

/* The CFI before a gap may be that of a function that is lost. */
static void a_gap_parts_cfi_and_function(void **state)
{
	struct buf buf = BUF(ORDER_LITTLE);
	struct reading reading;

	(void)state;
	put_header(&buf);
	put_cpython(&buf, 11);
	buf__put(&buf, "what a child flushed", 20);
	put_load(&buf, 11, CODE, 11, "py::f:a.py");
	put_cpython(&buf, 11);
	put_load(&buf, 12, CODE + 272, 11, "py::g:a.py");
	read_dump(&reading, &buf);
	assert_null(function(&reading, 0)->unwind);
	assert_non_null(function(&reading, 1)->unwind);
	end_reading(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orc_has_one_for_many),
		cmocka_unit_test(orc_of_a_language_with_exceptions),
		cmocka_unit_test(a_graph_ends_where_the_next_begins),
		cmocka_unit_test(cpython_has_one_for_each),
		cmocka_unit_test(damaged_is_not_taken_for_shared),
		cmocka_unit_test(a_graph_of_one_function),
		cmocka_unit_test(addresses_of_four_bytes),
		cmocka_unit_test(absolute_addresses_of_32_bits),
		cmocka_unit_test(addresses_that_cannot_be_read),
		cmocka_unit_test(reads_what_the_specification_says),
		cmocka_unit_test(a_long_cie_is_no_hdr),
		cmocka_unit_test(v8_may_have_none),
		cmocka_unit_test(a_gap_parts_cfi_and_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
