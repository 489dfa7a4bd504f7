// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads .eh_frame. libdw's dwarf_next_cfi is not used for it: it tells neither why an entry is no
 * good nor where the next one is, and may read past the section's end when a CIE is cut off there.
 */
#include "cfi/cfi.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "base/diag.h"
#include "cfi/augmentation.h"
#include "cfi/instructions.h"
#include "cfi/leb128.h"
#include "cfi/pointer.h"

#define EXTENDED_LENGTH 0xffffffffu

/* A CIE of the section, usable or not: how its FDEs are to be read. */
struct cie_place {
	uint64_t offset;
	uint32_t cie; /* index into the table */
	bool usable;
	bool sized_augmentation; /* FDEs hold augmentation data too: 'z' */
	uint8_t encoding;        /* of the FDEs' pointers */
};

struct reader {
	struct cfi_table *table;
	struct bytes section;
	uint64_t address;
	const struct cfi_target *target;
	const char *file;
	uint64_t base_offset;
	struct diag *diag;
	ARRAY(struct cie_place) places; /* by offset */
};

/* An entry of the section, its length field passed by. */
struct entry {
	uint64_t offset;   /* of the length field */
	struct cursor cur; /* what follows, up to the entry's end */
};

#define warn(reader, at, kind, ...)                                      \
	diag__report((reader)->diag, DIAG_WARNING, kind, (reader)->file, \
		     (reader)->base_offset + (at), __VA_ARGS__)

static uint64_t offset_of(const struct reader *reader, const uint8_t *pos)
{
	return (uint64_t)(pos - reader->section.data);
}

static struct bytes rest_of(const struct cursor *cur)
{
	return (struct bytes){ cur->pos, cursor__left(cur) };
}

static bool check_instructions(struct reader *reader, uint64_t entry, struct bytes *instructions)
{
	uint64_t start = offset_of(reader, instructions->data);
	size_t at = 0;

	switch (cfi__check_instructions(instructions, &at)) {
	case CFI_SOUND:
		return true;
	case CFI_CUT_OFF:
		warn(reader, start + at, "cfi.cut-instruction",
		     "an instruction of the entry at 0x%" PRIx64 " lacks operands", entry);
		break;
	case CFI_UNKNOWN:
		warn(reader, start + at, "cfi.unknown-instruction",
		     "the entry at 0x%" PRIx64 " has an unknown instruction 0x%02x", entry,
		     instructions->data[at]);
		break;
	case CFI_HAS_SET_LOC:
		warn(reader, start + at, "cfi.set-loc",
		     "the entry at 0x%" PRIx64 " uses DW_CFA_set_loc, which can't be moved", entry);
		break;
	}
	return false;
}

/* What the augmentation's data say of the CIE and of its FDEs. */
static bool read_augmentation(struct reader *reader, uint64_t offset, const char *letters,
			      struct cursor data, struct cfi_cie *cie, struct cie_place *place)
{
	struct cfi_augmentation augmentation;

	if (!cfi_augmentation__read(&augmentation, letters, &data,
				    reader->address + offset_of(reader, data.pos),
				    reader->target)) {
		warn(reader, offset, "cfi.unknown-augmentation",
		     "CIE with the unknown augmentation \"%s\"", letters);
		return false;
	}
	place->encoding = augmentation.encoding;
	cie->signal_frame = augmentation.signal_frame;
	cie->pauth_b_key = augmentation.pauth_b_key;
	if (data.overrun)
		warn(reader, offset, "cfi.cut-augmentation",
		     "CIE with too little data for its augmentation \"%s\"", letters);
	return !data.overrun;
}

static bool read_sized_augmentation(struct reader *reader, struct entry *entry, const char *letters,
				    struct cfi_cie *cie, struct cie_place *place)
{
	uint64_t size = cursor__uleb128(&entry->cur);
	struct cursor data = entry->cur;

	if (entry->cur.overrun || size > cursor__left(&entry->cur)) {
		warn(reader, entry->offset, "cfi.cut-augmentation",
		     "CIE whose augmentation data goes past its end");
		return false;
	}
	cursor__take(&entry->cur, (size_t)size);
	data.end = entry->cur.pos;
	place->sized_augmentation = true;
	return read_augmentation(reader, entry->offset, letters, data, cie, place);
}

