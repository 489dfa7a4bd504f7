/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Additive changes to a perf.data file. Everything of the input stands in the output byte for
 * byte and in order, but for what is inserted and patched here. The output carries a journal of
 * that behind its last feature section (in pipe form: in a record of its own at the end), from
 * which the input is restored byte for byte.
 */
#ifndef PERFJIT_PERFDATA_EDIT_H
#define PERFJIT_PERFDATA_EDIT_H

#include "base/bytes.h"
#include "perfdata/perfdata.h"

struct diag;
struct file_out;
struct perfdata_edits;

struct perfdata_edits *perfdata_edits__new(struct perfdata *perfdata);
void perfdata_edits__free(struct perfdata_edits *edits);

/* All copy what they are given. 0, -ENOMEM, or -EINVAL for an offset outside the records. */

/* Records to stand before the one at offset (or at the end of the records), after earlier ones. */
int perfdata_edits__insert(struct perfdata_edits *edits, uint64_t offset, struct bytes records);
/* Bytes of the input that are to be others, as many. */
int perfdata_edits__patch(struct perfdata_edits *edits, uint64_t offset, struct bytes bytes);
/*
 * The last bytes of a file name that are to be others, as many, in each mapping of that name in a
 * compressed record. Only where records are inflated for a perf that can't: what is compressed is
 * one stream, of which no part can be changed alone. (perf inject looks into no compressed record.)
 */
int perfdata_edits__patch_inflated(struct perfdata_edits *edits, const char *name,
				   struct bytes bytes);
/* One more entry of HEADER_BUILD_ID. */
int perfdata_edits__add_build_id(struct perfdata_edits *edits, uint32_t pid,
				 const uint8_t *build_id, size_t build_id_size, uint16_t misc,
				 const char *name);

uint64_t perfdata_edits__inserted_bytes(const struct perfdata_edits *edits);
size_t perfdata_edits__nr_patches(const struct perfdata_edits *edits);

/*
 * Writes the changed file in one pass, in the input's form; what was wrapped is written unwrapped.
 * 0 or a negative errno, reported. Not for PERFDATA_FORM_DIRECTORY.
 */
int perfdata_edits__write(struct perfdata_edits *edits, struct file_out *out, struct diag *diag);
/*
 * The same for PERFDATA_FORM_DIRECTORY: a directory appears at path, complete or not at all. What
 * was there is removed. sync: fsync each file.
 */
int perfdata_edits__write_directory(struct perfdata_edits *edits, const char *path, bool sync,
				    struct diag *diag);

/*
 * Like perfdata__open; what has a journal is opened as it was before it was edited, from a
 * temporary copy.
 */
int perfdata__open_original(struct perfdata **perfdata, const char *path, struct diag *diag);
/* The same for a profile that is open and edited. */
int perfdata__original(struct perfdata **original, const struct perfdata *edited,
		       struct diag *diag);

struct perfdata_replay {
	/* What an inserted mapping of that name, or its build-id's entry, is to be called instead;
	 * to be freed. NULL: no memory. */
	char *(*rename_mapping)(void *context, const char *name);
	char *(*rename_build_id)(void *context, const char *name);
	void *context;
};

/*
 * Makes to edits, of the original of an edited profile, the changes that were made in it, but for
 * the names of inserted mappings and of their build-ids. edited must live until edits are written.
 * 0, -ENOMEM, or -EINVAL, reported, when the two do not belong together.
 */
int perfdata_edits__replay(struct perfdata_edits *edits, const struct perfdata *edited,
			   const struct perfdata_replay *replay, struct diag *diag);

/* A record that was put into an edited profile, or bytes in it that are others. */
struct perfdata_edit {
	uint64_t offset;                      /* in the original: before what stands there */
	const struct perfdata_record *record; /* MMAP2 or COMM, of the edited profile; or NULL */
};

/*
 * Calls visit for each, in the order of the file, until it returns non-zero, which is returned. 0
 * or a negative errno, reported unless it is visit's: -EINVAL as above.
 */
int perfdata__for_each_edit(const struct perfdata *original, const struct perfdata *edited,
			    int (*visit)(void *context, const struct perfdata_edit *edit),
			    void *context, struct diag *diag);

/* Whether the file has a journal, that is, was written by perfdata_edits__write. */
bool perfdata__is_edited(const struct perfdata *perfdata);
/* Writes the file as it was before it was edited. 0 or a negative errno, reported. */
int perfdata__restore(const struct perfdata *perfdata, struct file_out *out, struct diag *diag);
int perfdata__restore_directory(struct perfdata *perfdata, const char *path, bool sync,
				struct diag *diag);

#endif
