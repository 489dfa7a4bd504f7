// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/scan.h"

#include <errno.h>
#include <time.h>

#include "perfdata/event.h"

/* A side-band event waiting to be put in order of time: files hold them per CPU. */
struct sideband {
	uint64_t time;
	uint64_t sequence;
	uint32_t type;
	uint32_t pid, parent;
	bool exec;
	struct mapping mapping;
	char *text; /* comm or file name, owned */
};

struct scanner {
	struct scan *scan;
	struct perfdata *perfdata;
	ARRAY(struct sideband) events;
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

static int read_mmap(struct scanner *scanner, const struct perfdata_record *record,
		     struct sideband *event)
{
	struct perfdata_mmap mmap;
	int err;

	if (!perfdata__parse_mmap(scanner->perfdata, record, &mmap) || mmap.pid == UINT32_MAX)
		return 0;
	err = add_marker(scanner->scan, record, &mmap);
	if (err)
		return err;
	event->pid = mmap.pid;
	event->time = mmap.sample_id.time;
	event->mapping = (struct mapping){
		.time = event->time,
		.start = mmap.start,
		.size = mmap.size,
		.pgoff = mmap.pgoff,
		.maj = mmap.maj,
		.min = mmap.min,
		.ino = mmap.ino,
		.offset = record->offset,
		.exec = !(mmap.misc & PERFDATA_MISC_MMAP_DATA),
	};
	event->text = strdup(mmap.name);
	return event->text && array__push(&scanner->events, *event) ? 0 : -ENOMEM;
}

static int read_comm(struct scanner *scanner, const struct perfdata_record *record,
		     struct sideband *event)
{
	struct perfdata_comm comm;

	/* a thread's name is not the process's */
	if (!perfdata__parse_comm(scanner->perfdata, record, &comm) || comm.pid != comm.tid)
		return 0;
	event->pid = comm.pid;
	event->exec = comm.exec;
	event->time = comm.sample_id.time;
	event->text = strdup(comm.comm);
	return event->text && array__push(&scanner->events, *event) ? 0 : -ENOMEM;
}

static int read_task(struct scanner *scanner, const struct perfdata_record *record,
		     struct sideband *event)
{
	struct perfdata_task task;

	/* threads share the address space; only a process's own first thread matters */
	if (!perfdata__parse_task(scanner->perfdata, record, &task) || task.pid != task.tid)
		return 0;
	if (record->type == PERFDATA_FORK && task.pid == task.ppid)
		return 0;
	event->pid = task.pid;
	event->parent = task.ppid;
	event->time = task.time;
	return array__push(&scanner->events, *event) ? 0 : -ENOMEM;
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

static int read_record(struct scanner *scanner, const struct perfdata_record *record)
{
	struct sideband event = { .type = record->type, .sequence = scanner->events.count };

	switch (record->type) {
	case PERFDATA_SAMPLE:
		note_sample(scanner->scan, scanner->perfdata, record);
		return 0;
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		return read_mmap(scanner, record, &event);
	case PERFDATA_COMM:
		return read_comm(scanner, record, &event);
	case PERFDATA_FORK:
	case PERFDATA_EXIT:
		return read_task(scanner, record, &event);
	default:
		return 0;
	}
}

static int compare_sidebands(const void *a, const void *b)
{
	const struct sideband *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static int feed(struct processes *processes, struct sideband *event)
{
	switch (event->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		event->mapping.name = event->text;
		return processes__map(processes, event->pid, &event->mapping);
	case PERFDATA_COMM:
		return event->exec
			       ? processes__exec(processes, event->time, event->pid, event->text)
			       : processes__comm(processes, event->time, event->pid, event->text);
	case PERFDATA_FORK:
		return processes__fork(processes, event->time, event->pid, event->parent);
	default:
		return processes__exit(processes, event->time, event->pid);
	}
}

static int collect(struct scanner *scanner)
{
	struct perfdata_walk walk;
	struct perfdata_record record;
	int got;

	perfdata_walk__begin(&walk, scanner->perfdata);
	while ((got = perfdata_walk__next(&walk, &record)) > 0) {
		got = read_record(scanner, &record);
		if (got)
			break;
	}
	perfdata_walk__end(&walk);
	return got;
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
		if (attr->sample_type & PERF_SAMPLE_STACK_USER)
			scan->unwinds_stack = true;
	}
}

static int feed_all(struct scanner *scanner)
{
	int err = 0;

	if (scanner->events.count)
		qsort(scanner->events.items, scanner->events.count, sizeof(*scanner->events.items),
		      compare_sidebands);
	array__for_each(event, &scanner->events)
		if (!err)
			err = feed(scanner->scan->processes, event);
	return err;
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
	err = collect(&scanner);
	/* in pipe form the attrs are records themselves */
	read_attrs(scan, perfdata);
	if (!err)
		err = feed_all(&scanner);
	if (!err)
		err = order_processes(scan);
	array__for_each(event, &scanner.events)
		free(event->text);
	array__free(&scanner.events);
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
	*scan = (struct scan){ 0 };
}
