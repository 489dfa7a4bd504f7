/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of machines and of their registers. */
#ifndef PERFJIT_CMD_DUMP_MACHINE_H
#define PERFJIT_CMD_DUMP_MACHINE_H

#include "cfi/cfi.h"

/* Of EM_*; "unknown". */
const char *machine__name(uint32_t machine);
/* Of a DWARF register number: "rsp", "x29", "r17" where it is not known. */
const char *machine__register(uint32_t machine, unsigned int number, char out[16]);

/* Of code for EM_*; EM_NONE is taken for the machine this runs on. */
struct cfi_target machine__target(uint32_t machine, enum byte_order order);

#endif
