// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/perf_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "codemap/slots.h"
#include "fix/loaded.h"
#include "fix/output.h"
#include "fix/scan.h"

struct entry {
	uint64_t addr, end, load;
	uint32_t serial; /* of what was loaded at one time the last is the newest */
	bool referenced;
	const char *name;
};

struct perf_map {
	ARRAY(struct entry) entries; /* by address, once all are there */
	struct slots named;          /* positions of those that get their place, disjoint */
	size_t nr_named, nr_hidden;
};

static int by_addr(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_claim(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a;
	const struct entry *y = *(const struct entry *const *)b;

	if (x->referenced != y->referenced)
		return x->referenced ? -1 : 1;
	if (x->load != y->load)
		return x->load > y->load ? -1 : 1;
	if (x->serial != y->serial)
		return x->serial > y->serial ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* What is, or was at the time of its fork, in the process. */
static int collect(struct perf_map *map, const struct process *process)
{
	const struct process *owner = loaded__owner(process);

	for (size_t i = 0; owner && i < codemap__count(owner->codemap); i++) {
		const struct code *code = codemap__at(owner->codemap, i);
		struct entry entry = {
			.addr = code->addr,
			.end = code->addr + code->size,
			.load = code->load,
			.serial = code->serial,
			.referenced = code->first_reference <= code->last_reference,
			.name = code->record->name,
		};

		if (owner != process &&
		    (code->load >= process->start || code->end <= process->start))
			continue;
		if (!array__push(&map->entries, entry))
			return -ENOMEM;
	}
	return 0;
}

/* The named entry that is at some of an entry's place, or NULL. */
static const struct entry *rival_of(const struct perf_map *map, const struct entry *entry)
{
	const struct entry *entries = map->entries.items;
	size_t i = (size_t)(entry - entries), other = slots__before(&map->named, i);

	if (other != SLOTS_NONE && entries[other].end > entry->addr)
		return &entries[other];
	other = slots__next(&map->named, i);
	return other != SLOTS_NONE && entries[other].addr < entry->end ? &entries[other] : NULL;
}

static void place(struct perf_map *map, const struct entry *entry)
{
	const struct entry *rival = rival_of(map, entry);

	if (rival) {
		/* the same once more is nothing hidden */
		map->nr_hidden += rival->addr != entry->addr || rival->end != entry->end ||
				  strcmp(rival->name, entry->name) != 0;
		return;
	}
	slots__add(&map->named, (size_t)(entry - map->entries.items));
	map->nr_named++;
}

/* Those with the best claim first. */
static int place_all(struct perf_map *map)
{
	size_t count = map->entries.count;
	const struct entry **claims = calloc(count + 1, sizeof(struct entry *));

	if (!claims || slots__init(&map->named, count)) {
		free(claims);
		return -ENOMEM;
	}
	if (count)
		qsort(map->entries.items, count, sizeof(struct entry), by_addr);
	for (size_t i = 0; i < count; i++)
		claims[i] = &map->entries.items[i];
	qsort(claims, count, sizeof(struct entry *), by_claim);
	for (size_t i = 0; i < count; i++)
		place(map, claims[i]);
	free(claims);
	return 0;
}

/* "<address> <size> <name>", hexadecimal, a line each: names must not end it sooner. */
static void print(const struct perf_map *map, struct buf *buf)
{
	for (size_t i = slots__next(&map->named, 0); i != SLOTS_NONE;
	     i = slots__next(&map->named, i + 1)) {
		const struct entry *entry = &map->entries.items[i];
		char numbers[64];
		int length = snprintf(numbers, sizeof(numbers), "%" PRIx64 " %" PRIx64 " ",
				      entry->addr, entry->end - entry->addr);

		buf__put(buf, numbers, (size_t)length);
		text__put_printable(buf, entry->name);
		buf__put_u8(buf, '\n');
	}
}

static int write_map(const struct plan *plan, const struct perf_map *map, int folder,
		     const char *path, struct diag *diag)
{
	struct buf buf = BUF(ORDER_HOST);
	struct file_out out;
	int err;

	print(map, &buf);
	err = buf.failed
		      ? -ENOMEM
		      : file_out__open_in(&out, folder, path, output__mode(plan->perfdata), diag);
	if (!err) {
		err = file_out__write(&out, buf__bytes(&buf), diag);
		output__give(plan->perfdata, out.fd, path, diag);
		if (!err)
			err = file_out__commit(&out, false, diag);
		file_out__abort(&out);
	}
	buf__free(&buf);
	return err;
}

/* The map of all that ever had the process's pid. */
static int make_map(const struct plan *plan, uint32_t pid, const struct output_folder *folder,
		    struct perf_map_result *result, struct diag *diag)
{
	struct processes *processes = plan->scan->processes;
	struct perf_map map = { .nr_hidden = 0 };
	char *path = NULL;
	int err = 0;

	for (size_t i = 0; !err && i < processes__count(processes); i++)
		if (processes__at(processes, i)->pid == pid)
			err = collect(&map, processes__at(processes, i));
	if (!err)
		err = place_all(&map);
	if (!err && map.nr_named) {
		err = asprintf(&path, "%s/perf-%u.map", folder->path, pid) < 0
			      ? -ENOMEM
			      : write_map(plan, &map, folder->fd, path, diag);
		result->nr_maps++;
		result->nr_functions += map.nr_named;
		result->nr_hidden += map.nr_hidden;
		free(path);
	}
	slots__free(&map.named);
	array__free(&map.entries);
	return err;
}

/* Processes stand by pid: whether this is the first of its pid. */
static bool begins_pid(struct processes *processes, size_t i)
{
	return i == 0 || processes__at(processes, i - 1)->pid != processes__at(processes, i)->pid;
}

int perf_maps__write(const struct plan *plan, const char *dir, struct perf_map_result *result,
		     struct diag *diag)
{
	struct processes *processes = plan->scan->processes;
	struct output_folder folder;
	int err;

	*result = (struct perf_map_result){ 0 };
	err = output__open_folder(&folder, plan->perfdata, dir, dir != plan->dso_folder, diag);
	if (err)
		return err;
	for (size_t i = 0; !err && i < processes__count(processes); i++)
		if (begins_pid(processes, i))
			err = make_map(plan, processes__at(processes, i)->pid, &folder, result,
				       diag);
	output__close_folder(&folder);
	return err;
}