/* From the version to the augmentation string; NULL when it was reported that there is none. */
static const char *read_cie_start(struct reader *reader, struct entry *entry, uint8_t *version)
{
	uint8_t width = reader->target->class == ELFCLASS32 ? 4 : 8;
	const char *letters;

	*version = cursor__u8(&entry->cur);
	if (*version != 1 && *version != 3 && *version != 4) {
		warn(reader, entry->offset, "cfi.bad-version", "CIE of unknown version %u",
		     *version);
		return NULL;
	}
	letters = cursor__string(&entry->cur);
	if (!letters) {
		warn(reader, entry->offset, "cfi.cut-cie",
		     "CIE without an end of its augmentation");
		return NULL;
	}
	if (*letters && *letters != 'z') {
		warn(reader, entry->offset, "cfi.unknown-augmentation",
		     "CIE with the unknown augmentation \"%s\"", letters);
		return NULL;
	}
	/* Version 4 says the sizes of addresses and segment selectors. */
	if (*version == 4 && (cursor__u8(&entry->cur) != width || cursor__u8(&entry->cur) != 0)) {
		warn(reader, entry->offset, "cfi.bad-address-size",
		     "CIE for addresses of another size, or segmented ones");
		return NULL;
	}
	return letters;
}

static bool read_cie_fields(struct reader *reader, struct entry *entry, struct cfi_cie *cie,
			    struct cie_place *place)
{
	uint8_t version;
	const char *letters = read_cie_start(reader, entry, &version);

	if (!letters)
		return false;
	cie->code_align = cursor__uleb128(&entry->cur);
	cie->data_align = cursor__sleb128(&entry->cur);
	cie->ra_register = version == 1 ? cursor__u8(&entry->cur) : cursor__uleb128(&entry->cur);
	if (entry->cur.overrun) {
		warn(reader, entry->offset, "cfi.cut-cie", "CIE that ends before its instructions");
		return false;
	}
	if (*letters == 'z' && !read_sized_augmentation(reader, entry, letters, cie, place))
		return false;
	if (!cfi_pointer__usable(place->encoding)) {
		warn(reader, entry->offset, "cfi.bad-encoding",
		     "CIE with an unusable encoding of addresses, 0x%02x", place->encoding);
		return false;
	}
	cie->instructions = rest_of(&entry->cur);
	return check_instructions(reader, entry->offset, &cie->instructions);
}

static int read_cie(struct reader *reader, struct entry *entry)
{
	struct cie_place place = { .offset = entry->offset, .encoding = CFI_PE_ABSPTR };
	struct cfi_cie cie = { 0 };

	place.usable = read_cie_fields(reader, entry, &cie, &place);
	if (place.usable) {
		place.cie = (uint32_t)reader->table->cies.count;
		if (!array__push(&reader->table->cies, cie))
			return -ENOMEM;
	}
	return array__push(&reader->places, place) ? 0 : -ENOMEM;
}

static int compare_places(const void *key, const void *member)
{
	const uint64_t *offset = key;
	const struct cie_place *place = member;

	return *offset < place->offset ? -1 : *offset > place->offset;
}

/* The CIE an FDE names by its distance from the naming field. */
static const struct cie_place *find_cie(struct reader *reader, uint64_t fde, uint64_t field,
					uint32_t distance)
{
	uint64_t offset = field - distance;
	const struct cie_place *place = NULL;

	if (reader->places.count)
		place = bsearch(&offset, reader->places.items, reader->places.count, sizeof(*place),
				compare_places);
	if (!place)
		warn(reader, fde, "cfi.no-cie", "FDE whose CIE is not where it says");
	else if (!place->usable)
		warn(reader, fde, "cfi.unusable-cie",
		     "FDE whose CIE at 0x%" PRIx64 " is not usable", offset);
	return place && place->usable ? place : NULL;
}

static bool check_range(struct reader *reader, const struct cfi_fde *fde)
{
	uint64_t max = reader->target->class == ELFCLASS32 ? UINT32_MAX : UINT64_MAX;

	if (!fde->size)
		warn(reader, fde->offset, "cfi.empty-range", "FDE for no code at 0x%" PRIx64,
		     fde->addr);
	else if (fde->size - 1 > max - fde->addr)
		warn(reader, fde->offset, "cfi.bad-range",
		     "FDE for code that goes past the last address, 0x%" PRIx64
		     " bytes at 0x%" PRIx64,
		     fde->size, fde->addr);
	else
		return true;
	return false;
}

