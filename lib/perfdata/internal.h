/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of this module share. */
#ifndef PERFJIT_PERFDATA_INTERNAL_H
#define PERFJIT_PERFDATA_INTERNAL_H

#include "base/array.h"
#include "perfdata/event.h"
#include "perfdata/perfdata.h"

/* struct perf_file_header: magic, size, attr_size, three sections, 256 feature bits. */
#define PERFDATA_HEADER_SIZE             104
#define PERFDATA_HEADER_SIZE_NO_FEATURES 72
#define PERFDATA_PIPE_HEADER_SIZE        16
#define PERFDATA_RECORD_HEADER_SIZE      8
/* perf_event_attr as first published; a size of 0 in an attr means this. */
#define PERFDATA_ATTR_SIZE_FIRST 64

/* An extent of the file. */
struct perfdata_section {
	uint64_t offset, size;
};

/*
 * One file of the input. The files of a directory stand one behind the other in one mapping, each
 * at a page's beginning, so that an offset into the mapping names any place of the profile.
 */
struct perfdata_part {
	uint64_t start, size; /* in the mapping */
	int fd;               /* -1 when the bytes came from memory */
	char *name;           /* within the directory; NULL when the profile is one file */
	struct stat stat;     /* of the file that was given, in a directory */
};

struct perfdata_source {
	struct bytes bytes;
	size_t mapped; /* bytes to unmap; 0 when they are the caller's */
	bool is_directory;
	struct stat stat;
	ARRAY(struct perfdata_part) parts;
};

/* Where fields stand that must be read before it is known which event a record belongs to. */
struct perfdata_id_place {
	bool known;      /* records say which event they belong to */
	uint32_t sample; /* bytes from a sample's beginning */
	uint32_t others; /* bytes back from the end of any other record */
};

struct perfdata_attr_place {
	uint64_t offset; /* of the attr in the file */
	struct perfdata_section ids;
};

struct perfdata_id {
	uint64_t id;
	uint32_t attr;
};

/* A file's build-id; views into the profile. */
struct perfdata_build_id {
	const char *name;
	const uint8_t *bytes;
	uint8_t size;
	size_t nth; /* in order of the file: the first of a name counts */
};

/* What an EVENT_UPDATE of a pipe says that an event is called. */
struct perfdata_event_name {
	uint64_t id;
	const char *name;
};

struct perfdata {
	char *path;
	struct diag *diag;
	struct perfdata_source source;
	enum perfdata_form form;
	enum byte_order order;
	uint64_t header_size;
	uint64_t file_attr_size; /* of the header: bytes from one attr to the next */
	struct perfdata_section attrs_section, data, event_types;
	bool unfinished;                        /* the recorder never wrote data.size */
	ARRAY(struct perfdata_section) regions; /* that hold records, in the order of walking */
	ARRAY(struct perfdata_attr) attrs;
	ARRAY(struct perfdata_attr_place) attr_places;
	ARRAY(struct perfdata_id) ids;                 /* by id */
	ARRAY(struct perfdata_event_name) event_names; /* in the order of the file */
	ARRAY(struct perfdata_build_id) build_ids;     /* by name */
	struct perfdata_id_place id_place;
	bool sample_id_all;
	uint64_t features[PERFDATA_FEAT_BITS / 64];
	bool short_longs; /* the bitmap was written by a big-endian 32-bit machine */
	struct bytes feature_bytes[PERFDATA_FEAT_BITS];
	uint64_t lost_features[PERFDATA_FEAT_BITS / 64]; /* whose sections can't be theirs */
	uint64_t feature_table; /* offset of the sections' table, seekable form */
	uint64_t first_event;   /* the first record that is no header, pipe form */
	struct perfdata_time_conv time_conv;
	bool has_time_conv, compressed, impassable;
	bool keeps_mapped;     /* walks give nothing back */
	bool edited;           /* has a journal */
	uint64_t max_inflated; /* bytes that one compressed record may hold */
};

/* open.c */
/* Opens what source holds, which becomes the profile's, also on failure. */
int perfdata__open_source(struct perfdata **perfdata, struct perfdata_source *source,
			  const char *path, struct diag *diag);
/* A profile in memory that stays the caller's; wrapped ones are refused. */
int perfdata__open_bytes(struct perfdata **perfdata, struct bytes bytes, const char *name,
			 struct diag *diag);

/* restore.c */
/* Whether the first file has a journal becomes perfdata->edited. 0 or -ENOMEM. */
int perfdata__find_journal(struct perfdata *perfdata);

/* source.c */
/* Whatever path is: a file, a stream, something wrapped, a directory. */
int perfdata_source__open(struct perfdata_source *source, const char *path, struct diag *diag);
void perfdata_source__close(struct perfdata_source *source);
/* Bytes in memory, which stay the caller's. */
int perfdata_source__take(struct perfdata_source *source, struct bytes bytes);
/* Maps the whole of fd, which becomes the source's. path is for reports. */
int perfdata_source__map(struct perfdata_source *source, int fd, const char *path,
			 struct diag *diag);

/* perfdata__give_back, of a file's mapping. */
void mapped__give_back(struct bytes bytes, uint64_t *kept, uint64_t at);

