/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How commands fail: what is said of it, and the exit code. */
#ifndef PERFJIT_CMD_FAILURE_H
#define PERFJIT_CMD_FAILURE_H

#include <stdbool.h>
#include <stdio.h>

#include "exit.h"

struct diag;

/* Reports an error; file may be NULL. */
void failure__report(struct diag *diag, const char *kind, const char *file, const char *text);

/* The code for a failure that is already reported, but for a lack of memory. */
enum exit_code failure__code(struct diag *diag, int err, enum exit_code code);

/* Whether what was printed has all been written. */
bool failure__is_written(FILE *stream);

/* Before there is a diag, or because there can be none. */
void failure__end_for_memory(const char *command) __attribute__((noreturn));

#endif
