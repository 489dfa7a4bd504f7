// SPDX-License-Identifier: GPL-2.0-or-later
/* Puts the parts of an image into an ELF file with libelf. */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/file.h"
#include "dso/debug.h"
#include "dso/image.h"

#define PAGE_ALIGN  0x1000
#define STACK_ALIGN 16

struct image {
	const struct dso_spec *spec;
	struct dso_layout layout;
	struct buf parts[NR_SECTIONS]; /* contents; none for .text */
	GElf_Shdr headers[NR_SECTIONS];
	size_t nr_sections;
	uint64_t headers_offset;  /* of the section headers */
	uint64_t segments_offset; /* of the program headers */
	uint64_t unloaded_end;    /* offset behind what is not loaded */
	bool sparse;              /* the unwind data stands last, behind a hole of the file */
};

struct section_form {
	const char *name;
	uint32_t type;
	uint32_t flags;
	uint8_t align; /* 0: as the class has it */
	Elf_Type data;
};

static const struct section_form forms[NR_SECTIONS] = {
	[SECTION_NULL] = { "", SHT_NULL, 0, 0, ELF_T_BYTE },
	[SECTION_TEXT] = { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, ELF_T_BYTE },
	[SECTION_EH_FRAME_HDR] = { ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 4, ELF_T_BYTE },
	[SECTION_EH_FRAME] = { ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0, ELF_T_BYTE },
	[SECTION_NOTE] = { ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, NOTE_ALIGN, ELF_T_BYTE },
	[SECTION_SYMTAB] = { ".symtab", SHT_SYMTAB, 0, 0, ELF_T_SYM },
	[SECTION_STRTAB] = { ".strtab", SHT_STRTAB, 0, 1, ELF_T_BYTE },
	[SECTION_SHSTRTAB] = { ".shstrtab", SHT_STRTAB, 0, 1, ELF_T_BYTE },
	[SECTION_DEBUG_ABBREV] = { ".debug_abbrev", SHT_PROGBITS, 0, 1, ELF_T_BYTE },
	[SECTION_DEBUG_INFO] = { ".debug_info", SHT_PROGBITS, 0, 1, ELF_T_BYTE },
	[SECTION_DEBUG_LINE] = { ".debug_line", SHT_PROGBITS, 0, 1, ELF_T_BYTE },
	[SECTION_DEBUG_ARANGES] = { ".debug_aranges", SHT_PROGBITS, 0, 1, ELF_T_BYTE },
};

static bool is_narrow(const struct image *image)
{
	return image->spec->target.class == ELFCLASS32;
}

static int fail(struct diag *diag, const struct file_out *out)
{
	int err = errno;

	if (err == ENOMEM)
		return -ENOMEM;
	diag__report(diag, DIAG_ERROR, "dso.libelf", out->path, DIAG_NO_OFFSET,
		     "can't write the ELF file: %s", err ? strerror(err) : elf_errmsg(-1));
	return err ? -err : -EIO;
}

static int make_unwind(struct image *image)
{
	return cfi__encode(image->spec->cfi, image->spec->nr_cfi, &image->spec->target,
			   image->layout.eh_frame, image->layout.eh_frame_hdr,
			   &image->parts[SECTION_EH_FRAME], &image->parts[SECTION_EH_FRAME_HDR]);
}

static void make_note(struct image *image, const uint8_t build_id[DSO_BUILD_ID_SIZE])
{
	struct buf *note = &image->parts[SECTION_NOTE];

	note->order = image->spec->target.order;
	buf__put_u32(note, sizeof(ELF_NOTE_GNU));
	buf__put_u32(note, DSO_BUILD_ID_SIZE);
	buf__put_u32(note, NT_GNU_BUILD_ID);
	buf__put(note, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
	buf__put(note, build_id, DSO_BUILD_ID_SIZE);
}

static uint64_t section_align(const struct image *image, enum image_section i, uint64_t vaddr)
{
	if (i == SECTION_TEXT)
		return (vaddr % forms[i].align) ? 1 : forms[i].align;
	if (forms[i].align)
		return forms[i].align;
	return is_narrow(image) ? 4 : 8;
}

/* What stands at a place given by the layout: offset is address. */
static void place_loaded(struct image *image, enum image_section i, uint64_t offset, uint64_t size)
{
	image->headers[i].sh_addr = offset;
	image->headers[i].sh_offset = offset;
	image->headers[i].sh_size = size;
	image->headers[i].sh_addralign = section_align(image, i, offset);
}

/* What is not loaded follows at offset: symbols, names, lines, and the tables of headers. */
static void place_unloaded(struct image *image, uint64_t offset)
{
	for (enum image_section i = SECTION_SYMTAB; i < image->nr_sections; i++) {
		GElf_Shdr *header = &image->headers[i];

		header->sh_addralign = section_align(image, i, 0);
		header->sh_offset = align_up(offset, header->sh_addralign);
		header->sh_size = image->parts[i].size;
		offset = header->sh_offset + header->sh_size;
	}
	image->headers_offset = align_up(offset, 8);
	offset = image->headers_offset +
		 image->nr_sections * (is_narrow(image) ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr));
	image->segments_offset = is_narrow(image) ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
	/* at the very end: libelf fills any gap before the section headers with zeros */
	if (image->spec->headers != DSO_HEADERS_BEFORE) {
		image->segments_offset = offset;
		offset +=
			NR_SEGMENTS * (is_narrow(image) ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));
	}
	image->unloaded_end = offset;
}

