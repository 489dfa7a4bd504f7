/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands' exit codes say, the same in all of them. */
#ifndef PERFJIT_CMD_EXIT_H
#define PERFJIT_CMD_EXIT_H

enum exit_code {
	EXIT_DONE = 0,  /* also with oddities that cost nothing */
	EXIT_CHECK = 1, /* a check failed, or nothing is there of what was asked for */
	EXIT_USAGE = 2,
	EXIT_INPUT = 3,   /* an input can't be read or isn't what it claims to be */
	EXIT_OUTPUT = 4,  /* the output can't be written */
	EXIT_PARTIAL = 5, /* done, but a whole dump or process was left unnamed */
	EXIT_NO_JIT = 6,  /* no jitdump and no perf map found */
};

#endif
