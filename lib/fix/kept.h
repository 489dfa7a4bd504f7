/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile that was fixed before, while its jitdumps were there, is fixed anew from what was
 * recorded. Where a jitdump is gone meanwhile, what the earlier run has put in stands: a process
 * keeps its DSOs and the records that map them, with all those that share memory with it by fork.
 */
#ifndef PERFJIT_FIX_KEPT_H
#define PERFJIT_FIX_KEPT_H

#include "base/array.h"
#include "base/buf.h"
#include "codemap/process.h"
#include "perfdata/event.h"

struct diag;
struct discovery;
struct file_out;
struct marker;
struct perfdata_edits;
struct scan;

struct kept_dso {
	const char *name; /* path in the fixed profile */
	char *source;     /* where the file is; NULL: it is gone */
	char *path;       /* where the output has it, absolute; NULL: where it is */
	bool copied;      /* source is another file than path, and is to be copied there */
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE];
	size_t build_id_size; /* 0: not known */
};

/* A record that the earlier run has put in. */
struct kept_record {
	uint64_t offset;         /* in what was recorded: before what stands there */
	struct process *process; /* whose */
	struct bytes bytes;      /* as it stands in the fixed profile */
	bool maps;               /* a DSO: else it is a COMM */
	size_t dso;              /* which */
	struct perfdata_mmap mmap;
};

struct kept {
	const struct scan *scan;
	const struct perfdata *fixed;
	struct buf bytes; /* of the records */
	/* by place in the file; once settled, those that stand */
	ARRAY(struct kept_record) records;
	ARRAY(struct kept_dso) dsos; /* that they map */
	bool *named;                 /* by process: with its kin it has DSOs */
	bool *stands;                /* by process: they stay, with those of its kin */
};

/*
 * Reads what a run of perfjit-fix has put into fixed, of which original is what was recorded and
 * scanned; marks the discovery's markers whose jitdump that run had. fixed must stay open as long
 * as kept. 0 or a negative errno, reported. On failure there is nothing to be freed.
 */
int kept__read(struct kept **read, const struct scan *scan, struct discovery *discovery,
	       const struct perfdata *original, const struct perfdata *fixed, struct diag *diag);
void kept__free(struct kept *kept);

/* Whether the process of a marker whose jitdump is gone keeps DSOs. kept may be NULL. */
bool kept__would_name(const struct kept *kept, const struct marker *marker);

/*
 * Once it is known which jitdumps and maps there are, and whose: tells which processes keep what
 * they have, marks their dumps as not used, forgets all other records, and maps the DSOs in those
 * processes. 0 or -ENOMEM.
 */
int kept__settle(struct kept *kept, struct discovery *discovery, struct diag *diag);
/* Maps the DSOs in processes, as the records do. 0 or -ENOMEM. */
int kept__map(const struct kept *kept, struct processes *processes);
/* Whether a process stays as it was fixed before. kept may be NULL. */
bool kept__stands(const struct kept *kept, const struct process *process);
/* Once found: the file of a DSO that records name so; NULL: it is none, or gone. */
const char *kept__locate(const struct kept *kept, const char *name);

/*
 * Finds the DSOs: where the profile says, or beside the profile if both were moved together; they
 * are to be in folder, an absolute path, unless that is NULL. Those that are gone are reported. 0
 * or -ENOMEM.
 */
int kept__find_files(struct kept *kept, const char *profile, const char *folder, struct diag *diag);
/* How many of the DSOs are gone, and whether a process has one of them. */
size_t kept__nr_lost(const struct kept *kept);
bool kept__has_lost(const struct kept *kept, const struct process *process);

/* Copies a DSO to out, open for dso->path. 0 or a negative errno, reported. */
int kept_dso__copy(const struct kept_dso *dso, struct file_out *out, struct diag *diag);
/*
 * Puts the records into edits; moved: they name the DSOs by the paths that the output has them at.
 * 0 or a negative errno.
 */
int kept__insert(const struct kept *kept, struct perfdata_edits *edits,
		 const struct perfdata *original, bool moved);
/* Puts the DSOs into the table of build-ids. */
int kept__add_build_ids(const struct kept *kept, struct perfdata_edits *edits, bool moved);

#endif