/*
 * Where the section begins, not always where the code does. perf 6.1 sees by what addr2line says of
 * address 0 where an answer ends, and waits for ever when that is not nothing: no section may have
 * it.
 */
static uint64_t text_offset(const struct image *image)
{
	uint64_t offset = image->layout.text - image->spec->base;

	return offset ? offset : 1;
}

static void place_sections(struct image *image)
{
	const struct dso_spec *spec = image->spec;
	const struct dso_layout *layout = &image->layout;
	uint64_t note = image__note_offset(spec, layout);
	uint64_t text_end = spec->text_end - spec->base;
	uint64_t text = text_offset(image);

	place_loaded(image, SECTION_TEXT, text, text_end - text);
	place_loaded(image, SECTION_EH_FRAME_HDR, layout->eh_frame_hdr - spec->base,
		     image->parts[SECTION_EH_FRAME_HDR].size);
	place_loaded(image, SECTION_EH_FRAME, layout->eh_frame - spec->base,
		     image->parts[SECTION_EH_FRAME].size);
	place_loaded(image, SECTION_NOTE, note, NOTE_SIZE);
	/* before unwind data that is far away, so that there can be a hole in the file */
	if (text_end < dso__header_size(spec->target.class, DSO_HEADERS_APART))
		text_end = dso__header_size(spec->target.class, DSO_HEADERS_APART);
	place_unloaded(image, text_end);
	image->sparse = spec->unwind &&
			image->unloaded_end <= image->headers[SECTION_EH_FRAME_HDR].sh_offset;
	if (!image->sparse)
		place_unloaded(image, note + NOTE_SIZE);
}

static bool is_left_out(const struct image *image, enum image_section i)
{
	return (i == SECTION_EH_FRAME_HDR || i == SECTION_EH_FRAME) && image->spec->bare &&
	       !image->spec->nr_cfi;
}

