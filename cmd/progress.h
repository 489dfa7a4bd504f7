/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line on the terminal that shows how far the work is, once it has taken a second. */
#ifndef PERFJIT_CMD_PROGRESS_H
#define PERFJIT_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress;

/* NULL, which all functions take, when standard error is no terminal or memory is out. */
struct progress *progress__start(bool wanted);
void progress__stop(struct progress *progress);

/* What is being done; forgets how far the last thing was. phase is a string constant. */
void progress__phase(struct progress *progress, const char *phase);
void progress__advance(struct progress *progress, uint64_t done, uint64_t total);

/* Takes the line away so that something else can be printed; it comes back by itself. */
void progress__hide(struct progress *progress);

#endif