/* directory.c */
int perfdata_source__open_directory(struct perfdata_source *source, int folder, const char *path,
				    struct diag *diag);
/* Maps parts whose files are open and whose sizes are known. */
int perfdata_source__map_parts(struct perfdata_source *source, const char *path, struct diag *diag);

/* unwrap.c */
/* Whether the bytes are a gzip or zstd file. */
bool unwrap__is_wrapped(struct bytes bytes);
/* Writes what is wrapped to fd. */
int unwrap__write(int fd, struct bytes bytes, const char *path, struct diag *diag);

/* header.c */
/* Whether the 8 bytes at data are those that a profile of any form begins with. */
bool perfdata_header__is_magic(const uint8_t *data);
int perfdata__read_header(struct perfdata *perfdata);
/* The feature bitmap as it stands in this file's header. */
void perfdata__encode_features(const struct perfdata *perfdata, const uint64_t *features,
			       uint8_t *bytes);

/* attrs.c */
/* Reads size bytes of an attr in the file's order. */
void perfdata__decode_attr(struct perf_event_attr *attr, const uint8_t *data, size_t size,
			   enum byte_order order);
/* Bytes that the attr at data says it has. */
uint32_t perfdata__attr_size(const uint8_t *data, enum byte_order order);
/* Appends an attr and its ids (in the file's order). */
int perfdata__add_attr(struct perfdata *perfdata, uint64_t offset, uint32_t size,
		       struct perfdata_section ids);
int perfdata__read_attrs(struct perfdata *perfdata);
/* Once all attrs are there: what is looked up by id, and where ids stand. */
int perfdata__index_attrs(struct perfdata *perfdata);
/* The event of an id; NULL for an id of none. */
const struct perfdata_attr *perfdata__attr_of_id(const struct perfdata *perfdata, uint64_t id);

/* features.c */
int perfdata__read_features(struct perfdata *perfdata);
/* Once attrs and features are there: names of events, the size of compressed records. */
void perfdata__digest_features(struct perfdata *perfdata);

/* build_id.c */
/* An entry of HEADER_BUILD_ID, or a record of that type; what makes no sense is passed over. */
int perfdata__add_build_id_entry(struct perfdata *perfdata, struct bytes entry);
/* Once the features are read, and what a pipe has instead. */
int perfdata__index_build_ids(struct perfdata *perfdata);

/* pipe.c */
int perfdata__read_pipe(struct perfdata *perfdata);

/* walk.c */
/* The record at an offset of records that end at end; what is wrong with it, or NULL. */
const char *perfdata__read_record(const struct perfdata *perfdata, uint64_t offset, uint64_t end,
				  struct perfdata_record *record);
/* Reports what is wrong with the record at offset, as perfdata__read_record said it. */
void perfdata__report_record(struct perfdata *perfdata, uint64_t offset, uint64_t end,
			     const char *wrong);
/* Bytes from offset on, up to end, that are whole records. */
uint64_t perfdata__whole_records(const struct perfdata *perfdata, uint64_t offset, uint64_t end);

/* compressed.c */
struct inflate;
struct inflate *inflate__new(struct perfdata *perfdata);
void inflate__free(struct inflate *inflate);
/* Starts over: what follows is another stream. */
void inflate__reset(struct inflate *inflate);
/* Takes a compressed record, whose bytes must stay until the next feed. */
void inflate__feed(struct inflate *inflate, const struct perfdata_record *record);
/* 1 with a record, 0 when more must be fed, -ENOMEM. */
int inflate__next(struct inflate *inflate, struct perfdata_record *record);
/* Says that the records end here. */
void inflate__finish(struct inflate *inflate);

/* sample.c */
/*
 * Reads registers of a sample, and passes over vector registers behind them; regs is set to those
 * of the mask, if there are. Returns PERF_SAMPLE_REGS_ABI_NONE, _32 or _64.
 */
uint64_t perfdata__read_regs(struct cursor *cur, uint64_t mask, struct bytes *regs);

/* sample_id.c */
/* The event that a record belongs to, by the id it carries; never NULL if there are attrs. */
const struct perfdata_attr *perfdata__attr_of_record(const struct perfdata *perfdata,
						     const struct perfdata_record *record);
/* Bytes of the sample_id trailer that records of this event carry. */
size_t perfdata__trailer_size(const struct perfdata *perfdata, const struct perfdata_attr *attr);
void perfdata__put_sample_id(const struct perfdata *perfdata, struct buf *buf,
			     const struct perfdata_sample_id *sample_id);

static inline struct bytes perfdata__slice(const struct perfdata *perfdata,
					   struct perfdata_section section)
{
	return (struct bytes){ perfdata->source.bytes.data + section.offset, section.size };
}

/* Whether the section lies within the file (of a directory: the first). */
static inline bool perfdata__contains(const struct perfdata *perfdata,
				      struct perfdata_section section)
{
	uint64_t size = perfdata->source.parts.items[0].size;

	return section.offset <= size && section.size <= size - section.offset;
}

static inline bool perfdata_section__overlap(struct perfdata_section a, struct perfdata_section b)
{
	return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

static inline bool perfdata__feature_bit(const uint64_t *features, unsigned int feature)
{
	return features[feature / 64] >> (feature % 64) & 1;
}

#endif
