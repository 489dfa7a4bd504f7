/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a profile in memory, whose events and records a test lays out by hand, in either byte
 * order.
 */
#ifndef PERFJIT_PERFDATA_MEMORY_PROFILE_H
#define PERFJIT_PERFDATA_MEMORY_PROFILE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/diag.h"
#include "perfdata/event.h"
#include "perfdata/internal.h"

#define ATTR_SIZE          128
#define FLAG_SAMPLE_ID_ALL (1ull << 18)
#define ALL_FIELDS         ((1ull << 25) - 1)

struct memory_event {
	uint64_t sample_type, read_format, branch_sample_type, regs_user, regs_intr, id;
	uint32_t stack_user;
	bool no_sample_id_all;
	uint32_t attr_size; /* all events' alike; 0: ATTR_SIZE */
};

/* A profile in memory: events, and the records that a test puts into it. */
struct memory_profile {
	struct buf file, records;
	struct diag *diag;
	struct perfdata *perfdata;
};

static inline struct memory_profile memory_profile__new(enum byte_order order)
{
	return (struct memory_profile){
		.file = BUF(order),
		.records = BUF(order),
		.diag = diag__new(NULL, NULL),
	};
}

/* The flags' bits are counted from the other end of each byte by big-endian compilers. */
static inline void put_flags(struct buf *buf, uint64_t flags)
{
	for (unsigned int byte = 0; byte < 8; byte++) {
		uint8_t value = (uint8_t)(flags >> 8 * byte), turned = 0;

		for (unsigned int bit = 0; bit < 8; bit++)
			turned |= (uint8_t)((value >> bit & 1) << (7 - bit));
		buf__put_u8(buf, buf->order == ORDER_BIG ? turned : value);
	}
}

static inline void put_attr(struct buf *buf, const struct memory_event *event, uint64_t ids_offset)
{
	size_t size = event->attr_size ? event->attr_size : ATTR_SIZE, begin = buf->size;

	buf__put_u32(buf, PERF_TYPE_HARDWARE);
	buf__put_u32(buf, (uint32_t)size);
	buf__put_u64(buf, 0);
	buf__put_u64(buf, 1000); /* sample_period */
	buf__put_u64(buf, event->sample_type);
	buf__put_u64(buf, event->read_format);
	put_flags(buf, event->no_sample_id_all ? 0 : FLAG_SAMPLE_ID_ALL);
	buf__put_zeros(buf, 24);
	buf__put_u64(buf, event->branch_sample_type);
	buf__put_u64(buf, event->regs_user);
	buf__put_u32(buf, event->stack_user);
	buf__put_u32(buf, 0);
	buf__put_u64(buf, event->regs_intr);
	buf__put_zeros(buf, ATTR_SIZE - 104);
	buf->size = begin + size;
	buf__put_u64(buf, ids_offset);
	buf__put_u64(buf, event->id ? 8 : 0);
}

static inline void memory_profile__open(struct memory_profile *profile,
					const struct memory_event *events, size_t count)
{
	struct buf *file = &profile->file;
	uint64_t attr_size = events->attr_size ? events->attr_size : ATTR_SIZE;
	uint64_t attrs = PERFDATA_HEADER_SIZE + 8 * count;
	uint64_t data = attrs + count * (attr_size + 16);

	buf__put_u64(file, 0x32454c4946524550);
	buf__put_u64(file, PERFDATA_HEADER_SIZE);
	buf__put_u64(file, attr_size + 16);
	buf__put_u64(file, attrs);
	buf__put_u64(file, count * (attr_size + 16));
	buf__put_u64(file, data);
	buf__put_u64(file, profile->records.size);
	buf__put_zeros(file, PERFDATA_HEADER_SIZE - file->size);
	for (size_t i = 0; i < count; i++)
		buf__put_u64(file, events[i].id);
	for (size_t i = 0; i < count; i++)
		put_attr(file, &events[i], PERFDATA_HEADER_SIZE + 8 * i);
	assert_int_equal(file->size, data);
	buf__put(file, profile->records.data, profile->records.size);
	assert_int_equal(
		perfdata__open_bytes(&profile->perfdata, buf__bytes(file), "memory", profile->diag),
		0);
}

static inline void memory_profile__close(struct memory_profile *profile)
{
	perfdata__close(profile->perfdata);
	buf__free(&profile->file);
	buf__free(&profile->records);
	diag__free(profile->diag);
}

static inline size_t memory_profile__begin(struct memory_profile *profile, uint32_t type,
					   uint16_t misc)
{
	size_t at = profile->records.size;

	buf__put_u32(&profile->records, type);
	buf__put_u16(&profile->records, misc);
	buf__put_u16(&profile->records, 0);
	return at;
}

static inline void memory_profile__end(struct memory_profile *profile, size_t at)
{
	set_u16(profile->records.data + at + 6, (uint16_t)(profile->records.size - at),
		profile->records.order);
}

static inline void memory_profile__first_record(struct memory_profile *profile,
						struct perfdata_record *record)
{
	struct perfdata_walk walk;

	perfdata_walk__begin(&walk, profile->perfdata);
	assert_int_equal(perfdata_walk__next(&walk, record), 1);
	perfdata_walk__end(&walk);
}

/* count numbers from first on. */
static inline void put_u64s(struct buf *buf, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf__put_u64(buf, first + i);
}

#endif
