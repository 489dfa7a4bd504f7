/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A temporary file without a name, for what comes as a stream or wrapped and is to be mapped. */
#ifndef PERFJIT_BASE_SPOOL_H
#define PERFJIT_BASE_SPOOL_H

#include "base/bytes.h"

struct diag;

/* path is what reports name. A negative errno is reported, but for -ENOMEM. */

/* The descriptor of an empty file in TMPDIR, or a negative errno. */
int spool__create(const char *path, struct diag *diag);
int spool__write(int fd, struct bytes bytes, const char *path, struct diag *diag);
/* Copies a stream to its end. */
int spool__copy(int fd, int from, const char *path, struct diag *diag);
/*
 * Copies the first size bytes of a file, fewer when it has become shorter. Holes stay holes: a file
 * of a few bytes may say that it has terabytes.
 */
int spool__copy_file(int fd, int from, uint64_t size, const char *path, struct diag *diag);

#endif
