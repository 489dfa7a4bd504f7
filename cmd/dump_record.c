// SPDX-License-Identifier: GPL-2.0-or-later
/* One record of a profile, with its members. */
#include "dump_perfdata.h"

#define HEADER_SIZE 8

/* Who was running when the record was written, as far as its event tells. */
static void print_sample_id(struct record_printer *printer,
			    const struct perfdata_sample_id *sample_id, bool with_pid)
{
	uint64_t fields = sample_id->attr->attr.sample_type;

	if (with_pid && fields & PERF_SAMPLE_TID) {
		printer__signed(printer, "pid", (int32_t)sample_id->pid);
		printer__signed(printer, "tid", (int32_t)sample_id->tid);
	}
	if (fields & PERF_SAMPLE_CPU)
		printer__number(printer, "cpu", sample_id->cpu);
	if (fields & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		printer__number(printer, "id", sample_id->id);
}

static void print_protection(struct record_printer *printer, uint32_t prot, uint32_t flags)
{
	char text[5] = { prot & 1 ? 'r' : '-', prot & 2 ? 'w' : '-', prot & 4 ? 'x' : '-',
			 flags & 1 ? 's' : 'p', '\0' };

	printer__word(printer, "prot", text);
}

static void print_build_id(struct record_printer *printer, const struct perfdata_mmap *mmap)
{
	char text[2 * PERFDATA_BUILD_ID_SIZE + 1] = "";

	for (size_t i = 0; i < mmap->build_id_size; i++)
		snprintf(text + 2 * i, 3, "%02x", mmap->build_id[i]);
	printer__word(printer, "build_id", text);
}

static bool print_mmap(struct dump_perfdata *print, const struct perfdata_record *record)
{
	struct record_printer *printer = &print->dump->printer;
	struct perfdata_mmap mmap;

	if (!perfdata__parse_mmap(print->perfdata, record, &mmap))
		return false;
	printer__signed(printer, "pid", (int32_t)mmap.pid);
	printer__signed(printer, "tid", (int32_t)mmap.tid);
	printer__address(printer, "start", mmap.start);
	printer__address(printer, "length", mmap.size);
	printer__address(printer, "pgoff", mmap.pgoff);
	if (mmap.has_build_id) {
		print_build_id(printer, &mmap);
	} else if (record->type == PERFDATA_MMAP2) {
		printer__number(printer, "maj", mmap.maj);
		printer__number(printer, "min", mmap.min);
		printer__number(printer, "ino", mmap.ino);
		printer__number(printer, "ino_generation", mmap.ino_generation);
	}
	if (record->type == PERFDATA_MMAP2)
		print_protection(printer, mmap.prot, mmap.flags);
	print_sample_id(printer, &mmap.sample_id, false);
	printer__text(printer, "name", mmap.name);
	return true;
}

static bool print_comm(struct dump_perfdata *print, const struct perfdata_record *record)
{
	struct record_printer *printer = &print->dump->printer;
	struct perfdata_comm comm;

	if (!perfdata__parse_comm(print->perfdata, record, &comm))
		return false;
	printer__signed(printer, "pid", (int32_t)comm.pid);
	printer__signed(printer, "tid", (int32_t)comm.tid);
	printer__flag(printer, "exec", comm.exec);
	print_sample_id(printer, &comm.sample_id, false);
	printer__text(printer, "comm", comm.comm);
	return true;
}

static bool print_task(struct dump_perfdata *print, const struct perfdata_record *record)
{
	struct record_printer *printer = &print->dump->printer;
	struct perfdata_task task;

	if (!perfdata__parse_task(print->perfdata, record, &task))
		return false;
	printer__signed(printer, "pid", (int32_t)task.pid);
	printer__signed(printer, "tid", (int32_t)task.tid);
	printer__signed(printer, "ppid", (int32_t)task.ppid);
	printer__signed(printer, "ptid", (int32_t)task.ptid);
	printer__time(printer, "task_time", task.time);
	return true;
}

static const char *cpu_mode(uint16_t misc)
{
	static const char *const modes[] = { "unknown",      "kernel",     "user",    "hypervisor",
					     "guest_kernel", "guest_user", "unknown", "unknown" };

	return modes[misc & PERF_RECORD_MISC_CPUMODE_MASK];
}

static void print_chain(struct record_printer *printer, struct bytes chain, enum byte_order order)
{
	printer__begin_list(printer, "callchain");
	for (size_t at = 0; at + 8 <= chain.size; at += 8)
		printer__list_address(printer, get_u64(chain.data + at, order));
	printer__end_list(printer);
}

/* How much of the lists and copies there is. */
static void print_sizes(struct record_printer *printer, const struct perfdata_sample *sample)
{
	uint64_t fields = sample->attr->attr.sample_type;

	if (fields & PERF_SAMPLE_CALLCHAIN)
		printer__number(printer, "callchain_nr", sample->callchain.size / 8);
	if (fields & PERF_SAMPLE_BRANCH_STACK)
		printer__number(printer, "branches", sample->branches.size / 24);
	if (fields & PERF_SAMPLE_REGS_USER) {
		printer__number(printer, "user_regs_abi", sample->user_regs_abi);
		printer__number(printer, "user_regs", sample->user_regs.size / 8);
	}
	if (fields & PERF_SAMPLE_STACK_USER) {
		printer__number(printer, "user_stack_bytes", sample->user_stack.size);
		printer__flag(printer, "user_stack_full", sample->user_stack_full);
	}
}

static void print_sample_head(struct dump_perfdata *print, const struct perfdata_sample *sample)
{
	struct record_printer *printer = &print->dump->printer;
	uint64_t fields = sample->attr->attr.sample_type;

	if (fields & PERF_SAMPLE_TID) {
		printer__signed(printer, "pid", (int32_t)sample->pid);
		printer__signed(printer, "tid", (int32_t)sample->tid);
	}
	if (fields & PERF_SAMPLE_CPU)
		printer__number(printer, "cpu", sample->cpu);
	if (fields & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		printer__number(printer, "id", sample->id);
	printer__word(printer, "mode", cpu_mode(sample->misc));
	if (fields & PERF_SAMPLE_IP)
		printer__address(printer, "ip", sample->ip);
	if (fields & PERF_SAMPLE_ADDR)
		printer__address(printer, "addr", sample->addr);
	printer__number(printer, "period", sample->period);
}

static size_t nr_of_attr(const struct dump_perfdata *print, const struct perfdata_attr *attr)
{
	return (size_t)(attr - perfdata__attr(print->perfdata, 0));
}

static bool print_sample(struct dump_perfdata *print, const struct perfdata_record *record)
{
	struct record_printer *printer = &print->dump->printer;
	struct perfdata_sample sample;
	char name[256];

	if (!perfdata__parse_sample(print->perfdata, record, &sample))
		return false;
	print_sample_head(print, &sample);
	if (perfdata__nr_attrs(print->perfdata) > 1)
		printer__text(printer, "event",
			      tracepoints__event_name(print->tracepoints, print->perfdata,
						      nr_of_attr(print, sample.attr), name,
						      sizeof(name)));
	print_sizes(printer, &sample);
	dump_perfdata__tracepoint(print, &sample);
	if (sample.attr->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		print_chain(printer, sample.callchain, perfdata__order(print->perfdata));
	return true;
}

static bool print_other(struct dump_perfdata *print, const struct perfdata_record *record)
{
	struct perfdata_sample_id sample_id;

	if (perfdata__parse_sample_id(print->perfdata, record, &sample_id))
		print_sample_id(&print->dump->printer, &sample_id, true);
	return true;
}

/* False: a record that is shorter than what it says. */
static bool print_members(struct dump_perfdata *print, const struct perfdata_record *record)
{
	switch (record->type) {
	case PERFDATA_SAMPLE:
		return print_sample(print, record);
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		return print_mmap(print, record);
	case PERFDATA_COMM:
		return print_comm(print, record);
	case PERFDATA_FORK:
	case PERFDATA_EXIT:
		return print_task(print, record);
	default:
		return print_other(print, record);
	}
}

void dump_perfdata__record(struct dump_perfdata *print, const struct perfdata_record *record)
{
	struct record_printer *printer = &print->dump->printer;
	uint64_t time;
	char room[24];

	printer__begin(printer, dump_perfdata__type(record->type, room), record->offset);
	printer__number(printer, "size", record->size);
	printer__address(printer, "misc", record->misc);
	if (record->compressed)
		printer__flag(printer, "compressed", true);
	else if (record->end - record->offset > record->size)
		printer__number(printer, "payload", record->end - record->offset - record->size);
	if (perfdata__record_time(print->perfdata, record, &time))
		printer__time(printer, "time", time);
	if (!print_members(print, record))
		printer__flag(printer, "unreadable", true);
	if (print->dump->options->hex)
		printer__bytes(printer, "body",
			       (struct bytes){ record->data + HEADER_SIZE,
					       (size_t)(record->size - HEADER_SIZE) });
	printer__end(printer);
}
