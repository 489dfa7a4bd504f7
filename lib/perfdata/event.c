// SPDX-License-Identifier: GPL-2.0-or-later
/* Records about processes: mappings, names, forks and exits. */
#include "perfdata/internal.h"

#include <sys/mman.h>

/* The record's own fields, between header and trailer. */
static bool open_body(const struct perfdata *perfdata, const struct perfdata_record *record,
		      struct perfdata_sample_id *sample_id, struct cursor *cur)
{
	size_t trailer;

	perfdata__parse_sample_id(perfdata, record, sample_id);
	trailer = perfdata__trailer_size(perfdata, sample_id->attr);
	if (record->size < PERFDATA_RECORD_HEADER_SIZE + trailer)
		return false;
	*cur = cursor__at((struct bytes){ record->data + PERFDATA_RECORD_HEADER_SIZE,
					  record->size - PERFDATA_RECORD_HEADER_SIZE - trailer },
			  perfdata->order);
	return true;
}

/* The build-id takes the place of device, inode and generation: 24 bytes, the first its length. */
static void read_build_id(struct cursor *cur, struct perfdata_mmap *mmap)
{
	const uint8_t *bytes = cursor__take(cur, 4 + PERFDATA_BUILD_ID_SIZE);

	if (!bytes)
		return;
	mmap->has_build_id = true;
	mmap->build_id_size =
		bytes[0] <= PERFDATA_BUILD_ID_SIZE ? bytes[0] : PERFDATA_BUILD_ID_SIZE;
	memcpy(mmap->build_id, bytes + 4, PERFDATA_BUILD_ID_SIZE);
}

/*
 * Kernels before 3.16 that write MMAP2 (RHEL 7's 3.10) have no prot and flags in it: there the
 * name stands in their place. It fills more than 16 bits, which no protection does, nor the mode of
 * a file, which perf inject takes for one.
 */
static void read_protection(struct cursor *cur, struct perfdata_mmap *mmap)
{
	if (cursor__left(cur) >= 4 && get_u32(cur->pos, cur->order) >> 16) {
		mmap->prot = PROT_READ;
		mmap->prot |= (mmap->misc & PERFDATA_MISC_MMAP_DATA) ? PROT_WRITE : PROT_EXEC;
		return;
	}
	mmap->prot = cursor__u32(cur);
	mmap->flags = cursor__u32(cur);
}

bool perfdata__parse_mmap(const struct perfdata *perfdata, const struct perfdata_record *record,
			  struct perfdata_mmap *mmap)
{
	struct cursor cur;

	*mmap = (struct perfdata_mmap){ .misc = record->misc };
	if ((record->type != PERFDATA_MMAP && record->type != PERFDATA_MMAP2) ||
	    !open_body(perfdata, record, &mmap->sample_id, &cur))
		return false;
	mmap->pid = cursor__u32(&cur);
	mmap->tid = cursor__u32(&cur);
	mmap->start = cursor__u64(&cur);
	mmap->size = cursor__u64(&cur);
	mmap->pgoff = cursor__u64(&cur);
	if (record->type == PERFDATA_MMAP2) {
		if (record->misc & PERFDATA_MISC_MMAP_BUILD_ID) {
			read_build_id(&cur, mmap);
		} else {
			mmap->maj = cursor__u32(&cur);
			mmap->min = cursor__u32(&cur);
			mmap->ino = cursor__u64(&cur);
			mmap->ino_generation = cursor__u64(&cur);
		}
		read_protection(&cur, mmap);
	}
	mmap->name = cursor__string(&cur);
	return !cur.overrun;
}

bool perfdata__parse_task(const struct perfdata *perfdata, const struct perfdata_record *record,
			  struct perfdata_task *task)
{
	struct cursor cur;

	*task = (struct perfdata_task){ .exec = record->type == PERFDATA_FORK &&
						record->misc & PERFDATA_MISC_FORK_EXEC };
	if ((record->type != PERFDATA_FORK && record->type != PERFDATA_EXIT) ||
	    !open_body(perfdata, record, &task->sample_id, &cur))
		return false;
	task->pid = cursor__u32(&cur);
	task->ppid = cursor__u32(&cur);
	task->tid = cursor__u32(&cur);
	task->ptid = cursor__u32(&cur);
	task->time = cursor__u64(&cur);
	return !cur.overrun;
}

bool perfdata__parse_comm(const struct perfdata *perfdata, const struct perfdata_record *record,
			  struct perfdata_comm *comm)
{
	struct cursor cur;

	*comm = (struct perfdata_comm){ .exec = record->misc & PERFDATA_MISC_COMM_EXEC };
	if (record->type != PERFDATA_COMM || !open_body(perfdata, record, &comm->sample_id, &cur))
		return false;
	comm->pid = cursor__u32(&cur);
	comm->tid = cursor__u32(&cur);
	comm->comm = cursor__string(&cur);
	return !cur.overrun;
}
