// SPDX-License-Identifier: GPL-2.0-or-later
#include "dso/outline.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>

#include "base/diag.h"
#include "dso/image.h"

static bool is_wanted(Elf *elf, const struct cfi_target *target, GElf_Ehdr *header)
{
	return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, header) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && target->class == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == target->order && header->e_machine == target->machine &&
	       header->e_phoff == sizeof(Elf64_Ehdr) && header->e_phentsize == sizeof(Elf64_Phdr);
}

static bool find_loaded_end(struct dso_outline *outline, Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0 || count == 0 || count >= PN_XNUM)
		return false;
	outline->nr_segments = count;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		uint64_t end;

		if (!gelf_getphdr(elf, (int)i, &segment))
			return false;
		if (segment.p_type != PT_LOAD)
			continue;
		if (__builtin_add_overflow(segment.p_offset, segment.p_filesz, &end) ||
		    end > outline->map.bytes.size)
			return false;
		if (end > outline->loaded_end)
			outline->loaded_end = end;
	}
	return outline->loaded_end > sizeof(Elf64_Ehdr) + count * sizeof(Elf64_Phdr);
}

static void take_part(const struct dso_outline *outline, const GElf_Shdr *section,
		      struct dso_outline_part *part)
{
	if (section->sh_type == SHT_NOBITS || section->sh_offset > outline->loaded_end ||
	    section->sh_size > outline->loaded_end - section->sh_offset)
		return;
	*part = (struct dso_outline_part){ section->sh_offset, section->sh_addr, section->sh_size };
}

static void take_build_id(struct dso_outline *outline, const GElf_Shdr *section)
{
	const size_t head = sizeof(Elf64_Nhdr) + sizeof(ELF_NOTE_GNU);

	if (section->sh_size < head || section->sh_size - head > DSO_BUILD_ID_SIZE ||
	    section->sh_offset > outline->map.bytes.size ||
	    section->sh_size > outline->map.bytes.size - section->sh_offset)
		return;
	outline->build_id_size = section->sh_size - head;
	memcpy(outline->build_id, outline->map.bytes.data + section->sh_offset + head,
	       outline->build_id_size);
}

static bool find_parts(struct dso_outline *outline, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr section;
		const char *name = gelf_getshdr(scn, &section)
					   ? elf_strptr(elf, names, section.sh_name)
					   : NULL;

		if (!name)
			continue;
		if (strcmp(name, ".eh_frame_hdr") == 0)
			take_part(outline, &section, &outline->eh_frame_hdr);
		else if (strcmp(name, ".eh_frame") == 0)
			take_part(outline, &section, &outline->eh_frame);
		else if (strcmp(name, ".note.gnu.build-id") == 0)
			take_build_id(outline, &section);
	}
	return outline->eh_frame.size && outline->eh_frame_hdr.size;
}

bool dso_outline__open(struct dso_outline *outline, const char *path,
		       const struct cfi_target *target)
{
	struct diag *silent = diag__new(NULL, NULL);
	bool usable = false;
	GElf_Ehdr header;
	Elf *elf;

	*outline = (struct dso_outline){ .map.fd = -1 };
	if (!silent || file_map__open(&outline->map, path, false, silent) < 0) {
		diag__free(silent);
		return false;
	}
	diag__free(silent);
	elf_version(EV_CURRENT);
	elf = elf_begin(outline->map.fd, ELF_C_READ, NULL);
	if (elf)
		usable = is_wanted(elf, target, &header) && find_loaded_end(outline, elf) &&
			 find_parts(outline, elf);
	elf_end(elf);
	if (!usable)
		dso_outline__close(outline);
	return usable;
}

void dso_outline__close(struct dso_outline *outline)
{
	file_map__close(&outline->map);
	*outline = (struct dso_outline){ .map.fd = -1 };
}

static const uint8_t *segment_at(const struct dso_outline *outline, uint64_t i)
{
	return outline->map.bytes.data + sizeof(Elf64_Ehdr) + i * sizeof(Elf64_Phdr);
}

bool dso_outline__vaddr(const struct dso_outline *outline, enum byte_order order, uint64_t offset,
			uint64_t *vaddr)
{
	for (uint64_t i = 0; i < outline->nr_segments; i++) {
		const uint8_t *p = segment_at(outline, i);
		uint64_t start = get_u64(p + offsetof(Elf64_Phdr, p_offset), order);

		if (get_u32(p + offsetof(Elf64_Phdr, p_type), order) != PT_LOAD || offset < start ||
		    offset - start >= get_u64(p + offsetof(Elf64_Phdr, p_filesz), order))
			continue;
		*vaddr = get_u64(p + offsetof(Elf64_Phdr, p_vaddr), order) + (offset - start);
		return true;
	}
	return false;
}

