// SPDX-License-Identifier: GPL-2.0-or-later
/* Format: LSB 5.0 core, 10.6.1 and 10.6.2. */
#include "cfi/lenient.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cfi/augmentation.h"
#include "cfi/instructions.h"
#include "cfi/leb128.h"
#include "cfi/pointer.h"

#define HDR_VERSION    1
#define HDR_TABLE      12 /* offset of the first entry */
#define HDR_ENTRY      8
#define USUAL_ENCODING (CFI_PE_PCREL | CFI_PE_SDATA4)

struct reading {
	struct lenient *lenient;
	struct cfi_check *check;
	const struct cfi_producer *producer;
	const struct cfi_target *target;
	struct bytes eh_frame, hdr; /* in the order that they should be in */
	uint64_t hdr_addr;
	size_t cie_end, fde_at;
	uint8_t encoding; /* of the FDE's pointers */
	bool sized;       /* the FDE has augmentation data */
	bool lsda;        /* and a pointer among them */
	int err;
};

__attribute__((format(printf, 4, 5))) static struct cfi_finding *
report(struct reading *reading, const char *kind, size_t offset, const char *format, ...)
{
	struct cfi_finding finding = { .kind = kind,
				       .pc = reading->producer->addr,
				       .offset = offset };
	va_list args;

	va_start(args, format);
	vsnprintf(finding.text, sizeof(finding.text), format, args);
	va_end(args);
	if (!array__push(&reading->check->findings, finding)) {
		reading->err = -ENOMEM;
		return NULL;
	}
	return &reading->check->findings.items[reading->check->findings.count - 1];
}

/* A finding with what the table says and what holds, as numbers. */
static void report_number(struct reading *reading, const char *kind, size_t offset,
			  const char *what, uint64_t says, uint64_t does)
{
	struct cfi_finding *finding =
		report(reading, kind, offset, "%s is 0x%" PRIx64 ", but should be 0x%" PRIx64, what,
		       says, does);

	if (!finding)
		return;
	snprintf(finding->says, sizeof(finding->says), "0x%" PRIx64, says);
	snprintf(finding->does, sizeof(finding->does), "0x%" PRIx64, does);
}

static struct cursor cursor_at(const struct reading *reading, struct bytes bytes, size_t offset)
{
	struct cursor cur = cursor__at(bytes, reading->target->order);

	cursor__take(&cur, offset);
	return cur;
}

/* .eh_frame begins with a length, .eh_frame_hdr with its version and three encodings. */
static bool looks_like_hdr(struct bytes bytes)
{
	return bytes.size >= HDR_TABLE && bytes.data[0] == HDR_VERSION &&
	       bytes.data[2] == CFI_PE_UDATA4 && bytes.data[1] != 0;
}

static void choose_order(struct reading *reading)
{
	const struct cfi_producer *producer = reading->producer;

	reading->eh_frame = producer->eh_frame;
	reading->hdr = producer->eh_frame_hdr;
	reading->hdr_addr = producer->eh_frame_addr + producer->eh_frame.size;
	if (!looks_like_hdr(producer->eh_frame) || looks_like_hdr(producer->eh_frame_hdr))
		return;
	/* they stand in one record: its sizes tell where one ends, and so may be of the other */
	reading->eh_frame = producer->eh_frame_hdr;
	reading->hdr = producer->eh_frame;
	reading->hdr_addr = producer->eh_frame_addr;
	report(reading, "cfi.swapped-order", 0,
	       ".eh_frame_hdr stands before .eh_frame, but should stand behind it");
}

/* The entry at offset, its length passed by; cut where it goes past the end. */
static bool enter(struct reading *reading, size_t offset, struct cursor *cur)
{
	struct cursor all = cursor_at(reading, reading->eh_frame, offset);
	uint32_t length = cursor__u32(&all);

	*cur = all;
	if (all.overrun || !length)
		return false;
	if (length > cursor__left(&all)) {
		report(reading, "cfi.cut-entry", offset,
		       "an entry of 0x%x bytes goes past the table's end", length);
		return true;
	}
	cur->end = cur->pos + length;
	return true;
}

