// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PERF_RECORD_SAMPLE: a field for each bit of the event's sample_type, in the fixed order that
 * include/uapi/linux/perf_event.h gives.
 */
#include "perfdata/internal.h"

/* Newer than the installed header may be. */
#define FORMAT_LOST          (1u << 4)
#define SAMPLE_WEIGHT_STRUCT (1u << 24)
#define BRANCH_COUNTERS      (1u << 19)

/* count elements of size bytes each, or an empty view and overrun when they can't be there. */
static struct bytes take_array(struct cursor *cur, uint64_t count, size_t size)
{
	if (count > cursor__left(cur) / size) {
		cur->overrun = true;
		cur->pos = cur->end;
		return (struct bytes){ NULL, 0 };
	}
	return (struct bytes){ cursor__take(cur, count * size), count * size };
}

static void read_head(struct cursor *cur, uint64_t fields, struct perfdata_sample *sample)
{
	if (fields & PERF_SAMPLE_IDENTIFIER)
		sample->id = cursor__u64(cur);
	if (fields & PERF_SAMPLE_IP)
		sample->ip = cursor__u64(cur);
	if (fields & PERF_SAMPLE_TID) {
		sample->pid = cursor__u32(cur);
		sample->tid = cursor__u32(cur);
	}
	if (fields & PERF_SAMPLE_TIME) {
		sample->time = cursor__u64(cur);
		sample->has_time = true;
	}
	if (fields & PERF_SAMPLE_ADDR)
		sample->addr = cursor__u64(cur);
	if (fields & PERF_SAMPLE_ID)
		sample->id = cursor__u64(cur);
	if (fields & PERF_SAMPLE_STREAM_ID)
		cursor__u64(cur);
	if (fields & PERF_SAMPLE_CPU) {
		sample->cpu = cursor__u32(cur);
		cursor__u32(cur);
	}
	if (fields & PERF_SAMPLE_PERIOD)
		sample->period = cursor__u64(cur);
}

/* struct read_format: counts of the event, or of all events of its group. */
static void skip_read(struct cursor *cur, uint64_t format)
{
	uint64_t times = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = format & (PERF_FORMAT_ID | FORMAT_LOST);
	size_t nr_times = (size_t)__builtin_popcountll(times);
	size_t nr_each = 1 + (size_t)__builtin_popcountll(each);
	uint64_t count = 1;

	if (format & PERF_FORMAT_GROUP)
		count = cursor__u64(cur);
	take_array(cur, nr_times, 8);
	take_array(cur, count, 8 * nr_each);
}

static void read_branches(struct cursor *cur, uint64_t branch_type, struct perfdata_sample *sample)
{
	uint64_t count = cursor__u64(cur);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor__u64(cur);
	sample->branches = take_array(cur, count, PERFDATA_BRANCH_SIZE);
	if (branch_type & BRANCH_COUNTERS)
		take_array(cur, count, 8);
}

uint64_t perfdata__read_regs(struct cursor *cur, uint64_t mask, struct bytes *regs)
{
	uint64_t abi = cursor__u64(cur);
	uint64_t qwords;

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return abi;
	*regs = take_array(cur, (uint64_t)__builtin_popcountll(mask), 8);
	if (abi & PERFDATA_REGS_ABI_SIMD) {
		qwords = (uint64_t)cursor__u16(cur) * cursor__u16(cur);
		qwords += (uint64_t)cursor__u16(cur) * cursor__u16(cur);
		take_array(cur, qwords, 8);
	}
	return abi & ~(uint64_t)PERFDATA_REGS_ABI_SIMD;
}

/* The size is the room; how much of it was filled stands behind it, if there was any. */
static void read_stack(struct cursor *cur, struct perfdata_sample *sample)
{
	uint64_t room = cursor__u64(cur);
	uint64_t copied;

	if (!room)
		return;
	sample->user_stack = take_array(cur, room, 1);
	copied = cursor__u64(cur);
	sample->user_stack_full = copied >= room;
	if (copied < room)
		sample->user_stack.size = copied;
}

/* Fields nobody asks for yet; that they fit shows that the sample is laid out as was thought. */
static void skip_tail(struct cursor *cur, const struct perf_event_attr *attr)
{
	uint64_t fields = attr->sample_type;
	uint64_t plain = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
			 PERF_SAMPLE_CODE_PAGE_SIZE;
	struct bytes regs;

	if (fields & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		cursor__u64(cur);
	if (fields & PERF_SAMPLE_DATA_SRC)
		cursor__u64(cur);
	if (fields & PERF_SAMPLE_TRANSACTION)
		cursor__u64(cur);
	if (fields & PERF_SAMPLE_REGS_INTR)
		perfdata__read_regs(cur, attr->sample_regs_intr, &regs);
	take_array(cur, (uint64_t)__builtin_popcountll(fields & plain), 8);
	if (fields & PERF_SAMPLE_AUX)
		take_array(cur, cursor__u64(cur), 1);
}

/* A cursor at what stands behind the record's header, as far as it is there. */
static struct cursor begin(const struct perfdata *perfdata, const struct perfdata_record *record,
			   struct perfdata_sample *sample)
{
	size_t there = (size_t)record->size - record->absent;

	*sample = (struct perfdata_sample){
		.attr = perfdata__attr_of_record(perfdata, record),
		.misc = record->misc,
	};
	return cursor__at((struct bytes){ record->data + PERFDATA_RECORD_HEADER_SIZE,
					  there - PERFDATA_RECORD_HEADER_SIZE },
			  perfdata->order);
}

static void read_front(struct cursor *cur, const struct perf_event_attr *attr,
		       struct perfdata_sample *sample)
{
	uint64_t fields = attr->sample_type;

	sample->period = attr->freq ? 0 : attr->sample_period;
	read_head(cur, fields, sample);
	if (fields & PERF_SAMPLE_READ)
		skip_read(cur, attr->read_format);
	if (fields & PERF_SAMPLE_CALLCHAIN)
		sample->callchain = take_array(cur, cursor__u64(cur), 8);
	if (fields & PERF_SAMPLE_RAW)
		sample->raw = take_array(cur, cursor__u32(cur), 1);
	if (fields & PERF_SAMPLE_BRANCH_STACK)
		read_branches(cur, attr->branch_sample_type, sample);
	if (fields & PERF_SAMPLE_REGS_USER)
		sample->user_regs_abi =
			perfdata__read_regs(cur, attr->sample_regs_user, &sample->user_regs);
}

bool perfdata__parse_sample(const struct perfdata *perfdata, const struct perfdata_record *record,
			    struct perfdata_sample *sample)
{
	struct cursor cur = begin(perfdata, record, sample);
	const struct perf_event_attr *attr = &sample->attr->attr;

	if (record->type != PERFDATA_SAMPLE)
		return false;
	read_front(&cur, attr, sample);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		read_stack(&cur, sample);
	skip_tail(&cur, attr);
	return !cur.overrun;
}

bool perfdata__parse_sample_front(const struct perfdata *perfdata,
				  const struct perfdata_record *record,
				  struct perfdata_sample *sample)
{
	struct cursor cur = begin(perfdata, record, sample);
	const struct perf_event_attr *attr = &sample->attr->attr;
	uint64_t room = 0;

	if (record->type != PERFDATA_SAMPLE)
		return false;
	read_front(&cur, attr, sample);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		room = cursor__u64(&cur);
	return !cur.overrun && room <= cursor__left(&cur) + record->absent;
}