/* The file under construction: what stands behind the loaded part, and the table of all parts. */
struct writer {
	const struct dso_outline *outline;
	const struct dso_spec *spec;
	struct buf tail, names, sections;
	size_t nr_sections;
};

enum outline_section {
	OUTLINE_NULL,
	OUTLINE_TEXT,
	OUTLINE_EH_FRAME_HDR,
	OUTLINE_EH_FRAME,
	OUTLINE_NOTE,
	OUTLINE_SYMTAB,
	OUTLINE_STRTAB,
	OUTLINE_SHSTRTAB,
	NR_OUTLINE_SECTIONS,
};

static uint64_t section_align(uint32_t type, uint64_t flags)
{
	switch (type) {
	case SHT_NULL:
		return 0;
	case SHT_NOTE:
		return NOTE_ALIGN;
	case SHT_STRTAB:
		return 1;
	default:
		return (flags & SHF_EXECINSTR) ? 1 : 8;
	}
}

static void put_section(struct writer *writer, const char *name, uint32_t type, uint64_t flags,
			struct dso_outline_part part, uint32_t link)
{
	struct buf *sections = &writer->sections;
	bool symbols = type == SHT_SYMTAB;

	buf__put_u32(sections, (uint32_t)writer->names.size);
	buf__put_u32(sections, type);
	buf__put_u64(sections, flags);
	buf__put_u64(sections, part.addr);
	buf__put_u64(sections, part.offset);
	buf__put_u64(sections, part.size);
	buf__put_u32(sections, link);
	buf__put_u32(sections, symbols);
	buf__put_u64(sections, section_align(type, flags));
	buf__put_u64(sections, symbols ? sizeof(Elf64_Sym) : 0);
	buf__put_string(&writer->names, name);
}

/* Appends to the tail; gives the place in the file. */
static struct dso_outline_part put_tail(struct writer *writer, struct bytes bytes)
{
	struct dso_outline_part part = { 0, 0, bytes.size };

	buf__align(&writer->tail, 8);
	part.offset = align_up(writer->outline->loaded_end, 8) + writer->tail.size;
	buf__put(&writer->tail, bytes.data, bytes.size);
	return part;
}

static struct dso_outline_part put_note(struct writer *writer,
					const uint8_t build_id[DSO_BUILD_ID_SIZE])
{
	struct buf note = BUF(writer->spec->target.order);
	struct dso_outline_part part;

	buf__put_u32(&note, sizeof(ELF_NOTE_GNU));
	buf__put_u32(&note, DSO_BUILD_ID_SIZE);
	buf__put_u32(&note, NT_GNU_BUILD_ID);
	buf__put(&note, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU));
	buf__put(&note, build_id, DSO_BUILD_ID_SIZE);
	part = put_tail(writer, buf__bytes(&note));
	writer->tail.failed |= note.failed;
	buf__free(&note);
	return part;
}

/* Symbols in the file's own vaddrs and byte order; what lies elsewhere has none. */
static void put_symbols(const struct writer *writer, struct buf *symtab, struct buf *strtab)
{
	const struct dso_spec *spec = writer->spec;

	buf__put_zeros(symtab, sizeof(Elf64_Sym));
	buf__put_u8(strtab, 0);
	for (size_t i = 0; i < spec->nr_functions; i++) {
		const struct dso_function *function = &spec->functions[i];
		uint64_t vaddr;

		if (!dso_outline__vaddr(writer->outline, spec->target.order,
					function->addr - spec->base, &vaddr))
			continue;
		buf__put_u32(symtab, (uint32_t)strtab->size);
		buf__put_u8(symtab, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
		buf__put_u8(symtab, STV_DEFAULT);
		buf__put_u16(symtab, OUTLINE_TEXT);
		buf__put_u64(symtab, vaddr);
		buf__put_u64(symtab, function->size);
		image__put_function_name(strtab, function);
	}
}

static void put_sections(struct writer *writer, const uint8_t build_id[DSO_BUILD_ID_SIZE])
{
	const struct dso_spec *spec = writer->spec;
	struct buf symtab = BUF(spec->target.order), strtab = BUF(spec->target.order);
	struct dso_outline_part text = { spec->functions[0].addr - spec->base, 0,
					 spec->text_end - spec->functions[0].addr };

	dso_outline__vaddr(writer->outline, spec->target.order, text.offset, &text.addr);
	put_symbols(writer, &symtab, &strtab);
	put_section(writer, "", SHT_NULL, 0, (struct dso_outline_part){ 0 }, 0);
	put_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, text, 0);
	put_section(writer, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, writer->outline->eh_frame_hdr,
		    0);
	put_section(writer, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, writer->outline->eh_frame, 0);
	put_section(writer, ".note.gnu.build-id", SHT_NOTE, 0, put_note(writer, build_id), 0);
	put_section(writer, ".symtab", SHT_SYMTAB, 0, put_tail(writer, buf__bytes(&symtab)),
		    OUTLINE_STRTAB);
	put_section(writer, ".strtab", SHT_STRTAB, 0, put_tail(writer, buf__bytes(&strtab)), 0);
	writer->tail.failed |= symtab.failed || strtab.failed || strtab.size > UINT32_MAX;
	buf__free(&symtab);
	buf__free(&strtab);
}

