/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way in which a file is changed: at some offsets bytes are taken out and others put in.
 * A changed file is changed back by the same means with the roles exchanged.
 */
#ifndef PERFJIT_PERFDATA_SPLICE_H
#define PERFJIT_PERFDATA_SPLICE_H

#include "base/array.h"
#include "base/buf.h"

struct diag;
struct file_out;
struct perfdata_part;

/* Of splices at one offset, records come before what only moves around them. */
enum splice_class {
	SPLICE_RECORDS,
	SPLICE_STRUCTURE,
};

struct splice {
	uint64_t offset;  /* in the file that is changed */
	uint64_t removed; /* bytes */
	size_t bytes;     /* what is put in: its place in splices.bytes */
	size_t size;
	enum splice_class class;
	size_t nth;     /* in order of being added */
	bool made_late; /* what is put in is made when it is written */
};

/* Zero-initialised. bytes.failed says that memory ran out. */
struct splices {
	ARRAY(struct splice) list;
	struct buf bytes;
	/* Appends to buf what a splice that is made late puts in. Called in the order of splices.
	 */
	int (*make)(void *context, const struct splice *splice, struct buf *buf);
	void *context;
};

/*
 * Copies data, or leaves size zeros to be set later if data is NULL. Returns where those bytes are
 * in splices->bytes.
 */
size_t splices__add(struct splices *splices, enum splice_class class, uint64_t offset,
		    uint64_t removed, const void *data, size_t size);
/* Size is to be set later; the bytes are made when they are written. False: out of memory. */
bool splices__add_late(struct splices *splices, uint64_t offset, uint64_t removed);
/* By offset, class and order of being added. */
void splices__sort(struct splices *splices);
/* Whether none overlap and all lie in [begin, end); they are sorted. */
bool splices__are_sound(const struct splices *splices, uint64_t begin, uint64_t end);
void splices__free(struct splices *splices);

static inline uint8_t *splices__bytes(const struct splices *splices, const struct splice *splice)
{
	return splices->bytes.data ? splices->bytes.data + splice->bytes : NULL;
}

/*
 * Where something that begins at an offset begins in the changed file: before or behind what is
 * put in at that very offset.
 */
uint64_t splices__map_before(const struct splices *splices, uint64_t offset);
uint64_t splices__map_behind(const struct splices *splices, uint64_t offset);

/*
 * Writes bytes [begin, end) of the input, changed by those of the sorted splices that lie there.
 * What is between them is copied within the kernel where that is possible.
 */
int splices__write(const struct splices *splices, struct bytes input,
		   const struct perfdata_part *part, uint64_t begin, uint64_t end,
		   struct file_out *out, struct diag *diag);

#endif
