/* SPDX-License-Identifier: GPL-2.0-or-later */
/* To whom outputs belong, and who may read them. */
#ifndef PERFJIT_FIX_OUTPUT_H
#define PERFJIT_FIX_OUTPUT_H

#include <sys/types.h>

struct diag;
struct perfdata;

/* The mode of what is made from a profile: no wider than the profile's. */
mode_t output__mode(const struct perfdata *perfdata);

/*
 * Gives fd, a file or folder of the output at path, to the input's owner where the caller may: he
 * recorded, and readers refuse other people's files. That it can't be done is noted only.
 */
void output__give(const struct perfdata *perfdata, int fd, const char *path, struct diag *diag);

#endif
