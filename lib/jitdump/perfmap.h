/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads perf maps, the text files perf-PID.map in which runtimes without a jitdump list their code:
 * a line for each function, "START SIZE NAME", numbers in hexadecimal (jit-interface.txt of Linux's
 * tools/perf). They have neither code nor times nor an end for what is replaced.
 */
#ifndef PERFJIT_JITDUMP_PERFMAP_H
#define PERFJIT_JITDUMP_PERFMAP_H

#include "code/record.h"

struct diag;
struct perfmap;

struct perfmap_stats {
	uint64_t entries;
	uint64_t unusable; /* lines that are none, or tell of no code; empty ones don't count */
};

/*
 * Reads the whole map; lines that can't be used are reported, counted and skipped. Fails with a
 * report when path can't be read. Any text is a map, be it without entries.
 */
int perfmap__open(struct perfmap **opened, const char *path, struct diag *diag);
void perfmap__close(struct perfmap *map);

const char *perfmap__path(const struct perfmap *map);
/* The pid in the file's name, as the process sees itself; 0 when the file is called otherwise. */
uint32_t perfmap__pid(const struct perfmap *map);
const struct perfmap_stats *perfmap__stats(const struct perfmap *map);

/*
 * Calls visit for each entry, in file order, until it returns non-zero, which is returned. Records
 * belong to the map; they have no code and no time, and their index counts up from 1: of several
 * that overlap, the highest was written last and holds.
 */
int perfmap__for_each(const struct perfmap *map,
		      int (*visit)(void *context, const struct code_record *code), void *context);

#endif
