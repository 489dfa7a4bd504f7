// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Header features: those that say something of the recording decoded, others by size.
 * tools/perf/Documentation/perf.data-file-format.txt has their layout.
 */
#include <string.h>

#include "dump_perfdata.h"

static const char *const names[] = {
	[1] = "TRACING_DATA",   [2] = "BUILD_ID",         [3] = "HOSTNAME",
	[4] = "OSRELEASE",      [5] = "VERSION",          [6] = "ARCH",
	[7] = "NRCPUS",         [8] = "CPUDESC",          [9] = "CPUID",
	[10] = "TOTAL_MEM",     [11] = "CMDLINE",         [12] = "EVENT_DESC",
	[13] = "CPU_TOPOLOGY",  [14] = "NUMA_TOPOLOGY",   [15] = "BRANCH_STACK",
	[16] = "PMU_MAPPINGS",  [17] = "GROUP_DESC",      [18] = "AUXTRACE",
	[19] = "STAT",          [20] = "CACHE",           [21] = "SAMPLE_TIME",
	[22] = "MEM_TOPOLOGY",  [23] = "CLOCKID",         [24] = "DIR_FORMAT",
	[25] = "BPF_PROG_INFO", [26] = "BPF_BTF",         [27] = "COMPRESSED",
	[28] = "CPU_PMU_CAPS",  [29] = "CLOCK_DATA",      [30] = "HYBRID_TOPOLOGY",
	[31] = "PMU_CAPS",      [32] = "CPU_DOMAIN_INFO",
};

#define ENTRY_FIXED 36 /* of HEADER_BUILD_ID: header, pid, build-id; then a name */
#define MISC_SIZE   (1u << 15)

/* A string in a feature: its length with padding, then the bytes. NULL when it is cut off. */
static const char *take_string(struct cursor *cur)
{
	uint32_t size = cursor__u32(cur);
	const uint8_t *text = cursor__take(cur, size);

	return text && memchr(text, 0, size) ? (const char *)text : NULL;
}

static void print_strings(struct record_printer *printer, struct cursor *cur)
{
	uint32_t count = cursor__u32(cur);

	printer__begin_list(printer, "words");
	for (uint32_t i = 0; i < count; i++) {
		const char *text = take_string(cur);

		if (!text)
			break;
		printer__begin_item(printer);
		printer__text(printer, "word", text);
		printer__end_item(printer);
	}
	printer__end_list(printer);
}

static void print_build_id(struct record_printer *printer, struct bytes entry, uint16_t misc,
			   uint32_t pid)
{
	char text[2 * PERFDATA_BUILD_ID_SIZE + 1] = "";
	size_t size = PERFDATA_BUILD_ID_SIZE;

	if (misc & MISC_SIZE && entry.data[12 + size] <= size)
		size = entry.data[12 + size];
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", entry.data[12 + i]);
	printer__begin_item(printer);
	printer__word(printer, "build_id", text);
	printer__signed(printer, "pid", (int32_t)pid);
	printer__text(printer, "name", (const char *)entry.data + ENTRY_FIXED);
	printer__end_item(printer);
}

static void print_build_ids(struct record_printer *printer, struct bytes bytes,
			    enum byte_order order)
{
	printer__begin_list(printer, "build_ids");
	while (bytes.size > ENTRY_FIXED) {
		struct cursor cur = cursor__at(bytes, order);
		uint16_t misc, size;
		uint32_t pid;

		cursor__u32(&cur);
		misc = cursor__u16(&cur);
		size = cursor__u16(&cur);
		pid = cursor__u32(&cur);
		if (size <= ENTRY_FIXED || size > bytes.size ||
		    !memchr(bytes.data + ENTRY_FIXED, 0, size - ENTRY_FIXED))
			break;
		print_build_id(printer, bytes, misc, pid);
		bytes.data += size;
		bytes.size -= size;
	}
	printer__end_list(printer);
}

static void print_pmus(struct record_printer *printer, struct cursor *cur)
{
	uint32_t count = cursor__u32(cur);

	printer__begin_list(printer, "pmus");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t type = cursor__u32(cur);
		const char *name = take_string(cur);

		if (!name)
			break;
		printer__begin_item(printer);
		printer__number(printer, "pmu_type", type);
		printer__text(printer, "name", name);
		printer__end_item(printer);
	}
	printer__end_list(printer);
}

