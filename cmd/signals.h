/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Being interrupted while files are written. */
#ifndef PERFJIT_CMD_SIGNALS_H
#define PERFJIT_CMD_SIGNALS_H

#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP are only noted, so that the work can take back what it
 * has written; a second one ends the process at once.
 */
void signals__hold(void);
/* Whether one has come. */
bool signals__came(void);
/* Ends the process by the signal that came, as if it had not been held; returns if none did. */
void signals__pass_on(void);

#endif
