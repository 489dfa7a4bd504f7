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
	assert_int_equal(perfdata__record_time(perfdata, head, &head_time),
			 perfdata__record_time(perfdata, whole, &time));
	assert_int_equal(head_time, time);
}

static void test_heads(void **state)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct perfdata *perfdata = open_recording(diag);
	struct perfdata_record head, whole;
	struct perfdata_walk heads, all;
	size_t samples = 0, nr_heads = 0;

	(void)state;
	perfdata_walk__begin(&heads, perfdata);
	perfdata_walk__begin(&all, perfdata);
	heads.heads = true;
	while (perfdata_walk__next(&all, &whole) > 0) {
		assert_int_equal(perfdata_walk__next(&heads, &head), 1);
		compare(perfdata, &head, &whole);
		samples += head.type == PERFDATA_SAMPLE;
		nr_heads += head.data == heads.head;
	}
	assert_int_equal(perfdata_walk__next(&heads, &head), 0);
	perfdata_walk__end(&heads);
	perfdata_walk__end(&all);
	assert_int_equal(samples, 11);
	/* the pages are looked at where one with a stack was not met just before */
	assert_true(nr_heads >= 6);
	perfdata__close(perfdata);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_heads) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