static int read_fde(struct reader *reader, struct entry *entry, uint64_t field, uint32_t distance)
{
	const struct cie_place *place = find_cie(reader, entry->offset, field, distance);
	struct cfi_fde fde = { .offset = entry->offset };
	struct cursor *cur = &entry->cur;
	uint64_t size = 0;

	if (!place)
		return 0;
	fde.cie = place->cie;
	fde.addr = cfi_pointer__read(cur, place->encoding, reader->target,
				     reader->address + offset_of(reader, cur->pos));
	fde.size = cfi_pointer__read_number(cur, place->encoding, reader->target);
	if (place->sized_augmentation)
		size = cursor__uleb128(cur);
	if (cur->overrun || size > cursor__left(cur)) {
		warn(reader, entry->offset, "cfi.cut-fde", "FDE that ends before its instructions");
		return 0;
	}
	cursor__take(cur, (size_t)size);
	fde.instructions = rest_of(cur);
	if (!check_range(reader, &fde) ||
	    !check_instructions(reader, entry->offset, &fde.instructions))
		return 0;
	return array__push(&reader->table->fdes, fde) ? 0 : -ENOMEM;
}

/* 1 with an entry, 0 at the end. */
static int next_entry(struct reader *reader, struct cursor *section, struct entry *entry)
{
	uint64_t length;

	if (!cursor__left(section))
		return 0;
	entry->offset = offset_of(reader, section->pos);
	length = cursor__u32(section);
	if (section->overrun) {
		warn(reader, entry->offset, "cfi.cut-length",
		     "the table ends in an entry's length");
		return 0;
	}
	if (length == 0)
		return 0;
	if (length == EXTENDED_LENGTH)
		length = cursor__u64(section);
	if (section->overrun || length > cursor__left(section)) {
		warn(reader, entry->offset, "cfi.cut-entry",
		     "an entry of 0x%" PRIx64 " bytes goes past the table's end", length);
		return 0;
	}
	entry->cur = (struct cursor){ section->pos, section->pos + length, section->order, false };
	section->pos += length;
	return 1;
}

static int read_entry(struct reader *reader, struct entry *entry)
{
	uint64_t field = offset_of(reader, entry->cur.pos);
	uint32_t id;

	if (field - entry->offset != sizeof(uint32_t)) {
		warn(reader, entry->offset, "cfi.dwarf64", "an entry of the 64-bit DWARF format");
		return 0;
	}
	id = cursor__u32(&entry->cur);
	if (entry->cur.overrun) {
		warn(reader, entry->offset, "cfi.short-entry",
		     "an entry too short to be a CIE or FDE");
		return 0;
	}
	return id ? read_fde(reader, entry, field, id) : read_cie(reader, entry);
}

static int compare_fdes(const void *a, const void *b)
{
	const struct cfi_fde *left = a, *right = b;

	if (left->addr != right->addr)
		return left->addr < right->addr ? -1 : 1;
	return left->offset < right->offset ? -1 : left->offset > right->offset;
}

int cfi_table__read(struct cfi_table *table, struct bytes eh_frame, uint64_t address,
		    const struct cfi_target *target, const char *file, uint64_t base_offset,
		    struct diag *diag)
{
	struct reader reader = { .table = table,
				 .section = eh_frame,
				 .address = address,
				 .target = target,
				 .file = file,
				 .base_offset = base_offset,
				 .diag = diag };
	struct cursor section = cursor__at(eh_frame, target->order);
	struct entry entry;
	int err = 0;

	*table = (struct cfi_table){ 0 };
	while (!err && next_entry(&reader, &section, &entry))
		err = read_entry(&reader, &entry);
	array__free(&reader.places);
	if (err)
		cfi_table__free(table);
	else if (table->fdes.count)
		qsort(table->fdes.items, table->fdes.count, sizeof(*table->fdes.items),
		      compare_fdes);
	return err;
}

void cfi_table__free(struct cfi_table *table)
{
	array__free(&table->cies);
	array__free(&table->fdes);
}

const struct cfi_fde *cfi_table__find(const struct cfi_table *table, uint64_t pc)
{
	size_t count = array__count_leading(fde, &table->fdes, fde->addr <= pc);

	if (count && pc - table->fdes.items[count - 1].addr < table->fdes.items[count - 1].size)
		return &table->fdes.items[count - 1];
	return NULL;
}
