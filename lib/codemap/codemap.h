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
	uint64_t addr; /* differs from record->addr after a MOVE */
	uint64_t size;
	uint64_t load;   /* ns of perf's clock; live from here (inclusive) ... */
	uint64_t end;    /* ... to here (exclusive), or CODE_FOREVER */
	bool inherited;  /* of the parent, alive at fork */
	bool moved;      /* came here by a MOVE */
	bool identical;  /* a re-load of what already was here: same address, size, name and code */
	uint32_t serial; /* position in loading order: breaks ties of load */
	/* For the planner: times of the first and last sample that refers to it; first > last: none.
	 */
	uint64_t first_reference, last_reference;
	bool wants_cfi; /* for the planner too: readers may come through it as they unwind */
};

struct codemap;

struct codemap *codemap__new(void);
void codemap__free(struct codemap *map);

/*
 * Building: events in the order of their file or files. Their times may go back; events of one
 * time happened in the order they were fed. Return 0, -ENOMEM, or -EINVAL: the range is empty or
 * wraps around, or the map is finished. Records stay the caller's and must outlive the map.
 */
int codemap__load(struct codemap *map, uint64_t time, const struct code_record *record);
/* The same code at addr too: the memory it lies in is mapped there a second time. */
int codemap__alias(struct codemap *map, uint64_t time, const struct code_record *record,
		   uint64_t addr);
/*
 * Code moved: it ends at from and begins at to, with the same record. A move of code that was not
 * at from (see codemap__lost_moves) has no effect.
 */
int codemap__move(struct codemap *map, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		  uint64_t index);
/* The runtime closed its dump: code that is live stays findable and is not said to end. */
int codemap__close(struct codemap *map, uint64_t time);
/* The memory [addr, addr + size) became something else (a file was mapped there). */
int codemap__unmap(struct codemap *map, uint64_t time, uint64_t addr, uint64_t size);
/* Takes over what is live in parent, a finished map, at time, as fork() does. */
int codemap__inherit(struct codemap *map, const struct codemap *parent, uint64_t time);

/*
 * Ends building: sorts, and ends code at the time other code was loaded over any byte of it. What
 * is replaced at once, at the same time, is there with load == end and never found. 0 or -ENOMEM.
 */
int codemap__finish(struct codemap *map);

/* Reading, after finish. Entries are sorted by (addr, load, serial). */
size_t codemap__count(const struct codemap *map);
struct code *codemap__at(const struct codemap *map, size_t i);

/* How many moves were of code that nothing was known of. */
size_t codemap__lost_moves(const struct codemap *map);

/* The code that was at addr at time, or NULL. */
struct code *codemap__find(const struct codemap *map, uint64_t addr, uint64_t time);
/* The first code to be loaded at addr after time with nothing there before it, or NULL. */
struct code *codemap__find_early(const struct codemap *map, uint64_t addr, uint64_t time);

#endif
