// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JIT_CODE_UNWINDING_INFO: which part of it is what, and which functions it is for. Of the CFI
 * itself only the addresses are read here.
 */
#include <dwarf.h>
#include <errno.h>

#include "code/machine.h"
#include "jitdump/dump.h"

/* Code of one program's JIT compiler and its tables reach one another by 32 bits. */
#define FAR_AWAY (UINT64_C(1) << 31)

static bool begins_with_hdr(struct bytes data, uint64_t hdr_size)
{
	/* version 1 and the table's encoding: as the length of a CIE it would be too large */
	return hdr_size >= 4 && data.data[0] == 1 && data.data[3] != 0;
}

static bool begins_with_cie(struct bytes data, enum byte_order order)
{
	uint32_t length;

	if (data.size < 8)
		return false;
	length = get_u32(data.data, order);
	return length >= 4 && length <= data.size - 4 && get_u32(data.data + 4, order) == 0;
}

/*
 * The specification says eh_frame_hdr, eh_frame. perf reads, and V8 and CPython write,
 * eh_frame, eh_frame_hdr; LLVM ORC does what the specification says.
 */
void unwinding__split(struct bytes data, uint64_t hdr_size, enum byte_order order,
		      struct bytes *eh_frame, struct bytes *eh_frame_hdr)
{
	uint64_t frame_size = data.size - hdr_size;
	struct bytes head = { data.data, frame_size };
	struct bytes tail = { data.data + hdr_size, frame_size };
	bool head_fits = begins_with_cie(head, order), tail_fits = begins_with_cie(tail, order);
	bool hdr_first = hdr_size && frame_size &&
			 (head_fits == tail_fits ? begins_with_hdr(data, hdr_size) : tail_fits);

	*eh_frame = hdr_first ? tail : head;
	*eh_frame_hdr = (struct bytes){ hdr_first ? data.data : data.data + frame_size, hdr_size };
}

/* DW_EH_PE_absptr in so many words: as wide as addresses of the dump's machine. */
static uint8_t absptr_of(const struct jitdump *dump)
{
	return machine__class((uint16_t)dump->header.elf_mach) == ELFCLASS32 ? DW_EH_PE_udata4
									     : DW_EH_PE_udata8;
}

static uint8_t with_width(uint8_t encoding, uint8_t absptr)
{
	return encoding != DW_EH_PE_omit && (encoding & 0x0f) == DW_EH_PE_absptr ? encoding | absptr
										 : encoding;
}

/* What is known of a CIE: how the addresses of its FDEs are encoded. */
struct cie {
	uint64_t offset;
	uint8_t encoding;
	bool valid;
};

/* Bytes of a value in a pointer encoding of fixed size. */
static size_t encoded_size(uint8_t encoding)
{
	switch (encoding & 7) {
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	default:
		return 8;
	}
}

static void skip_leb128(struct cursor *cur)
{
	while (cursor__u8(cur) & 0x80)
		;
}

/* Reads the CIE whose content (from its version on) cur stands at. */
static struct cie read_cie(struct cursor cur, uint64_t offset, uint8_t absptr)
{
	struct cie cie = { offset, absptr, false };
	uint8_t version = cursor__u8(&cur);
	const char *augmentation = cursor__string(&cur);

	if (!augmentation)
		return cie;
	skip_leb128(&cur);
	skip_leb128(&cur);
	if (version == 1)
		cursor__u8(&cur);
	else
		skip_leb128(&cur);
	if (*augmentation == 'z') {
		skip_leb128(&cur);
		while (*++augmentation && *augmentation != 'R') {
			if (*augmentation == 'L')
				cursor__u8(&cur);
			else if (*augmentation == 'P')
				cursor__take(&cur,
					     encoded_size(with_width(cursor__u8(&cur), absptr)));
		}
		if (*augmentation == 'R')
			cie.encoding = with_width(cursor__u8(&cur), absptr);
	}
	cie.valid = !cur.overrun && cie.encoding != DW_EH_PE_omit;
	return cie;
}

static uint64_t read_value(struct cursor *cur, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor__u64(cur);
	case DW_EH_PE_udata4:
		return cursor__u32(cur);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)cursor__u32(cur);
	default:
		cur->overrun = true;
		return 0;
	}
}

/* The eh_frame's own address, if its eh_frame_hdr gives it as an absolute one; else 0. */
static uint64_t eh_frame_addr(struct bytes hdr, enum byte_order order, uint8_t absptr)
{
	struct cursor cur = cursor__at(hdr, order);
	uint8_t encoding;

	if (hdr.size < 8 || hdr.data[0] != 1)
		return 0;
	encoding = hdr.data[1];
	if (encoding == DW_EH_PE_omit || (encoding & 0x70) != DW_EH_PE_absptr)
		return 0;
	cursor__take(&cur, 4);
	return read_value(&cur, with_width(encoding, absptr));
}

