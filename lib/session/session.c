// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/session.h"

#include <errno.h>
#include <fnmatch.h>

/* An event waiting to be put in order of time. */
struct sideband {
	uint64_t time;
	uint64_t sequence;
	uint32_t type;
	uint32_t pid, parent;
	bool exec;
	uint8_t build_id[PERFDATA_BUILD_ID_SIZE];
	struct mapping mapping;
	char *text; /* comm or file name, owned */
};

struct reader {
	struct perfdata *perfdata;
	ARRAY(struct sideband) events;
	session_visit_fn visit;
	void *context;
};

bool session__is_guest(const struct perfdata_record *record)
{
	unsigned int mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

/* DIR/jit-PID-REGION-GENERATION-ID.so, and jitted-PID-N.so of perf inject. */
bool session__is_jit_dso(const char *name)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	return fnmatch("jit-[0-9]*-[0-9]*-[0-9]*-????????????.so", base, 0) == 0 ||
	       fnmatch("jitted-[0-9]*-[0-9]*.so", base, 0) == 0;
}

static int push(struct reader *reader, struct sideband *event, const char *text)
{
	event->text = text ? strdup(text) : NULL;
	if (text && !event->text)
		return -ENOMEM;
	if (array__push(&reader->events, *event))
		return 0;
	free(event->text);
	return -ENOMEM;
}

static int add_mmap(struct reader *reader, const struct perfdata_record *record,
		    const struct perfdata_mmap *mmap, struct sideband *event)
{
	if (mmap->pid == UINT32_MAX || session__is_guest(record))
		return 0;
	event->pid = mmap->pid;
	event->time = mmap->sample_id.time;
	event->mapping = (struct mapping){
		.time = event->time,
		.start = mmap->start,
		.size = mmap->size,
		.pgoff = mmap->pgoff,
		.maj = mmap->maj,
		.min = mmap->min,
		.ino = mmap->ino,
		.offset = record->offset,
		.exec = !(mmap->misc & PERFDATA_MISC_MMAP_DATA),
	};
	if (mmap->has_build_id) {
		memcpy(event->build_id, mmap->build_id, sizeof(event->build_id));
		event->mapping.build_id.size = mmap->build_id_size;
	}
	return push(reader, event, mmap->name);
}

static int read_comm(struct reader *reader, const struct perfdata_record *record,
		     struct sideband *event)
{
	struct perfdata_comm comm;

	/* a thread's name is not the process's */
	if (!perfdata__parse_comm(reader->perfdata, record, &comm) || comm.pid != comm.tid)
		return 0;
	event->pid = comm.pid;
	event->exec = comm.exec;
	event->time = comm.sample_id.time;
	return push(reader, event, comm.comm);
}

static int read_task(struct reader *reader, const struct perfdata_record *record,
		     struct sideband *event)
{
	struct perfdata_task task;

	/* threads share the address space; only a process's own first thread matters */
	if (!perfdata__parse_task(reader->perfdata, record, &task) || task.pid != task.tid)
		return 0;
	if (record->type == PERFDATA_FORK && task.pid == task.ppid)
		return 0;
	/* perfjit-fix writes it before a COMM by exec, which says as much */
	if (task.exec && task.time)
		return 0;
	event->pid = task.pid;
	event->parent = task.ppid;
	event->time = task.time;
	return push(reader, event, NULL);
}

static int read_record(struct reader *reader, const struct perfdata_record *record)
{
	struct sideband event = { .type = record->type, .sequence = reader->events.count };
	struct perfdata_mmap mmap;
	bool maps = (record->type == PERFDATA_MMAP || record->type == PERFDATA_MMAP2) &&
		    perfdata__parse_mmap(reader->perfdata, record, &mmap);
	int err = 0;

	if (reader->visit)
		err = reader->visit(reader->context, record, maps ? &mmap : NULL);
	if (err)
		return err;
	if (maps)
		return add_mmap(reader, record, &mmap, &event);
	switch (record->type) {
	case PERFDATA_COMM:
		return read_comm(reader, record, &event);
	case PERFDATA_FORK:
	case PERFDATA_EXIT:
		return read_task(reader, record, &event);
	default:
		return 0;
	}
}

static int collect(struct reader *reader)
{
	struct perfdata_walk walk;
	struct perfdata_record record;
	int got;

	perfdata_walk__begin(&walk, reader->perfdata);
	walk.heads = true;
	while ((got = perfdata_walk__next(&walk, &record)) > 0) {
		got = read_record(reader, &record);
		if (got)
			break;
	}
	perfdata_walk__end(&walk);
	return got;
}

static int compare(const void *a, const void *b)
{
	const struct sideband *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/*
 * perfjit-fix writes a COMM with the mark of an exec before the mapping of a DSO, at its time, so
 * that readers forget unwind rows. An exec's first mapping is the program's, never such a DSO.
 */
static bool only_forgets_rows(const struct sideband *event, const struct sideband *next)
{
	return next && next->time == event->time && next->pid == event->pid &&
	       (next->type == PERFDATA_MMAP || next->type == PERFDATA_MMAP2) &&
	       session__is_jit_dso(next->text);
}

static int feed(struct processes *processes, struct sideband *event, const struct sideband *next)
{
	switch (event->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		event->mapping.name = event->text;
		event->mapping.build_id.data = event->build_id;
		return processes__map(processes, event->pid, &event->mapping);
	case PERFDATA_COMM:
		return event->exec && !only_forgets_rows(event, next)
			       ? processes__exec(processes, event->time, event->pid, event->text)
			       : processes__comm(processes, event->time, event->pid, event->text);
	case PERFDATA_FORK:
		return processes__fork(processes, event->time, event->pid, event->parent);
	default:
		return processes__exit(processes, event->time, event->pid);
	}
}

int session__read(struct processes *processes, struct perfdata *perfdata, session_visit_fn visit,
		  void *context)
{
	struct reader reader = { .perfdata = perfdata, .visit = visit, .context = context };
	int err = collect(&reader);

	if (!err && reader.events.count)
		qsort(reader.events.items, reader.events.count, sizeof(*reader.events.items),
		      compare);
	array__for_each(event, &reader.events) {
		const struct sideband *last = reader.events.items + reader.events.count - 1;

		if (!err)
			err = feed(processes, event, event < last ? event + 1 : NULL);
		free(event->text);
	}
	array__free(&reader.events);
	return err;
}
