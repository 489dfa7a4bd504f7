/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads jitdump files as they are in the wild. Format rules: jitdump(5), which follows
 * tools/perf/Documentation/jitdump-specification.txt of Linux and lists where producers differ.
 * Knows nothing of perf.data.
 */
#ifndef PERFJIT_JITDUMP_JITDUMP_H
#define PERFJIT_JITDUMP_JITDUMP_H

#include "base/bytes.h"
#include "code/record.h"

struct diag;
struct jitdump;

#define JITDUMP_MAGIC               0x4A695444u /* "JiTD", in the producer's byte order */
#define JITDUMP_FLAG_ARCH_TIMESTAMP 1u          /* times are TSC values */

enum jitdump_id {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_DEBUG_INFO = 2,
	JIT_CODE_CLOSE = 3,
	JIT_CODE_UNWINDING_INFO = 4,
	/* Inlined frames, written by samply's branch and WebKit; "TMP1" */
	JIT_CODE_DEBUG_INFO2 = 0x31504D54,
};

struct jitdump_header {
	enum byte_order order;
	uint32_t version;
	uint32_t total_size; /* bytes, 40 or more */
	uint32_t elf_mach;   /* EM_*, or 0 when the producer did not say */
	uint32_t pad1;
	uint32_t pid;       /* in the producer's pid namespace */
	uint64_t timestamp; /* of unknown clock and unit: producers disagree */
	uint64_t flags;
};

/* How many of each there were, and what was lost. */
struct jitdump_stats {
	uint64_t loads, moves, debug_infos, closes, unwinding_infos, debug_info2s, unknown;
	uint64_t skipped_bytes;   /* between records, before a plausible record was found again */
	uint64_t resyncs;         /* how often that happened */
	uint64_t truncated_bytes; /* of an incomplete record at the end */
	uint64_t unusable;        /* records dropped for what they say */
};

/*
 * Opens a dump, unpacking gzip and zstd. Fails with a report when path is no readable jitdump. An empty
 * file and a version or flag that is odd are reported and tolerated; an empty file has no records
 * and header->total_size 0.
 */
int jitdump__open(struct jitdump **opened, const char *path, struct diag *diag);
void jitdump__close(struct jitdump *dump);

const char *jitdump__path(const struct jitdump *dump);
const struct jitdump_header *jitdump__header(const struct jitdump *dump);

/* Whether the file at path begins like a jitdump, packed or not. Reports nothing. */
bool jitdump__is_jitdump(const char *path);

/* One record as it stands in the file, for printing and for tests. */
struct jitdump_record {
	uint32_t id;
	uint64_t offset; /* bytes from the start of the (unpacked) file */
	uint32_t size;   /* total_size */
	uint64_t time;
	struct bytes body; /* behind the 16-byte prefix */
	union {
		struct {
			uint32_t pid, tid;
			uint64_t vma, code_addr, code_size, code_index;
			const char *name;
			struct bytes code;
		} load;
		struct {
			uint32_t pid, tid;
			uint64_t vma, old_code_addr, new_code_addr, code_size, code_index;
		} move;
		struct {
			uint64_t code_addr, nr_entry;
			struct bytes entries;
		} debug_info;
		struct {
			uint64_t unwinding_size, eh_frame_hdr_size, mapped_size;
			struct bytes eh_frame, eh_frame_hdr;
		} unwinding_info;
	};
};

/* The next record in file order: 1, 0 at the end, or a negative errno. */
int jitdump__next_record(struct jitdump *dump, struct jitdump_record *record);
void jitdump__rewind(struct jitdump *dump);

/* What happened to code, in file order: records put together (a LOAD with its CFI and lines). */
enum jitdump_event_kind {
	JITDUMP_LOAD,
	JITDUMP_MOVE,
	JITDUMP_CLOSE,
};

struct jitdump_event {
	enum jitdump_event_kind kind;
	uint64_t time; /* as in the dump: ns or TSC */
	uint64_t offset;
	const struct code_record *code; /* LOAD; owned by the dump until it is closed */
	struct {
		uint64_t from, to, size, index;
	} move;
};

/* Rewinds, then calls visit for each event until it returns non-zero, which is returned. */
int jitdump__for_each_event(struct jitdump *dump,
			    int (*visit)(void *context, const struct jitdump_event *event),
			    void *context);

/* Valid after a whole pass of for_each_event. */
const struct jitdump_stats *jitdump__stats(const struct jitdump *dump);

#endif
