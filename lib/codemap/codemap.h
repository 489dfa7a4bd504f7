/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code over address and time in one address space: which code was at an address at a time.
 * Knows neither perf.data nor the formats that code records come from.
 */
#ifndef PERFJIT_CODEMAP_CODEMAP_H
#define PERFJIT_CODEMAP_CODEMAP_H

#include "code/record.h"

#define CODE_FOREVER UINT64_MAX

/* A code map entry: a code record at a place for a span of time. */
struct code {
	const struct code_record *record;
	uint64_t addr;  /* differs from record->addr after a MOVE */
	uint64_t size;
	uint64_t load;  /* ns of perf's clock; live from here (inclusive) ... */
	uint64_t end;   /* ... to here (exclusive), or CODE_FOREVER */
	bool inherited; /* of the parent, alive at fork */
	bool moved;     /* came here by a MOVE */
	bool identical; /* a re-load of what already was here: same address, size, name and code */
	bool referenced; /* some sample refers to it; set by the planner */
	uint32_t serial; /* position in loading order: breaks ties of load */
};

struct codemap;

struct codemap *codemap__new(void);
void codemap__free(struct codemap *map);

/*
 * Building. Times must not go back further than producers' slack: the caller feeds events in file
 * order, and codemap sorts by (time, serial) itself. Return 0 or -ENOMEM; a MOVE of unknown code
 * gives -ENOENT.
 */
int codemap__load(struct codemap *map, uint64_t time, const struct code_record *record);
int codemap__move(struct codemap *map, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		  uint64_t index);
/* The runtime closed its dump: code that is live stays findable and is not said to end. */
int codemap__close(struct codemap *map, uint64_t time);
/* The memory [addr, addr + size) became something else (a file was mapped there). */
int codemap__unmap(struct codemap *map, uint64_t time, uint64_t addr, uint64_t size);
/* Takes over what is live in parent at time, as fork() does. */
int codemap__inherit(struct codemap *map, struct codemap *parent, uint64_t time);

/* Ends building: sorts, and ends code at the time other code was loaded over it. 0 or -ENOMEM. */
int codemap__finish(struct codemap *map);

/* Reading, after finish. Entries are sorted by (addr, load, serial). */
size_t codemap__count(const struct codemap *map);
struct code *codemap__at(const struct codemap *map, size_t i);

/* The code that was at addr at time, or NULL. */
struct code *codemap__find(const struct codemap *map, uint64_t addr, uint64_t time);
/* The first code to be loaded at addr after time with nothing there before it, or NULL. */
struct code *codemap__find_early(const struct codemap *map, uint64_t addr, uint64_t time);
/* The first entry with addr + size > from, for walks by address; count when there is none. */
size_t codemap__first_from(const struct codemap *map, uint64_t from);

#endif
