/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf on this machine: what it is built with, and running it on a profile. */
#ifndef PERFJIT_CHECK_PERF_BUILD_H
#define PERFJIT_CHECK_PERF_BUILD_H

#include "base/child.h"
#include "check/perf_script.h"

enum built_with {
	BUILT_UNKNOWN, /* this version does not say */
	BUILT_WITHOUT,
	BUILT_WITH,
};

struct perf_build {
	char version[64]; /* "6.1.192"; "" when it does not say */
	unsigned int major, minor;
	enum built_with libelf, libdw, libunwind, libcrypto;
	enum built_with unwinder; /* any; 6.12 and newer say so */
};

/* Asks `perf version --build-options`. 0 or a negative errno: perf can't be started. */
int perf_build__ask(struct perf_build *build, const char *perf);

/* One line of its answer. */
void perf_build__line(struct perf_build *build, const char *line);

/*
 * Runs `perf script` on a profile with the settings of nobody: a folder made for it is its HOME.
 * buildid_dir: NULL, or the build-id cache it uses. What perf printed goes to script.
 */
int perf_build__script(const char *perf, const char *profile, const char *buildid_dir,
		       struct perf_script *script, struct child_result *result);

#endif
