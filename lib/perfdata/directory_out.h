/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory under way: beside its target until it is complete. */
#ifndef PERFJIT_PERFDATA_DIRECTORY_OUT_H
#define PERFJIT_PERFDATA_DIRECTORY_OUT_H

#include <stdbool.h>
#include <sys/stat.h>

struct diag;
struct perfdata;
struct file_out;

/* Both are found once, by their folders' descriptors from then on: others may move things about. */
struct directory_out {
	char *path;
	char *temporary; /* its path */
	int parent;      /* that both are in */
	int folder;      /* temporary */
	bool sync;
};

/* 0 or a negative errno, reported. */
int directory_out__open(struct directory_out *out, const char *path, bool sync, struct diag *diag);
/* A file in it, to be committed by the caller. */
int directory_out__file(const struct directory_out *out, const char *name, mode_t mode,
			struct file_out *file, struct diag *diag);
/* Copies what a profile's directory holds beside its data (perf record --kcore). */
int directory_out__copy_others(const struct directory_out *out, const struct perfdata *perfdata,
			       struct diag *diag);
/*
 * To the owner of what was given, where the caller may: he recorded, and readers refuse other
 * people's files.
 */
void directory_out__give(int fd, const struct stat *stat);
/*
 * Puts it in the place of what is at path, with the input's mode and owner: both change places at
 * once, then what was there is removed. On failure it is aborted.
 */
int directory_out__commit(struct directory_out *out, const struct stat *input, struct diag *diag);
/* Leaves nothing behind; where that fails it warns of what is left. Safe after commit. */
void directory_out__abort(struct directory_out *out, struct diag *diag);

#endif
