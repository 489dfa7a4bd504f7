/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that print an ELF file share. */
#ifndef PERFJIT_CMD_DUMP_ELF_H
#define PERFJIT_CMD_DUMP_ELF_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/file.h"
#include "cfi/cfi.h"
#include "dump.h"
#include "dump_code.h"

struct elf_section {
	const char *name;
	GElf_Shdr shdr;
	struct bytes bytes; /* none when they are not in the file */
};

struct elf_function {
	const char *name;
	uint64_t addr, size;
};

struct dump_elf {
	struct dump *dump;
	struct file_map map;
	bool mapped;
	Elf *elf;
	Dwarf *dwarf; /* NULL: no debug information */
	GElf_Ehdr ehdr;
	struct cfi_target target;
	ARRAY(struct elf_section) sections;
	ARRAY(struct elf_function) functions; /* by address */
	struct cfi_table cfi;                 /* of .eh_frame */
	ARRAY(struct code_line) rows;         /* of all units, by address */
	ARRAY(const char *) files;
	struct code_lines lines; /* of one function */
};

/* Reads what there is to print. 0 or a negative errno, reported; to be closed either way. */
int dump_elf__open(struct dump_elf *print);
void dump_elf__close(struct dump_elf *print);

/* The bytes at an address; none where the file has no such. */
struct bytes dump_elf__code(const struct dump_elf *print, uint64_t addr, uint64_t size);

/* dump_elf_lines.c */
/* Reads the lines of all units. 0 or -ENOMEM. */
int dump_elf__read_lines(struct dump_elf *print);
/* Those of one function, valid until the next call; NULL when there are none. */
const struct code_lines *dump_elf__lines(struct dump_elf *print,
					 const struct elf_function *function);

#endif
