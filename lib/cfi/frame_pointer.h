/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFI for code whose producer gave none but that keeps a frame pointer, as its prologue shows or
 * its producer promises. Readers have a rule of their own for such code, but it stops working
 * where they come to it from code with CFI (libunwind before 1.8).
 *
 * This takes the place of cfi__track where that can't be had: in builds without a disassembler, for
 * code that can't be followed, and for V8, whose calls take arguments off the stack.
 */
#ifndef PERFJIT_CFI_FRAME_POINTER_H
#define PERFJIT_CFI_FRAME_POINTER_H

#include "base/buf.h"
#include "cfi/cfi.h"

/* What an FDE by the frame-pointer rule builds on; NULL when the machine is not known here. */
const struct cfi_cie *cfi__frame_pointer_cie(const struct cfi_target *target);

/*
 * Appends the FDE's instructions for a function's code. promised: its producer says that all its
 * code keeps a frame pointer, so that the rule holds where no prologue is found. False when it is
 * not shown, with nothing appended.
 */
bool cfi__frame_pointer_rows(struct bytes code, bool promised, const struct cfi_target *target,
			     struct buf *instructions);

#endif
