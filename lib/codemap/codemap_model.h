/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a code map by the plainest means, every question answered by looking at everything,
 * and a comparison of the real one with it over a story read from bytes. Used with random bytes
 * by the unit test and with found ones by the fuzz target.
 */
#ifndef PERFJIT_CODEMAP_CODEMAP_MODEL_H
#define PERFJIT_CODEMAP_CODEMAP_MODEL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "codemap/codemap.h"

#define MODEL_CHECK(condition)                                                          \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

struct model_event {
	enum { MODEL_LOAD, MODEL_MOVE, MODEL_UNMAP, MODEL_INHERIT } what;
	uint64_t time;
	uint32_t serial;
	struct code code;     /* LOAD, INHERIT; MOVE: addr and size */
	uint64_t from, index; /* MOVE */
	uint64_t addr, end;   /* UNMAP */
};

struct model {
	ARRAY(struct model_event) events;
	ARRAY(struct code) codes; /* in order of placing, then of (addr, load, serial) */
	size_t lost_moves;
	uint32_t serial;
};

static inline int model__compare_events(const void *a, const void *b)
{
	const struct model_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static inline int model__compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->load != y->load)
		return x->load < y->load ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static inline void model__add(struct model *model, struct model_event event)
{
	event.serial = event.code.serial = model->serial++;
	event.code.end = CODE_FOREVER;
	event.code.load = event.time;
	MODEL_CHECK(array__push(&model->events, event));
}

static inline void model__end(struct model *model, uint64_t addr, uint64_t end, uint64_t time)
{
	array__for_each(code, &model->codes) {
		if (code->end == CODE_FOREVER && code->addr < end && addr < code->addr + code->size)
			code->end = time;
	}
}

static inline bool model__identical(const struct code *a, const struct code *b)
{
	const struct bytes x = a->record->code, y = b->record->code;

	return a->addr == b->addr && a->size == b->size && x.size == y.size &&
	       !strcmp(a->record->name, b->record->name) &&
	       (!x.size || !memcmp(x.data, y.data, x.size));
}

static inline void model__place(struct model *model, struct code code)
{
	array__for_each(old, &model->codes) {
		if (old->end == CODE_FOREVER && model__identical(old, &code))
			code.identical = true;
	}
	model__end(model, code.addr, code.addr + code.size, code.load);
	MODEL_CHECK(array__push(&model->codes, code));
}

static inline void model__move(struct model *model, const struct model_event *event)
{
	struct code *indexed = NULL, *live = NULL, *old, code = event->code;

	array__for_each(item, &model->codes) {
		if (item->record->index == event->index)
			indexed = item;
		if (item->end == CODE_FOREVER && item->addr == event->from)
			live = item;
	}
	old = indexed && indexed->addr == event->from ? indexed : live;
	model->lost_moves += !old;
	if (!old || old->addr == code.addr)
		return;
	if (old->end == CODE_FOREVER)
		old->end = event->time;
	code.record = old->record;
	code.moved = true;
	if (code.size > code.record->size)
		code.size = code.record->size;
	model__place(model, code);
}

static inline void model__finish(struct model *model)
{
	if (model->events.count)
		qsort(model->events.items, model->events.count, sizeof(*model->events.items),
		      model__compare_events);
	array__for_each(event, &model->events) {
		if (event->what == MODEL_MOVE)
			model__move(model, event);
		else if (event->what == MODEL_UNMAP)
			model__end(model, event->addr, event->end, event->time);
		else
			model__place(model, event->code);
	}
	if (model->codes.count)
		qsort(model->codes.items, model->codes.count, sizeof(*model->codes.items),
		      model__compare_codes);
}

static inline void model__free(struct model *model)
{
	array__free(&model->events);
	array__free(&model->codes);
}

static inline void model__compare_lookup(const struct model *model, const struct codemap *map,
					 uint64_t addr, uint64_t time)
{
	const struct code *live = NULL, *first = NULL, *found;

	array__for_each(code, &model->codes) {
		bool covers = code->addr <= addr && addr < code->addr + code->size;

		if (!covers || code->load == code->end)
			continue;
		if (code->load <= time && time < code->end) {
			MODEL_CHECK(!live);
			live = code;
		}
		if (!first || code->load < first->load ||
		    (code->load == first->load && code->serial < first->serial))
			first = code;
	}
	if (first && first->load <= time)
		first = NULL;
	found = codemap__find(map, addr, time);
	MODEL_CHECK(!found == !live && (!found || found->serial == live->serial));
	found = codemap__find_early(map, addr, time);
	MODEL_CHECK(!found == !first && (!found || found->serial == first->serial));
}

