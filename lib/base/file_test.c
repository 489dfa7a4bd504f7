// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/file.h"

#define VIEW(text) ((struct bytes){ (const uint8_t *)(text), strlen(text) })

/* A scratch folder to work in, and whatever was said last. */
struct fixture {
	char folder[64];
	int previous;
	struct diag *diag;
	char said[512];
};

static void keep_last(void *context, const struct diag_message *message)
{
	struct fixture *fixture = context;

	snprintf(fixture->said, sizeof(fixture->said), "%s %s: %s", message->kind, message->file,
		 message->text);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/file_test-XXXXXX");
	fixture->previous = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fixture->diag = diag__new(keep_last, fixture);
	*state = fixture;
	if (fixture->previous < 0 || !fixture->diag || !mkdtemp(fixture->folder))
		return -1;
	return chdir(fixture->folder);
}

/* Removes the folder's files and gives their number. */
static int empty_folder(void)
{
	DIR *dir = opendir(".");
	int count = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		assert_return_code(unlinkat(AT_FDCWD, entry->d_name,
					    entry->d_type == DT_DIR ? AT_REMOVEDIR : 0),
				   errno);
		count++;
	}
	closedir(dir);
	return count;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	int err;

	empty_folder();
	err = fchdir(fixture->previous);
	close(fixture->previous);
	err |= rmdir(fixture->folder);
	diag__free(fixture->diag);
	free(fixture);
	return err;
}

static void put_file(const char *path, const char *content)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fputs(content, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
}

static void expect_file(const char *path, const char *content)
{
	char text[256];
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, content);
}

static void maps_and_copies_a_file(void **state)
{
	struct fixture *fixture = *state;
	struct file_map map;

	put_file("in", "content");
	for (int copy = 0; copy < 2; copy++) {
		assert_int_equal(file_map__open(&map, "in", copy, fixture->diag), 0);
		assert_int_equal(map.bytes.size, 7);
		assert_memory_equal(map.bytes.data, "content", 7);
		assert_int_equal(map.stat.st_size, 7);
		file_map__close(&map);
		assert_null(map.bytes.data);
		file_map__close(&map);
	}
}

static void an_empty_file_has_no_bytes(void **state)
{
	struct fixture *fixture = *state;
	struct file_map map;

	put_file("empty", "");
	for (int copy = 0; copy < 2; copy++) {
		assert_int_equal(file_map__open(&map, "empty", copy, fixture->diag), 0);
		assert_int_equal(map.bytes.size, 0);
		file_map__close(&map);
	}
}

/* A file with data at its beginning and behind 20 MiB of nothing. */
static void tells_where_holes_end(void **state)
{
	const off_t far = 20 << 20;
	struct fixture *fixture = *state;
	struct file_map map;
	int fd = open("sparse", O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "a", 1, 0), 1);
	assert_int_equal(pwrite(fd, "b", 1, far), 1);
	assert_int_equal(ftruncate(fd, 2 * far), 0);
	/* a file system that knows no holes has none */
	if (lseek(fd, 1 << 20, SEEK_DATA) != far)
		fail_msg("the file system of the tests keeps no holes");
	close(fd);
	for (int copy = 0; copy < 2; copy++) {
		assert_int_equal(file_map__open(&map, "sparse", copy, fixture->diag), 0);
		assert_int_equal(file_map__data_from(&map, 0), 0);
		assert_int_equal(file_map__data_from(&map, 1 << 20), far);
		assert_int_equal(file_map__data_from(&map, far), far);
		assert_int_equal(file_map__data_from(&map, far + (1 << 20)), 2 * far);
		file_map__close(&map);
	}
	put_file("in", "content");
	assert_int_equal(file_map__open(&map, "in", true, fixture->diag), 0);
	assert_int_equal(file_map__data_from(&map, 3), 3);
	file_map__close(&map);
}

static void says_why_it_can_not_open(void **state)
{
	struct fixture *fixture = *state;
	struct file_map map;

	assert_int_equal(file_map__open(&map, "none", false, fixture->diag), -ENOENT);
	assert_string_equal(fixture->said, "file.open none: can't open: No such file or directory");
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(file_map__open(&map, "folder", false, fixture->diag), -EINVAL);
	assert_string_equal(fixture->said, "file.open folder: is a directory");
	/* A pipe that nobody writes must not block. */
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(file_map__open(&map, "pipe", false, fixture->diag), -EINVAL);
	assert_string_equal(fixture->said, "file.open pipe: is no regular file");
	assert_int_equal(map.fd, -1);
}

/* As root one would otherwise lose /dev/null by naming it as an output. */
static void puts_no_file_in_the_place_of_a_pipe(void **state)
{
	struct fixture *fixture = *state;
	struct file_out out;
	struct stat stat;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(symlink("pipe", "link"), 0);
	assert_int_equal(file_out__open(&out, "pipe", 0640, fixture->diag), -EINVAL);
	assert_string_equal(fixture->said, "output.no-file pipe: is a device or a pipe, which no "
					   "file is put in the place of: name another output");
	file_out__abort(&out);
	assert_int_equal(file_out__open(&out, "link", 0640, fixture->diag), -EINVAL);
	file_out__abort(&out);
	assert_int_equal(lstat("pipe", &stat), 0);
	assert_true(S_ISFIFO(stat.st_mode));
	assert_int_equal(lstat("link", &stat), 0);
	assert_true(S_ISLNK(stat.st_mode));
}

