/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would be done to a profile and why: which DSOs written, which records inserted, which bytes
 * patched. Pure: making a plan writes nothing.
 */
#ifndef PERFJIT_FIX_PLAN_H
#define PERFJIT_FIX_PLAN_H

#include "base/array.h"
#include "codemap/process.h"
#include "dso/dso.h"
#include "fix/discover.h"
#include "perfdata/perfdata.h"

struct diag;

enum fix_layout {
	FIX_LAYOUT_AUTO,
	FIX_LAYOUT_TRAMPOLINE, /* a DSO for each function */
	FIX_LAYOUT_REGION,     /* a DSO for each contiguous run of code */
};

struct plan_options {
	const char *output;  /* path the fixed profile will have */
	const char *dso_dir; /* folder for DSOs; NULL: "<output>.jit" */
	enum fix_layout layout;
	struct discover_options discover;
};

/* A DSO to be written. */
struct plan_dso {
	struct process *process;
	unsigned int region, generation;
	struct dso_spec spec; /* functions and identity owned by the plan */
	struct dso_layout layout;
	uint8_t build_id[DSO_BUILD_ID_SIZE];
	char *path; /* absolute */
	const char *reason; /* why this layout */
};

enum plan_insert_kind {
	PLAN_MMAP2, /* maps a DSO */
	PLAN_COMM,  /* makes perf forget cached unwind rows: COMM with the exec bit, same name */
};

/* A record to be inserted. */
struct plan_insert {
	enum plan_insert_kind kind;
	struct process *process;
	uint64_t time;   /* ns */
	uint64_t offset; /* in the input: before the record that stands there */
	size_t dso;      /* index, PLAN_MMAP2 */
	uint64_t start, size, pgoff;
	const char *reason;
};

/* Counted over the input's samples, JIT code being what the dumps describe. */
struct plan_counts {
	uint64_t samples;
	uint64_t jit_samples;       /* ip in JIT code */
	uint64_t jit_samples_early; /* among them: taken before the LOAD's time */
	uint64_t jit_samples_file;  /* among them: in a mapped file, so perf had a name before */
	uint64_t jit_frames;        /* chain entries in JIT code */
	uint64_t anon_samples;      /* ip in executable memory that is no file and in no dump */
};

struct plan_process {
	struct process *process;
	struct plan_counts counts;
	size_t nr_functions, nr_dsos, nr_dumps;
	bool lost; /* a dump of it was not usable: its samples stay unnamed */
};

struct plan {
	struct perfdata *perfdata;
	struct processes *processes;
	struct discovery *discovery; /* the dumps, open */
	ARRAY(struct plan_dso) dsos;
	ARRAY(struct plan_insert) inserts; /* by offset, then in the order to be written */
	ARRAY(struct plan_process) per_process;
	struct plan_counts counts;
	uint64_t dso_bytes;
};

int plan__make(struct plan **plan, struct perfdata *perfdata, const struct plan_options *options,
	       struct diag *diag);
void plan__free(struct plan *plan);

#endif
