/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where threads begin: what the outermost frame of a whole chain is. */
#ifndef PERFJIT_CHECK_ROOT_H
#define PERFJIT_CHECK_ROOT_H

#include <stdbool.h>

struct unwind_frame;

/*
 * Whether a frame that has callees is of the code that starts processes and threads, the C
 * library's: by its name, or, where a stripped C library has none for it, by the file, if that is
 * here: what it exports has names, and starts no threads.
 */
bool root__is(const struct unwind_frame *frame);

#endif
