/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that print a profile share. */
#ifndef PERFJIT_CMD_DUMP_PERFDATA_H
#define PERFJIT_CMD_DUMP_PERFDATA_H

#include "dump.h"
#include "perfdata/event.h"
#include "perfdata/perfdata.h"
#include "perfdata/tracepoint.h"

struct dump_perfdata {
	struct dump *dump;
	struct perfdata *perfdata;
	struct tracepoints *tracepoints; /* NULL: there is no tracing data */
};

/* "monotonic" ... "unknown" */
const char *dump_perfdata__clock_name(int32_t clockid);

void dump_perfdata__attrs(struct dump_perfdata *print);
void dump_perfdata__features(struct dump_perfdata *print);
/* Those that are selected, or counts of them. 0 or a negative errno. */
int dump_perfdata__records(struct dump_perfdata *print);
/* Prints one record, whatever it is. */
void dump_perfdata__record(struct dump_perfdata *print, const struct perfdata_record *record);
/* Adds the fields of a tracepoint's sample to the record being printed. */
void dump_perfdata__tracepoint(struct dump_perfdata *print, const struct perfdata_sample *sample);
/* "MMAP2", or "TYPE_200" in room. */
const char *dump_perfdata__type(uint32_t type, char room[24]);
/* Whether the record is selected. */
bool dump_perfdata__wanted(const struct dump_perfdata *print, const struct perfdata_record *record);

#endif
