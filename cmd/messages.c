// SPDX-License-Identifier: GPL-2.0-or-later
#include "messages.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "failure.h"
#include "progress.h"

const char *messages__level_name(enum diag_level level)
{
	static const char *const names[DIAG_LEVELS] = { "note", "warning", "error" };

	return names[level];
}

const char *messages__color(enum diag_level level)
{
	static const char *const colors[DIAG_LEVELS] = { "\033[36m", "\033[35m", "\033[31m" };

	return colors[level];
}

/* "perfjit-fix: warning: FILE: " */
static void print_prefix(const struct messages *messages, enum diag_level level, const char *file)
{
	char name[1024];

	fprintf(stderr, "%s: %s%s:%s ", messages->command,
		messages->color ? messages__color(level) : "", messages__level_name(level),
		messages->color ? "\033[0m" : "");
	if (file)
		fprintf(stderr, "%s: ", text__printable(name, sizeof(name), file));
}

static void keep(struct messages *messages, const struct diag_message *message)
{
	struct kept_message kept = {
		.level = message->level,
		.kind = message->kind,
		.file = message->file ? strdup(message->file) : NULL,
		.offset = message->offset,
		.text = strdup(message->text),
	};

	if ((message->file && !kept.file) || !kept.text || !array__push(&messages->kept, kept)) {
		free(kept.file);
		free(kept.text);
	}
}

/* The message's kind with the message counted; NULL when memory is out. */
static struct message_kind *count(struct messages *messages, const struct diag_message *message)
{
	struct message_kind fresh = { .level = message->level, .kind = message->kind };
	struct message_kind *kind = NULL;

	array__for_each(known, &messages->kinds)
		if (known->level == message->level && strcmp(known->kind, message->kind) == 0)
			kind = known;
	if (!kind && array__push(&messages->kinds, fresh))
		kind = &messages->kinds.items[messages->kinds.count - 1];
	if (kind) {
		kind->count++;
		kind->files += message->nth == 1;
	}
	return kind;
}

static bool is_shown(const struct messages *messages, const struct diag_message *message,
		     const struct message_kind *kind)
{
	if (message->level == DIAG_NOTE && !messages->notes)
		return false;
	return messages->all || !kind ||
	       (message->nth <= MESSAGES_ABOUT_A_FILE && kind->shown < MESSAGES_OF_A_KIND);
}

void messages__report(void *context, const struct diag_message *message)
{
	struct messages *messages = context;
	struct message_kind *kind = count(messages, message);

	if (message->nth <= MESSAGES_ABOUT_A_FILE)
		keep(messages, message);
	if (!is_shown(messages, message, kind))
		return;
	if (kind)
		kind->shown++;
	progress__hide(messages->progress);
	print_prefix(messages, message->level, message->file);
	if (message->offset != DIAG_NO_OFFSET)
		fprintf(stderr, "at byte %llu: ", (unsigned long long)message->offset);
	fprintf(stderr, "%s\n", message->text);
}

void messages__summarize(struct messages *messages)
{
	progress__hide(messages->progress);
	array__for_each(kind, &messages->kinds) {
		/* of a kind that is shown at all the first one is */
		if (!kind->shown || kind->shown == kind->count)
			continue;
		print_prefix(messages, kind->level, NULL);
		fprintf(stderr, "... and %llu more like it",
			(unsigned long long)(kind->count - kind->shown));
		if (kind->files > 1)
			fprintf(stderr, ", of %llu files in all", (unsigned long long)kind->files);
		fprintf(stderr, " (%s); -v shows all\n", kind->kind);
	}
}

struct diag *messages__begin(struct messages *messages, enum color_when color, bool quiet,
			     unsigned int verbose)
{
	struct diag *diag;

	messages->color = color__wanted(color, stderr);
	messages->notes = messages->all = verbose > 0;
	messages->progress = progress__start(!quiet);
	diag = diag__new(messages__report, messages);
	if (!diag)
		failure__end_for_memory(messages->command);
	return diag;
}

void messages__end(struct messages *messages)
{
	progress__stop(messages->progress);
	messages->progress = NULL;
	messages__summarize(messages);
}

void messages__free(struct messages *messages)
{
	array__for_each(kept, &messages->kept) {
		free(kept->file);
		free(kept->text);
	}
	array__free(&messages->kept);
	array__free(&messages->kinds);
}
