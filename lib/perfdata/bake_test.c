// SPDX-License-Identifier: GPL-2.0-or-later
/* Chains put into samples, of every shape that samples with a stack come in. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "perfdata/abi_level.h"
#include "perfdata/bake.h"
#include "perfdata/edit.h"
#include "perfdata/memory_profile.h"

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define IP     UINT64_C(0x401000)
#define STACK  64

static const struct memory_event dwarf_event = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
		       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.regs_user = 1 << 8,
	.stack_user = STACK,
};

/* The chain that is put in: it ends with 0. */
struct found {
	const uint64_t *ips;
	enum byte_order order;
	uint8_t bytes[256];
};

static bool give(void *context, uint64_t nth, struct bytes *ips)
{
	struct found *found = context;
	size_t count = 0;

	(void)nth;
	for (; found->ips[count]; count++)
		set_u64(found->bytes + 8 * count, found->ips[count], found->order);
	*ips = (struct bytes){ found->bytes, 8 * count };
	return true;
}

/* One register, and vector registers behind it: two of 4 u64, and one of 1. */
static void put_regs(struct buf *buf, bool vectors)
{
	buf__put_u64(buf, vectors ? PERF_SAMPLE_REGS_ABI_64 | PERFDATA_REGS_ABI_SIMD
				  : PERF_SAMPLE_REGS_ABI_64);
	buf__put_u64(buf, IP);
	if (!vectors)
		return;
	buf__put_u16(buf, 2);
	buf__put_u16(buf, 4);
	buf__put_u16(buf, 1);
	buf__put_u16(buf, 1);
	put_u64s(buf, 0x100, 9);
}

/* A sample whose chain was recorded so, ending with 0, registers and a stack of size bytes. */
static void put_sample(struct buf *buf, const uint64_t *recorded, bool vectors, size_t size)
{
	size_t count = 0;

	buf__put_u64(buf, IP);
	buf__put_u32(buf, 1);
	buf__put_u32(buf, 2);
	while (recorded[count])
		count++;
	buf__put_u64(buf, count);
	for (size_t i = 0; i < count; i++)
		buf__put_u64(buf, recorded[i]);
	put_regs(buf, vectors);
	buf__put_u64(buf, size);
	buf__put_zeros(buf, size);
	if (size)
		buf__put_u64(buf, size);
}

/* What a profile of one such sample becomes, written and opened again. */
static struct perfdata *bake(struct memory_profile *made, const uint64_t *found,
			     enum perfdata_bake_stacks stacks)
{
	struct found context = { .ips = found, .order = made->records.order };
	const struct perfdata_bake options = { stacks, give, &context };
	char in[] = "/tmp/perfdata-bake-XXXXXX", out_path[64];
	struct perfdata_edits *edits;
	struct perfdata *perfdata;
	struct file_out out;
	int fd = mkstemp(in);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, made->file.data, made->file.size), made->file.size);
	close(fd);
	snprintf(out_path, sizeof(out_path), "%s.out", in);
	assert_int_equal(perfdata__open(&perfdata, in, made->diag), 0);
	edits = perfdata_edits__new(perfdata);
	assert_non_null(edits);
	perfdata_edits__set_bake(edits, &options);
	assert_int_equal(perfdata_edits__set_abi(edits, perfdata_abi__by_name("auto"), made->diag),
			 0);
	assert_int_equal(file_out__open(&out, out_path, 0600, made->diag), 0);
	assert_int_equal(perfdata_edits__write(edits, &out, made->diag), 0);
	assert_int_equal(file_out__commit(&out, false, made->diag), 0);
	perfdata_edits__free(edits);
	perfdata__close(perfdata);
	assert_int_equal(perfdata__open(&perfdata, out_path, made->diag), 0);
	unlink(in);
	unlink(out_path);
	return perfdata;
}

/* The baked sample, parsed by what the baked event says. */
static void expect_sample(struct perfdata *baked, const uint64_t *chain,
			  enum perfdata_bake_stacks stacks, size_t stack)
{
	struct perfdata_record record;
	struct perfdata_sample sample;
	struct perfdata_walk walk;
	size_t count = 0;

