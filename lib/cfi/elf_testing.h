/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files for tests of this folder: their own tables are the known truth. */
#ifndef PERFJIT_CFI_ELF_TESTING_H
#define PERFJIT_CFI_ELF_TESTING_H

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "cfi/row.h"

/* An ELF file, open in libdw and in what is tested. */
struct object {
	int fd;
	Elf *elf;
	Dwarf_CFI *cfi;
	struct cfi_target target;
	struct cfi_table table;
	struct bytes image; /* the whole file */
};

static inline void open_object(struct object *object, const char *path)
{
	struct diag *diag = diag__new(NULL, NULL);
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	size_t names;

	*object = (struct object){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	assert_true(object->fd >= 0);
	elf_version(EV_CURRENT);
	object->elf = elf_begin(object->fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(gelf_getehdr(object->elf, &header));
	object->image.data = (const uint8_t *)elf_rawfile(object->elf, &object->image.size);
	object->target = (struct cfi_target){ header.e_machine, header.e_ident[EI_CLASS],
					      (enum byte_order)header.e_ident[EI_DATA] };
	assert_int_equal(elf_getshdrstrndx(object->elf, &names), 0);
	object->cfi = dwarf_getcfi_elf(object->elf);
	assert_non_null(object->cfi);
	while ((section = elf_nextscn(object->elf, section))) {
		GElf_Shdr shdr;
		Elf_Data *data;

		assert_non_null(gelf_getshdr(section, &shdr));
		if (strcmp(elf_strptr(object->elf, names, shdr.sh_name), ".eh_frame") != 0)
			continue;
		data = elf_rawdata(section, NULL);
		assert_int_equal(
			cfi_table__read(&object->table, (struct bytes){ data->d_buf, data->d_size },
					shdr.sh_addr, &object->target, path, shdr.sh_offset, diag),
			0);
	}
	diag__free(diag);
	assert_true(object->table.fdes.count > 0);
}

static inline void close_object(struct object *object)
{
	cfi_table__free(&object->table);
	dwarf_cfi_end(object->cfi);
	elf_end(object->elf);
	close(object->fd);
}

/* The bytes that are loaded at addr, up to size of them. */
static inline struct bytes loaded_bytes(const struct object *object, uint64_t addr, uint64_t size)
{
	size_t count = 0;

	elf_getphdrnum(object->elf, &count);
	for (int i = 0; i < (int)count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(object->elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    addr < phdr.p_vaddr || addr - phdr.p_vaddr >= phdr.p_filesz)
			continue;
		if (size > phdr.p_filesz - (addr - phdr.p_vaddr))
			size = phdr.p_filesz - (addr - phdr.p_vaddr);
		return (struct bytes){ object->image.data + phdr.p_offset + (addr - phdr.p_vaddr),
				       (size_t)size };
	}
	return (struct bytes){ 0 };
}

/* As cfi_track_options.read, context the object. */
static inline bool read_loaded(void *context, uint64_t addr, void *data, size_t size)
{
	struct bytes bytes = loaded_bytes(context, addr, size);

	if (bytes.size < size)
		return false;
	memcpy(data, bytes.data, size);
	return true;
}

#endif
