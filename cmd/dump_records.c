// SPDX-License-Identifier: GPL-2.0-or-later
/* Which records of a profile are printed, and counts of them. */
#include <errno.h>
#include <inttypes.h>

#include "dump_perfdata.h"

struct type_count {
	uint32_t type;
	uint64_t count, bytes, compressed;
};

/* Of all types up to the last that is known; others are counted together. */
struct type_counts {
	struct type_count counts[PERFDATA_BPF_METADATA + 1];
	uint64_t unknown, unknown_bytes;
};

const char *dump_perfdata__type(uint32_t type, char room[24])
{
	const char *name = perfdata__type_name(type);

	if (name)
		return name;
	snprintf(room, 24, "TYPE_%u", type);
	return room;
}

static bool is_in_chain(const struct dump_perfdata *print, const struct perfdata_sample *sample)
{
	enum byte_order order = perfdata__order(print->perfdata);

	for (size_t at = 0; at + 8 <= sample->callchain.size; at += 8)
		if (dump_selection__range(&print->dump->options->select,
					  get_u64(sample->callchain.data + at, order), 1))
			return true;
	return false;
}

static bool address_wanted(const struct dump_perfdata *print, const struct perfdata_record *record)
{
	const struct dump_selection *select = &print->dump->options->select;
	struct perfdata_sample sample;
	struct perfdata_mmap mmap;

	if (!select->by_address)
		return true;
	if (perfdata__parse_sample(print->perfdata, record, &sample))
		return dump_selection__range(select, sample.ip, 1) || is_in_chain(print, &sample);
	return perfdata__parse_mmap(print->perfdata, record, &mmap) &&
	       dump_selection__range(select, mmap.start, mmap.size);
}

/* False when the record tells of no process. */
static bool pid_of(const struct dump_perfdata *print, const struct perfdata_record *record,
		   uint32_t *pid)
{
	struct perfdata_sample sample;
	struct perfdata_sample_id sample_id;
	struct perfdata_mmap mmap;
	struct perfdata_task task;
	struct perfdata_comm comm;

	if (perfdata__parse_sample(print->perfdata, record, &sample))
		*pid = sample.pid;
	else if (perfdata__parse_mmap(print->perfdata, record, &mmap))
		*pid = mmap.pid;
	else if (perfdata__parse_task(print->perfdata, record, &task))
		*pid = task.pid;
	else if (perfdata__parse_comm(print->perfdata, record, &comm))
		*pid = comm.pid;
	else if (perfdata__parse_sample_id(print->perfdata, record, &sample_id) &&
		 sample_id.attr->attr.sample_type & PERF_SAMPLE_TID)
		*pid = sample_id.pid;
	else
		return false;
	return true;
}

bool dump_perfdata__wanted(const struct dump_perfdata *print, const struct perfdata_record *record)
{
	const struct dump_selection *select = &print->dump->options->select;
	uint64_t time;
	uint32_t pid;
	char room[24];

	if (!dump_selection__type(select, dump_perfdata__type(record->type, room)))
		return false;
	if (select->by_time && (!perfdata__record_time(print->perfdata, record, &time) ||
				!dump_selection__time(select, time)))
		return false;
	if (select->pids.count &&
	    (!pid_of(print, record, &pid) || !dump_selection__pid(select, pid)))
		return false;
	return address_wanted(print, record);
}

static void count_record(struct type_counts *counts, const struct perfdata_record *record)
{
	struct type_count *count;

	if (record->type >= sizeof(counts->counts) / sizeof(counts->counts[0])) {
		counts->unknown++;
		counts->unknown_bytes += record->size;
		return;
	}
	count = &counts->counts[record->type];
	count->count++;
	count->bytes += record->compressed ? record->size : record->end - record->offset;
	count->compressed += record->compressed;
}

static void print_counts(struct dump_perfdata *print, const struct type_counts *counts)
{
	struct record_printer *printer = &print->dump->printer;
	uint64_t total = counts->unknown;
	char room[24];

	for (uint32_t i = 0; i < sizeof(counts->counts) / sizeof(counts->counts[0]); i++) {
		const struct type_count *count = &counts->counts[i];

		if (!count->count)
			continue;
		total += count->count;
		printer__begin(printer, "count", DIAG_NO_OFFSET);
		printer__word(printer, "of", dump_perfdata__type(i, room));
		printer__number(printer, "records", count->count);
		printer__number(printer, "bytes", count->bytes);
		printer__number(printer, "compressed", count->compressed);
		printer__end(printer);
	}
	if (counts->unknown) {
		printer__begin(printer, "count", DIAG_NO_OFFSET);
		printer__word(printer, "of", "UNKNOWN");
		printer__number(printer, "records", counts->unknown);
		printer__number(printer, "bytes", counts->unknown_bytes);
		printer__end(printer);
	}
	printer__begin(printer, "summary", DIAG_NO_OFFSET);
	printer__number(printer, "records", total);
	printer__end(printer);
}

/*
 * A compressed record as the one it is: the walk gives what it holds. It stands in the file where
 * that is said to be.
 */
static bool next_container(struct dump_perfdata *print, const struct perfdata_record *record,
			   uint64_t *last, struct perfdata_record *container)
{
	struct bytes bytes = perfdata__bytes(print->perfdata);
	enum byte_order order = perfdata__order(print->perfdata);
	const uint8_t *data = bytes.data + record->offset;

	if (!record->compressed || record->offset == *last)
		return false;
	*last = record->offset;
	*container = (struct perfdata_record){
		.type = get_u32(data, order),
		.misc = get_u16(data + 4, order),
		.size = get_u16(data + 6, order),
		.data = data,
		.offset = record->offset,
		.end = record->end,
	};
	return true;
}

static void take(struct dump_perfdata *print, const struct perfdata_record *record,
		 struct type_counts *counts)
{
	const struct dump_options *options = print->dump->options;

	if (!dump_perfdata__wanted(print, record))
		return;
	print->dump->selected = true;
	count_record(counts, record);
	if (!options->stats && !options->summary)
		dump_perfdata__record(print, record);
}

int dump_perfdata__records(struct dump_perfdata *print)
{
	struct type_counts counts = { .unknown = 0 };
	struct perfdata_record record, container;
	uint64_t last = UINT64_MAX;
	struct perfdata_walk walk;
	int status;

	perfdata_walk__begin(&walk, print->perfdata);
	while ((status = perfdata_walk__next(&walk, &record)) > 0) {
		if (next_container(print, &record, &last, &container))
			take(print, &container, &counts);
		take(print, &record, &counts);
		if (printer__stopped(&print->dump->printer))
			break;
	}
	perfdata_walk__end(&walk);
	if (status == 0)
		print_counts(print, &counts);
	return status < 0 ? status : 0;
}
