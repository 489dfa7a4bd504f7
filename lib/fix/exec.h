/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that a process goes on as. perf keeps what was mapped before an exec. Those that unwind
 * with libunwind, from 6.1 on, take a file to be where its lowest mapping puts it, also when that
 * one is gone: they look up the unwind data of a library in the wrong place if the program before,
 * or the parent that it forked from, had the library further down. All callers are lost then.
 * Readers drop what they know to be mapped at a FORK with PERFDATA_MISC_FORK_EXEC.
 */
#ifndef PERFJIT_FIX_EXEC_H
#define PERFJIT_FIX_EXEC_H

#include "base/array.h"
#include "perfdata/event.h"

struct plan;
struct plan_options;

/* A FORK of a process, not of a thread. */
struct exec_fork {
	uint32_t pid, ppid, ptid;
	uint64_t time;
};

/* A COMM by exec. */
struct exec {
	uint32_t pid;
	uint64_t time;
	struct perfdata_sample_id sample_id;
};

struct execs {
	ARRAY(struct exec) list;       /* when settled by pid and time */
	ARRAY(struct exec_fork) forks; /* likewise */
};

/* Notes what is FORK or exec; 0 or -ENOMEM. */
int execs__note(struct execs *execs, const struct perfdata *perfdata,
		const struct perfdata_record *record);
/* When all is noted. */
void execs__settle(struct execs *execs);
void execs__free(struct execs *execs);

/*
 * Adds a PLAN_FORK to plan->inserts for each exec that callers would be lost after. A profile that
 * no other record is due for stays as it is. 0 or -ENOMEM.
 */
int execs__plan(struct plan *plan, const struct plan_options *options);

/* The record of a PLAN_FORK. */
void execs__put_fork(const struct plan *plan, const struct exec *exec, struct buf *buf);

#endif
