/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a perf build can do and what it does wrong, told by what it makes of made-up files whose
 * right reading is known. Its version and the options it says it was built with decide nothing:
 * perf 6.1 prints the same with an unwinder and without.
 */
#ifndef PERFJIT_HOST_PROBE_H
#define PERFJIT_HOST_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/build.h"

struct diag;

enum probe {
	PROBE_RUNS,        /* prints the samples of a profile */
	PROBE_SYMBOLS,     /* reads symbols of ELF files */
	PROBE_UNWINDER,    /* unwinds copied stacks */
	PROBE_BUILD_IDS,   /* inject --jit: functions of equal code have their own build-ids */
	PROBE_FAILED_STEP, /* keeps the frames before the one it can't go on from */
	PROBE_REMAPPED,    /* unwinds on when a fixed-address file is mapped twice */
	PROBE_REUSE,       /* unwinds by new rules when code is replaced by other code */
	PROBE_PGOFF,       /* finds unwind tables through mappings with a file offset */
	PROBE_NO_CFI,      /* goes on through code without unwind data by its frame pointer */
	PROBE_PREFIX,      /* unwinds through perf inject's DSOs wherever they are */
	PROBE_UNMAPPED,    /* shows a caller for which no file is mapped */
	PROBE_INJECT,      /* has inject --jit */
	PROBE_OFFSETS,     /* inject --jit: addresses are file offsets */
	PROBE_MISSING,     /* inject --jit: goes on when a dump is not there */
	PROBE_CONTAINER,   /* inject --jit: reads dumps of other pid namespaces */
	PROBE_FOREIGN,     /* inject --jit: leaves dumps alone that say they are another's */
	PROBE_CACHED,      /* inject --jit: files its DSOs in the build-id cache */
	PROBE_ATTR,        /* reads profiles of all perfs up to the newest known */
	PROBE_ZSTD,        /* reads compressed records */
	PROBE_ZSTD2,       /* in the form of 6.16 and newer, too */
	PROBE_PIPE,        /* reads profiles from a pipe */
	PROBE_LINES,       /* asks for the lines of many addresses at once */
	PROBES,
};

/* What is known of each, for people. */
struct probe_about {
	const char *slug;   /* stable word for machines; of the fault: "no-libelf" */
	const char *able;   /* "reads symbols of ELF files" */
	const char *fault;  /* what a faulty one does, and why; one sentence without a full stop */
	const char *builds; /* which versions and builds do */
	const char *cure;   /* what to do, the same */
	const char
		*option; /* of perfjit-fix that avoids it; "" plain perfjit-fix does; NULL: none */
	bool severe;     /* names or stacks of JIT code are lost, or wrong */
};

const struct probe_about *probe__about(enum probe probe);

enum probe_status {
	PROBE_UNKNOWN, /* it could not be found out */
	PROBE_OK,
	PROBE_FAULTY,
};

struct probe_result {
	enum probe_status status;
	char evidence[256]; /* what was seen, a few words */
};

enum perf_unwinder {
	UNWINDER_UNKNOWN,
	UNWINDER_NONE,
	UNWINDER_LIBDW,
	UNWINDER_LIBUNWIND,
};

struct perf_probe {
	struct perf_build build; /* what it says of itself */
	enum perf_unwinder unwinder;
	uint32_t accepted_attr; /* the largest event attribute that it reads, bytes; 0: none */
	uint32_t refused_attr;  /* the next larger one, which it does not; 0: none is known */
	bool cache_first;       /* trusts ~/.debug more than the file itself */
	struct probe_result results[PROBES];
};

/*
 * Runs perf, a path or a name in PATH, some ten times on files in a folder of its own. 0 or a
 * negative errno, reported: it can't be started, or the folder can't be made.
 */
int perf_probe__run(struct perf_probe *probe, const char *perf, struct diag *diag);

/* "libdw"; "no unwinder". */
const char *perf_unwinder__text(enum perf_unwinder unwinder);

/* The perf-abi level, "5.10", that a profile must have for it; NULL: not known. */
const char *perf_probe__abi(const struct perf_probe *probe);

#endif
