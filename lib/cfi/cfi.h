/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF call frame information: .eh_frame read into a neutral form and encoded again for the place
 * it is to stand in. Sources: LSB 5.0 core, chapters 10.6 and 10.6.2 (.eh_frame, .eh_frame_hdr);
 * DWARF 4, section 6.4.
 */
#ifndef PERFJIT_CFI_CFI_H
#define PERFJIT_CFI_CFI_H

#include "base/array.h"
#include "base/buf.h"
#include "base/bytes.h"

struct diag;

/* What pointers and instructions mean. */
struct cfi_target {
	uint16_t machine; /* EM_* */
	uint8_t class;    /* ELFCLASS32, ELFCLASS64 */
	enum byte_order order;
};

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_register;
	bool signal_frame; /* augmentation 'S' */
	bool pauth_b_key;  /* augmentation 'B' (aarch64) */
	struct bytes instructions;
};

struct cfi_fde {
	uint32_t cie;  /* index */
	uint64_t addr; /* of the first instruction described, decoded */
	uint64_t size;
	uint64_t offset; /* of the FDE in the section it was read from */
	struct bytes instructions;
};

/* Instruction views point into the section that was read. */
struct cfi_table {
	ARRAY(struct cfi_cie) cies;
	ARRAY(struct cfi_fde) fdes; /* by address after read */
};

/*
 * Reads an .eh_frame section that stood (or is meant to stand) at address, up to its terminator or
 * end. Entries that are damaged, or can't be encoded anew for another place (DW_CFA_set_loc), are
 * reported against file and base_offset (of the section in it), and left out. Padding is cut from
 * the instructions' end. 0 or -ENOMEM.
 */
int cfi_table__read(struct cfi_table *table, struct bytes eh_frame, uint64_t address,
		    const struct cfi_target *target, const char *file, uint64_t base_offset,
		    struct diag *diag);
void cfi_table__free(struct cfi_table *table);
/* The FDE that covers pc, or NULL. Where FDEs overlap: of those that begin up to pc the last. */
const struct cfi_fde *cfi_table__find(const struct cfi_table *table, uint64_t pc);

/* One FDE to be written: whose rules it takes and what it covers now. */
struct cfi_entry {
	const struct cfi_cie *cie;
	struct bytes instructions;
	uint64_t addr;
	uint64_t size;
};

/* Sizes in bytes of what cfi__encode will write, known before any address is. */
struct cfi_size {
	size_t eh_frame;
	size_t eh_frame_hdr;
};

/* 0, -ENOMEM, or -ERANGE when .eh_frame would have 2 GiB or more. */
int cfi__measure(const struct cfi_entry *entries, size_t nr_entries,
		 const struct cfi_target *target, struct cfi_size *size);

/*
 * Encodes .eh_frame for eh_frame_address (equal CIEs once, pointers pcrel|sdata4, terminator) and
 * .eh_frame_hdr for hdr_address ({1, 0x1b, 0x03, 0x3b} and a sorted table, also for no entries).
 * The buffers are empty and get the target's byte order; entries are sorted by address. 0, -ENOMEM,
 * or -ERANGE when something lies 2 GiB away or more.
 */
int cfi__encode(const struct cfi_entry *entries, size_t nr_entries, const struct cfi_target *target,
		uint64_t eh_frame_address, uint64_t hdr_address, struct buf *eh_frame,
		struct buf *eh_frame_hdr);

#endif
