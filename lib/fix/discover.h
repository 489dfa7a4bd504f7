/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the jitdumps of a profile: by their marker mappings, by what the user names, by looking in
 * the folders that are likely, and tells whether a candidate is the right file.
 */
#ifndef PERFJIT_FIX_DISCOVER_H
#define PERFJIT_FIX_DISCOVER_H

#include <sys/types.h>

#include "base/array.h"
#include "fix/clock.h"
#include "jitdump/jitdump.h"
#include "jitdump/perfmap.h"
#include "perfdata/event.h"

struct diag;
struct kept;
struct process;
struct scan;

struct discover_options {
	const char *const *jitdumps; /* "FILE" or "PID=FILE" */
	size_t nr_jitdumps;
	const char *const *jitdump_dirs; /* folders to look in, first */
	size_t nr_jitdump_dirs;
	const char *const *perf_map_dirs; /* folders to look for perf-PID.map in, first */
	size_t nr_perf_map_dirs;
	const char *root; /* prefix for recorded paths, of a container; or NULL */
};

/* A mapping of a jitdump that the profile recorded: the sign by which runtimes tell perf. */
struct marker {
	uint32_t pid, tid;    /* as perf sees the process */
	uint64_t time;        /* ns */
	uint64_t offset, end; /* of the record in perf.data */
	uint64_t name_offset; /* of the file name in perf.data; 0 when it can't be patched */
	char *name;           /* path as recorded, without " (deleted)" */
	bool deleted;
	uint32_t maj, min; /* 0 when not recorded */
	uint64_t ino;
	uint32_t file_pid; /* from "jit-<pid>.dump": the pid in its own namespace; 0 when none */
	bool odd;          /* has no name of a jitdump: it is none unless the file proves to be */
	bool missing;      /* no dump was found for it */
	bool fixed;        /* an earlier run had its dump, and has fixed this profile by it */
	struct process *process; /* that mapped it; NULL until dumps are looked for */
	struct perfdata_sample_id sample_id;
};

/* A jitdump found for a marker (or named by the user for a pid). */
struct found_dump {
	struct jitdump *dump;
	uint32_t pid;                /* the process whose code it describes, as perf sees it */
	uint64_t time;               /* when it was last mapped; 0 when not known */
	uint64_t until;              /* what came later is another process's; or CODE_FOREVER */
	const struct marker *marker; /* or NULL */
	struct process *process;     /* whose code it is; NULL until the code is loaded */
	enum clock_kind clock;       /* of its times */
	struct clock_repair repair;  /* CLOCK_OFFSET: the offset and what it rests on */
	bool refused; /* its times fit the profile's in no way: its process is left */
	bool left;    /* its process stays as an earlier run has fixed it */
	bool shared;  /* forked processes write to it, too: PHP's workers, whose code is shared */
};

/* A perf map found for a process. */
struct found_map {
	struct perfmap *map;
	uint32_t pid;
	struct process *process;
	uint64_t used; /* entries for code that no dump describes */
};

struct discovery {
	const struct kept *kept; /* of an earlier run; NULL: there was none */
	ARRAY(struct marker) markers;
	ARRAY(struct found_dump) dumps;
	ARRAY(struct found_map) maps;
	size_t nr_missing; /* markers without a usable dump */
};

/* Whether a recorded mapping's name is that of a jitdump. Sets *file_pid (0: none in the name). */
bool discover__is_marker(const char *name, uint32_t *file_pid);

/*
 * Whether a recorded mapping may be that of a jitdump by another name: a file's first page or so,
 * or anything called ".dump". Only the file itself tells.
 */
bool discover__may_be_marker(const char *name, uint64_t size, uint64_t pgoff);

/*
 * Opens the dumps of discovery->markers. Each one missing is reported with where it was looked for;
 * a folder of the user's that is none is an error.
 * Processes that wrote the same path are told apart by inode, the pid in the header and times; a
 * process that has the mapping from its parent takes the parent's code over instead.
 */
int discover__open(struct discovery *discovery, const struct scan *scan,
		   const struct perfdata *perfdata, const struct discover_options *options,
		   struct diag *diag);
void discovery__free(struct discovery *discovery);

/* Whether a folder that the user named by an option is one. 0 or a negative errno, reported. */
int discover__check_folder(const char *path, const char *option, struct diag *diag);

#endif
