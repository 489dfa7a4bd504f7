/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --perf of perfjit-check: running other perfs, and the verdicts on them. */
#ifndef PERFJIT_CMD_CHECK_COMPARE_H
#define PERFJIT_CMD_CHECK_COMPARE_H

#include "check_result.h"

struct diag;

/*
 * Compares with each perf that the arguments name, and adds a verdict for each. 0, -ENOMEM, or a
 * negative errno, reported: one of them can't be run.
 */
int check_compare__run(struct check_result *result, struct comparison *comparison,
		       struct diag *diag);

#endif