/* The last section holds the names, its own included. */
static void put_names(struct writer *writer)
{
	static const char name[] = ".shstrtab";
	struct dso_outline_part part;
	struct buf names = BUF(ORDER_HOST);

	buf__put(&names, writer->names.data, writer->names.size);
	buf__put(&names, name, sizeof(name));
	part = put_tail(writer, buf__bytes(&names));
	writer->tail.failed |= names.failed;
	buf__free(&names);
	put_section(writer, name, SHT_STRTAB, 0, part, 0);
}

/* The file's own header and program headers, but for where the sections are. */
static bool make_head(const struct writer *writer, uint64_t sections, struct buf *head)
{
	enum byte_order order = writer->spec->target.order;
	const size_t size = sizeof(Elf64_Ehdr) + writer->outline->nr_segments * sizeof(Elf64_Phdr);

	buf__put(head, writer->outline->map.bytes.data, size);
	if (head->failed)
		return false;
	set_u64(head->data + offsetof(Elf64_Ehdr, e_shoff), sections, order);
	set_u16(head->data + offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), order);
	set_u16(head->data + offsetof(Elf64_Ehdr, e_shnum), NR_OUTLINE_SECTIONS, order);
	set_u16(head->data + offsetof(Elf64_Ehdr, e_shstrndx), OUTLINE_SHSTRTAB, order);
	for (uint64_t i = 0; i < writer->outline->nr_segments; i++) {
		uint8_t *segment = head->data + sizeof(Elf64_Ehdr) + i * sizeof(Elf64_Phdr);
		uint32_t type = get_u32(segment, order);

		/* what the others point to is not in this file */
		if (type != PT_LOAD && type != PT_GNU_EH_FRAME && type != PT_GNU_STACK)
			set_u32(segment, PT_NULL, order);
	}
	return true;
}

static struct bytes bytes_of(const struct dso_outline *outline, const struct dso_outline_part *part)
{
	return (struct bytes){ outline->map.bytes.data + part->offset, part->size };
}

static int write_parts(struct writer *writer, struct file_out *out, struct diag *diag)
{
	const struct dso_outline *outline = writer->outline;
	uint64_t tail = align_up(outline->loaded_end, 8);
	struct buf head = BUF(ORDER_HOST);
	int err;

	buf__align(&writer->tail, 8);
	if (writer->tail.failed || writer->sections.failed || writer->names.failed ||
	    !make_head(writer, tail + writer->tail.size, &head)) {
		buf__free(&head);
		return -ENOMEM;
	}
	err = image__write_text(writer->spec, out, diag);
	if (!err)
		err = image__write_at(out, outline->eh_frame_hdr.offset,
				      bytes_of(outline, &outline->eh_frame_hdr), diag);
	if (!err)
		err = image__write_at(out, outline->eh_frame.offset,
				      bytes_of(outline, &outline->eh_frame), diag);
	if (!err)
		err = image__write_at(out, tail, buf__bytes(&writer->tail), diag);
	if (!err)
		err = file_out__write(out, buf__bytes(&writer->sections), diag);
	if (!err)
		err = image__write_at(out, 0, buf__bytes(&head), diag);
	buf__free(&head);
	return err;
}

int dso_outline__write(const struct dso_outline *outline, const struct dso_spec *spec,
		       const uint8_t build_id[DSO_BUILD_ID_SIZE], struct file_out *out,
		       struct diag *diag)
{
	struct writer writer = {
		.outline = outline,
		.spec = spec,
		.tail = BUF(spec->target.order),
		.names = BUF(ORDER_HOST),
		.sections = BUF(spec->target.order),
	};
	int err;

	put_sections(&writer, build_id);
	put_names(&writer);
	err = write_parts(&writer, out, diag);
	buf__free(&writer.tail);
	buf__free(&writer.names);
	buf__free(&writer.sections);
	return err;
}
