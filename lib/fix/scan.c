// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/scan.h"

#include <errno.h>
#include <time.h>

#include "session/session.h"

struct scanner {
	struct scan *scan;
	struct perfdata *perfdata;
};

/* Where the name stands in the file; 0 when it is packed and can't be patched in place. */
static uint64_t name_offset(const struct perfdata_record *record, const char *name)
{
	return record->compressed
		       ? 0
		       : record->offset + (uint64_t)((const uint8_t *)name - record->data);
}

static char *without_deleted(const char *name, bool *deleted)
{
	static const char suffix[] = " (deleted)";
	size_t length = strlen(name), cut = sizeof(suffix) - 1;

	*deleted = length > cut && strcmp(name + length - cut, suffix) == 0;
	return strndup(name, *deleted ? length - cut : length);
}

static int add_marker(struct scan *scan, const struct perfdata_record *record,
		      const struct perfdata_mmap *mmap)
{
	struct marker marker = {
		.pid = mmap->pid,
		.tid = mmap->tid,
		.time = mmap->sample_id.time,
		.offset = record->offset,
		.end = record->end,
		.maj = mmap->maj,
		.min = mmap->min,
		.ino = mmap->ino,
		.sample_id = mmap->sample_id,
	};

	marker.odd = !discover__is_marker(mmap->name, &marker.file_pid);
	marker.name_offset = name_offset(record, mmap->name);
	marker.name = without_deleted(mmap->name, &marker.deleted);
	if (!marker.name)
		return -ENOMEM;
	if (marker.odd && !discover__may_be_marker(marker.name, mmap->size, mmap->pgoff)) {
		free(marker.name);
		return 0;
	}
	if (!array__push(&scan->markers, marker)) {
		free(marker.name);
		return -ENOMEM;
	}
	return 0;
}

static void note_sample(struct scan *scan, const struct perfdata *perfdata,
			const struct perfdata_record *record)
{
	uint64_t time = 0;

	scan->nr_samples++;
	if (!perfdata__record_time(perfdata, record, &time))
		return;
	if (time < scan->first_sample)
		scan->first_sample = time;
	if (time > scan->last_sample)
		scan->last_sample = time;
}

static int visit(void *context, const struct perfdata_record *record,
		 const struct perfdata_mmap *mmap)
{
	struct scanner *scanner = context;

	if (record->type == PERFDATA_SAMPLE)
		note_sample(scanner->scan, scanner->perfdata, record);
	if (!mmap)
		return execs__note(&scanner->scan->execs, scanner->perfdata, record);
	if (mmap->pid == UINT32_MAX || session__is_guest(record))
		return 0;
	return add_marker(scanner->scan, record, mmap);
}

static void read_attrs(struct scan *scan, const struct perfdata *perfdata)
{
	scan->monotonic = true;
	scan->timed = perfdata__nr_attrs(perfdata) > 0;
	for (size_t i = 0; i < perfdata__nr_attrs(perfdata); i++) {
		const struct perf_event_attr *attr = &perfdata__attr(perfdata, i)->attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			scan->monotonic = false;
		if (!(attr->sample_type & PERF_SAMPLE_TIME))
			scan->timed = false;
		if (attr->namespaces)
			scan->namespaces = true;
		if (attr->sample_type & PERF_SAMPLE_STACK_USER)
			scan->unwinds_stack = true;
		if (attr->sample_type & PERF_SAMPLE_REGS_USER)
			scan->samples_registers = true;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int order_processes(struct scan *scan)
{
	size_t count = processes__count(scan->processes);

	scan->by_start = calloc(count + 1, sizeof(struct process *));
	if (!scan->by_start)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		scan->by_start[i] = processes__at(scan->processes, i);
		scan->by_start[i]->number = i;
	}
	qsort(scan->by_start, count, sizeof(struct process *), by_start);
	return 0;
}

int scan__run(struct scan *scan, struct perfdata *perfdata)
{
	struct scanner scanner = { .scan = scan, .perfdata = perfdata };
	int err;

	*scan = (struct scan){ .first_sample = UINT64_MAX };
	scan->processes = processes__new();
	if (!scan->processes)
		return -ENOMEM;
	err = session__read(scan->processes, perfdata, visit, &scanner);
	/* in pipe form the attrs are records themselves */
	read_attrs(scan, perfdata);
	execs__settle(&scan->execs);
	if (!err)
		err = order_processes(scan);
	if (err)
		scan__free(scan);
	return err;
}

void scan__free(struct scan *scan)
{
	free(scan->by_start);
	processes__free(scan->processes);
	array__for_each(marker, &scan->markers)
		free(marker->name);
	array__free(&scan->markers);
	execs__free(&scan->execs);
	*scan = (struct scan){ 0 };
}
