/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Being interrupted while files are written, and files that change while they are read. */
#ifndef PERFJIT_CMD_SIGNALS_H
#define PERFJIT_CMD_SIGNALS_H

#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP are only noted, so that the work can take back what it
 * has written; a second one ends the process at once.
 */
void signals__hold(void);
/*
 * While a stream is read, the first SIGINT is for who writes it: "perf record -o - ... |
 * perfjit-fix -" is ended by ^C, which the terminal sends to both, and what was recorded is then to
 * be fixed.
 */
void signals__leave_to_writer(void);
/* Mapped files that are cut short meanwhile read as zeros there: see perfdata__check_whole(). */
void signals__survive_cuts(void);
/* A write to a stream that nobody reads any more fails, instead of ending the process. */
void signals__ignore_pipe(void);
/* Whether one has come. */
bool signals__came(void);
/* Ends the process by the signal that came, as if it had not been held; returns if none did. */
void signals__pass_on(void);

#endif
