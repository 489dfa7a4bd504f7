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

/* Something that the kernel mapped. Never removed: perf has no unmap event. */
struct mapping {
	uint64_t time; /* ns */
	uint64_t start, size, pgoff;
	uint32_t maj, min;
	uint64_t ino;
	const char *name;      /* owned by struct processes */
	struct bytes build_id; /* of the file; owned by struct processes; empty: not recorded */
	uint32_t image;        /* number of its name and build-id among all, from 0 */
	uint64_t offset;  /* of its record in perf.data, for whoever inserts behind it */
	bool exec;        /* executable; else it only hides what was there */
	bool file;        /* a file's contents: neither anonymous nor memfd, [heap], /dev/zero */
	bool kernel;      /* the kernel's code ([vdso], [vsyscall]): no file, nor room for others */
};

/* Whether both are of one file: by device and inode where they are known. */
static inline bool mapping__same_file(const struct mapping *a, const struct mapping *b)
{
	return a->ino ? a->ino == b->ino && a->maj == b->maj && a->min == b->min
		      : strcmp(a->name, b->name) == 0;
}

struct process_comm {
	uint64_t time;
	char comm[16];
};

struct mapping_index;

/* One address space: from fork or exec to exec or exit. */
struct process {
	uint32_t pid;
	uint64_t start, end;            /* ns; end exclusive, CODE_FOREVER while alive */
	struct process *parent;         /* forked from, or NULL */
	bool execed;                    /* began by exec */
	char comm[16];                  /* the last one known */
	ARRAY(struct mapping) mappings; /* its own, by time; the parent's up to start come on top */
	struct codemap *codemap; /* NULL until code is found for it; freed with the process */
	ARRAY(struct process_comm) comms; /* by time; the first may be the parent's at the fork */
	size_t number;                    /* for the planner: the position in processes__at */
	struct mapping_index *index;      /* private */
};

struct processes;

struct processes *processes__new(void);
void processes__free(struct processes *processes);

/*
 * 0 or -ENOMEM. An event of an unknown pid makes the process known from time 0 on. The caller
 * leaves out what concerns single threads: names and exits of others than the main thread; a fork
 * from pid to itself is a thread's beginning and ignored.
 *
 * A fork at time 0 is one that perf made up for a process that was there before. It tells the
 * parent only: the process' mappings are all told in events of their own.
 */
int processes__fork(struct processes *processes, uint64_t time, uint32_t pid, uint32_t parent);
int processes__exec(struct processes *processes, uint64_t time, uint32_t pid, const char *comm);
int processes__comm(struct processes *processes, uint64_t time, uint32_t pid, const char *comm);
/* Of the main thread; if other threads are seen to go on, by a new mapping, so does the process. */
int processes__exit(struct processes *processes, uint64_t time, uint32_t pid);
/* mapping->name and build_id are copied; mapping->image, file and kernel are set here. */
int processes__map(struct processes *processes, uint32_t pid, const struct mapping *mapping);

/*
 * The address space that pid had at time, or NULL when it had none yet. It has its last one after
 * its exit as well, until the pid is used again: threads may outlive the main thread, of whose
 * end the exit tells.
 */
struct process *processes__find(const struct processes *processes, uint32_t pid, uint64_t time);

/* Over how many forks without exec mappings are inherited; a bound for hostile inputs. */
#define PROCESS_MAX_FORKS 256

/*
 * What was mapped at addr at time (the newest such mapping, the parent's included), or NULL.
 * Builds an index when there is much new, so two threads must not look up in one process.
 */
const struct mapping *process__mapping(const struct process *process, uint64_t addr, uint64_t time);
/* Makes look-ups in the process safe for several threads at once, until there are more mappings. */
void process__settle(const struct process *process);
/* How many of the process's own mappings there were at time. */
size_t process__nr_mappings(const struct process *process, uint64_t time);
/* The comm of pid's main thread at time, "" when not known; valid until the next event. */
const char *process__comm(const struct process *process, uint64_t time);

/* Images are numbered below it. */
uint32_t processes__nr_images(const struct processes *processes);
/* In order of (pid, start), sorted when needed; pointers to processes stay valid for good. */
size_t processes__count(const struct processes *processes);
struct process *processes__at(struct processes *processes, size_t i);

#endif
