/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there is a place for what perfjit-fix is to write. */
#ifndef PERFJIT_CMD_FIX_OUTPUT_H
#define PERFJIT_CMD_FIX_OUTPUT_H

#include "fix_run.h"

/*
 * Before anything is read: whether files can be made where the output, and what folders the user
 * names for DSOs or maps, are to be. Leaves nothing behind. EXIT_DONE, or the code for what is
 * against it, reported.
 */
enum exit_code fix_output__check_place(struct fix_run *run);
/*
 * Looks at where the output of an opened profile is to go, and writes nothing. EXIT_DONE, or the
 * code for what is against it, reported.
 */
enum exit_code fix_output__check(struct fix_run *run);

#endif
