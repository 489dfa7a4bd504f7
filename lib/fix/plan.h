/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would be done to a profile and why: which DSOs written, which records inserted, which bytes
 * patched. Pure: making a plan writes nothing.
 */
#ifndef PERFJIT_FIX_PLAN_H
#define PERFJIT_FIX_PLAN_H

#include "base/array.h"
#include "codemap/process.h"
#include "dso/outline.h"
#include "fix/discover.h"
#include "fix/function.h"
#include "perfdata/perfdata.h"

struct diag;
struct exec;
struct kept;
struct regions;
struct scan;

enum fix_layout {
	FIX_LAYOUT_AUTO,
	FIX_LAYOUT_TRAMPOLINE, /* a DSO for each function */
	FIX_LAYOUT_REGION,     /* a DSO for each contiguous run of code */
};

/* Mechanisms that can be left out, one by one, to show what each is for. */
enum fix_mechanism {
	FIX_NESTING = 1 << 0,       /* DSOs of later generations lie inside the earlier ones */
	FIX_EXEC_COMM = 1 << 1,     /* COMM records that make readers forget cached unwind rows */
	FIX_PRUNING = 1 << 2,       /* only code that samples refer to makes generations */
	FIX_ALIASES = 1 << 3,       /* code in a file that is mapped twice is at both places */
	FIX_REEMISSION = 1 << 4,    /* DSOs are mapped again after the kernel mapped over them */
	FIX_HOLE = 1 << 5,          /* unwind data goes elsewhere where a file is behind the code */
	FIX_EMPTY_HEADER = 1 << 6,  /* .eh_frame_hdr also when there is no CFI */
	FIX_FRAME_POINTER = 1 << 7, /* CFI by the frame-pointer rule where the producer gave none */
	FIX_OVERLAY = 1 << 8,       /* a DSO over code in a file takes the shape of that file */
	FIX_SYNTHESIS = 1 << 9,     /* CFI by following code where the producer gave none */
	FIX_EXEC_FORK = 1 << 10,    /* FORK records that make readers forget what exec unmapped */
};

struct plan_options {
	const char *output;   /* path the fixed profile will have */
	const char *dso_dir;  /* folder for DSOs; NULL: "<output>.jit" */
	const char *relocate; /* absolute folder that records name instead, to move them to; NULL */
	enum fix_layout layout;
	enum function_cfi_source cfi;
	unsigned int without; /* enum fix_mechanism, or-ed */
	bool no_dsos;         /* make none, and no records: perf maps are to name the code */
	bool no_lines;        /* leave line tables out of the DSOs */
	/* The profile as an earlier run left it, if what it was before is fixed anew; or NULL. What
	 * has no jitdump any more keeps what that run has made. It must live as long as the plan.
	 */
	const struct perfdata *fixed;
	struct discover_options discover;
};

/* A file that JIT code lies in. */
struct plan_outline {
	char *name;
	bool usable; /* here, and the one that was recorded */
	struct dso_outline outline;
};

/* A DSO to be written. */
struct plan_dso {
	struct process *process;
	size_t region, generation; /* number of the region in the plan; of the generation in it */
	struct dso_spec spec;      /* functions, cfi and identity owned by the plan */
	uint8_t *origins;          /* enum function_origin of each function in spec */
	struct dso_layout layout;
	const struct dso_outline
		*outline;   /* of the file that the code lies in, to be followed; or NULL */
	uint64_t lo, hi;    /* addresses of the code it stands for */
	bool header_mapped; /* its first mapping begins at spec.base */
	bool unwind_mapped; /* its CFI is mapped: right behind the code, or in a hole */
	uint8_t build_id[DSO_BUILD_ID_SIZE];
	char *path;         /* where it is written, absolute; NULL: it is not */
	char *recorded;     /* what records call it: path, but in another folder if relocated */
	const char *reason; /* why it is laid out like this */
};

