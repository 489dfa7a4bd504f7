// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples laid out by hand after include/uapi/linux/perf_event.h, in both byte orders: fields that
 * no recording made here can hold.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "perfdata/memory_profile.h"

#define ALL_FIELDS ((1ull << 25) - 1)

static void put_full_head(struct buf *buf)
{
	buf__put_u64(buf, 77); /* IDENTIFIER */
	buf__put_u64(buf, 0x1000);
	buf__put_u32(buf, 10); /* pid, tid */
	buf__put_u32(buf, 11);
	buf__put_u64(buf, 123456789);
	buf__put_u64(buf, 0x2000); /* addr */
	buf__put_u64(buf, 77);
	buf__put_u64(buf, 88); /* stream */
	buf__put_u32(buf, 3);  /* cpu */
	buf__put_u32(buf, 0);
	buf__put_u64(buf, 999); /* period */
}

/* Every field that there is, with every optional part in it. */
static void put_full_sample(struct buf *buf, uint64_t copied)
{
	put_full_head(buf);
	buf__put_u64(buf, 2);      /* read: a group of two */
	put_u64s(buf, 100, 2);     /* times */
	put_u64s(buf, 200, 2 * 3); /* value, id, lost */
	buf__put_u64(buf, 3);      /* call chain */
	put_u64s(buf, 0xc0, 3);
	buf__put_u32(buf, 12); /* raw */
	buf__put_zeros(buf, 12);
	buf__put_u64(buf, 2); /* branches, hw_idx, entries, counters */
	buf__put_u64(buf, 5);
	put_u64s(buf, 0xb0, 2 * 3);
	put_u64s(buf, 0, 2);
	buf__put_u64(buf, PERF_SAMPLE_REGS_ABI_64 | 4); /* and vector registers */
	put_u64s(buf, 0xe0, 3);
	buf__put_u16(buf, 2); /* two of 4 u64, one of 1 */
	buf__put_u16(buf, 4);
	buf__put_u16(buf, 1);
	buf__put_u16(buf, 1);
	put_u64s(buf, 0, 9);
	buf__put_u64(buf, 64); /* stack */
	put_u64s(buf, 0x50, 8);
	buf__put_u64(buf, copied);
	put_u64s(buf, 0, 3); /* weight, data_src, transaction */
	buf__put_u64(buf, PERF_SAMPLE_REGS_ABI_64);
	put_u64s(buf, 0, 2);   /* intr regs */
	put_u64s(buf, 0, 4);   /* phys_addr, cgroup, data and code page size */
	buf__put_u64(buf, 16); /* aux */
	buf__put_zeros(buf, 16);
}

static const struct memory_event full_event = {
	.sample_type = ALL_FIELDS & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT,
	.read_format = 0x1f,
	.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | 1u << 19,
	.regs_user = 0x10000003,
	.regs_intr = 0x5,
	.id = 77,
};

