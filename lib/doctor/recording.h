/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording under examination. Private to lib/doctor. */
#ifndef PERFJIT_DOCTOR_RECORDING_H
#define PERFJIT_DOCTOR_RECORDING_H

#include "check/runtime.h"
#include "doctor/diagnosis.h"
#include "fix/plan.h"

/* What the library reported on the way. */
struct heard {
	const char *kind;
	char *file, *text; /* file: "" when it is about none */
};

/* Call chains that end in files that are not those that ran. */
struct no_file {
	enum check_reason reason; /* of the first */
	char *name;               /* of its file; NULL: there is none */
};

/* perf record's option for call chains of code that may keep no frame pointers. */
#define RECORD_STACKS "--call-graph dwarf,16384"

struct recording {
	const struct recording_options *options;
	char *path, *perf; /* of the options, as words of a shell command; perf may be NULL */
	struct diagnosis *diagnosis;
	struct recording_counts *counts;
	struct diag *diag;  /* of the caller */
	struct diag *quiet; /* keeps what is not an error in heard */
	ARRAY(struct heard) heard;
	ARRAY(uint32_t) unnamed;   /* the process of each sample that counts->unnamed counts */
	struct perfdata *perfdata; /* as recorded */
	struct plan *plan;
	const struct runtime *runtime; /* of most samples, or NULL */
	unsigned int python;           /* the newest Python 3 that is mapped: 11 of 3.11; 0: none */
	bool has_chains, has_stacks;   /* what events ask for */
	bool user_only;                /* none sees the kernel */
	struct check_recorded recorded;
	uint32_t attr_size; /* the largest, bytes */
	struct no_file no_file;
};

/* The first report of a kind, or NULL; and its text, or "". */
const struct heard *recording__report_of(const struct recording *recording, const char *kind);
const char *recording__heard(const struct recording *recording, const char *kind);

/* How many samples of a process have a frame in JIT code that no name was found for. */
uint64_t recording__count_unnamed(const struct recording *recording, uint32_t pid);

/* Adds all findings, causes before what comes of them. */
void recording__judge(struct recording *recording);
/* Among them: those about jitdumps and perf maps; that one is not where it was. */
void recording__judge_dumps(struct recording *recording);
void recording__judge_moved(struct recording *recording);
/* Those about call chains. */
void recording__judge_chains(struct recording *recording);

/* A finding that concerns so many samples; 0: it is not counted in samples. NULL: memory. */
struct finding *recording__add(struct recording *recording, const char *slug,
			       enum finding_weight weight, uint64_t samples);
/* The next command: to fix it, for the perf that is to read it if that can't do all it takes; to
 * record anew, as a program of the runtime is recorded. */
void recording__say_fix(struct recording *recording, char **command);
void recording__say_record(struct recording *recording, struct finding *finding,
			   const char *chains);
/* perf record's option for call chains of the runtime. */
const char *recording__usual_chains(const struct recording *recording);

#endif
