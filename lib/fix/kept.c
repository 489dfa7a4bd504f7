// SPDX-License-Identifier: GPL-2.0-or-later
/* What an earlier run has put into a profile, and which of it stands. */
#include "fix/kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "fix/loaded.h"
#include "perfdata/edit.h"
#include "session/session.h"

struct reader {
	struct kept *kept;
	struct discovery *discovery;
	size_t next; /* marker that a change may be of; both are in the order of the file */
};

/* The name of each used jitdump was made to end in ".done". */
static void note_change(struct reader *reader, uint64_t offset)
{
	struct discovery *discovery = reader->discovery;

	for (; reader->next < discovery->markers.count; reader->next++) {
		struct marker *marker = &discovery->markers.items[reader->next];
		uint64_t end = marker->name_offset + strlen(marker->name);

		if (!marker->name_offset || end <= offset)
			continue;
		marker->fixed |= offset >= marker->name_offset && offset < end;
		return;
	}
}

static int note_edit(void *context, const struct perfdata_edit *edit)
{
	struct reader *reader = context;
	struct kept *kept = reader->kept;
	struct kept_record record = { .offset = edit->offset };

	if (!edit->record) {
		note_change(reader, edit->offset);
		return 0;
	}
	record.bytes.size = edit->record->size;
	buf__put(&kept->bytes, edit->record->data, edit->record->size);
	return array__push(&kept->records, record) && !kept->bytes.failed ? 0 : -ENOMEM;
}

/* Whose a record is; false when it is none that perfjit-fix makes. */
static bool parse(const struct kept *kept, struct kept_record *kept_record)
{
	const uint8_t *data = kept_record->bytes.data;
	enum byte_order order = perfdata__order(kept->fixed);
	const struct perfdata_record record = {
		.type = get_u32(data, order),
		.misc = get_u16(data + 4, order),
		.size = (uint16_t)kept_record->bytes.size,
		.data = data,
	};
	struct perfdata_comm comm;

	kept_record->maps = perfdata__parse_mmap(kept->fixed, &record, &kept_record->mmap);
	if (kept_record->maps)
		kept_record->process = processes__find(kept->scan->processes, kept_record->mmap.pid,
						       kept_record->mmap.sample_id.time);
	else if (perfdata__parse_comm(kept->fixed, &record, &comm))
		kept_record->process =
			processes__find(kept->scan->processes, comm.pid, comm.sample_id.time);
	return kept_record->process &&
	       (!kept_record->maps || session__is_jit_dso(kept_record->mmap.name));
}

static void parse_all(struct kept *kept)
{
	const uint8_t *data = kept->bytes.data;
	size_t count = 0;

	array__for_each(record, &kept->records) {
		record->bytes.data = data;
		data += record->bytes.size;
		if (parse(kept, record))
			kept->records.items[count++] = *record;
	}
	kept->records.count = count;
}

/* The first of those that share memory by fork. */
static size_t kin_of(const struct process *process)
{
	const struct process *from;

	while ((from = loaded__copied_from(process)))
		process = from;
	return process->number;
}

int kept__read(struct kept **read, const struct scan *scan, struct discovery *discovery,
	       const struct perfdata *original, const struct perfdata *fixed, struct diag *diag)
{
	struct kept *kept = calloc(1, sizeof(*kept));
	struct reader reader = { kept, discovery, 0 };
	size_t nr_processes = processes__count(scan->processes);
	int err;

	*read = NULL;
	if (!kept)
		return -ENOMEM;
	kept->scan = scan;
	kept->fixed = fixed;
	kept->named = calloc(nr_processes + 1, sizeof(bool));
	kept->stands = calloc(nr_processes + 1, sizeof(bool));
	err = kept->named && kept->stands
		      ? perfdata__for_each_edit(original, fixed, note_edit, &reader, diag)
		      : -ENOMEM;
	if (!err)
		err = perfdata__check_whole(fixed, diag);
	if (err) {
		kept__free(kept);
		return err;
	}
	parse_all(kept);
	array__for_each(record, &kept->records)
		kept->named[kin_of(record->process)] |= record->maps;
	*read = kept;
	return 0;
}

void kept__free(struct kept *kept)
{
	if (!kept)
		return;
	array__for_each(dso, &kept->dsos) {
		free(dso->source);
		free(dso->path);
	}
	array__free(&kept->dsos);
	array__free(&kept->records);
	buf__free(&kept->bytes);
	free(kept->named);
	free(kept->stands);
	free(kept);
}

bool kept__would_name(const struct kept *kept, const struct marker *marker)
{
	/* of a name in a compressed record it can't be told: that is changed nowhere */
	return kept && marker->process && (marker->fixed || !marker->name_offset) &&
	       kept->named[kin_of(marker->process)];
}