static inline void model__compare(const struct model *model, const struct codemap *map)
{
	MODEL_CHECK(codemap__count(map) == model->codes.count);
	MODEL_CHECK(codemap__lost_moves(map) == model->lost_moves);
	for (size_t i = 0; i < model->codes.count; i++) {
		const struct code *a = codemap__at(map, i), *b = &model->codes.items[i];

		MODEL_CHECK(a->record == b->record && a->addr == b->addr && a->size == b->size);
		MODEL_CHECK(a->load == b->load && a->end == b->end && a->serial == b->serial);
		MODEL_CHECK(a->inherited == b->inherited && a->moved == b->moved);
		MODEL_CHECK(a->identical == b->identical);
	}
	/* Around each edge of each code, and each edge with its neighbour's times. */
	for (size_t i = 0; i < model->codes.count; i++) {
		const struct code *code = &model->codes.items[i];
		const struct code *other = &model->codes.items[(i + 1) % model->codes.count];
		const uint64_t addrs[] = { code->addr - 1, code->addr, code->addr + code->size - 1,
					   code->addr + code->size, other->addr + other->size / 2 };
		const uint64_t times[] = { code->load - 1, code->load, code->end - 1, code->end,
					   other->load };

		for (size_t a = 0; a < 5; a++) {
			for (size_t t = 0; t < 5; t++)
				model__compare_lookup(model, map, addrs[a], times[t]);
		}
	}
}

/* Reads a story from bytes; what there is of it is told to a map and to its model. */
struct model_story {
	struct cursor bytes;
	uint64_t clock;
	struct codemap *map, *parent;
	struct model model;
	ARRAY(struct code_record *) records; /* shared by a map and its parents */
};

static inline void model_story__load(struct model_story *story, uint64_t time, uint64_t addr,
				     uint64_t size)
{
	static const uint8_t code[2][2] = { { 0x90, 0x90 }, { 0x90, 0xc3 } };
	static const char *const names[] = { "a", "b" };
	struct code_record *record = calloc(1, sizeof(*record));
	uint8_t looks = cursor__u8(&story->bytes);
	struct model_event event = { .what = MODEL_LOAD, .time = time };

	MODEL_CHECK(record && array__push(&story->records, record));
	*record = (struct code_record){
		.addr = addr,
		.size = size,
		.index = looks >> 2,
		.name = names[looks & 1],
		.code = { code[looks >> 1 & 1], size < 2 ? 0 : 2 },
	};
	event.code = (struct code){ .record = record, .addr = addr, .size = size };
	MODEL_CHECK(!codemap__load(story->map, time, record));
	model__add(&story->model, event);
}

static inline void model_story__finish(struct model_story *story)
{
	MODEL_CHECK(!codemap__finish(story->map));
	model__finish(&story->model);
	model__compare(&story->model, story->map);
}

/* Goes on in a child that was forked at time. */
static inline void model_story__fork(struct model_story *story, uint64_t time)
{
	struct model child = { 0 };

	model_story__finish(story);
	codemap__free(story->parent);
	story->parent = story->map;
	story->map = codemap__new();
	MODEL_CHECK(story->map && !codemap__inherit(story->map, story->parent, time));
	array__for_each(code, &story->model.codes) {
		struct model_event event = { .what = MODEL_INHERIT, .time = time, .code = *code };

		event.code.identical = false;
		event.code.inherited = true;
		if (code->load <= time && time < code->end)
			model__add(&child, event);
	}
	model__free(&story->model);
	story->model = child;
}

static inline void model_story__step(struct model_story *story)
{
	uint8_t what = cursor__u8(&story->bytes), when = cursor__u8(&story->bytes);
	uint64_t addr = 1000 + get_u16(cursor__take(&story->bytes, 2) ?: (const uint8_t *)"\0",
				       ORDER_LITTLE) %
				       2048;
	uint64_t size = cursor__u8(&story->bytes) % 64 + 1;
	uint64_t time;

	story->clock += when & 3;
	time = story->clock - (when >> 2 & 3); /* some go back */
	if (what & 64)
		addr &= ~UINT64_C(63), size = 32; /* many at the same place */
	if (what & 128 && what & 32)
		size *= 40; /* large ones */
	what %= 32;
	if (what < 20) {
		model_story__load(story, time, addr, size);
	} else if (what < 26) {
		struct model_event event = { .what = MODEL_MOVE, .time = time };
		uint8_t which = cursor__u8(&story->bytes);
		struct code_record *record =
			story->records.count ? story->records.items[story->records.count - 1 -
								    which % story->records.count]
					     : NULL;

		event.from = record ? record->addr : addr + 1;
		event.index = record && which & 64 ? record->index : which % 4;
		event.code.addr = addr;
		event.code.size = size;
		MODEL_CHECK(!codemap__move(story->map, time, event.from, addr, size, event.index));
		model__add(&story->model, event);
	} else if (what < 30) {
		struct model_event event = { .what = MODEL_UNMAP, .time = time };

		event.addr = addr;
		event.end = addr + size;
		MODEL_CHECK(!codemap__unmap(story->map, time, addr, size));
		model__add(&story->model, event);
	} else if (what == 30 || when < 224) {
		MODEL_CHECK(!codemap__close(story->map, time));
	} else {
		model_story__fork(story, time);
	}
}

static inline void codemap_model__check(struct bytes bytes)
{
	struct model_story story = { .bytes = cursor__at(bytes, ORDER_LITTLE), .clock = 10 };

	story.map = codemap__new();
	MODEL_CHECK(story.map);
	while (cursor__left(&story.bytes))
		model_story__step(&story);
	model_story__finish(&story);
	codemap__free(story.map);
	codemap__free(story.parent);
	model__free(&story.model);
	array__for_each(record, &story.records)
		free(*record);
	array__free(&story.records);
}

#endif
