/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debugging information of an image: one compilation unit with a subprogram and a line sequence
 * for each function whose lines are known (DWARF 4). Private to lib/dso.
 */
#ifndef PERFJIT_DSO_DEBUG_H
#define PERFJIT_DSO_DEBUG_H

#include "base/array.h"
#include "dso/image.h"
#include "dso/strings.h"

/* An inlined call whose code goes on at the place that was reached. */
struct open_inlined {
	uint32_t index; /* into code_lines.inlined */
	size_t entry;   /* offset in info of its entry ... */
	size_t high_pc; /* ... and of what says its size */
	uint64_t from;  /* address of its first byte */
};

struct debug {
	const struct dso_spec *spec;
	struct buf info;    /* .debug_info */
	struct buf files;   /* the file table of .debug_line */
	struct buf program; /* and the line number program */
	struct strings file_numbers;
	uint32_t nr_files;
	struct strings inlined_entries;  /* offsets in info of inlined functions, by name */
	ARRAY(uint32_t) numbers;         /* of the files of the function at hand */
	ARRAY(uint32_t) chain;           /* inlined calls of the row at hand, innermost first */
	ARRAY(struct open_inlined) open; /* outermost first */
};

/* The code that one row of a line table is about. */
struct row_span {
	const struct code_line *row;
	uint64_t from, to; /* addresses as the function is placed now */
};

struct row_walk {
	const struct dso_function *function;
	size_t next;
};

/*
 * Rows within the function, each with code of its own: of several rows at one address the last
 * counts, as readers differ in which one they take.
 */
bool row_walk__next(struct row_walk *walk, struct row_span *span);

/* Abbreviations, which are the same for all images. */
enum debug_abbrev {
	ABBREV_UNIT = 1,
	ABBREV_FUNCTION,
	ABBREV_FUNCTION_PARENT,
	ABBREV_INLINED_FUNCTION, /* the abstract instance */
	ABBREV_INLINED,
	ABBREV_INLINED_PARENT,
};

void debug__put_address(const struct debug *debug, struct buf *out, uint64_t address);
/* The number in the file table of a file of the function at hand. Errors show in files.failed. */
uint32_t debug__file_number(struct debug *debug, uint32_t file);

/* Appends the function's sequence to the line number program. */
void debug__put_sequence(struct debug *debug, const struct dso_function *function);
/* What stands behind the file table's start and before the program: .debug_line as a whole. */
void debug__assemble_line(const struct debug *debug, struct buf *line);

/* Entries of functions inlined in this one that have none yet. 0 or -ENOMEM. */
int debug__put_inlined_functions(struct debug *debug, const struct code_lines *lines);
/* Children of the function's entry. *any: there were some. 0 or -ENOMEM. */
int debug__put_inlined_calls(struct debug *debug, const struct dso_function *function, bool *any);

/*
 * Makes the debug sections; leaves them empty when no function has lines.
 * 0, -ENOMEM, or -ERANGE when something does not fit 32-bit offsets.
 */
int image__make_debug(const struct dso_spec *spec, struct buf parts[NR_SECTIONS]);

#endif
