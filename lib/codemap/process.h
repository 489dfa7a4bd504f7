/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes over time: pids are re-used, exec gives a process a new address space, fork copies
 * one, and what is mapped where changes. Fed from perf.data's side-band events in time order by
 * the caller; knows nothing of perf.data.
 */
#ifndef PERFJIT_CODEMAP_PROCESS_H
#define PERFJIT_CODEMAP_PROCESS_H

#include "base/array.h"
#include "base/bytes.h"
#include "codemap/codemap.h"

/* Something executable that the kernel mapped. Never removed: perf has no unmap event. */
struct mapping {
	uint64_t time; /* ns */
	uint64_t start, size, pgoff;
	uint32_t maj, min;
	uint64_t ino;
	const char *name;   /* owned by struct processes */
	uint64_t offset;    /* of its record in perf.data, for whoever inserts behind it */
	bool file;          /* a file's contents: neither anonymous nor memfd, [heap], /dev/zero */
};

/* One address space: from fork or exec to exec or exit. */
struct process {
	uint32_t pid;
	uint64_t start, end; /* ns; end exclusive, CODE_FOREVER while alive */
	struct process *parent; /* forked from, or NULL */
	bool execed;  /* began by exec */
	char comm[16]; /* the last one known */
	ARRAY(struct mapping) mappings; /* its own, by time; the parent's up to start come on top */
	struct codemap *codemap; /* NULL until code is found for it */
};

struct processes;

struct processes *processes__new(void);
void processes__free(struct processes *processes);

/* 0 or -ENOMEM. An event of an unknown pid makes the process known from time 0 on. */
int processes__fork(struct processes *processes, uint64_t time, uint32_t pid, uint32_t parent);
int processes__exec(struct processes *processes, uint64_t time, uint32_t pid, const char *comm);
int processes__comm(struct processes *processes, uint64_t time, uint32_t pid, const char *comm);
int processes__exit(struct processes *processes, uint64_t time, uint32_t pid);
/* mapping->name is copied; mapping->file is set here from the name. */
int processes__map(struct processes *processes, uint32_t pid, const struct mapping *mapping);

/* The address space that pid had at time, or NULL. */
struct process *processes__find(const struct processes *processes, uint32_t pid, uint64_t time);

/* What was mapped at addr at time (the newest such mapping, the parent's included), or NULL. */
const struct mapping *process__mapping(const struct process *process, uint64_t addr, uint64_t time);
/* The comm of pid's main thread at time. */
const char *process__comm(const struct process *process, uint64_t time);

/* In order of (pid, start). */
size_t processes__count(const struct processes *processes);
struct process *processes__at(const struct processes *processes, size_t i);

#endif
