/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files about changed profiles share. */
#ifndef PERFJIT_PERFDATA_EDITS_H
#define PERFJIT_PERFDATA_EDITS_H

#include "perfdata/bake.h"
#include "perfdata/edit.h"
#include "perfdata/internal.h"
#include "perfdata/splice.h"

/* Of a file name in records that are inflated. */
struct name_patch {
	char *name;
	char *patched;
};

struct perfdata_edits {
	struct perfdata *perfdata;
	struct splices splices;
	ARRAY(struct name_patch) name_patches;
	struct buf build_ids; /* entries of HEADER_BUILD_ID, in the file's order */
	uint64_t inserted_bytes;
	size_t nr_patches;
	uint32_t attr_size; /* of all attrs of a seekable file; 0: as recorded */
	uint64_t dropped_features[PERFDATA_FEAT_BITS / 64];
	const struct perfdata_bake *bake; /* or NULL */
	struct inflation *inflation;      /* what makes splices of inflated records, or NULL */
	bool structured;                  /* header and tables were adapted */
};

/* write_parts.c */
/* Makes a directory at path with each file of the profile's, written by write. */
int perfdata__write_parts(const struct perfdata *perfdata, const char *path, bool sync,
			  int (*write)(void *context, const struct perfdata_part *part,
				       struct file_out *out, struct diag *diag),
			  void *context, struct diag *diag);

/* restore.c */
/* Writes a part as it was before it was edited. */
int perfdata__restore_part(const struct perfdata *perfdata, const struct perfdata_part *part,
			   struct file_out *out, struct diag *diag);

/* changes.c */
/* A change that made an edited profile of the original. */
struct change {
	uint64_t offset; /* in the original */
	uint64_t removed;
	struct bytes put; /* in the edited profile */
};

/*
 * Calls visit for each of them, by offset, until it returns non-zero, which is returned. -EINVAL
 * when the two do not belong together, -ENOMEM; unreported.
 */
int perfdata__for_each_change(const struct perfdata *original, const struct perfdata *edited,
			      int (*visit)(void *context, const struct change *change),
			      void *context);
/* Whether whole records were put in, of the types that are. */
bool change__is_records(const struct change *change, const struct perfdata *edited);

/* abi_inflate.c */
void inflation__free(struct inflation *inflation);

/* structure.c */
/*
 * Adds what must change in header, attrs and features for the edits to be a profile again, and
 * sorts the splices.
 */
int perfdata__add_structure(struct perfdata_edits *edits);

/* Where entries of HEADER_BUILD_ID go: behind those there are, else at the file's end. */
uint64_t perfdata__build_ids_end(const struct perfdata *perfdata);

/* journal.c */
/* In place of a journal: the file was changed by bake, and what it was before is not known. */
void journal__put_baked(struct buf *buf, bool in_records, enum byte_order order);
/* Appends the journal of the splices in [begin, end): with it the original can be restored. */
void journal__put(struct buf *buf, const struct splices *splices, struct bytes input,
		  uint64_t begin, uint64_t end, bool in_records, enum byte_order order);
/*
 * The splices that change a file's bytes back, to be freed also on failure, and its size without
 * the journal. -ENOENT when there is no journal, -EINVAL when there is one that is not whole, both
 * unreported; or -ENOMEM.
 */
int journal__read(struct bytes bytes, struct splices *splices, uint64_t *size);

#endif
