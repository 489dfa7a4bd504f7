/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where threads begin: what the outermost frame of a whole chain is. */
#ifndef PERFJIT_CHECK_ROOT_H
#define PERFJIT_CHECK_ROOT_H

#include <stdbool.h>
#include <stddef.h>

struct unwind_frame;

/*
 * Whether the last of a thread's user frames, innermost first, as the kernel walked them, is of the
 * code that starts processes and threads, the C library's: by its name, or, where a stripped C
 * library has none for it, by the file: what it exports has names, and starts no threads.
 *
 * Where the file is not the one that ran, nothing in it has a name. Then the last frame counts if
 * code of another file is what it called, itself or through one more: what else the C library
 * calls back (qsort's comparison) is rare, and code whose frames were lost ends chains elsewhere.
 *
 * count: two or more, for a sample's own address has called nothing.
 */
bool root__is_last(const struct unwind_frame *frames, size_t count);
/*
 * Whether a frame in JIT code is the bottom of a stack that a runtime made for a process of its
 * own: Erlang's have nothing of the C library before them.
 */
bool root__is_own(const struct unwind_frame *last);

#endif
