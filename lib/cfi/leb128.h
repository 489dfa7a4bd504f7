/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of variable length, as DWARF writes them (DWARF 4, section 7.6). */
#ifndef PERFJIT_CFI_LEB128_H
#define PERFJIT_CFI_LEB128_H

#include "base/bytes.h"

/* One that does not fit 64 bits is treated like one that is cut off: 0, and overrun is set. */
uint64_t cursor__uleb128(struct cursor *cur);
int64_t cursor__sleb128(struct cursor *cur);

size_t uleb128__size(uint64_t value);
size_t sleb128__size(int64_t value);

#endif
