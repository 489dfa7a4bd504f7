/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the jitdump reader share; not for others. */
#ifndef PERFJIT_JITDUMP_DUMP_H
#define PERFJIT_JITDUMP_DUMP_H

#include "base/array.h"
#include "base/diag.h"
#include "base/file.h"
#include "jitdump/arena.h"
#include "jitdump/jitdump.h"

#define HEADER_SIZE 40u
#define PREFIX_SIZE 16u
#define LOAD_SIZE   56u /* with the prefix, without name and code */
#define MOVE_SIZE   64u
#define DEBUG_SIZE  32u
#define UNWIND_SIZE 40u
#define DEBUG2_SIZE 48u

/* An event as it is kept: a LOAD is no more than its code. */
struct kept_event {
	const struct code_record *load; /* or NULL */
	const struct jitdump_event *other;
};

struct jitdump {
	char *path;
	struct diag *diag;
	struct file_map map;
	uint8_t *unpacked; /* of a gzip or zstd file, or NULL */
	struct bytes bytes; /* the dump, header included */
	struct jitdump_header header;

	uint64_t pos;         /* of the next record */
	uint64_t reported_to; /* records before it were reported on in an earlier pass */
	bool gap;             /* bytes were skipped before the record read last */
	uint64_t last_time;
	struct jitdump_stats stats; /* of this pass */
	/* No NUL lies in [nul_from, nul_at): keeps the search for records linear. */
	uint64_t nul_from, nul_at;

	struct arena arena;
	bool assembled;
	struct jitdump_stats totals; /* of the pass that assembled */
	ARRAY(struct kept_event) events;
};

/* header.c: fills in header and pos; 0 or a negative errno, reported. */
int jitdump__read_header(struct jitdump *dump);
/* Whether these are the first bytes of a jitdump; order may be NULL. */
bool jitdump__has_magic(struct bytes bytes, enum byte_order *order);

/* Reports something about the dump. */
void jitdump__report(struct jitdump *dump, enum diag_level level, const char *kind, uint64_t offset,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* record.c */
enum record_fault {
	RECORD_FINE,
	RECORD_UNKNOWN,   /* well-formed, of an id that is not known */
	RECORD_NO_PREFIX, /* fewer than 16 bytes are left */
	RECORD_TOO_SMALL, /* total_size is less than its prefix */
	RECORD_PAST_END,  /* total_size is more than is left */
	/* The prefix is good, the body isn't: */
	RECORD_SHORT_BODY, /* no room for the fields of its kind */
	RECORD_CODE_SIZE,
	RECORD_ENTRY_COUNT,
	RECORD_UNWINDING_SIZE,
	RECORD_HDR_SIZE,
};

/* Decodes the record at pos, taking total_size at its word. */
enum record_fault record__decode(struct jitdump *dump, uint64_t pos, struct jitdump_record *record);
/* Decodes the body of a record whose prefix, size and body are set. */
enum record_fault record__decode_body(struct jitdump *dump, struct jitdump_record *record);
/* The smallest total_size of a record of this kind, or 0 when the id is not known. */
uint32_t record__min_size(uint32_t id);
/* Bytes that the fields of the record account for; padding is what total_size has more. */
uint64_t record__natural_size(const struct jitdump *dump, const struct jitdump_record *record);
const char *record__kind_name(uint32_t id);
/* Where the first NUL is in [from, limit); limit when there is none. */
uint64_t record__find_nul(struct jitdump *dump, uint64_t from, uint64_t limit);

/* resync.c */
/* Whether a record may begin at pos: the end of the dump, or a prefix that makes sense. */
bool resync__plausible_next(const struct jitdump *dump, uint64_t pos);
/* The first offset from pos on at which a chain of records begins, or the end of the dump. */
uint64_t resync__find(struct jitdump *dump, uint64_t pos);

/* unwinding.c */
struct unwinding_range {
	uint64_t start, end;
};

/* The CFI that the next LOADs belong to. */
struct unwinding {
	struct code_unwind *unwind;           /* or NULL */
	ARRAY(struct unwinding_range) ranges; /* of a shared one, sorted */
};

/* Splits the data into its two parts, in whichever order they stand. */
void unwinding__split(struct bytes data, uint64_t hdr_size, enum byte_order order,
		      struct bytes *eh_frame, struct bytes *eh_frame_hdr);
/* Makes an UNWINDING_INFO the one that comes next; 0 or -ENOMEM. */
int unwinding__set(struct unwinding *next, struct jitdump *dump,
		   const struct jitdump_record *record);
/* The CFI of a function that is loaded now, or NULL. One that isn't shared is used up. */
const struct code_unwind *unwinding__take(struct unwinding *next, uint64_t addr);
void unwinding__free(struct unwinding *next);

/* debug_info.c, debug_info2.c */
/* The lines of one function on their way from a record to code_record.lines. */
struct debug_table {
	struct jitdump_record record;
	uint64_t before;          /* events seen before it */
	struct code_record *code; /* that it belongs to, or NULL */
	struct code_lines *lines; /* or NULL when nothing of it can be used */
	struct code_line *rows;
};

/* Reads the rows of a table that belongs to table->code; 0 or -ENOMEM. */
int debug_info__read(struct jitdump *dump, struct debug_table *table);
int debug_info2__read(struct jitdump *dump, struct debug_table *table);
/* Whether DEBUG_INFO2's counts fit its body. */
bool debug_info2__fits(struct bytes body, enum byte_order order);
/*
 * Takes the producer's bias off the rows of all tables, sorts them, drops what lies outside of the
 * code and gives them to the code records. 0 or -ENOMEM.
 */
int debug_info__finish(struct jitdump *dump, struct debug_table *tables, size_t count);

#endif
