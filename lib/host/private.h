/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a probe. Private to lib/host. */
#ifndef PERFJIT_HOST_PRIVATE_H
#define PERFJIT_HOST_PRIVATE_H

#include "base/scratch.h"
#include "host/probe.h"
#include "perf/run.h"
#include "perf/script.h"

struct diag;

/* Where and with what it is tried. */
struct probing {
	const char *perf;
	char *home;             /* perf's HOME, in scratch */
	struct scratch scratch; /* a folder for all files */
	struct scratch jitted;  /* one whose name begins as perf inject's files in /tmp, or none */
	struct diag *diag;
};

/* perf with arguments, NULL ends; path: its PATH, or NULL. 0 or a negative errno: it can't be
 * started; that it failed or hung is in the result. */
int probing__run(const struct probing *probing, const char *const *arguments, const char *path,
		 struct child_result *result);
/* `perf script` of a profile, told by a script; pipe: by standard input. */
int probing__script(const struct probing *probing, const char *profile, bool pipe,
		    struct perf_script *script, struct child_result *result);

void probe__set(struct perf_probe *probe, enum probe which, enum probe_status status,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* 0 or a negative errno: out of memory, or the files can't be written. */
int probe__unwinding(struct perf_probe *probe, const struct probing *probing);
int probe__inject(struct perf_probe *probe, const struct probing *probing);
int probe__forms(struct perf_probe *probe, const struct probing *probing);
/* Of a perf that unwinds; another is asked for no lines. */
int probe__lines(struct perf_probe *probe, const struct probing *probing);
int probe__cache(struct perf_probe *probe, const struct probing *probing);

/*
 * Runs perf script on a profile and tells whether it showed the sample of a time; symbol: the name
 * that its address has, "" for none.
 */
int probe__shows(const struct probing *probing, const char *profile, bool pipe, uint64_t time,
		 bool *shown, char symbol[64], struct child_result *result);

#endif
