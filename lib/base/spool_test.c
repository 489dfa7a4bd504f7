// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static void keep_text(void *context, const struct diag_message *message)
{
	assert_int_equal(message->level, DIAG_ERROR);
	assert_string_equal(message->kind, "file.spool");
	assert_string_equal(message->file, "from");
	snprintf(context, 256, "%s", message->text);
}

/* The folder that is not there is told, and how to name another. */
static void no_place(void **state)
{
	char text[256] = "";
	struct diag *diag = diag__new(keep_text, text);
	char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;

	(void)state;
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(spool__create("from", diag), -ENOENT);
	assert_string_equal(text, "can't make a temporary copy of it (TMPDIR says where): No such "
				  "file or directory");
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
	diag__free(diag);
}

/* As when the disk is full: both what is written and how long it is to be. */
static void no_room(void **state)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit limited = { 100, RLIM_INFINITY };
	static const uint8_t bytes[200];
	char text[256] = "";
	struct diag *diag = diag__new(keep_text, text);
	int from = spool__create("from", diag), to = spool__create("from", diag);
	int err, err_of_hole;

	(void)state;
	assert_int_equal(ftruncate(from, 200), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limited), 0);
	err = spool__write(to, (struct bytes){ bytes, sizeof(bytes) }, "from", diag);
	err_of_hole = spool__copy_file(to, from, 200, "from", diag);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(err_of_hole, -EFBIG);
	assert_string_equal(text, "can't write its temporary copy: File too large");
	close(from);
	close(to);
	diag__free(diag);
}

static void no_reading(void **state)
{
	char text[256] = "";
	struct diag *diag = diag__new(keep_text, text);
	int to = spool__create("from", diag), pipe_ends[2];
	int write_only = open("/dev/null", O_WRONLY);

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_int_equal(spool__copy_file(to, pipe_ends[0], 10, "from", diag), -ESPIPE);
	assert_string_equal(text, "can't read: Illegal seek");
	assert_true(spool__copy(to, write_only, "from", diag) < 0);
	assert_string_equal(text, "can't read: Bad file descriptor");
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	close(write_only);
	close(to);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holes_stay_holes),
		cmocka_unit_test(no_place),
		cmocka_unit_test(no_room),
		cmocka_unit_test(no_reading),
		cmocka_unit_test(what_grew_or_shrank_is_not_made_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
