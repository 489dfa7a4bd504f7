// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/module.h"

#include <errno.h>
#include <gelf.h>

#include "unwind/debugdata.h"
#include "unwind/unwinder.h"

const char *unwind_module__name(const struct unwind_module *module)
{
	return module->name;
}

bool unwind_module__is_jit(const struct unwind_module *module)
{
	return module->jit;
}

static int read_segments(struct unwind_module *module)
{
	size_t count = 0;

	elf_getphdrnum(module->file.elf, &count);
	for (size_t i = 0; i < count; i++) {
		struct module_segment segment;
		GElf_Phdr header;

		if (!gelf_getphdr(module->file.elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		segment =
			(struct module_segment){ header.p_offset, header.p_filesz, header.p_vaddr };
		if (!array__push(&module->segments, segment))
			return -ENOMEM;
	}
	return 0;
}

static bool has_section(Elf *elf, const char *wanted)
{
	size_t names = 0;

	if (!elf || elf_getshdrstrndx(elf, &names) < 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name;
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type != SHT_NOBITS &&
		    (name = elf_strptr(elf, names, header.sh_name)) && strcmp(name, wanted) == 0)
			return true;
	}
	return false;
}

/*
 * Separate debug files have the symbols that were stripped, and .debug_frame. libdw reads and
 * inflates all debug information at once: it is asked for that only if there is something.
 */
static void open_debug(struct unwind_module *module, const struct unwinder *unwinder)
{
	static const char debug_frame[] = ".debug_frame";

	if (!has_section(module->file.elf, ".symtab"))
		unwind_module__locate_debug(module, unwinder);
	module->eh_frame = dwarf_getcfi_elf(module->file.elf);
	if (has_section(module->file.elf, debug_frame))
		module->dwarf = dwarf_begin_elf(module->file.elf, DWARF_C_READ, NULL);
	else if (has_section(module->debug.elf, debug_frame))
		module->dwarf = dwarf_begin_elf(module->debug.elf, DWARF_C_READ, NULL);
	if (module->dwarf)
		module->debug_frame = dwarf_getcfi(module->dwarf);
}

static bool is_of_machine(const struct unwind_module *module, const struct unwinder *unwinder)
{
	GElf_Ehdr header;

	return gelf_getehdr(module->file.elf, &header) &&
	       (!unwinder->arch || header.e_machine == unwinder->arch->machine);
}

static int open_module(struct unwind_module *module, const struct unwinder *unwinder)
{
	int err = unwind_module__locate(module, unwinder);

	if (err || module->reason != UNWIND_NAMED)
		return err;
	if (!is_of_machine(module, unwinder)) {
		module->reason = UNWIND_NOT_ELF;
		return 0;
	}
	err = read_segments(module);
	if (!err)
		open_debug(module, unwinder);
	return err;
}

int unwind_module__open(struct unwind_module *module, const struct unwinder *unwinder)
{
	int err = 0;

	if (__atomic_load_n(&module->opened, __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&module->lock);
	if (!module->opened) {
		err = open_module(module, unwinder);
		__atomic_store_n(&module->opened, !err, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&module->lock);
	return err;
}

void unwind_module__close(struct unwind_module *module)
{
	row_table__free(&module->rows);
	symbols__free(&module->symbols);
	array__free(&module->segments);
	dwarf_cfi_end(module->eh_frame);
	dwarf_end(module->dwarf); /* debug_frame with it */
	dwfl_end(module->packed);
	module_file__close(&module->debug);
	module_file__close(&module->file);
	free(module->path);
	pthread_mutex_destroy(&module->lock);
}

/* Mappings begin at pages: what stands before a segment on its page counts as the segment's. */
uint64_t unwind_module__vaddr(const struct unwind_module *module, uint64_t offset)
{
	const struct module_segment *found = NULL;

	array__for_each(segment, &module->segments) {
		if (offset >= segment->offset && offset - segment->offset < segment->size)
			return segment->vaddr + (offset - segment->offset);
		if (!found || segment->offset <= offset)
			found = segment;
	}
	return found ? found->vaddr + (offset - found->offset) : offset;
}

/* Debug files, and packed ones, have the stripped symbols, but not the dynamic ones. */
static int read_symbols(struct unwind_module *module)
{
	Elf *packed = NULL;
	int err = 0;

	if (module->debug.elf)
		err = symbols__add(&module->symbols, module->debug.elf, module->file.elf);
	else if (module->path && has_section(module->file.elf, ".gnu_debugdata"))
		packed = debugdata__open(&module->packed, module->path);
	if (packed)
		err = symbols__add(&module->symbols, packed, module->file.elf);
	if (!err)
		err = symbols__add(&module->symbols, module->file.elf, module->file.elf);
	symbols__finish(&module->symbols);
	if (!err)
		err = symbols__add_plt(&module->symbols, module->file.elf);
	symbols__finish(&module->symbols);
	return err;
}

/* Without memory for them, there are fewer symbols. */
const struct symbol *unwind_module__symbol(struct unwind_module *module, uint64_t vaddr)
{
	const struct symbol *found;

	if (module->reason != UNWIND_NAMED)
		return NULL;
	pthread_mutex_lock(&module->lock);
	if (!module->has_symbols) {
		read_symbols(module);
		module->has_symbols = true;
	}
	found = symbols__find(&module->symbols, vaddr);
	pthread_mutex_unlock(&module->lock);
	return found;
}

const struct unwind_row *unwind_module__row(struct unwind_module *module, uint64_t vaddr)
{
	const struct unwind_row *row = NULL;

	if (module->reason != UNWIND_NAMED)
		return NULL;
	pthread_mutex_lock(&module->lock);
	if (!row_table__find(&module->rows, vaddr, &row) &&
	    row_table__add(&module->rows, vaddr, module->eh_frame, module->debug_frame, &row))
		row = NULL;
	pthread_mutex_unlock(&module->lock);
	return row;
}
