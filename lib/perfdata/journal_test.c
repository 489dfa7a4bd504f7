// SPDX-License-Identifier: GPL-2.0-or-later
/* Edits of what was edited, journals of every length, and what no longer fits its journal. */
#include "perfdata/edit_testing.h"

#include <fcntl.h>

/* Edits of an edited file: each restore takes back one. */
static void nest(struct fixture *fixture, const char *name)
{
	struct perfdata *input = open_recording(fixture, name);
	struct perfdata_edits *edits = perfdata_edits__new(input);
	struct perfdata *once, *twice;
	char third[160];

	snprintf(third, sizeof(third), "%s/third", fixture->folder);
	insert_comms(input, edits, 5);
	write_to(fixture, input, edits, fixture->edited);
	perfdata_edits__free(edits);
	once = open_profile(fixture, fixture->edited);
	edits = perfdata_edits__new(once);
	insert_comms(once, edits, 50);
	write_to(fixture, once, edits, third);
	twice = open_profile(fixture, third);
	assert_true(perfdata__is_edited(twice));
	restore_to(fixture, twice, fixture->restored);
	assert_same_profile(fixture, once, fixture->restored);
	restore_to(fixture, once, fixture->restored);
	assert_same_profile(fixture, input, fixture->restored);
	perfdata_edits__free(edits);
	perfdata__close(twice);
	perfdata__close(once);
	perfdata__close(input);
	remove_profile(third);
	remove_profile(fixture->edited);
	remove_profile(fixture->restored);
}

static void edits_nest(void **state)
{
	nest(*state, "6.1-fp");
	nest(*state, "7.3-pipe");
	nest(*state, "7.3-threads");
}

/*
 * In pipe form a journal is cut into pieces of 32768 bytes, of which the last must not be too
 * short: 24 bytes for each insert bring its end to every place around a piece's.
 */
static void long_journals(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *input = open_recording(fixture, "7.3-pipe");
	uint64_t end = perfdata__data_offset(input) + perfdata__data_size(input);
	struct buf buf = BUF(ORDER_LITTLE);

	buf__put_u32(&buf, PERFDATA_FINISHED_ROUND);
	buf__put_u32(&buf, 8u << 16);
	for (size_t count = 32768 / 24 - 8; count < 32768 / 24 + 8; count++) {
		struct perfdata_edits *edits = perfdata_edits__new(input);
		struct perfdata *output;

		for (size_t i = 0; i < count; i++)
			assert_int_equal(perfdata_edits__insert(edits, end, buf__bytes(&buf)), 0);
		write_to(fixture, input, edits, fixture->edited);
		output = open_profile(fixture, fixture->edited);
		assert_true(perfdata__is_edited(output));
		restore_to(fixture, output, fixture->restored);
		assert_same_profile(fixture, input, fixture->restored);
		perfdata__close(output);
		perfdata_edits__free(edits);
	}
	buf__free(&buf);
	perfdata__close(input);
}

static void refuses_to_restore_what_was_changed_since(void **state)
{
	struct fixture *fixture = *state;
	struct perfdata *input = open_recording(fixture, "6.1-fp");
	struct perfdata_edits *edits = perfdata_edits__new(input);
	struct perfdata *output;
	struct file_out out;
	int fd;

	insert_comms(input, edits, 5);
	write_to(fixture, input, edits, fixture->edited);
	fd = open(fixture->edited, O_RDWR);
	assert_int_equal(pwrite(fd, "!", 1, lseek(fd, 0, SEEK_END) - 60), 1);
	close(fd);
	output = open_profile(fixture, fixture->edited);
	assert_false(perfdata__is_edited(output));
	assert_int_equal(file_out__open(&out, fixture->restored, 0600, fixture->diag), 0);
	assert_int_equal(perfdata__restore(output, &out, fixture->diag), -EINVAL);
	assert_int_equal(perfdata__restore(input, &out, fixture->diag), -EINVAL);
	assert_int_equal(diag__count(fixture->diag, DIAG_ERROR), 2);
	file_out__abort(&out);
	perfdata_edits__free(edits);
	perfdata__close(output);
	perfdata__close(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(edits_nest),
		TEST(long_journals),
		TEST(refuses_to_restore_what_was_changed_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
