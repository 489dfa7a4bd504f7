/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder for a while. */
#ifndef PERFJIT_BASE_SCRATCH_H
#define PERFJIT_BASE_SCRATCH_H

struct scratch {
	char *folder; /* its path; NULL: there is none */
};

/*
 * Makes "PARENT/NAME-" and six letters, for this user alone. parent NULL: TMPDIR, or /tmp. 0 or a
 * negative errno.
 */
int scratch__make(struct scratch *scratch, const char *parent, const char *name);
/* Removes it with all that is in it. */
void scratch__remove(struct scratch *scratch);

/* "FOLDER/name", to be freed; NULL: memory. */
char *scratch__path(const struct scratch *scratch, const char *name);

#endif
