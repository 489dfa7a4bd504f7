/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf's build-id cache, where it looks for DSOs that are not at their path any more and from
 * which perf archive packs them: DIR/<path of the DSO>/<build-id>/elf, and a link to that folder
 * at DIR/.build-id/<first two digits>/<the others>.
 */
#ifndef PERFJIT_FIX_BUILDID_CACHE_H
#define PERFJIT_FIX_BUILDID_CACHE_H

#include "fix/plan.h"

struct diag;

/*
 * Files the plan's DSOs, which were written, in the cache at dir, an absolute path. What is there
 * already stays. *added counts the new ones. 0 or a negative errno, reported.
 */
int buildid_cache__add(const struct plan *plan, const char *dir, size_t *added, struct diag *diag);

#endif
