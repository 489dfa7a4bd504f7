/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the ELF machine of code tells of it. */
#ifndef PERFJIT_CODE_MACHINE_H
#define PERFJIT_CODE_MACHINE_H

#include <elf.h>
#include <stdint.h>

/* The class of a program for an EM_* machine, unless more is known of it: ELFCLASS32 or 64. */
static inline uint8_t machine__class(uint16_t machine)
{
	switch (machine) {
	case EM_386:
	case EM_ARM:
	case EM_PPC:
	case EM_MIPS:
		return ELFCLASS32;
	default:
		return ELFCLASS64;
	}
}

#endif