static void name_sections(struct image *image)
{
	struct buf *names = &image->parts[SECTION_SHSTRTAB];

	for (size_t i = 0; i < image->nr_sections; i++) {
		if (is_left_out(image, i))
			continue; /* SHT_NULL */
		image->headers[i].sh_name = (uint32_t)names->size;
		image->headers[i].sh_type = forms[i].type;
		image->headers[i].sh_flags = forms[i].flags;
		buf__put_string(names, forms[i].name);
	}
	image->headers[SECTION_SYMTAB].sh_link = SECTION_STRTAB;
	image->headers[SECTION_SYMTAB].sh_info = 1; /* the first symbol that is not local */
	image->headers[SECTION_SYMTAB].sh_entsize =
		is_narrow(image) ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

static int image__make(struct image *image, const uint8_t build_id[DSO_BUILD_ID_SIZE],
		       struct diag *diag)
{
	int err = dso__layout(image->spec, &image->layout, diag);

	if (!err)
		err = make_unwind(image);
	if (!err)
		err = image__make_symbols(image->spec, &image->parts[SECTION_SYMTAB],
					  &image->parts[SECTION_STRTAB]);
	if (!err && image->spec->lines)
		err = image__make_debug(image->spec, image->parts);
	if (err == -ERANGE)
		diag__report(diag, DIAG_ERROR, "dso.layout", NULL, DIAG_NO_OFFSET,
			     "the image is too large for its tables");
	if (err)
		return err;
	make_note(image, build_id);
	image->nr_sections =
		image->parts[SECTION_DEBUG_INFO].size ? NR_SECTIONS : NR_PLAIN_SECTIONS;
	name_sections(image);
	place_sections(image);
	if (is_narrow(image) && image->headers_offset > INT32_MAX) {
		diag__report(diag, DIAG_ERROR, "dso.layout", NULL, DIAG_NO_OFFSET,
			     "the image is too large for a 32-bit ELF file");
		return -ERANGE;
	}
	for (size_t i = 0; i < image->nr_sections; i++)
		if (image->parts[i].failed)
			return -ENOMEM;
	return 0;
}

static void image__free(struct image *image)
{
	for (size_t i = 0; i < NR_SECTIONS; i++)
		buf__free(&image->parts[i]);
}

/* Flags that say which ABI the code follows, where readers want to know it. */
static uint32_t machine_flags(const struct cfi_target *target)
{
	switch (target->machine) {
	case EM_ARM:
		return EF_ARM_EABI_VER5;
	case EM_PPC64:
		return target->order == ORDER_LITTLE ? 2 : 1; /* ELFv2 or ELFv1 */
	case EM_RISCV:
		return EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE;
	default:
		return 0;
	}
}

static bool write_elf_header(Elf *elf, const struct image *image)
{
	const struct cfi_target *target = &image->spec->target;
	GElf_Ehdr header;

	if (!gelf_newehdr(elf, target->class) || !gelf_getehdr(elf, &header))
		return false;
	header.e_ident[EI_DATA] = (unsigned char)target->order;
	header.e_ident[EI_OSABI] = ELFOSABI_NONE;
	header.e_type = ET_DYN;
	header.e_machine = target->machine;
	header.e_version = EV_CURRENT;
	header.e_flags = machine_flags(target);
	header.e_phoff = image->segments_offset;
	header.e_shoff = image->headers_offset;
	header.e_shstrndx = SECTION_SHSTRTAB;
	return gelf_update_ehdr(elf, &header);
}

/* A segment that is a section. */
static GElf_Phdr segment_of(const GElf_Shdr *section, uint32_t type)
{
	return (GElf_Phdr){ .p_type = type,
			    .p_flags = PF_R,
			    .p_offset = section->sh_offset,
			    .p_vaddr = section->sh_addr,
			    .p_paddr = section->sh_addr,
			    .p_filesz = section->sh_size,
			    .p_memsz = section->sh_size,
			    .p_align = section->sh_addralign };
}

static bool write_program_headers(Elf *elf, const struct image *image)
{
	const struct dso_spec *spec = image->spec;
	uint64_t memory_end = spec->memory_end ? spec->memory_end : image->layout.load_end;
	GElf_Phdr headers[NR_SEGMENTS] = {
		[SEGMENT_LOAD] = { .p_type = PT_LOAD,
				   .p_flags = PF_R | PF_X,
				   .p_filesz = image->layout.load_end - spec->base,
				   .p_memsz = memory_end - spec->base,
				   .p_align = PAGE_ALIGN },
		[SEGMENT_EH_FRAME] = segment_of(
			&image->headers[SECTION_EH_FRAME_HDR],
			is_left_out(image, SECTION_EH_FRAME_HDR) ? PT_NULL : PT_GNU_EH_FRAME),
		[SEGMENT_NOTE] = segment_of(&image->headers[SECTION_NOTE], PT_NOTE),
		[SEGMENT_STACK] = { .p_type = PT_GNU_STACK,
				    .p_flags = PF_R | PF_W,
				    .p_align = STACK_ALIGN },
	};

	if (!gelf_newphdr(elf, NR_SEGMENTS))
		return false;
	for (int i = 0; i < NR_SEGMENTS; i++)
		if (!gelf_update_phdr(elf, i, &headers[i]))
			return false;
	return true;
}

/* Unwind data behind a hole of the file. */
static bool is_far(const struct image *image, enum image_section i)
{
	return image->sparse &&
	       (i == SECTION_EH_FRAME_HDR || i == SECTION_EH_FRAME || i == SECTION_NOTE);
}

/*
 * Written without libelf: the text so that it need not be in one piece of memory, unwind data
 * because libelf fills the gap before any data it writes, and here the gap may be a hole of 1 GiB.
 */
static bool is_streamed(const struct image *image, enum image_section i)
{
	return i == SECTION_TEXT || i == SECTION_EH_FRAME_HDR || is_far(image, i);
}

/* Without memory, libelf may return a section that belongs to no file. */
static Elf_Scn *new_section(Elf *elf)
{
	Elf_Scn *section;

	elf_errno(); /* forgets what was before */
	section = elf_newscn(elf);
	return elf_errmsg(0) ? NULL : section;
}

/* Text that ends within the ELF header: libelf fills what follows, as it fills any gap. */
static uint64_t size_for_libelf(const struct image *image, enum image_section i)
{
	uint64_t end = dso__header_size(image->spec->target.class, DSO_HEADERS_APART);
	const GElf_Shdr *header = &image->headers[i];

	return i == SECTION_TEXT && header->sh_offset + header->sh_size < end
		       ? end - header->sh_offset
		       : header->sh_size;
}

static bool write_section(Elf *elf, struct image *image, enum image_section i)
{
	Elf_Scn *section = new_section(elf);
	GElf_Shdr header = image->headers[i];
	Elf_Data *data;

	if (!section)
		return false;
	/* libelf allocates all up to the last byte it knows of: it is not told of what is far away
	 */
	if (is_far(image, i))
		return true;
	header.sh_size = size_for_libelf(image, i);
	if (!gelf_update_shdr(section, &header))
		return false;
	if (is_streamed(image, i))
		return true;
	data = elf_newdata(section);
	if (!data)
		return false;
	data->d_buf = image->parts[i].data;
	data->d_size = image->parts[i].size;
	data->d_type = forms[i].data;
	data->d_align = image->headers[i].sh_addralign;
	data->d_version = EV_CURRENT;
	return true;
}

/* All but what is streamed. */
static int write_elf(struct image *image, struct file_out *out, struct diag *diag)
{
	Elf *elf;
	bool done;
	int err;

	elf_version(EV_CURRENT);
	errno = 0;
	elf = elf_begin(out->fd, ELF_C_WRITE, NULL);
	if (!elf)
		return fail(diag, out);
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	done = write_elf_header(elf, image) && write_program_headers(elf, image);
	for (enum image_section i = SECTION_TEXT; done && i < image->nr_sections; i++)
		done = write_section(elf, image, i);
	err = done && elf_update(elf, ELF_C_WRITE) >= 0 ? 0 : fail(diag, out);
	elf_end(elf);
	return err;
}

static void put_word(const struct image *image, struct buf *buf, uint64_t value)
{
	if (is_narrow(image))
		buf__put_u32(buf, (uint32_t)value);
	else
		buf__put_u64(buf, value);
}

/* A section header as the ELF specification has it, for either class. */
static void put_header(const struct image *image, struct buf *buf, const GElf_Shdr *header)
{
	buf__put_u32(buf, header->sh_name);
	buf__put_u32(buf, header->sh_type);
	put_word(image, buf, header->sh_flags);
	put_word(image, buf, header->sh_addr);
	put_word(image, buf, header->sh_offset);
	put_word(image, buf, header->sh_size);
	buf__put_u32(buf, header->sh_link);
	buf__put_u32(buf, header->sh_info);
	put_word(image, buf, header->sh_addralign);
	put_word(image, buf, header->sh_entsize);
}

/* The header of a section that libelf was told nothing of, or another size. */
static int write_header(struct image *image, enum image_section i, struct file_out *out,
			struct diag *diag)
{
	struct buf header = BUF(image->spec->target.order);
	int err;

	if (!is_far(image, i) && size_for_libelf(image, i) == image->headers[i].sh_size)
		return 0;
	put_header(image, &header, &image->headers[i]);
	err = header.failed ? -ENOMEM
			    : image__write_at(out, image->headers_offset + i * header.size,
					      buf__bytes(&header), diag);
	buf__free(&header);
	return err;
}

static int write_streamed(struct image *image, enum image_section i, struct file_out *out,
			  struct diag *diag)
{
	int err = image__write_at(out, image->headers[i].sh_offset, buf__bytes(&image->parts[i]),
				  diag);

	return err ? err : write_header(image, i, out, diag);
}

int dso__write(const struct dso_spec *spec, const uint8_t build_id[DSO_BUILD_ID_SIZE],
	       struct file_out *out, struct diag *diag)
{
	struct image image = { .spec = spec };
	int err = image__make(&image, build_id, diag);

	if (!err)
		err = write_elf(&image, out, diag);
	if (!err)
		err = image__write_text(spec, out, diag);
	if (!err)
		err = write_header(&image, SECTION_TEXT, out, diag);
	for (enum image_section i = SECTION_EH_FRAME_HDR; !err && i < image.nr_sections; i++)
		if (is_streamed(&image, i))
			err = write_streamed(&image, i, out, diag);
	image__free(&image);
	return err;
}
