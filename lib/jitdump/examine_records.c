// SPDX-License-Identifier: GPL-2.0-or-later
/* Record by record: what the reader takes as it is and yet is odd. */
#include "jitdump/examine_records.h"

#include <errno.h>
#include <inttypes.h>

#include <xxhash.h>

#include "jitdump/dump.h"

/* Times this far apart are not of one clock: headers are written right before the first code. */
#define CLOCKS_APART ((uint64_t)3600 * 1000000000)
/* Fewer records don't show that times are rounded. */
#define ROUNDED_LEAST 50u

struct walk {
	struct jitdump_examination *ex;
	struct examined_loads loads;
	uint64_t last_time;
	uint64_t nr_rounded;  /* times that are whole microseconds */
	uint64_t mapped_size; /* of the unwind data before the next LOAD */
};

static void note(struct walk *walk, const char *kind, const struct jitdump_record *record,
		 const char *text)
{
	jitdump__report(walk->ex->dump, DIAG_NOTE, kind, record->offset, "%s", text);
}

static void examine_time(struct walk *walk, const struct jitdump_record *record)
{
	struct jitdump_examination *ex = walk->ex;

	if (!ex->first_time || record->time < ex->first_time)
		ex->first_time = record->time;
	if (record->time > ex->last_time)
		ex->last_time = record->time;
	walk->nr_rounded += record->time % 1000 == 0;
	if (record->time < walk->last_time)
		jitdump__report(ex->dump, DIAG_NOTE, "jitdump.time-backwards", record->offset,
				"a record is %" PRIu64 " ns older than the one before",
				walk->last_time - record->time);
	walk->last_time = record->time;
}

static int examine_load(struct walk *walk, const struct jitdump_record *record)
{
	const struct jitdump_header *header = jitdump__header(walk->ex->dump);
	struct examined_load load = {
		.addr = record->load.code_addr ? record->load.code_addr : record->load.vma,
		.size = record->load.code_size,
		.time = record->time,
		.index = record->load.code_index,
		.mapped_size = walk->mapped_size,
		.offset = record->offset,
		.hash = XXH3_64bits(record->load.code.data, record->load.code.size),
	};

	walk->mapped_size = 0;
	if (!record->load.vma && record->load.code_addr)
		note(walk, "jitdump.no-vma", record, "vma is 0");
	else if (record->load.vma != record->load.code_addr)
		note(walk, "jitdump.vma", record, "vma is not code_addr");
	if (header->pid && record->load.pid != header->pid)
		jitdump__report(walk->ex->dump, DIAG_NOTE, "jitdump.other-pid", record->offset,
				"the function is of pid %u, the dump of %u", record->load.pid,
				header->pid);
	if (!walk->ex->producer)
		walk->ex->producer = examine__producer(header, record->load.name);
	return array__push(&walk->loads.list, load) ? 0 : -ENOMEM;
}

/* Whether there is more than one FDE: what follows a CIE before the terminator. */
static bool has_several_fdes(struct bytes eh_frame, enum byte_order order)
{
	struct cursor cur = cursor__at(eh_frame, order);
	int fdes = 0;

	while (cursor__left(&cur) >= 8 && fdes < 2) {
		uint32_t length = cursor__u32(&cur);

		if (length < 4 || length > cursor__left(&cur))
			break;
		fdes += get_u32(cur.pos, order) != 0;
		cursor__take(&cur, length);
	}
	return fdes > 1;
}

static void examine_unwinding(struct walk *walk, const struct jitdump_record *record)
{
	struct bytes frame = record->unwinding_info.eh_frame;
	struct bytes hdr = record->unwinding_info.eh_frame_hdr;

	walk->mapped_size = record->unwinding_info.mapped_size;
	if (!frame.size)
		note(walk, "jitdump.empty-unwinding", record, "unwind data without .eh_frame");
	if (frame.size && hdr.size && hdr.data < frame.data)
		jitdump__report(walk->ex->dump, DIAG_WARNING, "jitdump.unwinding-order",
				record->offset, ".eh_frame_hdr comes before .eh_frame");
	if (has_several_fdes(frame, jitdump__header(walk->ex->dump)->order))
		jitdump__report(walk->ex->dump, DIAG_WARNING, "jitdump.shared-unwinding",
				record->offset, "one .eh_frame describes several functions");
}

static int examine_record(struct walk *walk, const struct jitdump_record *record)
{
	examine_time(walk, record);
	if (record->id == JIT_CODE_LOAD)
		return examine_load(walk, record);
	if (record->id == JIT_CODE_UNWINDING_INFO)
		examine_unwinding(walk, record);
	return 0;
}

static void note_header(struct jitdump_examination *ex, const char *kind, uint64_t offset,
			const char *text)
{
	jitdump__report(ex->dump, DIAG_NOTE, kind, offset, "%s", text);
}

static void examine_header(struct walk *walk)
{
	struct jitdump_examination *ex = walk->ex;
	const struct jitdump_header *header = jitdump__header(ex->dump);
	uint64_t time = header->timestamp;

	if (!header->total_size)
		return;
	if (!header->elf_mach)
		note_header(ex, "jitdump.no-machine", 12, "elf_mach is 0");
	if (header->pad1)
		jitdump__report(ex->dump, DIAG_NOTE, "jitdump.padding", 16, "pad1 is 0x%x",
				header->pad1);
	if (header->flags & JITDUMP_FLAG_ARCH_TIMESTAMP)
		note_header(ex, "jitdump.arch-timestamp", 32, "times are values of a CPU counter");
	else if (time && ex->records &&
		 (time > ex->last_time + CLOCKS_APART || time < ex->first_time / 4))
		note_header(ex, "jitdump.header-clock", 24,
			    "the header's time is of another clock than the records'");
	else if (time && ex->records && time > ex->first_time)
		note_header(ex, "jitdump.header-late", 24,
			    "the header's time is later than the first record's");
	if (ex->records >= ROUNDED_LEAST && walk->nr_rounded == ex->records)
		note_header(ex, "jitdump.microseconds", DIAG_NO_OFFSET,
			    "times are whole microseconds");
}

int examine_records(struct jitdump_examination *ex)
{
	struct walk walk = { .ex = ex };
	struct jitdump_record record;
	int status;

	jitdump__rewind(ex->dump);
	while ((status = jitdump__next_record(ex->dump, &record)) > 0) {
		ex->records++;
		status = examine_record(&walk, &record);
		if (status)
			break;
	}
	if (!status) {
		examine_header(&walk);
		examine_code(ex, &walk.loads);
	}
	array__free(&walk.loads.list);
	jitdump__rewind(ex->dump);
	return status;
}
