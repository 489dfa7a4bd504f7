/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints as a profile's tracing data describes them: what an event is called, and which
 * fields the raw bytes of its samples have. Formats are parsed by libtraceevent.
 */
#ifndef PERFJIT_PERFDATA_TRACEPOINT_H
#define PERFJIT_PERFDATA_TRACEPOINT_H

#include "perfdata/perfdata.h"

/* A field of the raw bytes. */
struct tracepoint_field {
	char *name, *type;     /* "prev_comm", "char[16]" */
	uint32_t offset, size; /* in the raw bytes, as the format says: may lie behind their end */
	uint32_t element_size; /* of an array; 0: not known */
	bool common;           /* one that all events have, like common_pid */
	bool is_signed, is_array, is_string;
	bool is_hex;     /* a pointer, or a long, of which nobody knows what it means */
	bool is_dynamic; /* the bytes tell where the value is: offset, and size in the upper half */
	bool is_relative; /* dynamic, and counted from behind those bytes */
};

struct tracepoint {
	uint32_t id; /* perf_event_attr.config, and the first two raw bytes */
	char *system, *name;
	struct tracepoint_field *fields; /* common ones first, in the format's order */
	size_t nr_fields;
};

struct tracepoints;

/*
 * Reads what the profile has of tracing data; *tracepoints is NULL where it has none, and all that
 * takes one takes NULL. Damaged data is reported and used as far as it goes. 0, or -ENOMEM.
 */
int tracepoints__read(struct tracepoints **tracepoints, const struct perfdata *perfdata,
		      struct diag *diag);
/* The same of tracing data on its own; path and offset are for reports. */
int tracepoints__parse(struct tracepoints **tracepoints, struct bytes data, const char *path,
		       uint64_t offset, struct diag *diag);
void tracepoints__free(struct tracepoints *tracepoints);

size_t tracepoints__count(const struct tracepoints *tracepoints);
/* By rising id. */
const struct tracepoint *tracepoints__at(const struct tracepoints *tracepoints, size_t i);
/* NULL when the event is none, or not described. */
const struct tracepoint *tracepoints__of(const struct tracepoints *tracepoints,
					 const struct perf_event_attr *attr);

/*
 * Copies the name of an event, made printable, into out, and returns it: the profile's name for
 * it, "system:name" of its tracepoint, or "event 2" for the third attr.
 */
char *tracepoints__event_name(const struct tracepoints *tracepoints,
			      const struct perfdata *perfdata, size_t attr, char *out, size_t size);

/* The field of that name; NULL when there is none. */
const struct tracepoint_field *tracepoint__field(const struct tracepoint *tracepoint,
						 const char *name);

/* Where a field's value is in a sample's raw bytes; false when it is not within them. */
bool tracepoint_field__value(const struct tracepoint_field *field, struct bytes raw,
			     enum byte_order order, struct bytes *value);
/* Of a field that is a number of 1, 2, 4 or 8 bytes, sign-extended; else false. */
bool tracepoint_field__number(const struct tracepoint_field *field, struct bytes raw,
			      enum byte_order order, uint64_t *number);
/*
 * Writes the value into out as text without control characters: a number in decimal or hex, a
 * string, [1, 2, 3] for an array, "?" for what is not within raw. Ends in "..." when it does not
 * fit. Returns out.
 */
char *tracepoint_field__print(const struct tracepoint_field *field, struct bytes raw,
			      enum byte_order order, char *out, size_t size);

#endif
