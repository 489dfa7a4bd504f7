// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/diag.h"
#include "dso/image.h"

#define UNWIND_ALIGN 8

uint64_t dso__header_size(uint8_t elf_class, enum dso_headers headers)
{
	bool narrow = elf_class == ELFCLASS32;
	uint64_t header = narrow ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);

	switch (headers) {
	case DSO_HEADERS_OVERLAID:
		return 0;
	case DSO_HEADERS_APART:
		return header;
	default:
		return header + NR_SEGMENTS * (narrow ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));
	}
}

static int refuse(struct diag *diag, const char *what, uint64_t address)
{
	diag__report(diag, DIAG_ERROR, "dso.layout", NULL, DIAG_NO_OFFSET,
		     "no image can be laid out: %s (0x%" PRIx64 ")", what, address);
	return -ERANGE;
}

static int check_functions(const struct dso_spec *spec, struct diag *diag)
{
	uint64_t free_from = spec->base + dso__header_size(spec->target.class, spec->headers);

	if (!spec->nr_functions)
		return refuse(diag, "it has no function", spec->base);
	if (free_from < spec->base)
		return refuse(diag, "its base is at the end of memory", spec->base);
	for (size_t i = 0; i < spec->nr_functions; i++) {
		const struct dso_function *function = &spec->functions[i];

		if (function->addr < free_from)
			return refuse(diag,
				      i ? "functions overlap or are not sorted"
					: "no room for the headers before the code",
				      function->addr);
		if (function->size > spec->text_end - function->addr ||
		    function->addr > spec->text_end)
			return refuse(diag, "a function goes past the text's end", function->addr);
		free_from = function->addr + function->size;
	}
	return 0;
}

static int measure_unwind(const struct dso_spec *spec, struct cfi_size *size, struct diag *diag)
{
	int err = cfi__measure(spec->cfi, spec->nr_cfi, &spec->target, size);

	return err == -ERANGE ? refuse(diag, "too much unwind data", spec->base) : err;
}

/*
 * Offsets up to 2 GiB keep every distance in the unwind tables within 32 bits, and the memory of a
 * 32-bit process is no larger than its addresses are.
 */
static int check_end(const struct dso_spec *spec, const struct dso_layout *layout,
		     struct diag *diag)
{
	uint64_t max_address = spec->target.class == ELFCLASS32 ? UINT32_MAX : UINT64_MAX;
	uint64_t end = layout->unwind_end + NOTE_ALIGN + NOTE_SIZE;

	if (end - spec->base > INT32_MAX || end < layout->unwind_end)
		return refuse(diag, "its parts lie 2 GiB apart or more", layout->unwind_end);
	if (layout->unwind_end > max_address || spec->memory_end > max_address)
		return refuse(diag, "it is not within 32-bit addresses", layout->unwind_end);
	if (spec->memory_end && spec->memory_end < layout->load_end)
		return refuse(diag, "its memory ends before its data", spec->memory_end);
	return 0;
}

int dso__layout(const struct dso_spec *spec, struct dso_layout *layout, struct diag *diag)
{
	uint64_t start = spec->unwind ? spec->unwind : spec->text_end;
	uint64_t header = dso__header_size(spec->target.class, DSO_HEADERS_APART);
	struct cfi_size size;
	int err = check_functions(spec, diag);

	if (!err && start < spec->text_end)
		err = refuse(diag, "the unwind data is to stand before the text's end", start);
	if (!err && start - spec->base > INT32_MAX)
		err = refuse(diag, "its parts lie 2 GiB apart or more", start);
	if (!err)
		err = measure_unwind(spec, &size, diag);
	if (err)
		return err;
	/* It is offsets that are aligned: the base may be any address. */
	start = align_up(start - spec->base, UNWIND_ALIGN);
	if (start < header) /* code shorter than the ELF header that overlays it */
		start = align_up(header, UNWIND_ALIGN);
	layout->text = spec->functions[0].addr;
	layout->eh_frame_hdr = spec->base + start;
	start = align_up(start + size.eh_frame_hdr, UNWIND_ALIGN);
	layout->eh_frame = spec->base + start;
	layout->unwind_end = layout->eh_frame + size.eh_frame;
	layout->load_end = spec->unwind ? spec->text_end
					: spec->base + image__note_offset(spec, layout) + NOTE_SIZE;
	return check_end(spec, layout, diag);
}
