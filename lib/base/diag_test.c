// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"

/* What was reported, one line each: LEVEL KIND FILE OFFSET NTH TEXT. */
struct log {
	char text[4096];
};

static void note_message(void *context, const struct diag_message *message)
{
	struct log *log = context;
	size_t used = strlen(log->text);

	snprintf(log->text + used, sizeof(log->text) - used, "%d %s %s %lld %d %s\n",
		 (int)message->level, message->kind, message->file ? message->file : "-",
		 (long long)message->offset, (int)message->nth, message->text);
}

static void reports_and_counts(void **state)
{
	struct log log = { "" };
	struct diag *diag = diag__new(note_message, &log);

	(void)state;
	diag__report(diag, DIAG_WARNING, "a.b", "one", 7, "%d of %s", 3, "them");
	diag__report(diag, DIAG_WARNING, "a.b", "two", DIAG_NO_OFFSET, "x");
	diag__report(diag, DIAG_WARNING, "a.b", "one", 9, "y");
	diag__report(diag, DIAG_NOTE, "c", NULL, DIAG_NO_OFFSET, "z");
	diag__report(diag, DIAG_NOTE, "c", NULL, DIAG_NO_OFFSET, "z");
	assert_string_equal(log.text, "1 a.b one 7 1 3 of them\n"
				      "1 a.b two -1 1 x\n"
				      "1 a.b one 9 2 y\n"
				      "0 c - -1 1 z\n"
				      "0 c - -1 2 z\n");
	assert_int_equal(diag__count(diag, DIAG_NOTE), 2);
	assert_int_equal(diag__count(diag, DIAG_WARNING), 3);
	assert_int_equal(diag__count(diag, DIAG_ERROR), 0);
	diag__free(diag);
}

static void counts_without_a_reporter(void **state)
{
	struct diag *diag = diag__new(NULL, NULL);

	(void)state;
	diag__report(diag, DIAG_ERROR, "k", "f", 0, "text");
	assert_int_equal(diag__count(diag, DIAG_ERROR), 1);
	diag__free(diag);
	diag__free(NULL);
}

static void text_is_safe_to_print(void **state)
{
	struct log log = { "" };
	struct diag *diag = diag__new(note_message, &log);
	char name[3000];

	(void)state;
	diag__report(diag, DIAG_NOTE, "k", NULL, 0, "name %s", "\033[31m\n");
	assert_string_equal(log.text, "0 k - 0 1 name \\x1b[31m\\x0a\n");
	log.text[0] = '\0';
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	diag__report(diag, DIAG_NOTE, "k", NULL, 0, "%s", name);
	assert_true(strlen(log.text) > 900 && strlen(log.text) < 1100);
	diag__free(diag);
}

static void errno_is_told_and_returned(void **state)
{
	struct log log = { "" };
	struct diag *diag = diag__new(note_message, &log);
	char expected[200];

	(void)state;
	errno = ENOSPC;
	assert_int_equal(diag__errno(diag, "file.write", "name", "can't write"), -ENOSPC);
	snprintf(expected, sizeof(expected), "2 file.write name -1 1 can't write: %s\n",
		 strerror(ENOSPC));
	assert_string_equal(log.text, expected);
	diag__free(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_and_counts),
		cmocka_unit_test(counts_without_a_reporter),
		cmocka_unit_test(text_is_safe_to_print),
		cmocka_unit_test(errno_is_told_and_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
