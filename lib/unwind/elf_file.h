/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file that was mapped into a process, whole, and its build-id. */
#ifndef PERFJIT_UNWIND_ELF_FILE_H
#define PERFJIT_UNWIND_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "perfdata/perfdata.h"

/* A file, or memory that holds one. */
struct module_file {
	Elf *elf;
	struct bytes bytes; /* all of it */
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE];
	size_t build_id_size;
};

/* False when path is no regular file, or none of ELF. A pipe there is not waited for. */
bool module_file__open(struct module_file *file, const char *path);
/* The kernel's code in this very process. */
bool module_file__open_vdso(struct module_file *file);
void module_file__close(struct module_file *file);
bool module_file__is(const struct module_file *file, struct bytes build_id);

#endif
