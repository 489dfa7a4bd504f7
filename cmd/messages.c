// SPDX-License-Identifier: GPL-2.0-or-later
#include "messages.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
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

	fprintf(stderr, "%s: %s%s:%s ", messages->command, messages->color ? messages__color(level) : "",
		messages__level_name(level), messages->color ? "\033[0m" : "");
	if (file)
		fprintf(stderr, "%s: ", text__printable(name, sizeof(name), file));
}

static bool is_shown(const struct messages *messages, enum diag_level level, uint64_t nth)
{
	if (level == DIAG_NOTE && !messages->notes)
		return false;
	return messages->all || nth <= MESSAGES_OF_A_KIND;
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

void messages__report(void *context, const struct diag_message *message)
{
	struct messages *messages = context;

	if (message->nth <= MESSAGES_OF_A_KIND)
		keep(messages, message);
	if (!is_shown(messages, message->level, message->nth))
		return;
	progress__hide(messages->progress);
	print_prefix(messages, message->level, message->file);
	if (message->offset != DIAG_NO_OFFSET)
		fprintf(stderr, "at byte %llu: ", (unsigned long long)message->offset);
	fprintf(stderr, "%s\n", message->text);
}

static void summarize_kind(void *context, enum diag_level level, const char *kind, const char *file,
			   uint64_t count)
{
	struct messages *messages = context;

	if (!is_shown(messages, level, 1) || is_shown(messages, level, count))
		return;
	print_prefix(messages, level, file);
	fprintf(stderr, "%llu more like the last (%s); -v shows all\n",
		(unsigned long long)count - MESSAGES_OF_A_KIND, kind);
}

void messages__summarize(struct messages *messages, const struct diag *diag)
{
	progress__hide(messages->progress);
	diag__for_each_kind(diag, summarize_kind, messages);
}

void messages__free(struct messages *messages)
{
	array__for_each(kept, &messages->kept) {
		free(kept->file);
		free(kept->text);
	}
	array__free(&messages->kept);
}