static size_t offset_in(const struct reading *reading, const uint8_t *pos)
{
	return (size_t)(pos - reading->eh_frame.data);
}

/* Takes the augmentation's data, whose size stands before them, if they are what letters say. */
static bool take_augmentation(struct reading *reading, struct cursor *cur, const char *letters)
{
	struct cfi_cie *cie = &reading->lenient->cie;
	struct cfi_augmentation augmentation;
	struct cursor ahead = *cur, data;
	uint64_t size = cursor__uleb128(&ahead);
	uint64_t address = reading->producer->eh_frame_addr + offset_in(reading, ahead.pos);

	if (*letters != 'z' || size > cursor__left(&ahead))
		return false;
	data = ahead;
	cursor__take(&ahead, (size_t)size);
	data.end = ahead.pos;
	if (!cfi_augmentation__read(&augmentation, letters, &data, address, reading->target) ||
	    data.overrun || cursor__left(&data) || !cfi_pointer__usable(augmentation.encoding))
		return false;
	reading->encoding = augmentation.encoding;
	reading->sized = true;
	reading->lsda = augmentation.lsda;
	cie->signal_frame = augmentation.signal_frame;
	cie->pauth_b_key = augmentation.pauth_b_key;
	*cur = ahead;
	return true;
}

/* What follows the return address register: 'z' says how much, 'R' how pointers are encoded. */
static void read_augmentation(struct reading *reading, struct cursor *cur, const char *letters)
{
	size_t at = offset_in(reading, cur->pos);
	struct cursor ahead = *cur;
	uint64_t size = cursor__uleb128(&ahead);
	uint8_t encoding = cursor__u8(&ahead);

	if (take_augmentation(reading, cur, letters))
		return;
	reading->encoding = USUAL_ENCODING;
	reading->sized = true;
	if (!*letters && !(size == 1 && encoding == USUAL_ENCODING)) {
		/* none, and none meant */
		reading->encoding = CFI_PE_ABSPTR;
		reading->sized = false;
		return;
	}
	if (strcmp(letters, "zR") != 0)
		report(reading, "cfi.wrong-augmentation", at,
		       "the CIE's augmentation is \"%.8s\", but what stands there is that of \"zR\"",
		       letters);
	else if (size != 1)
		report_number(reading, "cfi.wrong-augmentation-size", at,
			      "the size of the CIE's augmentation data", size, 1);
	else
		report_number(reading, "cfi.wrong-encoding", at, "the encoding of addresses",
			      encoding, USUAL_ENCODING);
	*cur = ahead;
}

static bool read_cie(struct reading *reading)
{
	struct cfi_cie *cie = &reading->lenient->cie;
	const char *letters;
	struct cursor cur;
	uint32_t id;
	uint8_t version;

	if (!enter(reading, 0, &cur)) {
		report(reading, "cfi.no-cie", 0, "the table does not begin with a CIE");
		return false;
	}
	reading->cie_end = offset_in(reading, cur.end);
	id = cursor__u32(&cur);
	if (id != 0)
		report_number(reading, "cfi.wrong-cie-id", 4, "the CIE's id", id, 0);
	version = cursor__u8(&cur);
	if (version != 1 && version != 3)
		report_number(reading, "cfi.wrong-version", 8, "the CIE's version", version, 1);
	letters = cursor__string(&cur);
	cie->code_align = cursor__uleb128(&cur);
	cie->data_align = cursor__sleb128(&cur);
	cie->ra_register = version == 3 ? cursor__uleb128(&cur) : cursor__u8(&cur);
	if (cur.overrun) {
		report(reading, "cfi.cut-cie", 0, "the CIE ends before its instructions");
		return false;
	}
	read_augmentation(reading, &cur, letters);
	cie->instructions = (struct bytes){ cur.pos, cursor__left(&cur) };
	return !cur.overrun;
}

