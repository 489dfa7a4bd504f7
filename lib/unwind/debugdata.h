/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MiniDebugInfo: in .gnu_debugdata of a stripped file, packed by xz, is an ELF file with the symbols
 * that were taken out. Fedora's programs and libraries have it. Private.
 */
#ifndef PERFJIT_UNWIND_DEBUGDATA_H
#define PERFJIT_UNWIND_DEBUGDATA_H

#include <elfutils/libdwfl.h>

/*
 * The file packed into the one at path, or NULL: there is none, or it can't be unpacked. It lives
 * as long as *dwfl, which is to be ended and may be NULL.
 */
Elf *debugdata__open(Dwfl **dwfl, const char *path);

#endif
