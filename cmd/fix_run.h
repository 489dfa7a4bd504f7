/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of perfjit-fix: what it is told, what it works on, what comes of it. */
#ifndef PERFJIT_CMD_FIX_RUN_H
#define PERFJIT_CMD_FIX_RUN_H

#include "exit.h"
#include "fix_options.h"
#include "fix_result.h"
#include "messages.h"
#include "progress.h"

struct diag;
struct perfdata;

struct fix_run {
	const struct fix_options *options;
	struct messages *messages;
	struct diag *diag;
	struct progress *progress;
	struct perfdata *perfdata;
	struct perfdata *fixed; /* perfdata as an earlier run left it, if that is fixed anew */
	struct plan *plan;
	struct fix_result *result;
};

/* Reports an error; file may be NULL. */
void fix_run__complain(struct fix_run *run, const char *kind, const char *file, const char *text);

/* The code for a failure that is already reported, but for a lack of memory. */
enum exit_code fix_run__failed(struct fix_run *run, int err, enum exit_code code);

#endif
