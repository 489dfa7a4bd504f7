// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels and file systems that refuse to copy, copy less than they were asked to, or nothing. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"
#include "perfdata/internal.h"
#include "perfdata/splice.h"

#define SIZE (3u << 20)

/* What the kernel does: copies each_time bytes, good_calls times, then fails, or copies none. */
static struct {
	size_t good_calls, each_time, calls;
	int error;
} kernel;

/* In the place of the C library's. */
ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t size,
			unsigned int flags)
{
	static uint8_t bytes[SIZE];

	(void)out_at;
	(void)flags;
	if (kernel.calls++ >= kernel.good_calls) {
		errno = kernel.error;
		return kernel.error ? -1 : 0;
	}
	if (size > kernel.each_time)
		size = kernel.each_time;
	assert_int_equal(pread(in, bytes, size, *in_at), size);
	assert_int_equal(write(out, bytes, size), size);
	*in_at += (off64_t)size;
	return (ssize_t)size;
}

struct fixture {
	char input[64], output[64];
	struct diag *diag;
	struct file_map map;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	uint8_t *bytes = malloc(SIZE);
	FILE *file;

	assert_non_null(fixture);
	assert_non_null(bytes);
	strcpy(fixture->input, "/tmp/perfdata-copy-XXXXXX");
	close(mkstemp(fixture->input));
	snprintf(fixture->output, sizeof(fixture->output), "%s.out", fixture->input);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 2654435761u >> 13);
	file = fopen(fixture->input, "wb");
	assert_int_equal(fwrite(bytes, 1, SIZE, file), SIZE);
	fclose(file);
	free(bytes);
	fixture->diag = diag__new(NULL, NULL);
	assert_int_equal(file_map__open(&fixture->map, fixture->input, false, fixture->diag), 0);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	file_map__close(&fixture->map);
	unlink(fixture->input);
	unlink(fixture->output);
	diag__free(fixture->diag);
	free(fixture);
	return 0;
}

/* Three bytes go into the middle of the first half, and the last byte goes. */
static int copy(struct fixture *fixture)
{
	struct perfdata_part part = { .fd = fixture->map.fd, .size = SIZE };
	struct splices splices = { 0 };
	struct file_out out;
	int err;

	splices__add(&splices, SPLICE_RECORDS, SIZE / 4, 0, "new", 3);
	splices__add(&splices, SPLICE_STRUCTURE, SIZE - 1, 1, NULL, 0);
	assert_int_equal(file_out__open(&out, fixture->output, 0600, fixture->diag), 0);
	kernel.calls = 0;
	err = splices__write(&splices, fixture->map.bytes, &part, 0, SIZE, &out, fixture->diag);
	if (!err)
		err = file_out__commit(&out, false, fixture->diag);
	file_out__abort(&out);
	splices__free(&splices);
	return err;
}

static void expect_copied(struct fixture *fixture)
{
	struct file_map map;

	assert_int_equal(copy(fixture), 0);
	assert_true(kernel.calls > 0);
	assert_int_equal(file_map__open(&map, fixture->output, false, fixture->diag), 0);
	assert_int_equal(map.bytes.size, SIZE + 2);
	assert_memory_equal(map.bytes.data, fixture->map.bytes.data, SIZE / 4);
	assert_memory_equal(map.bytes.data + SIZE / 4, "new", 3);
	assert_memory_equal(map.bytes.data + SIZE / 4 + 3, fixture->map.bytes.data + SIZE / 4,
			    SIZE - SIZE / 4 - 1);
	file_map__close(&map);
}

static void copies_in_pieces(void **state)
{
	kernel.good_calls = SIZE_MAX;
	kernel.each_time = 70001;
	expect_copied(*state);
	assert_int_equal(kernel.calls,
			 (SIZE / 4 + 70000) / 70001 + (SIZE / 4 * 3 - 1 + 70000) / 70001);
}

static void copies_what_the_kernel_does_not(void **state)
{
	/* another file system, an old kernel, files that overlap; none, and no reason */
	static const int refusals[] = { EXDEV, ENOSYS, EINVAL, EOPNOTSUPP, EPERM, 0 };

	kernel.each_time = 65537;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		for (kernel.good_calls = 0; kernel.good_calls < 4; kernel.good_calls++) {
			kernel.error = refusals[i];
			expect_copied(*state);
			/* it is not asked again */
			assert_int_equal(kernel.calls, kernel.good_calls + 1);
		}
}

static void reports_what_is_no_refusal(void **state)
{
	static const int errors[] = { ENOSPC, EIO, EDQUOT, EFBIG };
	struct fixture *fixture = *state;

	kernel.each_time = 65537;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		kernel.good_calls = i;
		kernel.error = errors[i];
		assert_int_equal(copy(fixture), -errors[i]);
		assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), i + 1);
		assert_int_equal(access(fixture->output, F_OK), -1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(copies_in_pieces),
		TEST(copies_what_the_kernel_does_not),
		TEST(reports_what_is_no_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
