// SPDX-License-Identifier: GPL-2.0-or-later
/* Records made anew. */
#include "perfdata/internal.h"

/* Room for the header, filled in by end_record. Returns where the record begins. */
static size_t begin_record(struct buf *buf)
{
	size_t begin = buf->size;

	buf__put_zeros(buf, PERFDATA_RECORD_HEADER_SIZE);
	return begin;
}

static void end_record(const struct perfdata *perfdata, struct buf *buf, size_t begin,
		       uint32_t type, uint16_t misc, const struct perfdata_sample_id *sample_id)
{
	size_t size;

	buf__put_zeros(buf, align_up(buf->size - begin, 8) - (buf->size - begin));
	perfdata__put_sample_id(perfdata, buf, sample_id);
	size = buf->size - begin;
	if (size > UINT16_MAX)
		buf->failed = true;
	if (buf->failed)
		return;
	set_u32(buf->data + begin, type, perfdata->order);
	set_u16(buf->data + begin + 4, misc, perfdata->order);
	set_u16(buf->data + begin + 6, (uint16_t)size, perfdata->order);
}

static void put_build_id(struct buf *buf, const struct perfdata_mmap *mmap)
{
	buf__put_u8(buf, mmap->build_id_size);
	buf__put_zeros(buf, 3);
	buf__put(buf, mmap->build_id, PERFDATA_BUILD_ID_SIZE);
}

void perfdata__put_mmap2(const struct perfdata *perfdata, struct buf *buf,
			 const struct perfdata_mmap *mmap)
{
	size_t begin = begin_record(buf);
	uint16_t misc = mmap->misc & (uint16_t)~PERFDATA_MISC_MMAP_BUILD_ID;

	buf__put_u32(buf, mmap->pid);
	buf__put_u32(buf, mmap->tid);
	buf__put_u64(buf, mmap->start);
	buf__put_u64(buf, mmap->size);
	buf__put_u64(buf, mmap->pgoff);
	if (mmap->has_build_id) {
		misc |= PERFDATA_MISC_MMAP_BUILD_ID;
		put_build_id(buf, mmap);
	} else {
		buf__put_u32(buf, mmap->maj);
		buf__put_u32(buf, mmap->min);
		buf__put_u64(buf, mmap->ino);
		buf__put_u64(buf, mmap->ino_generation);
	}
	buf__put_u32(buf, mmap->prot);
	buf__put_u32(buf, mmap->flags);
	buf__put_string(buf, mmap->name);
	end_record(perfdata, buf, begin, PERFDATA_MMAP2, misc, &mmap->sample_id);
}

void perfdata__put_comm(const struct perfdata *perfdata, struct buf *buf,
			const struct perfdata_comm *comm)
{
	size_t begin = begin_record(buf);

	buf__put_u32(buf, comm->pid);
	buf__put_u32(buf, comm->tid);
	buf__put_string(buf, comm->comm);
	end_record(perfdata, buf, begin, PERFDATA_COMM, comm->exec ? PERFDATA_MISC_COMM_EXEC : 0,
		   &comm->sample_id);
}

void perfdata__put_fork(const struct perfdata *perfdata, struct buf *buf,
			const struct perfdata_task *task)
{
	size_t begin = begin_record(buf);

	buf__put_u32(buf, task->pid);
	buf__put_u32(buf, task->ppid);
	buf__put_u32(buf, task->tid);
	buf__put_u32(buf, task->ptid);
	buf__put_u64(buf, task->time);
	end_record(perfdata, buf, begin, PERFDATA_FORK, task->exec ? PERFDATA_MISC_FORK_EXEC : 0,
		   &task->sample_id);
}
