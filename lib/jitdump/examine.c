// SPDX-License-Identifier: GPL-2.0-or-later
/* Collects what the reader reports, and looks at what single records can't tell. */
#include "jitdump/examine.h"

#include <errno.h>
#include <string.h>

#include "jitdump/dump.h"
#include "jitdump/examine_records.h"

/* The diag outlives the dump, which reports to it. */
struct holder {
	struct jitdump_examination examination;
	struct diag *diag;   /* the dump's */
	struct diag *caller; /* gets errors */
	bool failed;         /* memory ran out */
};

static struct oddity_count *count_of(struct jitdump_examination *ex,
				     const struct diag_message *message)
{
	struct oddity_count fresh = { oddity_kind__find(message->kind), message->kind,
				      message->level, 0, message->offset };

	array__for_each(count, &ex->counts)
		if (strcmp(count->kind, message->kind) == 0)
			return count;
	if (!array__push(&ex->counts, fresh))
		return NULL;
	return &ex->counts.items[ex->counts.count - 1];
}

static void keep(void *context, const struct diag_message *message)
{
	struct holder *holder = context;
	struct jitdump_examination *ex = &holder->examination;
	struct oddity oddity = { message->level, message->kind, message->offset, NULL };
	struct oddity_count *count;

	if (message->level == DIAG_ERROR) {
		diag__report(holder->caller, DIAG_ERROR, message->kind, message->file,
			     message->offset, "%s", message->text);
		return;
	}
	count = count_of(ex, message);
	if (!count) {
		holder->failed = true;
		return;
	}
	if (++count->count > EXAMINE_KEPT)
		return;
	oddity.text = arena__text(&ex->arena, message->text, strlen(message->text));
	if (!oddity.text || !array__push(&ex->oddities, oddity))
		holder->failed = true;
}

static int take_event(void *context, const struct jitdump_event *event)
{
	struct jitdump_examination *ex = context;

	if (event->kind != JITDUMP_LOAD)
		return 0;
	ex->code_bytes += event->code->size;
	ex->with_cfi += event->code->unwind && event->code->unwind->eh_frame.size;
	ex->with_lines += event->code->lines && event->code->lines->nr_rows;
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct oddity *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int examine(struct holder *holder)
{
	struct jitdump_examination *ex = &holder->examination;
	int err = jitdump__for_each_event(ex->dump, take_event, ex);

	if (!err)
		err = examine_records(ex);
	if (!err && holder->failed)
		err = -ENOMEM;
	if (err)
		return err;
	ex->stats = *jitdump__stats(ex->dump);
	ex->records = ex->stats.loads + ex->stats.moves + ex->stats.debug_infos + ex->stats.closes +
		      ex->stats.unwinding_infos + ex->stats.debug_info2s + ex->stats.unknown;
	if (ex->oddities.count)
		qsort(ex->oddities.items, ex->oddities.count, sizeof(*ex->oddities.items),
		      by_offset);
	return 0;
}

int jitdump_examination__new(struct jitdump_examination **examination, const char *path,
			     struct diag *diag)
{
	struct holder *holder = calloc(1, sizeof(*holder));
	int err = -ENOMEM;

	*examination = NULL;
	if (!holder)
		return -ENOMEM;
	holder->caller = diag;
	holder->diag = diag__new(keep, holder);
	if (holder->diag)
		err = jitdump__open(&holder->examination.dump, path, holder->diag);
	if (!err)
		err = examine(holder);
	if (err) {
		jitdump_examination__free(&holder->examination);
		return err;
	}
	*examination = &holder->examination;
	return 0;
}

void jitdump_examination__free(struct jitdump_examination *examination)
{
	struct holder *holder = (struct holder *)examination;

	if (!examination)
		return;
	jitdump__close(examination->dump);
	diag__free(holder->diag);
	array__free(&examination->oddities);
	array__free(&examination->counts);
	arena__free(&examination->arena);
	free(holder);
}
