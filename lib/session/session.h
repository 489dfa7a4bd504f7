/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profile's side-band records (MMAP, MMAP2, COMM, FORK, EXIT) say of processes, told in
 * order of time. Files hold them per CPU, so they are put in order first.
 */
#ifndef PERFJIT_SESSION_SESSION_H
#define PERFJIT_SESSION_SESSION_H

#include "codemap/process.h"
#include "perfdata/event.h"

/*
 * Called for every record, in the order of the file; mmap is what a MMAP or MMAP2 says, NULL for
 * all others. Of samples PERFDATA_HEAD bytes may be all that is there. Not 0: the walk ends with
 * that.
 */
typedef int (*session_visit_fn)(void *context, const struct perfdata_record *record,
				const struct perfdata_mmap *mmap);

/*
 * Walks all records once and feeds processes with those of the host's user space: mappings of the
 * kernel (of no process) and what concerns guests or single threads are left out. visit may be
 * NULL. 0 or a negative errno.
 */
int session__read(struct processes *processes, struct perfdata *perfdata, session_visit_fn visit,
		  void *context);

/* Whether a file is, by its name, a DSO that perfjit-fix or perf inject -j made for JIT code. */
bool session__is_jit_dso(const char *name);

/* Whether a record is of a virtual machine's guest. */
bool session__is_guest(const struct perfdata_record *record);

#endif
