/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an ELF image under construction. Private to lib/dso. */
#ifndef PERFJIT_DSO_IMAGE_H
#define PERFJIT_DSO_IMAGE_H

#include <elf.h>

#include "base/buf.h"
#include "dso/dso.h"

/* The program headers, in the order they stand in. */
enum image_segment {
	SEGMENT_LOAD,
	SEGMENT_EH_FRAME,
	SEGMENT_NOTE,
	SEGMENT_STACK,
	NR_SEGMENTS,
};

/* The sections, by number; those from .debug_abbrev on are there when some lines are. */
enum image_section {
	SECTION_NULL,
	SECTION_TEXT,
	SECTION_EH_FRAME_HDR,
	SECTION_EH_FRAME,
	SECTION_NOTE,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_SHSTRTAB,
	NR_PLAIN_SECTIONS,
	SECTION_DEBUG_ABBREV = NR_PLAIN_SECTIONS,
	SECTION_DEBUG_INFO,
	SECTION_DEBUG_LINE,
	SECTION_DEBUG_ARANGES,
	NR_SECTIONS,
};

#define NOTE_ALIGN 4
#define NOTE_SIZE  (sizeof(Elf32_Nhdr) + sizeof(ELF_NOTE_GNU) + DSO_BUILD_ID_SIZE)

/* File offset, and so vaddr, of the build-id note. */
static inline uint64_t image__note_offset(const struct dso_spec *spec,
					  const struct dso_layout *layout)
{
	return align_up(layout->unwind_end - spec->base, NOTE_ALIGN);
}

/*
 * A name from a dump, and its NUL, as it stands in symbols and debug information: readers print
 * those to terminals as they are.
 */
void image__put_name(struct buf *buf, const char *name);
/* That of the function; one that has none gets one. */
void image__put_function_name(struct buf *buf, const struct dso_function *function);

/* The code of the function that is known; what is missing of its size are zeros. */
struct bytes image__function_code(const struct dso_function *function);

/*
 * .symtab as an array of Elf32_Sym or Elf64_Sym in host order (libelf converts it) and .strtab.
 * 0, -ENOMEM, or -ERANGE when the names do not fit 32-bit offsets.
 */
int image__make_symbols(const struct dso_spec *spec, struct buf *symtab, struct buf *strtab);

/*
 * Write at their place in the file and leave the position behind that. The text has holes where
 * there is no code.
 */
int image__write_text(const struct dso_spec *spec, struct file_out *out, struct diag *diag);
int image__write_at(struct file_out *out, uint64_t offset, struct bytes bytes, struct diag *diag);

#endif
