// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads an ELF file: sections, functions, unwind tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump_elf.h"

static int refuse(struct dump_elf *print, const char *what)
{
	diag__report(print->dump->diag, DIAG_ERROR, "elf.unreadable", print->dump->path,
		     DIAG_NO_OFFSET, "%s: %s", what, elf_errmsg(-1));
	return -EINVAL;
}

static int open_elf(struct dump_elf *print)
{
	int err = file_map__open(&print->map, print->dump->path, false, print->dump->diag);
	/* libelf only reads what it is not asked to write */
	char *image;

	if (err)
		return err;
	print->mapped = true;
	image = (char *)(uintptr_t)print->map.bytes.data;
	elf_version(EV_CURRENT);
	print->elf = elf_memory(image, print->map.bytes.size);
	if (!print->elf || !gelf_getehdr(print->elf, &print->ehdr))
		return refuse(print, "is no ELF file that can be read");
	print->target = (struct cfi_target){
		.machine = print->ehdr.e_machine,
		.class = print->ehdr.e_ident[EI_CLASS],
		.order = print->ehdr.e_ident[EI_DATA] == ELFDATA2MSB ? ORDER_BIG : ORDER_LITTLE,
	};
	return 0;
}

/* The contents of a section as they stand in the file, or none when they lie outside. */
static struct bytes contents(const struct dump_elf *print, const GElf_Shdr *shdr)
{
	struct bytes file = print->map.bytes;

	if (shdr->sh_type == SHT_NOBITS || shdr->sh_offset > file.size ||
	    shdr->sh_size > file.size - shdr->sh_offset)
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ file.data + shdr->sh_offset, shdr->sh_size };
}

static int read_sections(struct dump_elf *print)
{
	Elf_Scn *scn = NULL;
	size_t names = 0;

	if (elf_getshdrstrndx(print->elf, &names) < 0)
		return 0;
	while ((scn = elf_nextscn(print->elf, scn))) {
		struct elf_section section;

		if (!gelf_getshdr(scn, &section.shdr))
			continue;
		section.name = elf_strptr(print->elf, names, section.shdr.sh_name);
		section.name = section.name ? section.name : "";
		section.bytes = contents(print, &section.shdr);
		if (!array__push(&print->sections, section))
			return -ENOMEM;
	}
	return 0;
}

static int add_functions(struct dump_elf *print, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;

	for (size_t i = 0; data && i < count; i++) {
		struct elf_function function;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if ((GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		function.name = elf_strptr(print->elf, shdr->sh_link, sym.st_name);
		function.name = function.name ? function.name : "";
		function.addr = sym.st_value;
		function.size = sym.st_size;
		if (!array__push(&print->functions, function))
			return -ENOMEM;
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* .symtab has all that .dynsym has. */
static int read_functions(struct dump_elf *print)
{
	static const GElf_Word tables[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (size_t i = 0; i < 2 && !print->functions.count; i++) {
		Elf_Scn *scn = NULL;
		GElf_Shdr shdr;

		while ((scn = elf_nextscn(print->elf, scn))) {
			if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != tables[i])
				continue;
			if (add_functions(print, scn, &shdr))
				return -ENOMEM;
		}
	}
	if (print->functions.count)
		qsort(print->functions.items, print->functions.count,
		      sizeof(*print->functions.items), by_place);
	return 0;
}

static int read_cfi(struct dump_elf *print)
{
	array__for_each(section, &print->sections)
		if (strcmp(section->name, ".eh_frame") == 0 && section->bytes.size)
			return cfi_table__read(&print->cfi, section->bytes, section->shdr.sh_addr,
					       &print->target, print->dump->path,
					       section->shdr.sh_offset, print->dump->diag);
	return 0;
}

int dump_elf__open(struct dump_elf *print)
{
	int err = open_elf(print);

	if (!err)
		err = read_sections(print);
	if (!err)
		err = read_functions(print);
	if (!err)
		err = read_cfi(print);
	if (!err && print->dump->options->lines)
		err = dump_elf__read_lines(print);
	return err;
}

void dump_elf__close(struct dump_elf *print)
{
	array__free(&print->rows);
	array__free(&print->files);
	cfi_table__free(&print->cfi);
	array__free(&print->functions);
	array__free(&print->sections);
	dwarf_end(print->dwarf);
	elf_end(print->elf);
	if (print->mapped)
		file_map__close(&print->map);
}

struct bytes dump_elf__code(const struct dump_elf *print, uint64_t addr, uint64_t size)
{
	array__for_each(section, &print->sections) {
		uint64_t start = section->shdr.sh_addr;

		if (!(section->shdr.sh_flags & SHF_EXECINSTR) || addr < start ||
		    addr - start >= section->bytes.size)
			continue;
		if (size > section->bytes.size - (addr - start))
			size = section->bytes.size - (addr - start);
		return (struct bytes){ section->bytes.data + (addr - start), size };
	}
	return (struct bytes){ NULL, 0 };
}
