/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code record: what a runtime said about one piece of machine code. It crosses every seam of
 * the library: the jitdump and perf map readers make it, the code map places it in time, DSOs are
 * built from it.
 *
 * All views and strings belong to the reader that made the record and live as long as that.
 */
#ifndef PERFJIT_CODE_RECORD_H
#define PERFJIT_CODE_RECORD_H

#include "base/bytes.h"

/* One row of a line table: the code from addr on comes from file:line. */
struct code_line {
	uint64_t addr; /* address as loaded, the producer's bias removed */
	uint32_t line; /* 0: no source line */
	uint32_t column;
	uint32_t file; /* index into code_lines.files */
	uint32_t inlined; /* index + 1 into code_lines.inlined: innermost inlined call; 0: none */
};

/* A function inlined at a call position (DEBUG_INFO2 only). */
struct code_inlined {
	const char *name;
	uint32_t caller; /* index + 1 of the enclosing inlined call; 0: the function itself */
	uint32_t call_file, call_line, call_column;
};

struct code_lines {
	const struct code_line *rows; /* by address, ascending */
	size_t nr_rows;
	const char *const *files;
	size_t nr_files;
	const struct code_inlined *inlined;
	size_t nr_inlined;
};

/* Call frame information as the producer wrote it. */
struct code_unwind {
	struct bytes eh_frame; /* CIEs and FDEs without the search table; may be empty */
	struct bytes eh_frame_hdr;
	bool shared;         /* one for several functions (LLVM ORC): FDEs hold absolute addresses */
	uint64_t mapped_size; /* what the producer wants mapped behind the code, bytes */
	uint64_t offset;     /* of its record in the dump */
};

/* No runtime makes a function so large, bytes: a source that tells of one is damaged. */
#define CODE_SIZE_MAX (UINT64_C(256) << 20)

struct code_record {
	uint64_t addr;  /* first byte, as loaded */
	uint64_t size;  /* 1 to CODE_SIZE_MAX bytes, and addr + size does not overflow */
	uint64_t time;  /* of loading, ns of the reader's clock; 0 when unknown */
	uint64_t index; /* the producer's code_index */
	uint32_t pid;   /* as the producer sees itself: its own pid namespace */
	uint32_t tid;
	const char *name;   /* as written, never NULL; may hold any byte but NUL */
	struct bytes code;  /* size bytes, or none when the source has no code (perf maps) */
	const struct code_unwind *unwind; /* or NULL */
	const struct code_lines *lines;   /* or NULL */
	uint64_t offset;    /* of its record in the source file */
};

/* Perf maps tell of neither code nor time. A function that is cut off in its dump has a time. */
static inline bool code_record__is_of_perf_map(const struct code_record *record)
{
	return !record->code.size && !record->time;
}

#endif
