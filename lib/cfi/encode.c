// SPDX-License-Identifier: GPL-2.0-or-later
#include "cfi/cfi.h"

#include <elf.h>
#include <errno.h>
#include <search.h>

#include "cfi/leb128.h"
#include "cfi/pointer.h"

#define LENGTH_SIZE     sizeof(uint32_t)
#define TERMINATOR_SIZE sizeof(uint32_t)
/* Length, CIE pointer, first address, size, augmentation data's size. */
#define FDE_FIXED_SIZE (4 * sizeof(uint32_t) + 1)
/* Version and encodings, pointer to .eh_frame, number of entries. */
#define HDR_FIXED_SIZE (4 + 2 * sizeof(uint32_t))
#define HDR_ENTRY_SIZE (2 * sizeof(uint32_t))
#define HDR_VERSION    1

/* A CIE that was written (or measured) and where. */
struct placed_cie {
	const struct cfi_cie *cie;
	uint64_t offset;
	struct placed_cie *next; /* all of them, for freeing */
};

/* Where the encoder is in .eh_frame, and the CIEs that stand there already. */
struct placer {
	const struct cfi_target *target;
	void *tree; /* of tsearch: struct placed_cie by content */
	struct placed_cie *all;
	const struct placed_cie *last;
	uint64_t offset;
	bool fresh_cie; /* the FDE at hand needs its CIE written before it */
	uint64_t cie_offset;
	uint64_t fde_offset;
};

static int order_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_cies(const void *a, const void *b)
{
	const struct cfi_cie *left = ((const struct placed_cie *)a)->cie;
	const struct cfi_cie *right = ((const struct placed_cie *)b)->cie;
	int order = order_u64(left->code_align, right->code_align);

	if (!order)
		order = order_u64((uint64_t)left->data_align, (uint64_t)right->data_align);
	if (!order)
		order = order_u64(left->ra_register, right->ra_register);
	if (!order)
		order = left->signal_frame - right->signal_frame;
	if (!order)
		order = left->pauth_b_key - right->pauth_b_key;
	if (!order)
		order = order_u64(left->instructions.size, right->instructions.size);
	if (!order && left->instructions.size)
		order = memcmp(left->instructions.data, right->instructions.data,
			       left->instructions.size);
	return order;
}

static uint64_t pad(const struct cfi_target *target, uint64_t size)
{
	return align_up(size, target->class == ELFCLASS32 ? 4 : 8);
}

/* Version 1 has one byte for the return address register. */
static uint8_t cie_version(const struct cfi_cie *cie)
{
	return cie->ra_register > UINT8_MAX ? 3 : 1;
}

static size_t cie_size(const struct cfi_cie *cie, const struct cfi_target *target)
{
	size_t letters = strlen("zR") + cie->signal_frame + cie->pauth_b_key + 1;
	size_t ra = cie_version(cie) == 1 ? 1 : uleb128__size(cie->ra_register);

	return pad(target, 2 * sizeof(uint32_t) + 1 + letters + uleb128__size(cie->code_align) +
				   sleb128__size(cie->data_align) + ra + 2 +
				   cie->instructions.size);
}

static size_t fde_size(const struct cfi_entry *entry, const struct cfi_target *target)
{
	return pad(target, FDE_FIXED_SIZE + entry->instructions.size);
}