	perfdata_walk__begin(&walk, baked);
	assert_int_equal(perfdata_walk__next(&walk, &record), 1);
	assert_true(perfdata__parse_sample(baked, &record, &sample));
	assert_int_equal(sample.ip, IP);
	assert_int_equal(sample.tid, 2);
	while (chain[count])
		count++;
	assert_int_equal(sample.callchain.size, 8 * count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(get_u64(sample.callchain.data + 8 * i, perfdata__order(baked)),
				 chain[i]);
	assert_int_equal(sample.user_stack.size, stacks == PERFDATA_STACKS_KEPT ? stack : 0);
	assert_int_equal(sample.user_regs.size, 0);
	assert_int_equal(perfdata_walk__next(&walk, &record), 0);
	perfdata_walk__end(&walk);
}

static void check_one(enum byte_order order, const struct memory_event *event,
		      const uint64_t *recorded, bool vectors, size_t stack, const uint64_t *found,
		      const uint64_t *expected)
{
	for (enum perfdata_bake_stacks stacks = PERFDATA_STACKS_DROPPED;
	     stacks <= PERFDATA_STACKS_OF_OTHERS; stacks++) {
		struct memory_profile made = memory_profile__new(order);
		size_t at = memory_profile__begin(&made, PERFDATA_SAMPLE, PERF_RECORD_MISC_USER);
		struct perfdata *baked;

		put_sample(&made.records, recorded, vectors, stack);
		memory_profile__end(&made, at);
		memory_profile__open(&made, event, 1);
		baked = bake(&made, found, stacks);
		expect_sample(baked, expected, stacks, stack);
		assert_int_equal(diag__count(made.diag, DIAG_WARNING), 0);
		perfdata__close(baked);
		memory_profile__close(&made);
	}
}

static void check(enum byte_order order, const struct memory_event *event, const uint64_t *recorded,
		  size_t stack, const uint64_t *found, const uint64_t *expected)
{
	check_one(order, event, recorded, false, stack, found, expected);
}

static const uint64_t found[] = { IP, 0x402000, 0x403000, 0 };

/* What the kernel recorded of itself stays before the user's part. */
static void kernel_frames_stay(void **state)
{
	static const uint64_t kernel[] = { KERNEL, 0xffffffff81000010, 0xffffffff81000020, 0 };
	static const uint64_t both[] = {
		KERNEL, 0xffffffff81000010, 0xffffffff81000020, USER, IP, 0x409000, 0
	};
	static const uint64_t expected[] = { KERNEL, 0xffffffff81000010, 0xffffffff81000020, USER,
					     IP,     0x402000,           0x403000,           0 };

	(void)state;
	for (enum byte_order order = ORDER_LITTLE; order <= ORDER_BIG; order++) {
		check(order, &dwarf_event, kernel, STACK, found, expected);
		check(order, &dwarf_event, both, STACK, found, expected);
	}
}

static void a_user_chain_gives_way(void **state)
{
	static const uint64_t none[] = { 0 }, user[] = { USER, IP, 0x409000, 0 };
	static const uint64_t expected[] = { USER, IP, 0x402000, 0x403000, 0 };

	(void)state;
	check(ORDER_LITTLE, &dwarf_event, none, STACK, found, expected);
	check(ORDER_LITTLE, &dwarf_event, user, STACK, found, expected);
	check(ORDER_LITTLE, &dwarf_event, user, 0, found, expected);
	check(ORDER_LITTLE, &dwarf_event, user, STACK, none, none);
}

/* Events of perf 3.16, which knows of no registers of the interrupt. */
static void attrs_without_room_for_registers(void **state)
{
	static const uint64_t none[] = { 0 };
	static const uint64_t expected[] = { USER, IP, 0x402000, 0x403000, 0 };
	struct memory_event event = dwarf_event;

	(void)state;
	event.attr_size = 96;
	check(ORDER_LITTLE, &event, none, STACK, found, expected);
	check(ORDER_BIG, &event, none, STACK, found, expected);
}

/* They are of the registers, and go or stay with them. */
static void vector_registers(void **state)
{
	static const uint64_t none[] = { 0 };
	static const uint64_t expected[] = { USER, IP, 0x402000, 0x403000, 0 };

	(void)state;
	check_one(ORDER_LITTLE, &dwarf_event, none, true, STACK, found, expected);
	check_one(ORDER_BIG, &dwarf_event, none, true, STACK, found, expected);
}

/*
 * With --call-graph dwarf,65528 each record is as long as there can be: where stacks are kept there
 * is room for few frames or for none.
 */
static void records_that_are_full(void **state)
{
	static const uint64_t none[] = { 0 }, one[] = { USER, IP, 0 };
	static const struct {
		size_t left; /* bytes, of the longest record */
		const uint64_t *expected;
	} cases[] = { { 0, none }, { 8, none }, { 16, none }, { 24, one } };
	/* header, ip, tids, number of frames, registers, size of the stack and of what was copied
	 */
	const size_t others = 8 + 8 + 8 + 8 + 16 + 8 + 8;
	struct memory_event event = dwarf_event;

	(void)state;
	event.stack_user = 65528 - 8;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_profile made = memory_profile__new(ORDER_LITTLE);
		size_t at = memory_profile__begin(&made, PERFDATA_SAMPLE, PERF_RECORD_MISC_USER);
		size_t stack = 65528 - others - cases[i].left;
		struct perfdata *baked;

		put_sample(&made.records, none, false, stack);
		memory_profile__end(&made, at);
		memory_profile__open(&made, &event, 1);
		baked = bake(&made, found, PERFDATA_STACKS_KEPT);
		expect_sample(baked, cases[i].expected, PERFDATA_STACKS_KEPT, stack);
		perfdata__close(baked);
		memory_profile__close(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_frames_stay),
		cmocka_unit_test(a_user_chain_gives_way),
		cmocka_unit_test(attrs_without_room_for_registers),
		cmocka_unit_test(vector_registers),
		cmocka_unit_test(records_that_are_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
