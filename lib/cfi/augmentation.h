/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the augmentation of a CIE says of it and of its FDEs (LSB 5.0 core, 10.6.1.1.1; letters of
 * aarch64: DWARF for the Arm 64-bit Architecture).
 */
#ifndef PERFJIT_CFI_AUGMENTATION_H
#define PERFJIT_CFI_AUGMENTATION_H

#include "cfi/cfi.h"

struct cfi_augmentation {
	uint8_t encoding;  /* of the FDEs' pointers, 'R': CFI_PE_*; CFI_PE_ABSPTR without */
	bool lsda;         /* 'L': FDEs have a pointer among their augmentation data */
	bool signal_frame; /* 'S' */
	bool pauth_b_key;  /* 'B' (aarch64) */
};

/*
 * Reads the data that stand for letters, which begin with 'z'; address is that of the first byte.
 * False when one of them is not known. When there is too little data it overruns.
 */
bool cfi_augmentation__read(struct cfi_augmentation *augmentation, const char *letters,
			    struct cursor *data, uint64_t address, const struct cfi_target *target);

#endif
