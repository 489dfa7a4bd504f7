/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that make profiles readable by older perfs share. */
#ifndef PERFJIT_PERFDATA_ABI_CONVERT_H
#define PERFJIT_PERFDATA_ABI_CONVERT_H

#include "perfdata/abi_level.h"
#include "perfdata/edits.h"

struct abi;

/* What perf of one version knows. */
struct perfdata_abi {
	const char *name;
	unsigned int major, minor; /* 0: not a version */
	uint32_t attr_size;        /* of its struct perf_event_attr */
	unsigned int flags;        /* bit fields of attr from disabled on */
	unsigned int sample_bits;  /* of sample_type */
	unsigned int read_bits;    /* of read_format */
	unsigned int branch_bits;  /* of branch_sample_type */
	bool aux_actions;          /* attr has aux_start_paused, aux_pause, aux_resume */
	uint32_t kernel_types;     /* the last type of record that the kernel writes */
	uint32_t user_types;       /* the last that perf writes */
	unsigned int features;     /* of the header; as an id it ends them in pipe form */
	bool mmap_build_ids;       /* MMAP2 may carry a build-id, and be the kernel's */
	bool ranges;               /* CPU_MAP may hold a range */
	bool foreign_updates;      /* reads EVENT_UPDATE with CPUs of the other byte order */
	bool directories;          /* reads profiles that are one */
	bool zstd;                 /* as distributions build it */
};

/* bake.c */
void bake__change_attr(const struct perfdata_bake *bake, uint8_t *data, uint32_t size,
		       enum byte_order order);
/* Whether user registers of such samples become those of the interrupt: their attr has room. */
bool bake__moves_registers(const struct perfdata_bake *bake, uint64_t sample_type,
			   uint32_t attr_size);

/* abi_levels.c */
/* Knows everything, so that nothing is changed for its sake. */
extern const struct perfdata_abi perfdata_abi__any;
bool perfdata_abi__is_version(const struct perfdata_abi *level);
bool perfdata_abi__knows_type(const struct perfdata_abi *level, uint32_t type);

/* abi_attrs.c */
/* Clears in size bytes of an attr what the level does not know. */
void abi__mask_attr(const struct perfdata_abi *level, uint8_t *data, uint32_t size,
		    enum byte_order order);
/*
 * The changes to an attr of size bytes at an offset of the file, apart from its size. Those at or
 * behind kept bytes are left out.
 */
void abi__change_attr(const struct abi *abi, uint64_t offset, uint32_t size, uint32_t kept,
		      struct splices *splices);
/* What an attr says of its size. */
void abi__change_attr_size(const struct perfdata *perfdata, uint64_t offset, uint32_t size,
			   struct splices *splices);
/* The size that all attrs of a seekable file get. */
uint32_t abi__attr_size(const struct perfdata_abi *level, const struct perfdata_edits *edits);
/* Attrs in the contents of EVENT_DESC, which stand in the file; attr_size is what they say. */
void abi__change_event_desc(const struct abi *abi, struct bytes bytes, uint32_t attr_size,
			    struct splices *splices);

/* A build-id that stood in a mapping or stands in HEADER_BUILD_ID. */
struct abi_build_id {
	size_t name;   /* its place in abi.names */
	size_t nth;    /* in order of being found */
	bool existing; /* in HEADER_BUILD_ID */
	uint16_t misc;
	uint8_t size;
	uint8_t bytes[PERFDATA_BUILD_ID_SIZE];
};

/* A call chain that was recorded behind the samples that it belongs to. */
struct abi_chain {
	uint64_t cookie;
	uint32_t tid;
	size_t nth;    /* in order of being recorded */
	size_t begin;  /* its place in abi.ips */
	uint32_t size; /* bytes */
};

/* Converts one profile. */
struct abi {
	const struct perfdata_abi *level;
	const struct perfdata_bake *bake; /* or NULL */
	struct perfdata *perfdata;
	struct diag *diag;
	struct diag *quiet;     /* for walks after the first: their reports would be repetitions */
	bool defers_callchains; /* some event does, which the level does not know */
	bool inflate;           /* compressed records become those they hold */
	ARRAY(struct abi_chain) chains; /* by tid and cookie */
	struct buf ips;
	ARRAY(struct abi_build_id) build_ids;
	struct buf names;
};

/*
 * Changes to one record are splices. The record's bytes stand at offset in what those change: the
 * file, or bytes that were inflated. What runs out of memory shows in splices->bytes.failed.
 */

/* abi_records.c */
void abi__change_record(const struct abi *abi, const struct perfdata_record *record,
			uint64_t offset, struct splices *splices);
/*
 * Taken out. There is no type that every perf passes over: HEADER_EVENT_TYPE must be 80 bytes long
 * for perf 7, and 16 for older ones that exchange its bytes.
 */
void abi__drop(const struct perfdata_record *record, uint64_t offset, struct splices *splices);
/* What the record says of its size. */
void abi__change_size(const struct abi *abi, uint64_t offset, size_t size, struct splices *splices);
void abi__change_u16(const struct abi *abi, uint64_t offset, uint16_t value,
		     struct splices *splices);

/* abi_pipe.c */
void abi__change_header_attr(const struct abi *abi, const struct perfdata_record *record,
			     struct splices *splices);
void abi__change_header_feature(const struct abi *abi, const struct perfdata_record *record,
				struct splices *splices);

/* abi_sample.c */
void abi__change_sample(const struct abi *abi, const struct perfdata_record *record,
			uint64_t offset, struct splices *splices);
/* PERF_RECORD_READ, whose counts are laid out as a sample's. */
void abi__change_read(const struct abi *abi, const struct perfdata_record *record, uint64_t offset,
		      struct splices *splices);

/* abi_chains.c */
/* Takes note of a CALLCHAIN_DEFERRED record; -ENOMEM. */
int abi__note_chain(struct abi *abi, const struct perfdata_record *record);
void abi__sort_chains(struct abi *abi);
/* The chain that belongs to a cookie; an empty view when none was recorded. */
struct bytes abi__chain(const struct abi *abi, uint32_t tid, uint64_t cookie);

/* abi_build_ids.c */
/* Takes note of the build-id of a MMAP2, if it carries one; -ENOMEM. */
int abi__note_build_id(struct abi *abi, const struct perfdata_record *record);
/* Enters those that are not there yet. */
int abi__add_build_ids(struct abi *abi, struct perfdata_edits *edits);

/* abi_inflate.c */
int abi__replace_compressed(const struct abi *abi, struct splices *splices);
/* The size that a record will have; scratch gets the changes to it, at offset 0. */
size_t abi__changed_size(const struct abi *abi, const struct perfdata_record *record,
			 struct splices *scratch);
/* What splices that are made late put in is made by edits from now on, which own abi. */
int abi__inflate_late(const struct abi *abi, struct perfdata_edits *edits);

/* abi_convert.c */
void abi__free(struct abi *abi);

#endif
