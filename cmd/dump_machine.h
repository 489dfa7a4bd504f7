/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of machines. */
#ifndef PERFJIT_CMD_DUMP_MACHINE_H
#define PERFJIT_CMD_DUMP_MACHINE_H

#include "cfi/cfi.h"

/* Of EM_*; "unknown". */
const char *machine__name(uint32_t machine);
/* Of code for EM_*; EM_NONE is taken for the machine this runs on. */
struct cfi_target machine__target(uint32_t machine, enum byte_order order);

#endif
