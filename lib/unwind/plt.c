// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names for the procedure linkage table, which no symbols tell of: entry i jumps to the symbol of
 * relocation i. x86-64 has its entries in .plt behind a header, or in .plt.sec without one when
 * made for indirect branch tracking; .plt.got has those that are bound at once.
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "unwind/symbols.h"

#define ENTRY_SIZE 16
/* Of .plt: what resolves symbols when they are first called. */
#define HEADER_SIZE_X86     16
#define HEADER_SIZE_AARCH64 32

struct plt {
	struct symbols *symbols;
	Elf *elf;
	uint16_t machine;
	Elf_Scn *relocations, *got_relocations;
	GElf_Shdr relocations_header, got_relocations_header;
	GElf_Shdr plt, plt_sec, plt_got; /* size 0: not there */
	Elf_Data *dynsym;
	size_t strings; /* section of the names in dynsym */
};

static void find_sections(struct plt *plt)
{
	size_t names = 0;

	if (elf_getshdrstrndx(plt->elf, &names) < 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(plt->elf, scn));) {
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) ||
		    !(name = elf_strptr(plt->elf, names, header.sh_name)))
			continue;
		if (strcmp(name, ".plt") == 0) {
			plt->plt = header;
		} else if (strcmp(name, ".plt.sec") == 0) {
			plt->plt_sec = header;
		} else if (strcmp(name, ".plt.got") == 0) {
			plt->plt_got = header;
		} else if (strcmp(name, ".rela.plt") == 0) {
			plt->relocations = scn;
			plt->relocations_header = header;
		} else if (strcmp(name, ".rela.dyn") == 0) {
			plt->got_relocations = scn;
			plt->got_relocations_header = header;
		} else if (header.sh_type == SHT_DYNSYM) {
			plt->dynsym = elf_getdata(scn, NULL);
			plt->strings = header.sh_link;
		}
	}
}

/* Takes a name that was allocated. */
static int add(struct plt *plt, uint64_t start, uint64_t size, char *name)
{
	struct symbol symbol = {
		.start = start, .end = start + size, .name = name, .binding = STB_GLOBAL
	};

	if (!name || !array__push(&plt->symbols->made, name)) {
		free(name);
		return -ENOMEM;
	}
	return array__push(&plt->symbols->list, symbol) ? 0 : -ENOMEM;
}

static int add_entry(struct plt *plt, uint64_t start, const char *name)
{
	char *made;

	if (asprintf(&made, "%s@plt", name) < 0)
		return -ENOMEM;
	return add(plt, start, ENTRY_SIZE, made);
}

/* The name that a relocation is about; NULL: it names none. */
static const char *target(const struct plt *plt, const GElf_Rela *relocation)
{
	const char *name;
	GElf_Sym symbol;

	if (!GELF_R_SYM(relocation->r_info) || !plt->dynsym ||
	    !gelf_getsym(plt->dynsym, (int)GELF_R_SYM(relocation->r_info), &symbol))
		return NULL;
	name = elf_strptr(plt->elf, plt->strings, symbol.st_name);
	return name && *name ? name : NULL;
}

static int add_entries(struct plt *plt)
{
	Elf_Data *data = plt->relocations ? elf_getdata(plt->relocations, NULL) : NULL;
	size_t size = plt->relocations_header.sh_entsize;
	bool secure = plt->plt_sec.sh_size > 0;
	const GElf_Shdr *table = secure ? &plt->plt_sec : &plt->plt;
	uint64_t header = secure                       ? 0
			  : plt->machine == EM_AARCH64 ? HEADER_SIZE_AARCH64
						       : HEADER_SIZE_X86;
	int err = 0;

	if (!data || !size || plt->relocations_header.sh_type != SHT_RELA)
		return 0;
	for (size_t i = 0; !err && i < data->d_size / size; i++) {
		uint64_t at = header + i * ENTRY_SIZE;
		const char *name;
		GElf_Rela relocation;

		if (at >= table->sh_size || !gelf_getrela(data, (int)i, &relocation))
			break;
		name = target(plt, &relocation);
		if (name)
			err = add_entry(plt, table->sh_addr + at, name);
	}
	return err;
}

/* The address in the table of global offsets that an entry of .plt.got jumps through. */
static bool read_jump(const uint8_t *code, uint64_t addr, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = memcmp(code, endbr64, sizeof(endbr64)) == 0 ? sizeof(endbr64) : 0;

	at += code[at] == 0xf2;                       /* bnd */
	if (code[at] != 0xff || code[at + 1] != 0x25) /* jmp *offset(%rip) */
		return false;
	*slot = addr + at + 6 + (uint64_t)(int32_t)get_u32(code + at + 2, ORDER_LITTLE);
	return true;
}

static const char *name_of_slot(const struct plt *plt, Elf_Data *relocations, uint64_t slot)
{
	size_t count = relocations->d_size / plt->got_relocations_header.sh_entsize;

	for (size_t i = 0; i < count; i++) {
		GElf_Rela relocation;

		if (gelf_getrela(relocations, (int)i, &relocation) && relocation.r_offset == slot)
			return target(plt, &relocation);
	}
	return NULL;
}

static int add_got_entries(struct plt *plt)
{
	Elf_Data *relocations =
		plt->got_relocations ? elf_getdata(plt->got_relocations, NULL) : NULL;
	Elf_Data *code = elf_getdata_rawchunk(plt->elf, (int64_t)plt->plt_got.sh_offset,
					      plt->plt_got.sh_size, ELF_T_BYTE);
	size_t step = plt->plt_got.sh_entsize ? plt->plt_got.sh_entsize : 8;
	int err = 0;

	if (!relocations || !code || !plt->got_relocations_header.sh_entsize ||
	    plt->got_relocations_header.sh_type != SHT_RELA || plt->machine != EM_X86_64)
		return 0;
	for (size_t at = 0; !err && at + ENTRY_SIZE <= code->d_size; at += step) {
		const char *name;
		uint64_t slot;

		if (!read_jump((const uint8_t *)code->d_buf + at, plt->plt_got.sh_addr + at, &slot))
			continue;
		name = name_of_slot(plt, relocations, slot);
		if (name)
			err = add_entry(plt, plt->plt_got.sh_addr + at, name);
	}
	return err;
}

int symbols__add_plt(struct symbols *symbols, Elf *elf)
{
	struct plt plt = { .symbols = symbols, .elf = elf };
	GElf_Ehdr header;
	int err;

	if (!gelf_getehdr(elf, &header))
		return 0;
	plt.machine = header.e_machine;
	if (plt.machine != EM_X86_64 && plt.machine != EM_AARCH64)
		return 0;
	find_sections(&plt);
	err = add_entries(&plt);
	if (!err)
		err = add_got_entries(&plt);
	/* the header, and what no relocation names */
	if (!err && plt.plt.sh_size && plt.relocations)
		err = add(&plt, plt.plt.sh_addr, plt.plt.sh_size, strdup(".plt"));
	return err;
}