/* The range of an FDE whose address field cur stands at; false when it isn't known where it is. */
static bool read_range(struct cursor cur, const struct cie *cie, uint64_t base, uint64_t offset,
		       struct unwinding_range *range)
{
	uint64_t start = read_value(&cur, cie->encoding);
	uint64_t size = read_value(&cur, cie->encoding & 0x0f);

	if (cur.overrun || !cie->valid)
		return false;
	if ((cie->encoding & 0x70) == DW_EH_PE_pcrel) {
		if (!base)
			return false;
		start += base + offset;
	} else if ((cie->encoding & 0x70) != DW_EH_PE_absptr) {
		return false;
	}
	range->start = start;
	return start && size && !__builtin_add_overflow(start, size, &range->end);
}

/* Collects the ranges of all FDEs whose address can be told from the record alone. */
static int read_ranges(struct unwinding *next, struct bytes eh_frame, uint64_t base,
		       enum byte_order order, uint8_t absptr)
{
	struct cursor cur = cursor__at(eh_frame, order);
	struct cie cie = { .valid = false };

	while (cursor__left(&cur) >= 8) {
		uint64_t offset = (uint64_t)(cur.pos - eh_frame.data);
		uint32_t length = cursor__u32(&cur);
		uint64_t id_at = offset + 4;
		struct unwinding_range range;
		struct cursor entry;
		uint32_t id;

		if (length < 4 || length > cursor__left(&cur))
			break;
		entry = cursor__at((struct bytes){ cur.pos, length }, order);
		cur.pos += length;
		id = cursor__u32(&entry);
		if (id == 0) {
			cie = read_cie(entry, offset, absptr);
			continue;
		}
		if (id > id_at)
			continue;
		if (id_at - id != cie.offset || !cie.valid) {
			struct bytes at = { eh_frame.data + (id_at - id), id };

			if (id < 9)
				continue;
			entry.pos = at.data + 8;
			cie = read_cie(entry, id_at - id, absptr);
			entry.pos = eh_frame.data + id_at + 4;
		}
		if (read_range(entry, &cie, base, id_at + 4, &range) &&
		    !array__push(&next->ranges, range))
			return -ENOMEM;
	}
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct unwinding_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int unwinding__set(struct unwinding *next, struct jitdump *dump,
		   const struct jitdump_record *record)
{
	enum byte_order order = dump->header.order;
	uint8_t absptr = absptr_of(dump);
	struct code_unwind *unwind;
	int err;

	next->unwind = NULL;
	next->ranges.count = 0;
	/* without any CFI it still says something: that frame pointers do (V8) */
	unwind = arena__alloc(&dump->arena, 1, sizeof(*unwind));
	if (!unwind)
		return -ENOMEM;
	unwind->eh_frame = record->unwinding_info.eh_frame;
	unwind->eh_frame_hdr = record->unwinding_info.eh_frame_hdr;
	unwind->mapped_size = record->unwinding_info.mapped_size;
	unwind->offset = record->offset;
	err = read_ranges(next, unwind->eh_frame,
			  eh_frame_addr(unwind->eh_frame_hdr, order, absptr), order, absptr);
	if (err)
		return err;
	if (next->ranges.count > 1)
		qsort(next->ranges.items, next->ranges.count, sizeof(*next->ranges.items),
		      by_start);
	unwind->shared = next->ranges.count > 0;
	next->unwind = unwind;
	return 0;
}

/* The range that covers addr, or NULL. */
static const struct unwinding_range *find_range(const struct unwinding *next, uint64_t addr)
{
	size_t count = array__count_leading(range, &next->ranges, range->start <= addr);

	return count && addr < next->ranges.items[count - 1].end ? &next->ranges.items[count - 1]
								 : NULL;
}

/*
 * One FDE whose address is 2 GiB or more away from the code that follows: then what looks like an
 * absolute address is something else, as behind a damaged CIE, and the table is that of one
 * function.
 */
static bool is_mistaken(const struct unwinding *next, uint64_t addr)
{
	return next->ranges.count == 1 &&
	       next->ranges.items[0].start - addr + FAR_AWAY >= 2 * FAR_AWAY;
}

const struct code_unwind *unwinding__take(struct unwinding *next, uint64_t addr)
{
	struct code_unwind *unwind = next->unwind;

	if (unwind && unwind->shared && is_mistaken(next, addr))
		unwind->shared = false;
	if (!unwind || !unwind->shared) {
		next->unwind = NULL;
		return unwind;
	}
	return find_range(next, addr) ? unwind : NULL;
}

void unwinding__free(struct unwinding *next)
{
	array__free(&next->ranges);
}
