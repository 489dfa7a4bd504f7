// SPDX-License-Identifier: GPL-2.0-or-later
#include "codemap/map.h"

#include <errno.h>
#include <stdlib.h>

struct codemap *codemap__new(void)
{
	return calloc(1, sizeof(struct codemap));
}

void codemap__free(struct codemap *map)
{
	if (!map)
		return;
	array__free(&map->codes);
	array__free(&map->moves);
	array__free(&map->unmaps);
	array__free(&map->firsts);
	spans__free(&map->spans);
	free(map);
}

static bool is_range(uint64_t addr, uint64_t size)
{
	return size && addr <= UINT64_MAX - size;
}

/* Appends code that is live from its load on, next in loading order. */
static int append(struct codemap *map, struct code code)
{
	if (map->serial == UINT32_MAX)
		return -ENOMEM;
	code.end = CODE_FOREVER;
	code.first_reference = UINT64_MAX;
	code.serial = map->serial;
	if (!array__push(&map->codes, code))
		return -ENOMEM;
	map->serial++;
	return 0;
}

int codemap__load(struct codemap *map, uint64_t time, const struct code_record *record)
{
	return codemap__alias(map, time, record, record->addr);
}

int codemap__alias(struct codemap *map, uint64_t time, const struct code_record *record,
		   uint64_t addr)
{
	if (map->finished || !is_range(addr, record->size))
		return -EINVAL;
	return append(map, (struct code){
				   .record = record,
				   .addr = addr,
				   .size = record->size,
				   .load = time,
			   });
}

int codemap__move(struct codemap *map, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		  uint64_t index)
{
	struct code_move move = { .serial = map->serial, .from = from, .index = index };

	if (map->finished || !is_range(to, size))
		return -EINVAL;
	if (!array__push(&map->moves, move))
		return -ENOMEM;
	/* Which record it is shows when all that happened before is known. */
	return append(map, (struct code){ .addr = to, .size = size, .load = time, .moved = true });
}

int codemap__close(struct codemap *map, uint64_t time)
{
	/* Agents write it while compiled code still runs: the JVM's does so before its last threads
	 * end. */
	(void)map;
	(void)time;
	return 0;
}

int codemap__unmap(struct codemap *map, uint64_t time, uint64_t addr, uint64_t size)
{
	struct code_unmap unmap = { .time = time, .addr = addr, .serial = map->serial };

	if (map->finished)
		return -EINVAL;
	if (!size)
		return 0;
	if (map->serial == UINT32_MAX)
		return -ENOMEM;
	unmap.end = size <= UINT64_MAX - addr ? addr + size : UINT64_MAX;
	if (!array__push(&map->unmaps, unmap))
		return -ENOMEM;
	map->serial++;
	return 0;
}

int codemap__inherit(struct codemap *map, const struct codemap *parent, uint64_t time)
{
	if (map->finished || !parent->finished)
		return -EINVAL;
	array__for_each(code, &parent->codes) {
		int err;

		if (time < code->load || time >= code->end)
			continue;
		err = append(map, (struct code){
					  .record = code->record,
					  .addr = code->addr,
					  .size = code->size,
					  .load = time,
					  .inherited = true,
					  .moved = code->moved,
				  });
		if (err)
			return err;
	}
	return 0;
}

size_t codemap__count(const struct codemap *map)
{
	return map->codes.count;
}

struct code *codemap__at(const struct codemap *map, size_t i)
{
	return &map->codes.items[i];
}

size_t codemap__lost_moves(const struct codemap *map)
{
	return map->lost_moves;
}

struct code *codemap__find(const struct codemap *map, uint64_t addr, uint64_t time)
{
	uint32_t i = spans__find(&map->spans, addr, time);

	return i == SPANS_NONE ? NULL : &map->codes.items[i];
}

struct code *codemap__find_early(const struct codemap *map, uint64_t addr, uint64_t time)
{
	size_t count = array__count_leading(first, &map->firsts, first->addr <= addr);
	struct code *code;

	if (!count)
		return NULL;
	code = &map->codes.items[map->firsts.items[count - 1].code];
	return addr < code->addr + code->size && time < code->load ? code : NULL;
}
