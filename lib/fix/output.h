/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where outputs go, to whom they belong, and who may read them. */
#ifndef PERFJIT_FIX_OUTPUT_H
#define PERFJIT_FIX_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

struct diag;
struct file_out;
struct perfdata;

/* The mode of what is made from a profile: no wider than the profile's. */
mode_t output__mode(const struct perfdata *perfdata);

/*
 * Gives fd, a file or folder of the output at path, to the input's owner where the caller may: he
 * recorded, and readers refuse other people's files. That it can't be done is noted only.
 */
void output__give(const struct perfdata *perfdata, int fd, const char *path, struct diag *diag);

/* A folder that files are put into. */
struct output_folder {
	const char *path;
	int fd;
	bool made; /* was not there before */
};

/*
 * Makes the folder, readable to those who may read the profile, or opens the one that is there, and
 * waits for others that put files into it. One that belongs to neither the caller, root nor the
 * input's owner is refused, and so is a link to one, unless the folder was named by the user.
 */
int output__open_folder(struct output_folder *folder, const struct perfdata *perfdata,
			const char *path, bool named, struct diag *diag);
/*
 * Whether there is a folder at path that files can be put into, or one that it could be made in. To
 * be asked before long work. 0 or a negative errno, reported.
 */
int output__check_folder(const char *path, struct diag *diag);
/* Takes the folder away again if it was made, and nothing is in it. */
void output__remove_folder(const struct output_folder *folder);
/* Lets others in. */
void output__close_folder(struct output_folder *folder);

/* Whether a path means standard input or output: "-", or how the system calls them. */
bool output__is_stream(const char *path);
/* The file or stream that a profile made from another is written to. 0 or negative errno. */
int output__open(struct file_out *out, const struct perfdata *perfdata, const char *path,
		 struct diag *diag);
/* Gives a file to the input's owner and puts it in place. On failure it is aborted. */
int output__commit(struct file_out *out, const struct perfdata *perfdata, bool sync,
		   struct diag *diag);

#endif
