/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outline of an ELF file: its program headers and unwind tables. A DSO for code that lies in a
 * mapped file takes the file's outline, so that readers may take either for the other: the same
 * place, the same extent, the same CFI. A DSO of its own shape inside the file's would work only in
 * readers that come upon the file first.
 */
#ifndef PERFJIT_DSO_OUTLINE_H
#define PERFJIT_DSO_OUTLINE_H

#include "base/file.h"
#include "dso/dso.h"

struct dso_outline {
	struct file_map map;
	uint64_t nr_segments;
	uint64_t loaded_end; /* file offset behind what is loaded */
	struct dso_outline_part {
		uint64_t offset, addr, size;
	} eh_frame_hdr, eh_frame;
	uint8_t build_id[DSO_BUILD_ID_SIZE];
	size_t build_id_size; /* 0: the file has none */
};

/*
 * Reads a 64-bit ELF file of the target's machine and byte order. false, with nothing reported,
 * when it is not there or not that: the caller does without.
 */
bool dso_outline__open(struct dso_outline *outline, const char *path,
		       const struct cfi_target *target);
void dso_outline__close(struct dso_outline *outline);

/* The vaddr that the file gives to what stands at a file offset; false when it isn't loaded. */
bool dso_outline__vaddr(const struct dso_outline *outline, enum byte_order order, uint64_t offset,
			uint64_t *vaddr);

/*
 * Writes the DSO: spec->base is the address of the file's offset 0 in the mapping that the code
 * lies in, where the first function stands in what the file loads; spec->unwind, headers and the
 * functions' CFI are not used.
 */
int dso_outline__write(const struct dso_outline *outline, const struct dso_spec *spec,
		       const uint8_t build_id[DSO_BUILD_ID_SIZE], struct file_out *out,
		       struct diag *diag);

#endif
