/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a perf says it is built with. */
#ifndef PERFJIT_PERF_BUILD_H
#define PERFJIT_PERF_BUILD_H

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

#endif
