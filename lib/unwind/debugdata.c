// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/debugdata.h"

/* Files elsewhere, or in the network, are no matter of what is packed into this one. */
static int find_nothing(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			const char *file, const char *debuglink, GElf_Word crc, char **debug_file)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file;
	(void)debuglink;
	(void)crc;
	(void)debug_file;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf, /* not called: the file is named */
	.find_debuginfo = find_nothing,
	.section_address = dwfl_offline_section_address,
};

/* libdwfl unpacks it when symbols are asked for, and says of each which file it is from. */
static Elf *packed_file(Dwfl_Module *module)
{
	int count = dwfl_module_getsymtab(module);
	GElf_Addr bias;
	Elf *main = dwfl_module_getelf(module, &bias);

	for (int i = 0; main && i < count; i++) {
		Elf *elf = NULL;
		GElf_Addr address;
		GElf_Sym symbol;

		if (dwfl_module_getsym_info(module, i, &symbol, &address, NULL, &elf, NULL) &&
		    elf && elf != main)
			return elf;
	}
	return NULL;
}

Elf *debugdata__open(Dwfl **dwfl, const char *path)
{
	Dwfl_Module *module = NULL;

	*dwfl = dwfl_begin(&callbacks);
	if (*dwfl)
		module = dwfl_report_offline(*dwfl, path, path, -1);
	if (*dwfl)
		dwfl_report_end(*dwfl, NULL, NULL);
	return module ? packed_file(module) : NULL;
}