static void print_compression(struct record_printer *printer, struct cursor *cur)
{
	printer__number(printer, "version", cursor__u32(cur));
	printer__number(printer, "method", cursor__u32(cur));
	printer__number(printer, "level", cursor__u32(cur));
	printer__number(printer, "ratio", cursor__u32(cur));
	printer__number(printer, "buffer_size", cursor__u32(cur));
}

static void print_clock_data(struct record_printer *printer, struct cursor *cur)
{
	uint32_t clockid;

	printer__number(printer, "version", cursor__u32(cur));
	clockid = cursor__u32(cur);
	printer__number(printer, "clockid", clockid);
	printer__word(printer, "clock", dump_perfdata__clock_name((int32_t)clockid));
	printer__time(printer, "wall_clock", cursor__u64(cur));
	printer__time(printer, "recording_clock", cursor__u64(cur));
}

/* False: of those of which no more than the size is told. */
static bool print_numbers(struct record_printer *printer, unsigned int feature, struct cursor *cur)
{
	switch (feature) {
	case PERFDATA_FEAT_NRCPUS:
		printer__number(printer, "available", cursor__u32(cur));
		printer__number(printer, "online", cursor__u32(cur));
		return true;
	case PERFDATA_FEAT_TOTAL_MEM:
		printer__number(printer, "kib", cursor__u64(cur));
		return true;
	case PERFDATA_FEAT_SAMPLE_TIME:
		printer__time(printer, "first", cursor__u64(cur));
		printer__time(printer, "last", cursor__u64(cur));
		return true;
	case PERFDATA_FEAT_CLOCKID:
		printer__number(printer, "resolution_ns", cursor__u64(cur));
		return true;
	case PERFDATA_FEAT_DIR_FORMAT:
		printer__number(printer, "version", cursor__u64(cur));
		return true;
	case PERFDATA_FEAT_COMPRESSED:
		print_compression(printer, cur);
		return true;
	case PERFDATA_FEAT_CLOCK_DATA:
		print_clock_data(printer, cur);
		return true;
	}
	return false;
}

static void print_content(struct dump_perfdata *print, unsigned int feature, struct bytes bytes)
{
	struct record_printer *printer = &print->dump->printer;
	struct cursor cur = cursor__at(bytes, perfdata__order(print->perfdata));
	const char *text;

	switch (feature) {
	case PERFDATA_FEAT_HOSTNAME:
	case PERFDATA_FEAT_OSRELEASE:
	case PERFDATA_FEAT_VERSION:
	case PERFDATA_FEAT_ARCH:
	case PERFDATA_FEAT_CPUDESC:
	case PERFDATA_FEAT_CPUID:
		text = take_string(&cur);
		if (text)
			printer__text(printer, "value", text);
		break;
	case PERFDATA_FEAT_CMDLINE:
		print_strings(printer, &cur);
		break;
	case PERFDATA_FEAT_BUILD_ID:
		print_build_ids(printer, bytes, perfdata__order(print->perfdata));
		break;
	case 16:
		print_pmus(printer, &cur);
		break;
	default:
		if (print_numbers(printer, feature, &cur) && cur.overrun)
			printer__flag(printer, "cut_off", true);
	}
}

void dump_perfdata__features(struct dump_perfdata *print)
{
	struct record_printer *printer = &print->dump->printer;

	for (unsigned int i = 0; i < PERFDATA_FEAT_BITS; i++) {
		struct bytes bytes = perfdata__feature(print->perfdata, i);

		if (!perfdata__has_feature(print->perfdata, i))
			continue;
		printer__begin(printer, "feature", DIAG_NO_OFFSET);
		printer__number(printer, "nr", i);
		printer__word(printer, "name",
			      i < sizeof(names) / sizeof(names[0]) && names[i] ? names[i]
									       : "unknown");
		printer__number(printer, "bytes", bytes.size);
		print_content(print, i, bytes);
		if (print->dump->options->hex)
			printer__bytes(printer, "content", bytes);
		printer__end(printer);
	}
}
