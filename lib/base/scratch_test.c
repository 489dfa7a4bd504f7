// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/scratch.h"

static void test_removed_with_all(void **state)
{
	struct scratch scratch;
	struct stat stat_;
	char *folder, *inner, *file;
	int fd;

	(void)state;
	assert_int_equal(scratch__make(&scratch, NULL, "scratch"), 0);
	folder = strdup(scratch.folder);
	inner = scratch__path(&scratch, "inner");
	file = scratch__path(&scratch, "inner/file");
	assert_true(folder && inner && file);
	assert_int_equal(stat(folder, &stat_), 0);
	assert_int_equal(stat_.st_mode & 0777, 0700);
	assert_int_equal(mkdir(inner, 0700), 0);
	fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0400);
	assert_true(fd >= 0);
	close(fd);
	scratch__remove(&scratch);
	assert_null(scratch.folder);
	assert_int_equal(access(folder, F_OK), -1);
	scratch__remove(&scratch);
	free(folder);
	free(inner);
	free(file);
}

static void test_links_are_not_followed(void **state)
{
	struct scratch kept, removed;
	char *link, *file;
	int fd;

	(void)state;
	assert_int_equal(scratch__make(&kept, NULL, "kept"), 0);
	assert_int_equal(scratch__make(&removed, NULL, "removed"), 0);
	link = scratch__path(&removed, "link");
	file = scratch__path(&kept, "file");
	assert_true(link && file);
	fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink(kept.folder, link), 0);
	scratch__remove(&removed);
	assert_int_equal(access(file, F_OK), 0);
	scratch__remove(&kept);
	free(link);
	free(file);
}

static void test_parent(void **state)
{
	struct scratch scratch;

	(void)state;
	assert_int_equal(scratch__make(&scratch, "/nowhere/at/all", "scratch"), -ENOENT);
	assert_null(scratch.folder);
	assert_int_equal(scratch__make(&scratch, "/tmp", "scratch"), 0);
	assert_int_equal(strncmp(scratch.folder, "/tmp/scratch-", 13), 0);
	scratch__remove(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_removed_with_all),
		cmocka_unit_test(test_links_are_not_followed),
		cmocka_unit_test(test_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
