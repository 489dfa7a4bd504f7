// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

/* The last symbol of a file, if it has no size, is given the rest of its page and one more. */
#define LAST_SIZE 4096

/* "$x" and the like tell instructions from data, and are no names. */
static bool is_mapping_symbol(uint16_t machine, const char *name)
{
	if (machine != EM_ARM && machine != EM_AARCH64 && machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (!name[2] || name[2] == '.' || machine == EM_RISCV);
}

/* Labels without a type count where they are in code or data, unless they are hidden. */
static bool is_label(const GElf_Sym *symbol, const char *section)
{
	unsigned int visibility = GELF_ST_VISIBILITY(symbol->st_other);

	return GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && visibility != STV_HIDDEN &&
	       visibility != STV_INTERNAL && section &&
	       (strstr(section, "text") || strstr(section, "data"));
}

/* Of what is loaded. Absolute ones, such as those of versions, are in no section. */
static bool is_wanted(Elf *elf, const GElf_Sym *symbol, size_t section_names)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	GElf_Shdr section;

	if (!symbol->st_name || symbol->st_shndx == SHN_UNDEF ||
	    !gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &section) ||
	    !(section.sh_flags & SHF_ALLOC))
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT ||
	       is_label(symbol, elf_strptr(elf, section_names, section.sh_name));
}

static int add_table(struct symbols *symbols, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
		     uint64_t shift)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t section_names = 0, count;
	GElf_Ehdr ehdr;

	if (!data || !header->sh_entsize || !gelf_getehdr(elf, &ehdr) ||
	    elf_getshdrstrndx(elf, &section_names) < 0)
		return 0;
	count = data->d_size / header->sh_entsize;
	for (size_t i = 0; i < count; i++) {
		struct symbol symbol;
		GElf_Sym entry;

		if (!gelf_getsym(data, (int)i, &entry) || !is_wanted(elf, &entry, section_names))
			continue;
		symbol = (struct symbol){
			.start = entry.st_value + shift,
			.end = entry.st_value + shift + entry.st_size,
			.name = elf_strptr(elf, header->sh_link, entry.st_name),
			.binding = GELF_ST_BIND(entry.st_info),
			.label = GELF_ST_TYPE(entry.st_info) == STT_NOTYPE,
			.sized = entry.st_size > 0,
			.nth = (uint32_t)symbols->list.count,
		};
		if (!symbol.name || symbol.end < symbol.start ||
		    is_mapping_symbol(ehdr.e_machine, symbol.name))
			continue;
		if (!array__push(&symbols->list, symbol))
			return -ENOMEM;
	}
	return 0;
}

/* The vaddr of the first thing that is loaded. */
static uint64_t first_vaddr(Elf *elf)
{
	size_t count = 0;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			return header.p_vaddr - header.p_offset;
	}
	return 0;
}

static int add_tables(struct symbols *symbols, Elf *elf, uint32_t type, uint64_t shift)
{
	int err = 0;

	for (Elf_Scn *scn = NULL; !err && (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == type)
			err = add_table(symbols, elf, scn, &header, shift);
	}
	return err;
}

int symbols__add(struct symbols *symbols, Elf *elf, Elf *runtime)
{
	uint64_t shift = elf == runtime ? 0 : first_vaddr(runtime) - first_vaddr(elf);
	int err = add_tables(symbols, elf, SHT_SYMTAB, shift);

	return err ? err : add_tables(symbols, elf, SHT_DYNSYM, shift);
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* The order in which perf prefers names of one address: what it takes comes first. */
static int compare_names(const struct symbol *x, const struct symbol *y)
{
	bool x_sized = x->end > x->start, y_sized = y->end > y->start;
	size_t x_length, y_length;

	if (x_sized != y_sized)
		return x_sized ? -1 : 1;
	if (x->label != y->label)
		return x->label ? 1 : -1;
	if ((x->binding == STB_WEAK) != (y->binding == STB_WEAK))
		return x->binding == STB_WEAK ? 1 : -1;
	if ((x->binding == STB_GLOBAL) != (y->binding == STB_GLOBAL))
		return x->binding == STB_GLOBAL ? -1 : 1;
	x_length = underscores(x->name);
	y_length = underscores(y->name);
	if (x_length != y_length)
		return x_length < y_length ? -1 : 1;
	x_length = strlen(x->name);
	y_length = strlen(y->name);
	if (x_length != y_length)
		return x_length > y_length ? -1 : 1;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int order;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	order = compare_names(x, y);
	return order ? order : x->nth < y->nth ? -1 : x->nth > y->nth;
}

static void drop_duplicates(struct symbols *symbols)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->list.count; i++) {
		struct symbol *symbol = &symbols->list.items[i];

		if (!kept || symbols->list.items[kept - 1].start != symbol->start)
			symbols->list.items[kept++] = *symbol;
	}
	symbols->list.count = kept;
}

void symbols__finish(struct symbols *symbols)
{
	size_t count = symbols->list.count;
	uint64_t reach = 0;

	if (!count)
		return;
	qsort(symbols->list.items, count, sizeof(struct symbol), compare);
	drop_duplicates(symbols);
	count = symbols->list.count;
	for (size_t i = 0; i < count; i++) {
		struct symbol *symbol = &symbols->list.items[i];

		if (symbol->end == symbol->start)
			symbol->end = i + 1 < count
					      ? symbol[1].start
					      : align_up(symbol->start, LAST_SIZE) + LAST_SIZE;
		if (symbol->end > reach)
			reach = symbol->end;
		symbol->reach = reach;
	}
}

const struct symbol *symbols__find(const struct symbols *symbols, uint64_t vaddr)
{
	const struct symbol *items = symbols->list.items, *label = NULL;
	size_t low = array__count_leading(symbol, &symbols->list, symbol->start <= vaddr);

	/* one that began earlier may go on behind one that ended, or be around a label */
	for (; low && items[low - 1].reach > vaddr; low--) {
		if (items[low - 1].end <= vaddr)
			continue;
		if (items[low - 1].sized)
			return &items[low - 1];
		if (!label)
			label = &items[low - 1];
	}
	return label;
}

void symbols__free(struct symbols *symbols)
{
	array__for_each(name, &symbols->made)
		free(*name);
	array__free(&symbols->made);
	array__free(&symbols->list);
}
