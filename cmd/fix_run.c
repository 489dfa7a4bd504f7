// SPDX-License-Identifier: GPL-2.0-or-later
/* How a run of perfjit-fix fails. */
#include <errno.h>

#include "failure.h"
#include "fix_run.h"
#include "perfdata/perfdata.h"

void fix_run__complain(struct fix_run *run, const char *kind, const char *file, const char *text)
{
	failure__report(run->diag, kind, file, text);
}

enum exit_code fix_run__failed(struct fix_run *run, int err, enum exit_code code)
{
	code = failure__code(run->diag, err, code);
	/* whatever else was reported is what came of the input having been cut short */
	if (err != -EBADMSG &&
	    ((run->perfdata && perfdata__check_whole(run->perfdata, run->diag) < 0) ||
	     (run->fixed && perfdata__check_whole(run->fixed, run->diag) < 0)))
		err = -EBADMSG;
	return err == -EBADMSG ? EXIT_INPUT : code;
}