enum plan_insert_kind {
	PLAN_COMM,  /* COMM with the exec bit and the same name: drops cached unwind rows */
	PLAN_MMAP2, /* maps a DSO */
	PLAN_FORK,  /* FORK that copies nothing, at an exec: drops what was mapped before */
};

/* A record to be inserted. */
struct plan_insert {
	enum plan_insert_kind kind;
	const struct process *process;
	uint64_t time;   /* ns */
	uint64_t offset; /* in the input: before the record that stands there */
	uint64_t behind; /* of the record it undoes, offset; 0: none. For profiles without times */
	uint64_t sequence;       /* order among those of the same time */
	size_t dso;              /* index, PLAN_MMAP2 */
	const struct exec *exec; /* PLAN_FORK */
	uint64_t start, size, pgoff;
	const char *reason;
};

/* Counted over the input's samples, JIT code being what the dumps describe. */
struct plan_counts {
	uint64_t samples;
	uint64_t jit_samples;       /* ip in JIT code */
	uint64_t jit_samples_early; /* among them: taken before the LOAD's time */
	uint64_t jit_samples_file;  /* among them: in a mapped file, so perf had a name before */
	uint64_t jit_samples_map;   /* among them: in code that only a perf map tells of */
	uint64_t jit_frames;        /* chain entries whose address itself is in JIT code */
	uint64_t anon_samples;      /* ip in executable memory that is no file and in no dump */
	uint64_t kept_samples;      /* ip in a DSO that an earlier run has made, and that stays */
	uint64_t kept_frames;       /* chain entries in such */
};

struct plan_process {
	struct process *process;
	struct plan_counts counts;
	size_t nr_functions, nr_unplaced, nr_dsos, nr_dumps;
	bool kept; /* stays as it was fixed before */
};

/* One of the profile's events, in the order of its attrs. */
struct plan_event {
	char name[128]; /* printable; "sched:sched_switch" of a tracepoint */
	struct plan_counts counts;
};

struct plan {
	struct perfdata *perfdata;
	struct scan *scan;
	struct discovery *discovery; /* the dumps, open */
	struct regions *regions;
	struct functions *functions;
	struct kept *kept; /* what stands of an earlier run, settled; NULL: there was none */
	ARRAY(struct plan_outline *) outlines;
	ARRAY(struct plan_dso) dsos;
	ARRAY(struct plan_insert) inserts;      /* by offset, then in the order to be written */
	ARRAY(struct plan_process) per_process; /* those with JIT code or a missing dump */
	ARRAY(struct plan_event) per_event;
	struct plan_counts counts;
	bool traced;           /* there are trace data: they may go through any code */
	uint64_t nr_functions; /* that DSOs name */
	uint64_t nr_dropped;   /* left out: no sample refers to them and others overlap */
	uint64_t nr_unplaced;  /* without a name: where they are, no DSO can be */
	uint64_t nr_late; /* with samples from before their load, left unnamed: others came there */
	uint64_t dso_bytes;    /* of loaded parts */
	char *dso_folder;      /* absolute */
	bool dso_folder_named; /* by the user, not made up from the output's name */
};

/*
 * The folder of the DSOs, absolute and to be freed; 0 or a negative errno, reported: the current
 * folder may be gone.
 */
int plan__dso_folder(char **folder, const struct plan_options *options, struct diag *diag);

/* 0 or a negative errno, reported. A profile without jitdumps gives a plan with nothing in it. */
int plan__make(struct plan **plan, struct perfdata *perfdata, const struct plan_options *options,
	       struct diag *diag);
void plan__free(struct plan *plan);
/* Once they served to unwind: the plan has no DSOs any more, nor records that name them. */
void plan__forget_dsos(struct plan *plan);

/* The marker of the dump that describes a process's code, its own or its parent's; or NULL. */
const struct marker *plan__marker(const struct plan *plan, const struct process *process);

#endif
