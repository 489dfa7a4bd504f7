// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page is cmd/flamegraph with the data, one JSON object, put in where it says so. How
 * that object is made up is told in head.html there.
 */
#include "check_pictures.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "check/runtime.h"
#include "check/subject.h"
#include "page_writer.h"

static const char data_mark[] = "@DATA@";

void check_pictures__begin(struct check_pictures *pictures)
{
	pictures->frames.names = &pictures->names;
	pictures->now.frames = pictures->before.frames = &pictures->frames;
}

int check_pictures__add(struct check_pictures *pictures, const struct check_seen *seen)
{
	int err = flame__add(&pictures->now, seen);

	return err ? err : jit_memory__add(&pictures->memory, seen);
}

static int add_before(void *context, const struct check_seen *seen)
{
	struct check_pictures *pictures = context;

	return flame__add(&pictures->before, seen);
}

int check_pictures__add_before(struct check_pictures *pictures, struct perfdata *original,
			       const struct check_options *options, struct diag *diag)
{
	struct check_options again = *options;
	/* what is wrong with it has been reported */
	struct diag *silent = diag__new(NULL, NULL);
	int err;

	if (!silent)
		return -ENOMEM;
	memset(&again.wanted, 0, sizeof(again.wanted));
	again.progress = NULL;
	again.visit = add_before;
	again.context = pictures;
	err = check__read(&pictures->check_before, original, original, &again, silent);
	if (!err)
		err = check__count(&pictures->check_before, original, &again, silent);
	pictures->has_before = !err;
	diag__free(silent);
	if (err && err != -ENOMEM)
		diag__report(diag, DIAG_ERROR, "flamegraph.before", NULL, DIAG_NO_OFFSET,
			     "the profile as it was before can't be read: %s", strerror(-err));
	return err;
}

/* Positions among the page's runtimes are 1 and up; 0 is none that is known. */
struct runtimes {
	ARRAY(const struct runtime *) items;
};

static int64_t runtime_number(struct page_writer *writer, struct runtimes *runtimes,
			      const struct runtime *runtime)
{
	int64_t number = 1;

	if (!runtime)
		return 0;
	array__for_each(known, &runtimes->items) {
		if (*known == runtime)
			return number;
		number++;
	}
	if (!array__push(&runtimes->items, runtime) && !writer->err)
		writer->err = -ENOMEM;
	return number;
}

static void put_frames(struct page_writer *writer, const struct flame_frames *frames)
{
	struct runtimes runtimes = { 0 };

	page_writer__begin(writer, "frames", '[');
	array__for_each(frame, &frames->items) {
		page_writer__begin(writer, NULL, '[');
		page_writer__number(writer, NULL, frame->name);
		page_writer__number(writer, NULL, frame->kind);
		page_writer__number(writer, NULL,
				    runtime_number(writer, &runtimes, frame->runtime));
		page_writer__number(writer, NULL, frame->place);
		page_writer__number(writer, NULL, frame->reason);
		page_writer__end(writer, ']');
	}
	page_writer__end(writer, ']');
	page_writer__begin(writer, "runtimes", '[');
	page_writer__text(writer, NULL, "other");
	array__for_each(runtime, &runtimes.items)
		page_writer__text(writer, NULL, (*runtime)->name);
	page_writer__end(writer, ']');
	array__free(&runtimes.items);
}

static int put_node(void *context, const struct flame_node *node)
{
	struct page_writer *writer = context;

	page_writer__number(writer, NULL, (int64_t)node->depth);
	page_writer__number(writer, NULL, node->frame);
	page_writer__number(writer, NULL, (int64_t)node->self);
	return writer->err;
}

