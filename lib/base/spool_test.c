// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/spool.h"

#define HOLE ((off_t)64 << 20)

/* The size of a copy of a file of that size, whose last three bytes are data. */
static struct stat copy_of(uint64_t size, uint64_t wanted)
{
	struct diag *diag = diag__new(NULL, NULL);
	int from = spool__create("from", diag);
	int to = spool__create("to", diag);
	struct stat stat;
	char last[3];

	assert_true(from >= 0 && to >= 0);
	assert_int_equal(pwrite(from, "end", 3, (off_t)size - 3), 3);
	assert_int_equal(spool__copy_file(to, from, wanted, "from", diag), 0);
	assert_int_equal(fstat(to, &stat), 0);
	if (wanted >= size) {
		assert_int_equal(pread(to, last, 3, (off_t)size - 3), 3);
		assert_memory_equal(last, "end", 3);
	}
	close(from);
	close(to);
	diag__free(diag);
	return stat;
}

static void holes_stay_holes(void **state)
{
	struct stat copy = copy_of((uint64_t)HOLE, (uint64_t)HOLE);

	(void)state;
	assert_int_equal(copy.st_size, HOLE);
	assert_true(copy.st_blocks * 512 < HOLE / 16);
}

static void what_grew_or_shrank_is_not_made_up(void **state)
{
	(void)state;
	assert_int_equal(copy_of(100000, 50000).st_size, 50000);
	assert_int_equal(copy_of(50000, 100000).st_size, 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_stay_holes),
		cmocka_unit_test(what_grew_or_shrank_is_not_made_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
