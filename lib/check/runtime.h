/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which language runtime a process is, and how it is told to tell perf of its code. */
#ifndef PERFJIT_CHECK_RUNTIME_H
#define PERFJIT_CHECK_RUNTIME_H

struct process;

enum runtime_source {
	RUNTIME_JITDUMP,  /* writes a jitdump when told so */
	RUNTIME_PERF_MAP, /* writes a perf map only */
	RUNTIME_NONE,     /* tells perf nothing */
};

struct runtime {
	const char *name; /* "CPython", "Node.js" */
	enum runtime_source source;
	const char *enable; /* one line: what makes it write its jitdump or map */
	/* Whether its code keeps frame pointers: "" always; an option by which it does; NULL not. */
	const char *frame_pointers;
};

/* By the files that the process, or what it was forked from, has mapped; NULL: none known. */
const struct runtime *runtime__of(const struct process *process);

/* By the name of one mapped file, a path; NULL: of none. */
const struct runtime *runtime__of_file(const char *path);

#endif
