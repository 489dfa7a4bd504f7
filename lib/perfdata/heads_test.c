// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks for which the heads of samples are enough meet the same records as any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/diag.h"
#include "perfdata/event.h"

/* 11 samples with 32 KiB of stack. */
#define RECORDING "testdata/unwind/deep.data.gz"

static struct perfdata *open_recording(struct diag *diag)
{
	char path[] = "/tmp/perfjit-heads-XXXXXX", bytes[16384];
	gzFile in = gzopen(RECORDING, "rb");
	struct perfdata *perfdata;
	int fd = mkstemp(path), got;

	assert_non_null(in);
	assert_true(fd >= 0);
	while ((got = gzread(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(fd, bytes, (size_t)got), got);
	gzclose(in);
	close(fd);
	assert_int_equal(perfdata__open(&perfdata, path, diag), 0);
	unlink(path);
	return perfdata;
}

/* What stands before the stack is read from the head as from the whole sample. */
static void compare_fronts(const struct perfdata *perfdata, const struct perfdata_record *head,
			   const struct perfdata_record *whole)
{
	struct perfdata_sample front, sample;

	assert_true(perfdata__parse_sample_front(perfdata, head, &front));
	assert_true(perfdata__parse_sample(perfdata, whole, &sample));
	assert_ptr_equal(front.attr, sample.attr);
	assert_int_equal(front.ip, sample.ip);
	assert_int_equal(front.pid, sample.pid);
	assert_int_equal(front.time, sample.time);
	assert_true(bytes__equal(front.callchain, sample.callchain));
	assert_true(bytes__equal(front.user_regs, sample.user_regs));
	assert_int_equal(front.user_stack.size, 0);
	assert_true(sample.user_stack.size > PERFDATA_HEAD);
}

static void compare(const struct perfdata *perfdata, const struct perfdata_record *head,
		    const struct perfdata_record *whole)
{
	uint64_t head_time = 0, time = 0;

	assert_int_equal(head->type, whole->type);
	assert_int_equal(head->misc, whole->misc);
	assert_int_equal(head->size, whole->size);
	assert_int_equal(head->offset, whole->offset);
	assert_int_equal(head->end, whole->end);
	assert_int_equal(head->nth, whole->nth);
	assert_int_equal(whole->absent, 0);
	assert_memory_equal(head->data, whole->data, head->size - head->absent);
	assert_int_equal(perfdata__record_time(perfdata, head, &head_time),
			 perfdata__record_time(perfdata, whole, &time));
	assert_int_equal(head_time, time);
	if (head->type == PERFDATA_SAMPLE)
		compare_fronts(perfdata, head, whole);
}

static void test_heads(void **state)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct perfdata *perfdata = open_recording(diag);
	struct perfdata_record head, whole;
	struct perfdata_walk heads, all;
	size_t samples = 0, nr_heads = 0, nr_small = 0;

	(void)state;
	perfdata_walk__begin(&heads, perfdata);
	perfdata_walk__begin(&all, perfdata);
	heads.heads = true;
	while (perfdata_walk__next(&all, &whole) > 0) {
		assert_int_equal(perfdata_walk__next(&heads, &head), 1);
		compare(perfdata, &head, &whole);
		samples += head.type == PERFDATA_SAMPLE;
		nr_heads += head.absent > 0;
		nr_small += head.type != PERFDATA_SAMPLE && head.data == heads.head;
	}
	assert_int_equal(perfdata_walk__next(&heads, &head), 0);
	perfdata_walk__end(&heads);
	perfdata_walk__end(&all);
	assert_int_equal(samples, 11);
	/* pages are looked at up to the first sample with a stack */
	assert_int_equal(nr_heads, 10);
	assert_true(nr_small >= 1);
	perfdata__close(perfdata);
	diag__free(diag);
}

/* A head that is too short for a call chain says so, and is enough once it is complete. */
static void test_completed(void **state)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct perfdata *perfdata = open_recording(diag);
	struct perfdata_record record, whole = { 0 };
	struct perfdata_sample sample;
	struct perfdata_walk walk;
	size_t completed = 0;

	(void)state;
	perfdata_walk__begin(&walk, perfdata);
	walk.heads = true;
	while (perfdata_walk__next(&walk, &record) > 0) {
		if (!record.absent)
			continue;
		whole = record;
		record.absent = (uint16_t)(record.size - 64);
		assert_false(perfdata__parse_sample_front(perfdata, &record, &sample));
		assert_false(perfdata__parse_sample(perfdata, &whole, &sample));
		perfdata_record__complete(&whole, perfdata);
		assert_true(perfdata__parse_sample(perfdata, &whole, &sample));
		assert_true(sample.user_stack.size > PERFDATA_HEAD);
		completed++;
	}
	perfdata_walk__end(&walk);
	assert_int_equal(completed, 10);
	perfdata__close(perfdata);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_completed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