static void nothing_is_there_before_commit(void **state)
{
	struct fixture *fixture = *state;
	struct file_out out;
	struct stat stat;

	assert_int_equal(file_out__open(&out, "out", 0640, fixture->diag), 0);
	assert_int_equal(file_out__write(&out, VIEW("new "), fixture->diag), 0);
	assert_int_equal(file_out__write(&out, VIEW("text"), fixture->diag), 0);
	assert_int_equal(access("out", F_OK), -1);
	assert_int_equal(file_out__commit(&out, true, fixture->diag), 0);
	expect_file("out", "new text");
	assert_int_equal(lstat("out", &stat), 0);
	/* No wider than asked for; the umask may take more away. */
	assert_int_equal(stat.st_mode & 07777 & ~0640, 0);
	assert_int_equal(stat.st_nlink, 1);
	file_out__abort(&out);
	assert_int_equal(empty_folder(), 1);
}

static void abort_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct file_out out, untouched = { 0 };

	put_file("out", "old");
	assert_int_equal(file_out__open(&out, "out", 0600, fixture->diag), 0);
	assert_int_equal(file_out__write(&out, VIEW("half"), fixture->diag), 0);
	file_out__abort(&out);
	expect_file("out", "old");
	file_out__abort(&untouched);
	assert_int_equal(empty_folder(), 1);
}

static void commit_replaces_a_file_and_a_symlink(void **state)
{
	struct fixture *fixture = *state;
	struct file_out out;
	struct stat stat;

	put_file("precious", "keep");
	assert_int_equal(symlink("precious", "link"), 0);
	put_file("out", "old");
	for (int i = 0; i < 2; i++) {
		const char *path = i ? "link" : "out";

		assert_int_equal(file_out__open(&out, path, 0600, fixture->diag), 0);
		assert_int_equal(file_out__write(&out, VIEW("new"), fixture->diag), 0);
		assert_int_equal(file_out__commit(&out, false, fixture->diag), 0);
		expect_file(path, "new");
		assert_int_equal(lstat(path, &stat), 0);
		assert_true(S_ISREG(stat.st_mode));
	}
	expect_file("precious", "keep");
	assert_int_equal(empty_folder(), 3);
}

static void says_why_it_can_not_create(void **state)
{
	struct fixture *fixture = *state;
	struct file_out out;

	assert_int_equal(file_out__open(&out, "none/out", 0600, fixture->diag), -ENOENT);
	assert_string_equal(
		fixture->said,
		"output.create none/out: can't open the folder it is to be in: No such file or directory");
	file_out__abort(&out);
	/* A folder that stands at the place is found at the end only. */
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(file_out__open(&out, "folder", 0600, fixture->diag), 0);
	assert_true(file_out__commit(&out, false, fixture->diag) < 0);
	assert_string_equal(fixture->said,
			    "output.rename folder: can't put the file in place: Is a directory");
	assert_int_equal(empty_folder(), 1);
}

static void says_that_the_disk_is_full(void **state)
{
	struct fixture *fixture = *state;
	struct file_out out = { .fd = open("/dev/full", O_WRONLY | O_CLOEXEC),
				.path = strdup("x") };

	assert_true(out.fd >= 0);
	assert_int_equal(file_out__write(&out, VIEW("text"), fixture->diag), -ENOSPC);
	assert_string_equal(fixture->said, "output.write x: can't write: No space left on device");
	file_out__abort(&out);
}

/* 0 when a file could be written where the folder is all there is. */
static int write_in_chroot(const char *folder)
{
	struct diag *diag = diag__new(NULL, NULL);
	struct file_out out;

	/* who is not root is so in a user namespace, as far as the kernel lets it */
	if (!diag || (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0) || chroot(folder) < 0 ||
	    chdir("/") < 0)
		return 1;
	if (access("/proc", F_OK) == 0 || file_out__open(&out, "output", 0600, diag) ||
	    file_out__write(&out, VIEW("new"), diag) || file_out__commit(&out, true, diag))
		return 2;
	return 0;
}

static void needs_no_proc(void **state)
{
	struct fixture *fixture = *state;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(write_in_chroot(fixture->folder));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	expect_file("output", "new");
	assert_int_equal(empty_folder(), 1);
}

static void tells_whether_a_file_can_be_made(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(file_out__check("output", fixture->diag), 0);
	/* root may, but there is no such file and never will be */
	assert_int_equal(file_out__check("/proc/output", fixture->diag),
			 geteuid() == 0 ? -ENOENT : -EACCES);
	assert_string_equal(fixture->said, geteuid() == 0
						   ? "output.create /proc/output: can't create: "
						     "No such file or directory"
						   : "output.create /proc/output: can't create: "
						     "Permission denied");
	assert_int_equal(file_out__check("none/output", fixture->diag), -ENOENT);
	assert_string_equal(fixture->said, "output.create none/output: can't open the folder it is "
					   "to be in: No such file or directory");
	assert_true(file__is_stream("/dev/null"));
	assert_false(file__is_stream("output"));
	assert_false(file__is_stream("."));
	assert_int_equal(empty_folder(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(maps_and_copies_a_file, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_file_has_no_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(tells_where_holes_end, setup, teardown),
		cmocka_unit_test_setup_teardown(says_why_it_can_not_open, setup, teardown),
		cmocka_unit_test_setup_teardown(puts_no_file_in_the_place_of_a_pipe, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_is_there_before_commit, setup, teardown),
		cmocka_unit_test_setup_teardown(abort_leaves_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(commit_replaces_a_file_and_a_symlink, setup,
						teardown),
		cmocka_unit_test_setup_teardown(says_why_it_can_not_create, setup, teardown),
		cmocka_unit_test_setup_teardown(tells_whether_a_file_can_be_made, setup, teardown),
		cmocka_unit_test_setup_teardown(needs_no_proc, setup, teardown),
		cmocka_unit_test_setup_teardown(says_that_the_disk_is_full, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
