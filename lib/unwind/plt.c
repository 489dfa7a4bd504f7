// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names for the procedure linkage table, which no symbols tell of. An entry jumps through a slot of
 * the global offset table, which a relocation fills: its symbol is what the entry is called by. On
 * x86-64 the slot is read from the code, for there are many kinds of entries; on aarch64 entry i of
 * .plt is that of relocation i.
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "unwind/symbols.h"

#define ENTRY_SIZE     16
#define ENTRY_SIZE_MIN 8
/* Of .plt on aarch64: what resolves symbols when they are first called. */
#define HEADER_SIZE 32

/* A slot and the name that its relocation gives it. */
struct plt_slot {
	uint64_t addr;
	const char *name;
};

struct plt {
	struct symbols *symbols;
	Elf *elf;
	uint16_t machine;
	size_t section_names;
	Elf_Data *dynsym;
	size_t strings;               /* section of the names in dynsym */
	ARRAY(struct plt_slot) slots; /* those of .rela.plt as they stand there, then by address */
};

/* Takes a name that was allocated. */
static int add(struct plt *plt, uint64_t start, uint64_t size, char *name)
{
	struct symbol symbol = {
		.start = start,
		.end = start + size,
		.name = name,
		.binding = STB_GLOBAL,
		.sized = true,
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

/*
 * The name that a relocation is about; NULL: it names none. Functions that choose among others
 * when the program starts (IRELATIVE) have no symbol but the address of what chooses.
 */
static const char *target(const struct plt *plt, const GElf_Rela *relocation)
{
	const uint64_t irelative =
		plt->machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
	const struct symbol *chooser;
	const char *name;
	GElf_Sym symbol;

	if (GELF_R_TYPE(relocation->r_info) == irelative) {
		chooser = symbols__find(plt->symbols, (uint64_t)relocation->r_addend);
		return chooser ? chooser->name : NULL;
	}
	if (!GELF_R_SYM(relocation->r_info) || !plt->dynsym ||
	    !gelf_getsym(plt->dynsym, (int)GELF_R_SYM(relocation->r_info), &symbol))
		return NULL;
	name = elf_strptr(plt->elf, plt->strings, symbol.st_name);
	return name && *name ? name : NULL;
}

static const char *section_name(const struct plt *plt, const GElf_Shdr *header)
{
	const char *name = elf_strptr(plt->elf, plt->section_names, header->sh_name);

	return name ? name : "";
}

static int read_slots(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !header->sh_entsize)
		return 0;
	for (size_t i = 0; i < data->d_size / header->sh_entsize; i++) {
		GElf_Rela relocation;
		struct plt_slot slot;

		if (!gelf_getrela(data, (int)i, &relocation))
			break;
		slot = (struct plt_slot){ relocation.r_offset, target(plt, &relocation) };
		/* most relocations of a large program have no name */
		if (!slot.name && plt->machine == EM_X86_64)
			continue;
		if (!array__push(&plt->slots, slot))
			return -ENOMEM;
	}
	return 0;
}

static int read_relocations(struct plt *plt, const char *wanted)
{
	int err = 0;

	for (Elf_Scn *scn = NULL; !err && (scn = elf_nextscn(plt->elf, scn));) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA &&
		    strcmp(section_name(plt, &header), wanted) == 0)
			err = read_slots(plt, scn, &header);
	}
	return err;
}

static int compare_slots(const void *a, const void *b)
{
	const struct plt_slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The slot that an entry jumps through. */
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

static int add_by_code(struct plt *plt, const GElf_Shdr *header)
{
	Elf_Data *code = elf_getdata_rawchunk(plt->elf, (int64_t)header->sh_offset, header->sh_size,
					      ELF_T_BYTE);
	int err = 0;

	/* entries are of 8 or 16 bytes, and sections don't always say so */
	for (size_t at = 0; code && !err && at < code->d_size; at += ENTRY_SIZE_MIN) {
		uint8_t entry[ENTRY_SIZE] = { 0 };
		size_t left = code->d_size - at;
		struct plt_slot key = { 0 }, *found;

		memcpy(entry, (const uint8_t *)code->d_buf + at,
		       left < sizeof(entry) ? left : sizeof(entry));
		if (!plt->slots.count || !read_jump(entry, header->sh_addr + at, &key.addr))
			continue;
		found = bsearch(&key, plt->slots.items, plt->slots.count, sizeof(key),
				compare_slots);
		if (found && found->name)
			err = add_entry(plt, header->sh_addr + at, found->name);
	}
	return err;
}

static int add_by_number(struct plt *plt, const GElf_Shdr *header)
{
	int err = 0;

	for (size_t i = 0; !err && i < plt->slots.count; i++) {
		uint64_t at = HEADER_SIZE + i * ENTRY_SIZE;

		if (at >= header->sh_size)
			break;
		if (plt->slots.items[i].name)
			err = add_entry(plt, header->sh_addr + at, plt->slots.items[i].name);
	}
	return err;
}

/* What no relocation names is called by the section's name, as perf does. */
static int add_section(struct plt *plt, const GElf_Shdr *header)
{
	bool is_plt = strcmp(section_name(plt, header), ".plt") == 0;
	int err = 0;

	if (plt->machine == EM_X86_64)
		err = add_by_code(plt, header);
	else if (is_plt)
		err = add_by_number(plt, header);
	if (!err && is_plt && header->sh_size)
		err = add(plt, header->sh_addr, header->sh_size, strdup(".plt"));
	return err;
}

static int add_sections(struct plt *plt)
{
	int err = 0;

	for (Elf_Scn *scn = NULL; !err && (scn = elf_nextscn(plt->elf, scn));) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_PROGBITS)
			continue;
		name = section_name(plt, &header);
		if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0 ||
		    strcmp(name, ".plt.got") == 0)
			err = add_section(plt, &header);
	}
	return err;
}

static void find_dynsym(struct plt *plt)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(plt->elf, scn));) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_DYNSYM)
			continue;
		plt->dynsym = elf_getdata(scn, NULL);
		plt->strings = header.sh_link;
	}
}

int symbols__add_plt(struct symbols *symbols, Elf *elf)
{
	struct plt plt = { .symbols = symbols, .elf = elf };
	GElf_Ehdr header;
	int err;

	if (!gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &plt.section_names) < 0)
		return 0;
	plt.machine = header.e_machine;
	if (plt.machine != EM_X86_64 && plt.machine != EM_AARCH64)
		return 0;
	find_dynsym(&plt);
	err = read_relocations(&plt, ".rela.plt");
	if (!err && plt.machine == EM_X86_64) {
		err = read_relocations(&plt, ".rela.dyn");
		if (plt.slots.count)
			qsort(plt.slots.items, plt.slots.count, sizeof(struct plt_slot),
			      compare_slots);
	}
	if (!err)
		err = add_sections(&plt);
	array__free(&plt.slots);
	return err;
}