bool kept__stands(const struct kept *kept, const struct process *process)
{
	return kept && kept->stands[kin_of(process)];
}

/* Whether there is something to fix a process by. A dump that became empty is not. */
static bool is_described(const struct discovery *discovery, const struct process *process)
{
	array__for_each(found, &discovery->dumps)
		if (found->process == process && jitdump__header(found->dump)->total_size)
			return true;
	array__for_each(found, &discovery->maps)
		if (found->process == process)
			return true;
	return false;
}

/* What it was fixed by had no marker: it was named by the user, or is a perf map. */
static void let_stand(struct kept *kept, const struct discovery *discovery,
		      const struct process *process, struct diag *diag)
{
	const struct process *from = process;

	do {
		if (is_described(discovery, from))
			return;
		from = loaded__copied_from(from);
	} while (from);
	if (kept__stands(kept, process))
		return;
	kept->stands[kin_of(process)] = true;
	diag__report(diag, DIAG_WARNING, "fix.kept", perfdata__path(kept->fixed), DIAG_NO_OFFSET,
		     "neither jitdump nor perf map of pid %u is there any more: its JIT code stays "
		     "as it was fixed before",
		     process->pid);
}

static void leave_dumps(const struct kept *kept, struct discovery *discovery, struct diag *diag)
{
	array__for_each(found, &discovery->dumps) {
		found->left = found->process && kept__stands(kept, found->process);
		if (found->left && jitdump__header(found->dump)->total_size)
			diag__report(diag, DIAG_WARNING, "fix.kept", jitdump__path(found->dump),
				     DIAG_NO_OFFSET,
				     "is not used: another jitdump for the memory of pid %u is "
				     "gone, so that its JIT code stays as it was fixed before",
				     found->pid);
	}
}

/* Numbers in names by their value: as they were numbered when they were planned. */
static int compare_names(const void *a, const void *b)
{
	return strverscmp(((const struct kept_dso *)a)->name, ((const struct kept_dso *)b)->name);
}

static struct kept_dso *find_dso(const struct kept *kept, const char *name)
{
	const struct kept_dso key = { .name = name };

	return kept->dsos.count ? bsearch(&key, kept->dsos.items, kept->dsos.count, sizeof(key),
					  compare_names)
				: NULL;
}

/* One entry for each DSO, by name. */
static int collect_dsos(struct kept *kept)
{
	size_t count = 0;

	array__for_each(record, &kept->records) {
		struct kept_dso dso = { .name = record->mmap.name };

		if (record->maps && !array__push(&kept->dsos, dso))
			return -ENOMEM;
	}
	if (!kept->dsos.count)
		return 0;
	qsort(kept->dsos.items, kept->dsos.count, sizeof(struct kept_dso), compare_names);
	array__for_each(dso, &kept->dsos)
		if (!count || compare_names(dso, &kept->dsos.items[count - 1]) != 0)
			kept->dsos.items[count++] = *dso;
	kept->dsos.count = count;
	array__for_each(record, &kept->records)
		if (record->maps)
			record->dso =
				(size_t)(find_dso(kept, record->mmap.name) - kept->dsos.items);
	return 0;
}

const char *kept__locate(const struct kept *kept, const char *name)
{
	const struct kept_dso *dso = find_dso(kept, name);

	return dso ? dso->source : NULL;
}

int kept__map(const struct kept *kept, struct processes *processes)
{
	int err = 0;

	array__for_each(record, &kept->records) {
		const struct kept_dso *dso = &kept->dsos.items[record->dso];
		const struct mapping mapping = {
			.time = record->mmap.sample_id.time,
			.start = record->mmap.start,
			.size = record->mmap.size,
			.pgoff = record->mmap.pgoff,
			.name = record->mmap.name,
			.build_id = { dso->build_id, dso->build_id_size },
			.offset = record->offset,
			.exec = true,
		};

		if (!err && record->maps)
			err = processes__map(processes, record->mmap.pid, &mapping);
	}
	return err;
}

int kept__settle(struct kept *kept, struct discovery *discovery, struct diag *diag)
{
	size_t count = 0;
	int err;

	array__for_each(marker, &discovery->markers)
		if (marker->missing && kept__would_name(kept, marker))
			kept->stands[kin_of(marker->process)] = true;
	array__for_each(record, &kept->records)
		if (record->maps)
			let_stand(kept, discovery, record->process, diag);
	leave_dumps(kept, discovery, diag);
	array__for_each(record, &kept->records)
		if (kept__stands(kept, record->process))
			kept->records.items[count++] = *record;
	kept->records.count = count;
	err = collect_dsos(kept);
	return err ? err : kept__map(kept, kept->scan->processes);
}
