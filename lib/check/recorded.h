/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a profile came to be: nothing is to be advised that was done already. */
#ifndef PERFJIT_CHECK_RECORDED_H
#define PERFJIT_CHECK_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

struct perfdata;

/* As much of the stack as can be copied, bytes. */
#define CHECK_STACK_MAX 65528

struct check_recorded {
	char *command;  /* the command line that recorded; "" when that is not known */
	uint32_t stack; /* bytes of the largest copy of the stack that was asked for; 0: none */
	bool monotonic; /* by the clock of jitdumps */
	bool described; /* jitdumps or perf maps were found; set by whoever looks for them */
	bool fixed;     /* perfjit-fix wrote it; set by whoever knows */
};

/* 0 or -ENOMEM. */
int check_recorded__read(struct check_recorded *recorded, const struct perfdata *profile);
void check_recorded__free(struct check_recorded *recorded);

#endif
