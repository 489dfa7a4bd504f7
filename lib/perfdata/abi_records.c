// SPDX-License-Identifier: GPL-2.0-or-later
/* Records, changed into what an older perf accepts. */
#include "perfdata/abi_convert.h"

#define BODY PERFDATA_RECORD_HEADER_SIZE
/* In a record's header. */
#define AT_TYPE 0
#define AT_MISC 4
#define AT_SIZE 6

/* In MMAP and MMAP2: behind pid, tid, start, size, pgoff. */
#define MMAP_END   (BODY + 2 * 4 + 3 * 8)
#define IDENTITY   24 /* device, inode and generation, or a build-id with its size */
#define PROTECTION 8  /* prot and flags */
#define MMAP2_END  (MMAP_END + IDENTITY + PROTECTION)

/* struct perf_record_cpu_map_data: how the CPUs are told. */
#define CPUS_LIST  0
#define CPUS_RANGE 2
#define RANGE_SIZE 8
/* PERF_EVENT_UPDATE__CPUS, behind whose u64 kind and id such data stand. */
#define UPDATE_CPUS 3
#define UPDATE_HEAD 16

static void change_bytes(uint64_t offset, const void *data, size_t size, struct splices *splices)
{
	splices__add(splices, SPLICE_STRUCTURE, offset, size, data, size);
}

void abi__drop(const struct perfdata_record *record, uint64_t offset, struct splices *splices)
{
	splices__add(splices, SPLICE_STRUCTURE, offset, record->size, NULL, 0);
}

void abi__change_u16(const struct abi *abi, uint64_t offset, uint16_t value,
		     struct splices *splices)
{
	uint8_t bytes[2];

	set_u16(bytes, value, abi->perfdata->order);
	change_bytes(offset, bytes, sizeof(bytes), splices);
}

void abi__change_size(const struct abi *abi, uint64_t offset, size_t size, struct splices *splices)
{
	abi__change_u16(abi, offset + AT_SIZE, (uint16_t)size, splices);
}

static bool is_kernels(const struct perfdata_record *record)
{
	unsigned int mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

/* perf before 5.12 reads the kernel's mappings as MMAP, whatever their type: the name moves. */
static void change_kernel_mmap2(const struct abi *abi, const struct perfdata_record *record,
				uint64_t offset, struct splices *splices)
{
	uint8_t type[4];

	set_u32(type, PERFDATA_MMAP, abi->perfdata->order);
	change_bytes(offset + AT_TYPE, type, sizeof(type), splices);
	abi__change_u16(abi, offset + AT_MISC,
			record->misc & (uint16_t)~PERFDATA_MISC_MMAP_BUILD_ID, splices);
	abi__change_size(abi, offset, record->size - IDENTITY - PROTECTION, splices);
	splices__add(splices, SPLICE_STRUCTURE, offset + MMAP_END, IDENTITY + PROTECTION, NULL, 0);
}

/* Files are told apart by inode and generation: numbers made of the build-id, never 0. */
static void change_mmap2(const struct abi *abi, const struct perfdata_record *record,
			 uint64_t offset, struct splices *splices)
{
	const uint8_t *build_id = record->data + MMAP_END + 4;
	uint8_t identity[IDENTITY] = { 0 };

	if (record->size < MMAP2_END)
		return;
	if (is_kernels(record)) {
		change_kernel_mmap2(abi, record, offset, splices);
		return;
	}
	if (!(record->misc & PERFDATA_MISC_MMAP_BUILD_ID))
		return;
	set_u64(identity + 8, get_u64(build_id, ORDER_LITTLE) >> 1 | 1, abi->perfdata->order);
	set_u64(identity + 16, get_u64(build_id + 8, ORDER_LITTLE), abi->perfdata->order);
	abi__change_u16(abi, offset + AT_MISC,
			record->misc & (uint16_t)~PERFDATA_MISC_MMAP_BUILD_ID, splices);
	change_bytes(offset + MMAP_END, identity, sizeof(identity), splices);
}

/* u16 kind, u8 whether -1 is one of them, u8 padding, u16 first, u16 last */
static void put_cpus(struct buf *buf, const uint8_t *range)
{
	uint32_t first = get_u16(range + 4, buf->order), last = get_u16(range + 6, buf->order);
	bool any = range[2];

	if (last < first)
		last = first;
	buf__put_u16(buf, CPUS_LIST);
	buf__put_u16(buf, (uint16_t)(last - first + 1 + any));
	if (any)
		buf__put_u16(buf, UINT16_MAX);
	for (uint32_t cpu = first; cpu <= last; cpu++)
		buf__put_u16(buf, (uint16_t)cpu);
	buf__align(buf, 8);
}

/* A range of CPUs, which takes no more than the record's last 8 bytes, as a list of them. */
static void change_cpus(const struct abi *abi, const struct perfdata_record *record, size_t at,
			uint64_t offset, struct splices *splices)
{
	struct buf cpus = BUF(abi->perfdata->order);

	if (record->size < at + RANGE_SIZE ||
	    get_u16(record->data + at, abi->perfdata->order) != CPUS_RANGE)
		return;
	put_cpus(&cpus, record->data + at);
	splices->bytes.failed |= cpus.failed;
	if (at + cpus.size > UINT16_MAX) {
		abi__drop(record, offset, splices);
	} else {
		abi__change_size(abi, offset, at + cpus.size, splices);
		splices__add(splices, SPLICE_STRUCTURE, offset + at, record->size - at, cpus.data,
			     cpus.size);
	}
	buf__free(&cpus);
}

/* CPUs of a machine of the other byte order say nothing to a perf that does not turn them round. */
static void change_event_update(const struct abi *abi, const struct perfdata_record *record,
				uint64_t offset, struct splices *splices)
{
	bool foreign = abi->perfdata->order != ORDER_HOST;

	if (record->size < BODY + UPDATE_HEAD ||
	    get_u64(record->data + BODY, abi->perfdata->order) != UPDATE_CPUS)
		return;
	if (foreign && !abi->level->foreign_updates)
		abi__drop(record, offset, splices);
	else if (!abi->level->ranges)
		change_cpus(abi, record, BODY + UPDATE_HEAD, offset, splices);
}

static void change_known(const struct abi *abi, const struct perfdata_record *record,
			 uint64_t offset, struct splices *splices)
{
	switch (record->type) {
	case PERFDATA_SAMPLE:
		abi__change_sample(abi, record, offset, splices);
		break;
	case PERFDATA_READ:
		abi__change_read(abi, record, offset, splices);
		break;
	case PERFDATA_MMAP2:
		if (!abi->level->mmap_build_ids)
			change_mmap2(abi, record, offset, splices);
		break;
	case PERFDATA_CPU_MAP:
		if (!abi->level->ranges)
			change_cpus(abi, record, BODY, offset, splices);
		break;
	case PERFDATA_EVENT_UPDATE:
		change_event_update(abi, record, offset, splices);
		break;
	}
}

void abi__change_record(const struct abi *abi, const struct perfdata_record *record,
			uint64_t offset, struct splices *splices)
{
	if (!perfdata_abi__knows_type(abi->level, record->type))
		abi__drop(record, offset, splices);
	else if (record->type == PERFDATA_HEADER_ATTR && !record->compressed)
		abi__change_header_attr(abi, record, splices);
	else if (record->type == PERFDATA_HEADER_FEATURE && !record->compressed)
		abi__change_header_feature(abi, record, splices);
	else
		change_known(abi, record, offset, splices);
}
