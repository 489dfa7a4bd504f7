// SPDX-License-Identifier: GPL-2.0-or-later
/* Events: what a struct perf_event_attr says, in words (include/uapi/linux/perf_event.h). */
#include "dump_perfdata.h"

#include <string.h>

#define COUNT(names) (sizeof(names) / sizeof((names)[0]))

static const char *const types[] = { "hardware", "software", "tracepoint",
				     "hw-cache", "raw",      "breakpoint" };

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const sample_types[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const char *const read_formats[] = { "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID",
					    "GROUP", "LOST" };

static const char *const branch_types[] = {
	"USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
	"ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
	"NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS",
};

/* Of the bit fields from "disabled" on; precise_ip takes two bits. */
static const char *const flags[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	"precise_ip2",
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};

/* "IP|TID|TIME"; bits without a name as their number. */
static void print_bits(struct record_printer *printer, const char *key, uint64_t bits,
		       const char *const *names, size_t count)
{
	char text[1024] = "";
	size_t used = 0;

	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *bar = used ? "|" : "";

		if (!(bits >> bit & 1) || used >= sizeof(text) - 64)
			continue;
		if (bit < count)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", bar,
						 names[bit]);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%sbit%u", bar,
						 bit);
	}
	printer__word(printer, key, used ? text : "0");
}

const char *dump_perfdata__clock_name(int32_t clockid)
{
	static const char *const names[] = {
		[0] = "realtime",         [1] = "monotonic",     [2] = "process_cputime",
		[3] = "thread_cputime",   [4] = "monotonic_raw", [5] = "realtime_coarse",
		[6] = "monotonic_coarse", [7] = "boottime",      [8] = "realtime_alarm",
		[9] = "boottime_alarm",   [11] = "tai",
	};

	if (clockid < 0 || (size_t)clockid >= COUNT(names) || !names[clockid])
		return "unknown";
	return names[clockid];
}

static const char *config_name(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE && attr->config < COUNT(hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT(software))
		return software[attr->config];
	return NULL;
}

static void print_event(struct record_printer *printer, const struct perf_event_attr *attr)
{
	printer__number(printer, "event_type", attr->type);
	if (attr->type < COUNT(types))
		printer__word(printer, "event_type_name", types[attr->type]);
	printer__address(printer, "config", attr->config);
	if (config_name(attr))
		printer__word(printer, "config_name", config_name(attr));
	if (attr->config1)
		printer__address(printer, "config1", attr->config1);
	if (attr->config2)
		printer__address(printer, "config2", attr->config2);
	printer__number(printer, attr->freq ? "sample_freq" : "sample_period", attr->sample_period);
}

static void print_fields(struct record_printer *printer, const struct perf_event_attr *attr)
{
	uint64_t bits;

	/* the bit fields, which have no address of their own */
	memcpy(&bits, (const uint8_t *)attr + 40, sizeof(bits));
	print_bits(printer, "sample_type", attr->sample_type, sample_types, COUNT(sample_types));
	print_bits(printer, "read_format", attr->read_format, read_formats, COUNT(read_formats));
	print_bits(printer, "flags", bits, flags, COUNT(flags));
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		print_bits(printer, "branch_sample_type", attr->branch_sample_type, branch_types,
			   COUNT(branch_types));
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		printer__address(printer, "sample_regs_user", attr->sample_regs_user);
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		printer__address(printer, "sample_regs_intr", attr->sample_regs_intr);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		printer__number(printer, "sample_stack_user", attr->sample_stack_user);
	if (attr->sample_max_stack)
		printer__number(printer, "sample_max_stack", attr->sample_max_stack);
	if (attr->use_clockid) {
		printer__signed(printer, "clockid", attr->clockid);
		printer__word(printer, "clock", dump_perfdata__clock_name(attr->clockid));
	}
}

void dump_perfdata__attrs(struct dump_perfdata *print)
{
	struct record_printer *printer = &print->dump->printer;

	for (size_t i = 0; i < perfdata__nr_attrs(print->perfdata); i++) {
		const struct perfdata_attr *attr = perfdata__attr(print->perfdata, i);
		char name[1024];

		printer__begin(printer, "event", DIAG_NO_OFFSET);
		printer__number(printer, "nr", i);
		printer__text(printer, "name",
			      tracepoints__event_name(print->tracepoints, print->perfdata, i, name,
						      sizeof(name)));
		printer__number(printer, "attr_size", attr->recorded_size);
		print_event(printer, &attr->attr);
		print_fields(printer, &attr->attr);
		printer__number(printer, "ids", attr->nr_ids);
		printer__end(printer);
	}
}
