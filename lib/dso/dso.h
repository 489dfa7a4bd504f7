/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF images of code that has no file. In all that is loaded vaddr == file offset ==
 * address - base, the first PT_LOAD starts at offset 0 and vaddr 0: then the rules of every perf
 * for finding symbols and unwind tables come to the same place.
 */
#ifndef PERFJIT_DSO_DSO_H
#define PERFJIT_DSO_DSO_H

#include "cfi/cfi.h"
#include "code/record.h"

struct diag;
struct file_out;

#define DSO_BUILD_ID_SIZE 20

struct dso_function {
	const struct code_record *record; /* name, code, lines; lines move along with addr */
	uint64_t addr;
	uint64_t size;
};

/* Where the ELF header and the program headers go. */
enum dso_headers {
	DSO_HEADERS_BEFORE, /* both before the code */
	DSO_HEADERS_APART,  /* the ELF header before the code, program headers at the file's end */
	DSO_HEADERS_OVERLAID, /* nothing before the code: the ELF header stands in place of its
				 first bytes, which are lost to disassemblers but to nobody else */
};

/*
 * What an image is to hold. Functions are sorted by addr and disjoint; bytes between them, and code
 * that no record tells, are zeros or holes of the file. All lies within 2 GiB from base.
 *
 * Unwind data stands right behind the text when unwind is 0, and one mapping from base covers all.
 * Otherwise it is further up, with a hole between: the PT_LOAD ends with the text, and a mapping of
 * its own covers eh_frame_hdr to unwind_end, at the offset that is its distance from base.
 */
struct dso_spec {
	struct cfi_target target;
	const struct dso_function *functions;
	size_t nr_functions;
	const struct cfi_entry *cfi; /* sorted by addr, disjoint; a function may have several */
	size_t nr_cfi;
	enum dso_headers headers;
	uint64_t base;       /* address of file offset 0; base + header size <= first function */
	uint64_t text_end;   /* address behind the text, at least the last function's end */
	uint64_t unwind;     /* address for .eh_frame_hdr and .eh_frame, or 0 */
	uint64_t memory_end; /* address of the PT_LOAD's end in memory; 0: where its data ends */
	bool bare; /* without CFI no .eh_frame_hdr either: to show what the empty one is for */
	struct bytes identity; /* goes into the build-id besides the content: pid, generation */
	bool lines;            /* write .debug_info, .debug_line ... when some lines are known */
};

/* Where things come to lie, known before anything is written. Addresses, sizes in bytes. */
struct dso_layout {
	uint64_t text;         /* address of .text: the first function's */
	uint64_t eh_frame_hdr; /* address */
	uint64_t eh_frame;     /* address */
	uint64_t unwind_end;   /* address behind both */
	uint64_t load_end;     /* address behind what one mapping from base must cover */
};

/* Bytes from base to the first function at the least. */
uint64_t dso__header_size(uint8_t elf_class, enum dso_headers headers);

/* 0, -ENOMEM, or -ERANGE when the spec can't be laid out (reported). */
int dso__layout(const struct dso_spec *spec, struct dso_layout *layout, struct diag *diag);

/* Hash over all that the image holds, its place and spec->identity. Equal input, equal id. */
int dso__build_id(const struct dso_spec *spec, uint8_t build_id[DSO_BUILD_ID_SIZE]);

/* Writes the ELF file into an empty one. 0 or a negative errno, reported. */
int dso__write(const struct dso_spec *spec, const uint8_t build_id[DSO_BUILD_ID_SIZE],
	       struct file_out *out, struct diag *diag);

#endif
