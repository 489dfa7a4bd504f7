/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What single records say, and records made anew. */
#ifndef PERFJIT_PERFDATA_EVENT_H
#define PERFJIT_PERFDATA_EVENT_H

#include "base/buf.h"
#include "perfdata/perfdata.h"

/* The sample_id fields at the end of a non-sample record, those that the attr has; others 0. */
struct perfdata_sample_id {
	const struct perfdata_attr *attr; /* whose sample_type says which fields there are */
	uint32_t pid, tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
};

/*
 * Parsers return false when the record is too short for what it says, or of another type.
 * Strings and views point into the record.
 */
bool perfdata__parse_sample_id(const struct perfdata *perfdata,
			       const struct perfdata_record *record,
			       struct perfdata_sample_id *sample_id);

/* The time of any record, ns; false when it has none. Cheap: reads the time alone. */
bool perfdata__record_time(const struct perfdata *perfdata, const struct perfdata_record *record,
			   uint64_t *time);

struct perfdata_mmap {
	uint32_t pid, tid;
	uint64_t start, size, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	bool has_build_id; /* instead of maj, min, ino, ino_generation */
	uint8_t build_id_size;
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE];
	uint16_t misc;
	const char *name;
	struct perfdata_sample_id sample_id;
};

/* MMAP (without device, inode, prot: those are 0) and MMAP2. */
bool perfdata__parse_mmap(const struct perfdata *perfdata, const struct perfdata_record *record,
			  struct perfdata_mmap *mmap);

struct perfdata_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
	bool exec; /* FORK: of a process that begins with nothing mapped */
	struct perfdata_sample_id sample_id;
};

/* FORK and EXIT. */
bool perfdata__parse_task(const struct perfdata *perfdata, const struct perfdata_record *record,
			  struct perfdata_task *task);

struct perfdata_comm {
	uint32_t pid, tid;
	bool exec;
	const char *comm;
	struct perfdata_sample_id sample_id;
};

bool perfdata__parse_comm(const struct perfdata *perfdata, const struct perfdata_record *record,
			  struct perfdata_comm *comm);

/* Of one branch in a sample: from, to, flags. */
#define PERFDATA_BRANCH_SIZE 24

/* Where the parts of a sample are; views are in the file's byte order. */
struct perfdata_sample {
	const struct perfdata_attr *attr;
	uint16_t misc;
	uint64_t ip, time, id, addr, period;
	uint32_t pid, tid, cpu;
	bool has_time;
	struct bytes callchain;  /* u64 each, PERF_CONTEXT_* markers included */
	struct bytes raw;        /* a tracepoint's fields: perfdata/tracepoint.h */
	struct bytes branches;   /* PERFDATA_BRANCH_SIZE each */
	uint64_t user_regs_abi;  /* PERF_SAMPLE_REGS_ABI_NONE, _32 or _64 */
	struct bytes user_regs;  /* u64 for each bit of attr.sample_regs_user */
	struct bytes user_stack; /* as copied; cut to the size that was really copied */
	bool user_stack_full;    /* the copy filled the room there was: the stack goes on */
};

bool perfdata__parse_sample(const struct perfdata *perfdata, const struct perfdata_record *record,
			    struct perfdata_sample *sample);
/*
 * What stands before the stack copy, for which a head may be enough; of the copy itself only that
 * the record has room for it is looked at. True for all samples that parse whole. False too where
 * the record's head is not enough: complete it, and ask again.
 */
bool perfdata__parse_sample_front(const struct perfdata *perfdata,
				  const struct perfdata_record *record,
				  struct perfdata_sample *sample);

/* Appends a record with its sample_id trailer. Errors show in buf->failed. */
void perfdata__put_mmap2(const struct perfdata *perfdata, struct buf *buf,
			 const struct perfdata_mmap *mmap);
void perfdata__put_comm(const struct perfdata *perfdata, struct buf *buf,
			const struct perfdata_comm *comm);
void perfdata__put_fork(const struct perfdata *perfdata, struct buf *buf,
			const struct perfdata_task *task);

/* "MMAP2", "SAMPLE", ...; NULL for a type not known here. */
const char *perfdata__type_name(uint32_t type);

#endif