/* Finds the CIE among those that stand, or gives it the next place. */
static int place_cie(struct placer *placer, const struct cfi_cie *cie)
{
	struct placed_cie key = { .cie = cie }, *fresh;
	struct placed_cie **found;

	placer->fresh_cie = false;
	if (placer->last && (placer->last->cie == cie || compare_cies(placer->last, &key) == 0))
		return 0;
	found = tfind(&key, &placer->tree, compare_cies);
	if (found) {
		placer->last = *found;
		return 0;
	}
	fresh = malloc(sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	*fresh = (struct placed_cie){ cie, placer->offset, placer->all };
	if (!tsearch(fresh, &placer->tree, compare_cies)) {
		free(fresh);
		return -ENOMEM;
	}
	placer->all = fresh;
	placer->last = fresh;
	placer->fresh_cie = true;
	placer->offset += cie_size(cie, placer->target);
	return 0;
}

static int place_entry(struct placer *placer, const struct cfi_entry *entry)
{
	int err = place_cie(placer, entry->cie);

	if (err)
		return err;
	placer->cie_offset = placer->last->offset;
	placer->fde_offset = placer->offset;
	placer->offset += fde_size(entry, placer->target);
	return placer->offset + TERMINATOR_SIZE > INT32_MAX ? -ERANGE : 0;
}

static void placer__free(struct placer *placer)
{
	struct placed_cie *placed = placer->all, *next;

	while (placed) {
		next = placed->next;
		tdelete(placed, &placer->tree, compare_cies);
		free(placed);
		placed = next;
	}
}

int cfi__measure(const struct cfi_entry *entries, size_t nr_entries,
		 const struct cfi_target *target, struct cfi_size *size)
{
	struct placer placer = { .target = target };
	int err = 0;

	for (size_t i = 0; i < nr_entries && !err; i++)
		err = place_entry(&placer, &entries[i]);
	placer__free(&placer);
	if (err)
		return err;
	size->eh_frame = placer.offset + TERMINATOR_SIZE;
	size->eh_frame_hdr = HDR_FIXED_SIZE + nr_entries * HDR_ENTRY_SIZE;
	return 0;
}

static void put_cie(struct buf *out, const struct cfi_cie *cie, const struct cfi_target *target)
{
	size_t start = out->size, size = cie_size(cie, target);

	buf__put_u32(out, (uint32_t)(size - LENGTH_SIZE));
	buf__put_u32(out, 0);
	buf__put_u8(out, cie_version(cie));
	buf__put(out, "zR", 2);
	if (cie->signal_frame)
		buf__put_u8(out, 'S');
	if (cie->pauth_b_key)
		buf__put_u8(out, 'B');
	buf__put_u8(out, 0);
	buf__put_uleb128(out, cie->code_align);
	buf__put_sleb128(out, cie->data_align);
	if (cie_version(cie) == 1)
		buf__put_u8(out, (uint8_t)cie->ra_register);
	else
		buf__put_uleb128(out, cie->ra_register);
	buf__put_u8(out, 1);
	buf__put_u8(out, CFI_PE_PCREL | CFI_PE_SDATA4);
	buf__put(out, cie->instructions.data, cie->instructions.size);
	if (!out->failed)
		buf__put_zeros(out, size - (out->size - start));
}

/* The distance from one address to another; false when 32 bits do not hold it. */
static bool distance(uint64_t from, uint64_t to, uint32_t *value)
{
	int64_t difference = (int64_t)(to - from);

	*value = (uint32_t)difference;
	return difference == (int32_t)difference;
}

static int put_fde(struct buf *out, const struct cfi_entry *entry, const struct placer *placer,
		   uint64_t eh_frame_address)
{
	uint64_t field = placer->fde_offset + LENGTH_SIZE;
	size_t size = fde_size(entry, placer->target);
	uint32_t begin;

	if (!distance(eh_frame_address + field + sizeof(uint32_t), entry->addr, &begin) ||
	    entry->size > INT32_MAX)
		return -ERANGE;
	buf__put_u32(out, (uint32_t)(size - LENGTH_SIZE));
	buf__put_u32(out, (uint32_t)(field - placer->cie_offset));
	buf__put_u32(out, begin);
	buf__put_u32(out, (uint32_t)entry->size);
	buf__put_u8(out, 0);
	buf__put(out, entry->instructions.data, entry->instructions.size);
	buf__put_zeros(out, size - FDE_FIXED_SIZE - entry->instructions.size);
	return 0;
}

static int put_hdr(struct buf *out, size_t nr_entries, uint64_t eh_frame_address,
		   uint64_t hdr_address)
{
	uint32_t to_eh_frame;

	if (!distance(hdr_address + 4, eh_frame_address, &to_eh_frame) || nr_entries > UINT32_MAX)
		return -ERANGE;
	buf__put_u8(out, HDR_VERSION);
	buf__put_u8(out, CFI_PE_PCREL | CFI_PE_SDATA4);
	buf__put_u8(out, CFI_PE_UDATA4);
	buf__put_u8(out, CFI_PE_DATAREL | CFI_PE_SDATA4);
	buf__put_u32(out, to_eh_frame);
	buf__put_u32(out, (uint32_t)nr_entries);
	return 0;
}

static int put_entry(struct placer *placer, const struct cfi_entry *entry,
		     uint64_t eh_frame_address, uint64_t hdr_address, struct buf *eh_frame,
		     struct buf *eh_frame_hdr)
{
	uint32_t code, fde;
	int err = place_entry(placer, entry);

	if (err)
		return err;
	if (!distance(hdr_address, entry->addr, &code) ||
	    !distance(hdr_address, eh_frame_address + placer->fde_offset, &fde))
		return -ERANGE;
	buf__put_u32(eh_frame_hdr, code);
	buf__put_u32(eh_frame_hdr, fde);
	if (placer->fresh_cie)
		put_cie(eh_frame, entry->cie, placer->target);
	return put_fde(eh_frame, entry, placer, eh_frame_address);
}

int cfi__encode(const struct cfi_entry *entries, size_t nr_entries, const struct cfi_target *target,
		uint64_t eh_frame_address, uint64_t hdr_address, struct buf *eh_frame,
		struct buf *eh_frame_hdr)
{
	struct placer placer = { .target = target };
	int err;

	eh_frame->order = target->order;
	eh_frame_hdr->order = target->order;
	err = put_hdr(eh_frame_hdr, nr_entries, eh_frame_address, hdr_address);
	for (size_t i = 0; i < nr_entries && !err; i++)
		err = put_entry(&placer, &entries[i], eh_frame_address, hdr_address, eh_frame,
				eh_frame_hdr);
	placer__free(&placer);
	if (err)
		return err;
	buf__put_u32(eh_frame, 0);
	return eh_frame->failed || eh_frame_hdr->failed ? -ENOMEM : 0;
}