static void check_full_sample(struct memory_profile *profile, const struct perfdata_sample *sample)
{
	enum byte_order order = profile->records.order;

	assert_ptr_equal(sample->attr, perfdata__attr(profile->perfdata, 0));
	assert_int_equal(sample->misc, 0x4002);
	assert_int_equal(sample->ip, 0x1000);
	assert_int_equal(sample->pid, 10);
	assert_int_equal(sample->tid, 11);
	assert_true(sample->has_time);
	assert_int_equal(sample->time, 123456789);
	assert_int_equal(sample->addr, 0x2000);
	assert_int_equal(sample->id, 77);
	assert_int_equal(sample->cpu, 3);
	assert_int_equal(sample->period, 999);
	assert_int_equal(sample->callchain.size, 24);
	assert_int_equal(get_u64(sample->callchain.data + 16, order), 0xc2);
	assert_int_equal(sample->branches.size, 48);
	assert_int_equal(get_u64(sample->branches.data, order), 0xb0);
	assert_int_equal(sample->user_regs_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(sample->user_regs.size, 24);
	assert_int_equal(get_u64(sample->user_regs.data, order), 0xe0);
	assert_int_equal(get_u64(sample->user_stack.data, order), 0x50);
}

static void full_sample(enum byte_order order, uint64_t copied, size_t stack_size, bool full)
{
	struct memory_profile profile = memory_profile__new(order);
	struct perfdata_record record;
	struct perfdata_sample sample;
	size_t at = memory_profile__begin(&profile, PERFDATA_SAMPLE, 0x4002);
	uint64_t time = 0;

	put_full_sample(&profile.records, copied);
	memory_profile__end(&profile, at);
	memory_profile__open(&profile, &full_event, 1);
	memory_profile__first_record(&profile, &record);
	assert_true(perfdata__parse_sample(profile.perfdata, &record, &sample));
	check_full_sample(&profile, &sample);
	assert_int_equal(sample.user_stack.size, stack_size);
	assert_int_equal(sample.user_stack_full, full);
	assert_true(perfdata__record_time(profile.perfdata, &record, &time));
	assert_int_equal(time, 123456789);
	/* no shorter record can hold all this, and none is read beyond its end */
	while (record.size > PERFDATA_RECORD_HEADER_SIZE) {
		record.size--;
		assert_false(perfdata__parse_sample(profile.perfdata, &record, &sample));
	}
	memory_profile__close(&profile);
}

static void reads_every_field(void **state)
{
	(void)state;
	for (enum byte_order order = ORDER_LITTLE; order <= ORDER_BIG; order++) {
		full_sample(order, 40, 40, false);
		full_sample(order, 64, 64, true);
		full_sample(order, 0, 0, false);
		full_sample(order, 1000, 64, true);
	}
}

/* Counts that would overflow when multiplied must not be believed. */
static void believes_no_count(void **state)
{
	static const uint64_t counts[] = { UINT64_MAX, UINT64_MAX / 8 + 2, 1ull << 61, 1000 };
	const struct memory_event event = { .sample_type = PERF_SAMPLE_CALLCHAIN };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
		size_t at = memory_profile__begin(&profile, PERFDATA_SAMPLE, 0);
		struct perfdata_record record;
		struct perfdata_sample sample;

		buf__put_u64(&profile.records, counts[i]);
		put_u64s(&profile.records, 0, 10);
		memory_profile__end(&profile, at);
		memory_profile__open(&profile, &event, 1);
		memory_profile__first_record(&profile, &record);
		assert_false(perfdata__parse_sample(profile.perfdata, &record, &sample));
		assert_int_equal(sample.callchain.size, 0);
		memory_profile__close(&profile);
	}
}

/* Kernel threads have no user registers and no user stack. */
static void takes_absent_parts_for_absent(void **state)
{
	const struct memory_event event = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.regs_user = 0xff,
	};
	struct memory_profile profile = memory_profile__new(ORDER_LITTLE);
	size_t at = memory_profile__begin(&profile, PERFDATA_SAMPLE, 1);
	struct perfdata_record record;
	struct perfdata_sample sample;
	uint64_t time;

	(void)state;
	put_u64s(&profile.records, 0, 1); /* abi */
	buf__put_u64(&profile.records, 0);
	memory_profile__end(&profile, at);
	memory_profile__open(&profile, &event, 1);
	memory_profile__first_record(&profile, &record);
	assert_true(perfdata__parse_sample(profile.perfdata, &record, &sample));
	assert_int_equal(sample.user_regs_abi, PERF_SAMPLE_REGS_ABI_NONE);
	assert_int_equal(sample.user_regs.size, 0);
	assert_int_equal(sample.user_stack.size, 0);
	assert_false(sample.user_stack_full);
	assert_int_equal(sample.period, 1000); /* of the attr */
	assert_false(sample.has_time);
	assert_false(perfdata__record_time(profile.perfdata, &record, &time));
	memory_profile__close(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_field),
		cmocka_unit_test(believes_no_count),
		cmocka_unit_test(takes_absent_parts_for_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
