/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of a profile as recorded: their JIT code, and what became of their dumps. */
#ifndef PERFJIT_CHECK_SUBJECT_H
#define PERFJIT_CHECK_SUBJECT_H

#include "check/check.h"
#include "fix/scan.h"

struct check_subject {
	struct process *process;
	const struct runtime *runtime;
	struct check_group *group, *runtime_group; /* NULL until a sample counts */
	bool own_missing, own_refused;             /* of the dumps that it wrote itself */
	bool prepared;                             /* what follows is set */
	bool described;             /* a dump or map tells of its code, or of what it inherited */
	bool dump_missing, refused; /* of its own dumps, or those of processes it was forked from */
	bool has_dsos;              /* the profile maps DSOs for its JIT code */
	bool map_shown; /* its perf map is where perf reads it, or where the user says maps are */
};

struct check_subjects {
	const struct discover_options *options;
	struct scan scan;
	struct discovery discovery;
	struct check_subject *subjects; /* by process number */
	struct diag *silent;            /* for what is not worth a report; or NULL */
};

/* Reads the profile as recorded and its dumps; options must live as long. 0 or a negative errno,
 * reported. */
int check_subjects__read(struct check_subjects *subjects, struct perfdata *original,
			 const struct discover_options *options, struct diag *diag);
void check_subjects__free(struct check_subjects *subjects);

/* Of the process that pid was at time; NULL: there is none. fixed: perfjit-fix was there. */
struct check_subject *check_subjects__find(struct check_subjects *subjects, uint32_t pid,
					   uint64_t time, bool fixed);

/* What a user frame is, and why it has no name. */
struct check_finding {
	bool jit;
	bool named;
	enum check_reason reason; /* when it is not named */
	const char *place;        /* what is mapped there, "" when nothing is */
	const char *symbol;       /* not NULL: the frame's name is this one, of a perf map */
	uint64_t symbol_offset;
};

/* The profile as it is shown. */
struct check_view {
	const struct processes *processes;
	const char *symfs; /* or NULL */
};

/* subject: may be NULL. */
void check__classify(const struct check_subject *subject, const struct unwind_frame *frame,
		     uint64_t time, const struct check_view *view, struct check_finding *finding);

#endif
