/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the code of HotSpot, the Java virtual machine, besides what its instructions
 * show. On x86-64, JDK 8 to 25; sources: the "frame layout" comments of the JDK's frame_x86.hpp
 * and interpreter.hpp, and the code itself.
 */
#ifndef PERFJIT_FIX_HOTSPOT_H
#define PERFJIT_FIX_HOTSPOT_H

#include "cfi/row.h"
#include "code/record.h"

struct disassembler;

/* Whether a record shows that the code map it is in is that of HotSpot. */
bool hotspot__is_its_own(const struct code_record *record);

/* Whether a record is a compiled Java method, as perf's JVMTI agent names them. */
bool hotspot__is_method(const struct code_record *record);

/*
 * Appends a method's rows; the disassembler is of the target or NULL, see track.h. 0, -ENOMEM,
 * or -ENOTSUP where code can't be tracked.
 */
int hotspot__method_rows(struct cfi_rows *rows, const struct code_record *record,
			 const struct cfi_target *target, struct disassembler *disassembler);

/*
 * Appends the rows of the bytecode interpreter, which is one record of many codelets. Its frames
 * have a frame pointer, and below it the stack pointer that their sender goes on with: where
 * arguments and locals lie in between, that is not a fixed distance. False, with nothing appended,
 * when the record is no interpreter or is laid out in a way that is not known. *failed: no memory.
 */
bool hotspot__interpreter_rows(struct cfi_rows *rows, const struct code_record *record,
			       const struct cfi_target *target, bool *failed);

#endif
