// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "jitdump/dump.h"

/* No producer's header is longer; what says more is not to be believed. */
#define HEADER_SIZE_MAX 4096u

static bool sane_size(uint32_t size)
{
	return size >= HEADER_SIZE && size <= HEADER_SIZE_MAX;
}

/*
 * JavaScriptCore writes the magic swapped on big-endian machines, so that it says "little" of a
 * file that isn't. The header's size tells.
 */
static bool magic_lies(struct bytes bytes, enum byte_order order)
{
	if (bytes.size < 12)
		return false;
	return !sane_size(get_u32(bytes.data + 8, order)) &&
	       sane_size(get_u32(bytes.data + 8, byte_order__other(order)));
}

bool jitdump__has_magic(struct bytes bytes, enum byte_order *order)
{
	enum byte_order found;

	if (bytes.size < 4)
		return false;
	if (get_u32(bytes.data, ORDER_LITTLE) == JITDUMP_MAGIC)
		found = ORDER_LITTLE;
	else if (get_u32(bytes.data, ORDER_BIG) == JITDUMP_MAGIC)
		found = ORDER_BIG;
	else
		return false;
	if (magic_lies(bytes, found))
		found = byte_order__other(found);
	if (order)
		*order = found;
	return true;
}

static void report_oddities(struct jitdump *dump)
{
	const struct jitdump_header *header = &dump->header;

	if (get_u32(dump->bytes.data, header->order) != JITDUMP_MAGIC)
		jitdump__report(dump, DIAG_NOTE, "jitdump.swapped-magic", 0,
				"the magic number is in the other byte order than the rest");
	if (header->version != 1)
		jitdump__report(dump, DIAG_WARNING, "jitdump.version", 4,
				"version is %u, not 1: read as version 1", header->version);
	if (header->flags & ~(uint64_t)JITDUMP_FLAG_ARCH_TIMESTAMP)
		jitdump__report(dump, DIAG_WARNING, "jitdump.flags", 32,
				"unknown flags 0x%llx are ignored",
				(unsigned long long)header->flags);
}

/* Where the records begin, when the header's own word can't be taken. */
static void check_size(struct jitdump *dump)
{
	uint32_t size = dump->header.total_size;

	if (sane_size(size) && size <= dump->bytes.size)
		return;
	jitdump__report(dump, DIAG_WARNING, "jitdump.header-size", 8,
			"the header says it has %u bytes: taken as %u", size, HEADER_SIZE);
	dump->header.total_size = HEADER_SIZE;
}

int jitdump__read_header(struct jitdump *dump)
{
	struct jitdump_header *header = &dump->header;
	struct cursor cur;

	header->order = ORDER_HOST;
	if (!dump->bytes.size) {
		jitdump__report(dump, DIAG_NOTE, "jitdump.empty", DIAG_NO_OFFSET,
				"is empty: nothing was written to it");
		return 0;
	}
	if (!jitdump__has_magic(dump->bytes, &header->order)) {
		jitdump__report(dump, DIAG_ERROR, "jitdump.magic", 0, "is no jitdump");
		return -EINVAL;
	}
	if (dump->bytes.size < HEADER_SIZE) {
		jitdump__report(dump, DIAG_WARNING, "jitdump.truncated-header", 0,
				"is cut off in its header, after %zu bytes", dump->bytes.size);
		dump->stats.truncated_bytes = dump->bytes.size;
		dump->pos = dump->bytes.size;
		return 0;
	}
	cur = cursor__at(dump->bytes, header->order);
	cursor__u32(&cur);
	header->version = cursor__u32(&cur);
	header->total_size = cursor__u32(&cur);
	header->elf_mach = cursor__u32(&cur);
	header->pad1 = cursor__u32(&cur);
	header->pid = cursor__u32(&cur);
	header->timestamp = cursor__u64(&cur);
	header->flags = cursor__u64(&cur);
	report_oddities(dump);
	check_size(dump);
	dump->pos = header->total_size;
	return 0;
}