/* The code's first address and size, by an encoding. */
static void read_range(const struct reading *reading, struct cursor *cur, uint8_t encoding,
		       uint64_t range[2])
{
	uint64_t field = reading->producer->eh_frame_addr + offset_in(reading, cur->pos);

	range[0] = cfi_pointer__read(cur, encoding, reading->target, field);
	range[1] = cfi_pointer__read_number(cur, encoding, reading->target);
}

/* Says what a wrong first address comes from, where that can be told. */
static void report_begin(struct reading *reading, size_t at, uint64_t says)
{
	const struct cfi_producer *producer = reading->producer;
	struct cursor cur = cursor_at(reading, reading->eh_frame, at);
	uint32_t raw = cursor__u32(&cur);
	/* where .eh_frame would have to stand for it to be right */
	uint64_t real = producer->eh_frame_addr - producer->addr;
	uint64_t assumed = real - (says - producer->addr);

	if (reading->encoding == USUAL_ENCODING && raw == (uint32_t)producer->addr)
		report(reading, "cfi.absolute-pc-begin", at,
		       "the FDE's first address is written as an absolute one, 0x%x, but the CIE "
		       "says relative to where it stands",
		       raw);
	else if (assumed && assumed < 4096 + 2 * (uint64_t)producer->code.size)
		report(reading, "cfi.wrong-pc-begin", at,
		       "the FDE begins at 0x%" PRIx64 ", the code at 0x%" PRIx64
		       ": as if .eh_frame stood 0x%" PRIx64 " bytes behind the code's start and "
		       "not 0x%" PRIx64,
		       says, producer->addr, assumed, real);
	else
		report(reading, "cfi.stale-pc-begin", at,
		       "the FDE begins at 0x%" PRIx64 ", far from the code at 0x%" PRIx64, says,
		       producer->addr);
}

/* Which encoding gives the code's size tells how the pointers were written. */
static void settle_encoding(struct reading *reading, struct cursor cur)
{
	static const uint8_t others[] = { USUAL_ENCODING, CFI_PE_ABSPTR,
					  CFI_PE_PCREL | CFI_PE_SDATA8 };
	uint64_t range[2];
	struct cursor trial = cur;

	read_range(reading, &trial, reading->encoding, range);
	if (range[1] == reading->producer->code.size)
		return;
	for (size_t i = 0; i < sizeof(others); i++) {
		trial = cur;
		read_range(reading, &trial, others[i], range);
		if (trial.overrun || range[1] != reading->producer->code.size)
			continue;
		report_number(reading, "cfi.wrong-encoding", offset_in(reading, cur.pos),
			      "the encoding of the FDE's addresses", reading->encoding, others[i]);
		reading->encoding = others[i];
		return;
	}
}

static bool read_fde(struct reading *reading)
{
	size_t size = reading->producer->code.size, at;
	uint64_t range[2], augmentation;
	struct cursor cur;
	uint32_t pointer;

	reading->fde_at = reading->cie_end;
	if (!enter(reading, reading->fde_at, &cur)) {
		report(reading, "cfi.no-fde", reading->fde_at, "no FDE follows the CIE");
		return false;
	}
	pointer = cursor__u32(&cur);
	if (pointer != reading->fde_at + 4)
		report_number(reading, "cfi.wrong-cie-pointer", reading->fde_at + 4,
			      "the distance to the CIE", pointer, reading->fde_at + 4);
	settle_encoding(reading, cur);
	at = offset_in(reading, cur.pos);
	read_range(reading, &cur, reading->encoding, range);
	if (range[0] != reading->producer->addr)
		report_begin(reading, at, range[0]);
	if (range[1] != size)
		report_number(reading, "cfi.wrong-pc-range", at + 4, "the size of the FDE's code",
			      range[1], size);
	augmentation = reading->sized ? cursor__uleb128(&cur) : 0;
	if (reading->lsda)
		cursor__take(&cur, augmentation > SIZE_MAX ? SIZE_MAX : (size_t)augmentation);
	else if (augmentation)
		report_number(reading, "cfi.wrong-augmentation-size",
			      offset_in(reading, cur.pos) - 1,
			      "the size of the FDE's augmentation data", augmentation, 0);
	reading->lenient->instructions = (struct bytes){ cur.pos, cursor__left(&cur) };
	if (cur.overrun)
		report(reading, "cfi.cut-fde", reading->fde_at,
		       "the FDE ends before its instructions");
	return !cur.overrun;
}