static void put_tree(struct page_writer *writer, const char *label, struct flame *flame,
		     const struct check_counts *counts)
{
	page_writer__begin(writer, NULL, '{');
	page_writer__text(writer, "label", label);
	page_writer__number(writer, "samples", (int64_t)counts->samples);
	page_writer__number(writer, "jitFrames", (int64_t)counts->jit_frames);
	page_writer__number(writer, "jitFramesNamed", (int64_t)counts->jit_frames_named);
	page_writer__number(writer, "chains", (int64_t)counts->chains);
	page_writer__number(writer, "chainsComplete", (int64_t)counts->ends[CHECK_COMPLETE]);
	page_writer__begin(writer, "nodes", '[');
	flame__walk(flame, put_node, writer);
	page_writer__end(writer, ']');
	page_writer__end(writer, '}');
}

static void put_trees(struct page_writer *writer, struct check_pictures *pictures,
		      const struct check_result *result)
{
	page_writer__begin(writer, "trees", '[');
	put_tree(writer, pictures->has_before ? "After" : "Profile", &pictures->now,
		 &result->check.total);
	if (pictures->has_before)
		put_tree(writer, "Before", &pictures->before, &pictures->check_before.total);
	page_writer__end(writer, ']');
}

static void put_reasons(struct page_writer *writer, const struct check_recorded *recorded)
{
	char advice[512];

	page_writer__begin(writer, "reasons", '[');
	for (int i = 0; i < CHECK_REASONS; i++) {
		enum check_reason reason = (enum check_reason)i;

		page_writer__begin(writer, NULL, '[');
		page_writer__text(writer, NULL, check_reason__slug(reason));
		page_writer__text(writer, NULL, check_reason__text(reason));
		page_writer__text(
			writer, NULL,
			check_reason__advice(reason, NULL, recorded, advice, sizeof(advice)));
		page_writer__end(writer, ']');
	}
	page_writer__end(writer, ']');
}

/* Behind all that number names. */
static void put_names(struct page_writer *writer, const struct names *names)
{
	page_writer__begin(writer, "names", '[');
	page_writer__text(writer, NULL, "");
	for (size_t i = 0; i < names->by_number.count; i++)
		page_writer__text(writer, NULL, names__text(names, (uint32_t)i + 1));
	page_writer__end(writer, ']');
}

static void put_data(struct page_writer *writer, struct check_pictures *pictures,
		     const struct check_result *result)
{
	page_writer__begin(writer, NULL, '{');
	page_writer__text(writer, "input", result->arguments->input);
	page_writer__begin(writer, "events", '[');
	array__for_each(group, &result->check.groups)
		if ((*group)->kind == CHECK_EVENT)
			page_writer__text(writer, NULL, (*group)->name);
	page_writer__end(writer, ']');
	put_frames(writer, &pictures->frames);
	put_trees(writer, pictures, result);
	put_reasons(writer, &result->check.recorded);
	check_pictures__put_memory(pictures, writer);
	put_names(writer, &pictures->names);
	page_writer__end(writer, '}');
}

int check_pictures__write(struct check_pictures *pictures, const struct check_result *result,
			  struct diag *diag)
{
	struct bytes page = check_page__source();
	const uint8_t *mark = memmem(page.data, page.size, data_mark, strlen(data_mark));
	size_t before = (size_t)(mark - page.data), behind = before + strlen(data_mark);
	struct page_writer writer;
	int err = jit_memory__finish(&pictures->memory, &result->check);

	if (err)
		return err;
	page_writer__open(&writer, result->arguments->flamegraph, diag);
	page_writer__put(&writer, (struct bytes){ page.data, before });
	put_data(&writer, pictures, result);
	page_writer__put(&writer, (struct bytes){ page.data + behind, page.size - behind });
	return page_writer__close(&writer);
}

void check_pictures__free(struct check_pictures *pictures)
{
	flame__free(&pictures->now);
	flame__free(&pictures->before);
	flame_frames__free(&pictures->frames);
	jit_memory__free(&pictures->memory);
	names__free(&pictures->names);
	check__free(&pictures->check_before);
}
