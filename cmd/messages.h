/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of the library, shown on standard error as they come and kept for --json. */
#ifndef PERFJIT_CMD_MESSAGES_H
#define PERFJIT_CMD_MESSAGES_H

#include <stdbool.h>

#include "base/array.h"
#include "base/diag.h"
#include "terminal.h"

struct progress;

/*
 * How many messages of one kind are shown before they are only counted: about one file, and about
 * all of them. Those about one file are kept as far as that too.
 */
#define MESSAGES_ABOUT_A_FILE 5
#define MESSAGES_OF_A_KIND    10

struct kept_message {
	enum diag_level level;
	const char *kind;
	char *file; /* or NULL */
	uint64_t offset;
	char *text;
};

/* What was reported of a kind, whether it was shown or not. */
struct message_kind {
	enum diag_level level;
	const char *kind;
	uint64_t count, shown, files;
};

struct messages {
	const char *command;
	bool color;
	bool notes;                /* show DIAG_NOTE too */
	bool all;                  /* show each one, however many */
	struct progress *progress; /* or NULL: whose line must not stand in the way */
	ARRAY(struct kept_message) kept;
	ARRAY(struct message_kind) kinds;
};

/*
 * Begins to show how far the work is and what is reported, as the command's options say. Ends the
 * process when memory is out.
 */
struct diag *messages__begin(struct messages *messages, enum color_when color, bool quiet,
			     unsigned int verbose);
/* At the end of the work: no more progress, and how many there were of what was not all shown. */
void messages__end(struct messages *messages);

/* A diag_report_fn; the context is a struct messages. */
void messages__report(void *context, const struct diag_message *message);
/* Says how many there were of those kinds that were not all shown. To be called at the end. */
void messages__summarize(struct messages *messages);
void messages__free(struct messages *messages);

/* "note", "warning", "error" */
const char *messages__level_name(enum diag_level level);
/* What a terminal is told to show it in its colour; "\033[0m" ends that. */
const char *messages__color(enum diag_level level);

#endif
