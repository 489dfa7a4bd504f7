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

struct perf_script_options {
	const char *perf, *profile;
	const char *symfs;       /* or NULL */
	const char *buildid_dir; /* NULL: no build-id cache */
};

/*
 * Runs `perf script` on a profile with the settings of nobody: a folder made for it is its HOME.
 * What perf printed goes to script. 0 or a negative errno: perf can't be started.
 */
int perf_build__script(const struct perf_script_options *options, struct perf_script *script,
		       struct child_result *result);

#endif