/* Behind the FDE stands a length of 0, or nothing: readers by .eh_frame_hdr do not get there. */
static void check_end(struct reading *reading)
{
	struct cursor cur = cursor_at(reading, reading->eh_frame, reading->fde_at);
	uint32_t length = cursor__u32(&cur);
	struct cfi_finding *finding;

	cursor__take(&cur, length);
	if (cur.overrun || !cursor__left(&cur)) {
		finding = report(reading, "cfi.no-terminator", reading->eh_frame.size,
				 "the table ends without a length of 0");
		if (finding)
			finding->harmless = reading->hdr.size != 0;
	} else if (cursor__u32(&cur) || cur.overrun) {
		report(reading, "cfi.bad-terminator", reading->fde_at + 4 + length,
		       "what follows the FDE is no length of 0");
	}
}

static void check_hdr_entry(struct reading *reading)
{
	struct cursor cur = cursor_at(reading, reading->hdr, HDR_TABLE);
	uint64_t code = reading->hdr_addr + (uint64_t)(int32_t)cursor__u32(&cur);
	uint64_t fde = reading->hdr_addr + (uint64_t)(int32_t)cursor__u32(&cur);
	uint64_t should = reading->producer->eh_frame_addr + reading->fde_at;

	if (cur.overrun) {
		report(reading, "cfi.cut-hdr", 0, ".eh_frame_hdr ends before its table");
		return;
	}
	if (code != reading->producer->addr)
		report_number(reading, "cfi.wrong-hdr-code", HDR_TABLE,
			      "the code's address in .eh_frame_hdr", code, reading->producer->addr);
	if (fde != should)
		report_number(reading, "cfi.wrong-hdr-fde", HDR_TABLE + 4,
			      "the FDE's address in .eh_frame_hdr", fde, should);
}

static void check_hdr(struct reading *reading)
{
	static const uint8_t usual[] = { HDR_VERSION, USUAL_ENCODING, CFI_PE_UDATA4,
					 CFI_PE_DATAREL | CFI_PE_SDATA4 };
	struct cursor cur = cursor_at(reading, reading->hdr, sizeof(usual));
	uint64_t eh_frame = reading->hdr_addr + 4 + (uint64_t)(int32_t)cursor__u32(&cur);
	uint32_t count = cursor__u32(&cur);

	if (!reading->hdr.size)
		return;
	if (cur.overrun) {
		report(reading, "cfi.cut-hdr", 0, ".eh_frame_hdr is cut off");
		return;
	}
	if (memcmp(reading->hdr.data, usual, sizeof(usual)) != 0) {
		report(reading, "cfi.wrong-hdr-encoding", 0,
		       ".eh_frame_hdr begins with %02x %02x %02x %02x, but readers know only "
		       "01 1b 03 3b",
		       reading->hdr.data[0], reading->hdr.data[1], reading->hdr.data[2],
		       reading->hdr.data[3]);
		return;
	}
	if (eh_frame != reading->producer->eh_frame_addr)
		report_number(reading, "cfi.wrong-hdr-pointer", sizeof(usual),
			      "the address of .eh_frame in .eh_frame_hdr", eh_frame,
			      reading->producer->eh_frame_addr);
	if (count != 1)
		report_number(reading, "cfi.wrong-hdr-count", 8,
			      "the number of entries in .eh_frame_hdr", count, 1);
	check_hdr_entry(reading);
}

int lenient__read(struct lenient *lenient, struct cfi_check *check,
		  const struct cfi_producer *producer, const struct cfi_target *target)
{
	struct reading reading = {
		.lenient = lenient, .check = check, .producer = producer, .target = target
	};

	*lenient = (struct lenient){ 0 };
	choose_order(&reading);
	lenient->found = read_cie(&reading) && read_fde(&reading);
	if (lenient->found) {
		check_end(&reading);
		check_hdr(&reading);
	}
	return reading.err;
}
