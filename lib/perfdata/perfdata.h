/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads perf.data: header, attrs, features, records. Knows nothing of JITs.
 *
 * Records are walked in file order. What stands in a compressed record is given record by record;
 * each knows the place of its container in the file, so that whoever wants to insert something
 * has one kind of place in all forms of the file.
 */
#ifndef PERFJIT_PERFDATA_PERFDATA_H
#define PERFJIT_PERFDATA_PERFDATA_H

#include <sys/stat.h>

#include "base/bytes.h"
#include "perfdata/abi.h"

struct diag;
struct inflate;
struct perfdata;

enum perfdata_form {
	PERFDATA_FORM_SEEKABLE,
	PERFDATA_FORM_PIPE,      /* perf record -o - */
	PERFDATA_FORM_V1,        /* seekable, with the first magic there was */
	PERFDATA_FORM_DIRECTORY, /* perf record --threads, --kcore */
};

/*
 * "-" is standard input; gzip and zstd files are unwrapped to a temporary file. Fails with a report
 * that says what the file is instead. Later oddities are reported to diag too, which must live as
 * long as the profile is open.
 */
int perfdata__open(struct perfdata **perfdata, const char *path, struct diag *diag);
void perfdata__close(struct perfdata *perfdata);

const char *perfdata__path(const struct perfdata *perfdata);
enum perfdata_form perfdata__form(const struct perfdata *perfdata);
/*
 * Whether the input is still as long as it was when it was opened. It is mapped: what was cut off
 * reads as zeros, or is a SIGBUS. -EBADMSG, reported, when it isn't; to be asked when all is read.
 */
int perfdata__check_whole(const struct perfdata *perfdata, struct diag *diag);
enum byte_order perfdata__order(const struct perfdata *perfdata);
const struct stat *perfdata__stat(const struct perfdata *perfdata);
/* EM_* and ELFCLASS* of the recording machine's kernel, from HEADER_ARCH; 0 when not said. */
uint16_t perfdata__machine(const struct perfdata *perfdata);
uint8_t perfdata__elf_class(const struct perfdata *perfdata);
/*
 * The whole file's bytes, the region that holds the records, and header features' bytes. A
 * directory's files stand one behind the other, so that offsets name a place in any of them; the
 * region is then that of the first.
 */
struct bytes perfdata__bytes(const struct perfdata *perfdata);
uint64_t perfdata__data_offset(const struct perfdata *perfdata);
uint64_t perfdata__data_size(const struct perfdata *perfdata);
bool perfdata__has_feature(const struct perfdata *perfdata, unsigned int feature);
struct bytes perfdata__feature(const struct perfdata *perfdata, unsigned int feature);
/* Of a string feature (HOSTNAME, OSRELEASE, VERSION, ARCH ...); NULL when absent. */
const char *perfdata__feature_string(const struct perfdata *perfdata, unsigned int feature);
/*
 * The command line that recorded, its words with a blank between them; "" when absent. To be freed;
 * NULL: no memory.
 */
char *perfdata__command(const struct perfdata *perfdata);
/*
 * The build-id that HEADER_BUILD_ID, or a pipe's records of that type, have for a file of that
 * name, for 20 bytes of room; returns its size, 0 when there is none.
 */
size_t perfdata__build_id(const struct perfdata *perfdata, const char *name,
			  uint8_t build_id[PERFDATA_BUILD_ID_SIZE]);
/*
 * Whether a walk, or the opening of a pipe, met a record whose size cannot be. Nothing behind it
 * can be found, and perf accepts no such profile.
 */
bool perfdata__is_impassable(const struct perfdata *perfdata);
/* Whether records stand compressed in the file. */
bool perfdata__compressed(const struct perfdata *perfdata);

struct perfdata_attr {
	struct perf_event_attr attr; /* host byte order, cut or zero-filled to this header's size */
	uint32_t recorded_size;      /* bytes of the attr in the file */
	const uint64_t *ids;
	size_t nr_ids;
	const char *name; /* of the event, from EVENT_DESC; or NULL */
};

size_t perfdata__nr_attrs(const struct perfdata *perfdata);
const struct perfdata_attr *perfdata__attr(const struct perfdata *perfdata, size_t i);

/* TSC to perf time, PERF_RECORD_TIME_CONV. Seen once the records were walked. */
struct perfdata_time_conv {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask; /* 0 and all ones in short records */
};
const struct perfdata_time_conv *perfdata__time_conv(const struct perfdata *perfdata);

struct perfdata_record {
	uint32_t type; /* enum perfdata_type, or one not known here */
	uint16_t misc;
	uint16_t size;       /* bytes, header included, payload behind it not */
	const uint8_t *data; /* the record in the file's order; not always aligned */
	uint16_t absent;     /* bytes at its end that data lacks: of samples, where heads are enough */
	uint64_t offset;     /* where it, or the record it is compressed in, begins in the file */
	uint64_t end;        /* where that ends, payload (AUXTRACE, TRACING_DATA) included */
	uint64_t nth;        /* how many records the walk gave before it */
	bool compressed;     /* stands in a compressed record */
};

/*
 * Bytes of a sample that are there where heads are enough: time and id are among them, and mostly
 * all that stands before a stack copy.
 */
#define PERFDATA_HEAD 512

/* A walk over the records. Private but for next, keep and heads. */
struct perfdata_walk {
	struct perfdata *perfdata;
	uint64_t next; /* file offset */
	size_t region;
	uint64_t nth;  /* of the next record */
	uint64_t kept; /* as in perfdata__give_back */
	bool keep;     /* set to leave giving back to the caller, who looks at records later */
	bool heads;    /* set when PERFDATA_HEAD bytes of a sample are enough: data may be no more */
	bool sparse;   /* samples are so large that to map their pages costs more than to read heads */
	uint8_t head[PERFDATA_HEAD];
	struct inflate *inflate; /* NULL until there is something to inflate */
};

/* Gives a record of which a walk read the head all its bytes: as they are mapped, until close. */
void perfdata_record__complete(struct perfdata_record *record, const struct perfdata *perfdata);

void perfdata_walk__begin(struct perfdata_walk *walk, struct perfdata *perfdata);
/*
 * 1 with a record, 0 at the end, negative errno. A record whose size cannot be ends the walk with
 * a report and 0: nothing behind it can be found. record->data is valid until the next call.
 */
int perfdata_walk__next(struct perfdata_walk *walk, struct perfdata_record *record);
/*
 * Of a file that is gone through: what is a good way before at need not stay in memory; it is in
 * the file, should it be asked for again. kept, 0 at first: up to where that was said before.
 */
void perfdata__give_back(const struct perfdata *perfdata, uint64_t *kept, uint64_t at);
/*
 * From now on walks give nothing back: mapping the file's pages anew for each of several walks
 * takes longer than all else that they do.
 */
void perfdata__keep_mapped(struct perfdata *perfdata);
void perfdata_walk__end(struct perfdata_walk *walk);

#endif
