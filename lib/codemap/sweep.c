// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What finish does: goes through all that happened in the order of time with the set of code that
 * is live. Code ends as a whole when any byte of it is loaded over, so live code never overlaps,
 * and each piece is ended once however many it covers or is covered by.
 */
#include "codemap/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codemap/slots.h"

/* A piece of code in the order of addresses. */
struct place {
	uint64_t addr;
	uint32_t code; /* position in codes, which are in order of time during the sweep */
};

/* The code last known by a producer's index, for moves. */
struct indexed {
	uint64_t index;
	uint32_t code; /* UINT32_MAX before it is loaded */
};

/* Live code, by the slot of its address. */
struct live {
	uint64_t end;
	uint32_t code;
};

struct sweep {
	struct codemap *map;
	struct code *codes; /* by (load, serial) */
	size_t count;
	struct place *places; /* by (addr, code) */
	/* A slot is the position in places of the first of an address. */
	uint32_t *slot;    /* of a code */
	struct live *held; /* by slot, if it is in live */
	struct slots live;
	ARRAY(struct indexed) indexed; /* by index; only if there are moves */
};

static int compare_codes(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	if (x->load != y->load)
		return x->load < y->load ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int compare_unmaps(const void *a, const void *b)
{
	const struct code_unmap *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

static int compare_indexed(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Events mostly come sorted; then there is nothing to do. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	const char *item = items;

	for (size_t i = 1; i < count; i++, item += size) {
		if (compare(item, item + size) > 0) {
			qsort(items, count, size, compare);
			return;
		}
	}
}

static int index_records(struct sweep *sweep)
{
	size_t kept = 0;

	if (!sweep->map->moves.count)
		return 0;
	for (size_t i = 0; i < sweep->count; i++) {
		const struct code_record *record = sweep->codes[i].record;

		if (record &&
		    !array__push(&sweep->indexed, (struct indexed){ record->index, UINT32_MAX }))
			return -ENOMEM;
	}
	sort(sweep->indexed.items, sweep->indexed.count, sizeof(struct indexed), compare_indexed);
	for (size_t i = 0; i < sweep->indexed.count; i++) {
		struct indexed *indexed = sweep->indexed.items;

		if (!kept || indexed[kept - 1].index != indexed[i].index)
			indexed[kept++] = indexed[i];
	}
	sweep->indexed.count = kept;
	return 0;
}

static struct indexed *find_indexed(const struct sweep *sweep, uint64_t index)
{
	struct indexed key = { .index = index };

	if (!sweep->indexed.count)
		return NULL;
	return bsearch(&key, sweep->indexed.items, sweep->indexed.count, sizeof(key),
		       compare_indexed);
}

static int sweep__init(struct sweep *sweep, struct codemap *map)
{
	size_t count = map->codes.count;
	uint32_t slot = 0;

	*sweep = (struct sweep){ .map = map, .codes = map->codes.items, .count = count };
	sweep->places = malloc((count + 1) * sizeof(*sweep->places));
	sweep->slot = malloc((count + 1) * sizeof(*sweep->slot));
	sweep->held = malloc((count + 1) * sizeof(*sweep->held));
	if (!sweep->places || !sweep->slot || !sweep->held || slots__init(&sweep->live, count))
		return -ENOMEM;

	sort(map->codes.items, count, sizeof(struct code), compare_codes);
	sort(map->unmaps.items, map->unmaps.count, sizeof(struct code_unmap), compare_unmaps);
	for (size_t i = 0; i < count; i++)
		sweep->places[i] = (struct place){ sweep->codes[i].addr, (uint32_t)i };
	sort(sweep->places, count, sizeof(*sweep->places), compare_places);
	for (size_t i = 0; i < count; i++) {
		if (i && sweep->places[i].addr != sweep->places[i - 1].addr)
			slot = (uint32_t)i;
		sweep->slot[sweep->places[i].code] = slot;
	}
	return index_records(sweep);
}

static void sweep__free(struct sweep *sweep)
{
	free(sweep->places);
	free(sweep->slot);
	free(sweep->held);
	slots__free(&sweep->live);
	array__free(&sweep->indexed);
}

/* The first place at addr or above. */
static size_t place_from(const struct sweep *sweep, uint64_t addr)
{
	return items__count_leading(place, sweep->places, sweep->count, place->addr < addr);
}

static struct code *live_at(const struct sweep *sweep, size_t slot)
{
	return &sweep->codes[sweep->held[slot].code];
}

static void end_slot(struct sweep *sweep, size_t slot, uint64_t time)
{
	live_at(sweep, slot)->end = time;
	slots__remove(&sweep->live, slot);
}

/* Ends what is live in [addr, end); slot is the first place at addr or above. */
static void end_range(struct sweep *sweep, size_t slot, uint64_t addr, uint64_t end, uint64_t time)
{
	size_t before = slots__before(&sweep->live, slot);

	if (before != SLOTS_NONE && sweep->held[before].end > addr)
		end_slot(sweep, before, time);
	for (size_t i = slots__next(&sweep->live, slot);
	     i != SLOTS_NONE && sweep->places[i].addr < end; i = slots__next(&sweep->live, i + 1))
		end_slot(sweep, i, time);
}

static bool is_same(const struct code *a, const struct code *b)
{
	const struct code_record *x = a->record, *y = b->record;

	if (a->addr != b->addr || a->size != b->size)
		return false;
	return x == y || (x->code.size == y->code.size && !strcmp(x->name, y->name) &&
			  (!x->code.size || !memcmp(x->code.data, y->code.data, x->code.size)));
}

static void place(struct sweep *sweep, size_t i)
{
	struct code *code = &sweep->codes[i];
	size_t slot = sweep->slot[i];
	struct indexed *indexed = find_indexed(sweep, code->record->index);

	if (slots__has(&sweep->live, slot))
		code->identical = is_same(live_at(sweep, slot), code);
	end_range(sweep, slot, code->addr, code->addr + code->size, code->load);
	slots__add(&sweep->live, slot);
	sweep->held[slot] = (struct live){ code->addr + code->size, (uint32_t)i };
	if (indexed)
		indexed->code = (uint32_t)i;
}

static struct code_move *move_of(const struct codemap *map, uint32_t serial)
{
	return &map->moves.items[array__count_leading(move, &map->moves, move->serial < serial)];
}

/*
 * The code that a move means: what has its index and was last at its old address, even if
 * something else was moved there before, as collectors that compact do; else what is there.
 */
static struct code *moved_code(const struct sweep *sweep, const struct code_move *move)
{
	const struct indexed *indexed = find_indexed(sweep, move->index);
	size_t slot;

	if (indexed && indexed->code != UINT32_MAX &&
	    sweep->codes[indexed->code].addr == move->from)
		return &sweep->codes[indexed->code];
	slot = place_from(sweep, move->from);
	if (slot < sweep->count && sweep->places[slot].addr == move->from &&
	    slots__has(&sweep->live, slot))
		return live_at(sweep, slot);
	return NULL;
}

/* Completes a move; false if there is nothing to be moved. */
static bool resolve_move(struct sweep *sweep, struct code *code)
{
	const struct code_move *move = move_of(sweep->map, code->serial);
	struct code *old = moved_code(sweep, move);
	size_t slot;

	if (!old) {
		sweep->map->lost_moves++;
		return false;
	}
	if (old->addr == code->addr)
		return false;
	slot = sweep->slot[old - sweep->codes];
	if (slots__has(&sweep->live, slot) && live_at(sweep, slot) == old)
		end_slot(sweep, slot, code->load);
	code->record = old->record;
	if (code->size > old->record->size)
		code->size = old->record->size;
	return true;
}

/* Ends what was unmapped before code came, all with NULL; next is the first of those to do. */
static void do_unmaps(struct sweep *sweep, size_t *next, const struct code *code)
{
	for (; *next < sweep->map->unmaps.count; (*next)++) {
		const struct code_unmap *unmap = &sweep->map->unmaps.items[*next];

		if (code && (unmap->time > code->load ||
			     (unmap->time == code->load && unmap->serial > code->serial)))
			return;
		end_range(sweep, place_from(sweep, unmap->addr), unmap->addr, unmap->end,
			  unmap->time);
	}
}

static void sweep__run(struct sweep *sweep)
{
	size_t next_unmap = 0;

	for (size_t i = 0; i < sweep->count; i++) {
		struct code *code = &sweep->codes[i];

		do_unmaps(sweep, &next_unmap, code);
		if (code->record || resolve_move(sweep, code))
			place(sweep, i);
	}
	do_unmaps(sweep, &next_unmap, NULL);
}

/* Puts codes into the order of places, those that moves did not find left out. */
static int rearrange(struct sweep *sweep)
{
	struct codemap *map = sweep->map;
	struct code *sorted = malloc((sweep->count + 1) * sizeof(*sorted));
	size_t kept = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < sweep->count; i++) {
		uint32_t rank = sweep->places[i].code;

		if (!sweep->codes[rank].record)
			continue;
		sorted[kept] = sweep->codes[rank];
		sweep->places[kept++].code = rank;
	}
	free(map->codes.items);
	map->codes.items = sorted;
	map->codes.capacity = sweep->count + 1;
	map->codes.count = kept;
	return 0;
}

static bool add_first(struct codemap *map, uint64_t addr, uint32_t code)
{
	size_t count = map->firsts.count;

	return (count && map->firsts.items[count - 1].code == code) ||
	       array__push(&map->firsts, (struct code_first){ addr, code });
}

/*
 * Goes up through the addresses with the set of codes that reach over the one come to, by order of
 * loading: its first is the first that was there. position is filled with where a code of that
 * order stands in codes.
 */
static int find_firsts(struct sweep *sweep, struct slots *present, uint32_t *position)
{
	struct codemap *map = sweep->map;
	const struct code *codes = map->codes.items;
	size_t i = 0, count = map->codes.count, first;

	while (i < count) {
		uint64_t at = codes[i].addr, limit;

		for (; i < count && codes[i].addr == at; i++) {
			uint32_t order = sweep->places[i].code;

			position[order] = (uint32_t)i;
			if (codes[i].load < codes[i].end)
				slots__add(present, order);
		}
		limit = i < count ? codes[i].addr : UINT64_MAX;
		for (; (first = slots__next(present, 0)) != SLOTS_NONE;
		     slots__remove(present, first)) {
			const struct code *code = &codes[position[first]];

			if (code->addr + code->size <= at)
				continue;
			if (!add_first(map, at, position[first]))
				return -ENOMEM;
			at = code->addr + code->size;
			if (at >= limit)
				break;
		}
	}
	return 0;
}

static int index_codes(struct codemap *map)
{
	if (!array__reserve(&map->spans.items, map->codes.count))
		return -ENOMEM;
	for (size_t i = 0; i < map->codes.count; i++) {
		const struct code *code = &map->codes.items[i];
		struct span span = {
			.addr = code->addr,
			.addr_end = code->addr + code->size,
			.from = code->load,
			.to = code->end,
			.id = (uint32_t)i,
		};

		if (spans__add(&map->spans, &span))
			return -ENOMEM;
	}
	return spans__build(&map->spans);
}

static int sweep(struct sweep *sweep, struct codemap *map)
{
	struct slots present = { 0 };
	int err = sweep__init(sweep, map);

	if (err)
		return err;
	sweep__run(sweep);
	err = rearrange(sweep);
	if (!err)
		err = index_codes(map);
	if (!err)
		err = slots__init(&present, sweep->count);
	if (!err)
		err = find_firsts(sweep, &present, sweep->slot);
	slots__free(&present);
	return err;
}

int codemap__finish(struct codemap *map)
{
	struct sweep state;
	int err;

	if (map->finished)
		return 0;
	map->finished = true;
	err = sweep(&state, map);
	sweep__free(&state);
	if (err)
		array__free(&map->codes);
	array__free(&map->moves);
	array__free(&map->unmaps);
	return err;
}
