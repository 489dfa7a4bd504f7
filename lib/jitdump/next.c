// SPDX-License-Identifier: GPL-2.0-or-later
/* From one record to the next, whatever stands between them. */
#include <errno.h>

#include "jitdump/dump.h"

/* Slack of a record whose successor makes no sense: more than this may be swallowed records. */
#define SLACK_MAX 16u

static const struct {
	const char *kind, *text;
} faults[] = {
	[RECORD_FINE] = { NULL, NULL },
	[RECORD_UNKNOWN] = { "jitdump.unknown-record", "of an unknown kind" },
	[RECORD_NO_PREFIX] = { "jitdump.truncated-prefix", "cut off in its first 16 bytes" },
	[RECORD_TOO_SMALL] = { "jitdump.record-size", "smaller than its own prefix" },
	[RECORD_PAST_END] = { "jitdump.record-past-end", "said to reach past the end" },
	[RECORD_SHORT_BODY] = { "jitdump.short-record", "too short for its kind" },
	[RECORD_CODE_SIZE] = { "jitdump.code-size", "said to hold more code than it has room for" },
	[RECORD_ENTRY_COUNT] = { "jitdump.entry-count",
				 "said to hold more entries than it has room for" },
	[RECORD_UNWINDING_SIZE] = { "jitdump.unwinding-size",
				    "said to hold more unwinding data than it has room for" },
	[RECORD_HDR_SIZE] = { "jitdump.eh-frame-hdr-size",
			      "said to hold an eh_frame_hdr larger than all its unwinding data" },
};

/* Whether what is found at offset was not reported by an earlier pass. */
static bool is_news(const struct jitdump *dump, uint64_t offset)
{
	return offset >= dump->reported_to;
}

static void report_fault(struct jitdump *dump, enum diag_level level, enum record_fault fault,
			 const struct jitdump_record *record)
{
	if (!is_news(dump, record->offset))
		return;
	jitdump__report(dump, level, faults[fault].kind, record->offset,
			"%s record (id %u, %u bytes) is %s", record__kind_name(record->id),
			record->id, record->size, faults[fault].text);
}

static void count(struct jitdump_stats *stats, uint32_t id)
{
	switch (id) {
	case JIT_CODE_LOAD:
		stats->loads++;
		break;
	case JIT_CODE_MOVE:
		stats->moves++;
		break;
	case JIT_CODE_DEBUG_INFO:
		stats->debug_infos++;
		break;
	case JIT_CODE_CLOSE:
		stats->closes++;
		break;
	case JIT_CODE_UNWINDING_INFO:
		stats->unwinding_infos++;
		break;
	case JIT_CODE_DEBUG_INFO2:
		stats->debug_info2s++;
		break;
	default:
		stats->unknown++;
	}
}

static int deliver(struct jitdump *dump, const struct jitdump_record *record, uint64_t next)
{
	count(&dump->stats, record->id);
	if (record->time > dump->last_time)
		dump->last_time = record->time;
	dump->pos = next;
	return 1;
}

/* A size that leads to a record where total_size doesn't; 0 when there is none. */
static uint64_t truer_size(const struct jitdump *dump, const struct jitdump_record *record)
{
	uint64_t natural = record__natural_size(dump, record);

	if (natural == record->size || natural > dump->bytes.size - record->offset ||
	    natural > UINT32_MAX || !resync__plausible_next(dump, record->offset + natural))
		return 0;
	return natural;
}

/* Takes a record whose total_size is wrong by its natural size. */
static int resize(struct jitdump *dump, struct jitdump_record *record, uint64_t size)
{
	if (is_news(dump, record->offset))
		jitdump__report(
			dump, DIAG_WARNING, "jitdump.wrong-size", record->offset,
			"%s record says it has %u bytes; its fields and what follows say %llu",
			record__kind_name(record->id), record->size, (unsigned long long)size);
	record->size = (uint32_t)size;
	record->body.size = size - PREFIX_SIZE;
	record->body.data = dump->bytes.data + record->offset + PREFIX_SIZE;
	return record__decode_body(dump, record) == RECORD_FINE;
}

/* A record that is good as it stands: only its size may still be a lie. */
static int take(struct jitdump *dump, struct jitdump_record *record)
{
	uint64_t next = record->offset + record->size;
	uint64_t size;

	if (resync__plausible_next(dump, next))
		return deliver(dump, record, next);
	size = truer_size(dump, record);
	if (size && resize(dump, record, size))
		return deliver(dump, record, record->offset + size);
	/* nothing that makes sense follows: only its fields are left to say where it ends */
	size = record__natural_size(dump, record);
	if (size + SLACK_MAX <= record->size && resize(dump, record, size))
		next = record->offset + size;
	return deliver(dump, record, next);
}

/* Whether a LOAD that is cut off still tells what was loaded where: then all but code is there. */
static bool still_useful(struct jitdump *dump, struct jitdump_record *record)
{
	uint64_t end = dump->bytes.size;
	uint64_t name = record->offset + LOAD_SIZE;

	if (record->id != JIT_CODE_LOAD || end <= name || record__find_nul(dump, name, end) == end)
		return false;
	record->body = (struct bytes){ dump->bytes.data + record->offset + PREFIX_SIZE,
				       end - record->offset - PREFIX_SIZE };
	record__decode_body(dump, record);
	record->load.name = (const char *)dump->bytes.data + name;
	record->load.code = (struct bytes){ NULL, 0 };
	return record->load.code_size < record->size;
}

static int cut_off(struct jitdump *dump, enum record_fault fault, struct jitdump_record *record)
{
	uint64_t left = dump->bytes.size - record->offset;
	bool news = is_news(dump, record->offset);

	dump->stats.truncated_bytes += left;
	if (fault == RECORD_PAST_END && still_useful(dump, record)) {
		if (news)
			jitdump__report(dump, DIAG_WARNING, "jitdump.truncated-load",
					record->offset,
					"the last function is cut off: its code is lost");
		return deliver(dump, record, dump->bytes.size);
	}
	if (news && fault == RECORD_PAST_END)
		jitdump__report(dump, DIAG_WARNING, "jitdump.truncated-record", record->offset,
				"the last record (%s) is cut off after %llu of %u bytes",
				record__kind_name(record->id), (unsigned long long)left,
				record->size);
	else if (news)
		jitdump__report(dump, DIAG_WARNING, "jitdump.truncated-prefix", record->offset,
				"the last record is cut off in its prefix, after %llu bytes",
				(unsigned long long)left);
	return 0;
}

/* Nothing that follows can be read. Returns 1 when the record can be used all the same. */
static int end_of_dump(struct jitdump *dump, enum record_fault fault, struct jitdump_record *record)
{
	uint64_t left = dump->bytes.size - record->offset;
	uint32_t min = record__min_size(record->id);

	dump->pos = dump->bytes.size;
	if (fault == RECORD_NO_PREFIX || (fault == RECORD_PAST_END && min && record->size >= min))
		return cut_off(dump, fault, record);
	if (is_news(dump, record->offset))
		jitdump__report(dump, DIAG_WARNING, "jitdump.garbage-tail", record->offset,
				"no record is to be found in the last %llu bytes",
				(unsigned long long)left);
	dump->stats.skipped_bytes += left;
	return 0;
}

/* 1 when a record was found further on (pos is set to it) or can be used; 0 at the end. */
static int skip_garbage(struct jitdump *dump, enum record_fault fault,
			struct jitdump_record *record, bool *again)
{
	uint64_t found = resync__find(dump, record->offset + 1);
	uint64_t skipped = found - record->offset;

	*again = false;
	dump->gap = true;
	if (found == dump->bytes.size)
		return end_of_dump(dump, fault, record);
	if (fault != RECORD_NO_PREFIX)
		report_fault(dump, DIAG_WARNING, fault, record);
	dump->stats.skipped_bytes += skipped;
	dump->stats.resyncs++;
	if (is_news(dump, record->offset))
		jitdump__report(dump, DIAG_WARNING, "jitdump.resync", record->offset,
				"%llu bytes that are no record were skipped",
				(unsigned long long)skipped);
	dump->pos = found;
	*again = true;
	return 1;
}

/* A record whose prefix fits and whose body doesn't. Returns 1 when it can be used after all. */
static int mend(struct jitdump *dump, enum record_fault fault, struct jitdump_record *record,
		bool *again)
{
	uint64_t next = record->offset + record->size;
	uint64_t size;

	*again = false;
	if (fault != RECORD_UNKNOWN && !resync__plausible_next(dump, next)) {
		size = truer_size(dump, record);
		if (size && resize(dump, record, size))
			return deliver(dump, record, record->offset + size);
	}
	if (!resync__plausible_next(dump, next))
		return skip_garbage(dump, fault, record, again);
	if (fault == RECORD_UNKNOWN) {
		report_fault(dump, DIAG_NOTE, fault, record);
		return deliver(dump, record, next);
	}
	report_fault(dump, DIAG_WARNING, fault, record);
	dump->stats.unusable++;
	dump->pos = next;
	dump->gap = true;
	*again = true;
	return 1;
}

int jitdump__next_record(struct jitdump *dump, struct jitdump_record *record)
{
	bool again = true;
	int status = 0;

	dump->gap = false;
	while (again && dump->pos < dump->bytes.size) {
		enum record_fault fault = record__decode(dump, dump->pos, record);

		again = false;
		if (fault == RECORD_FINE)
			status = take(dump, record);
		else if (fault == RECORD_NO_PREFIX || fault == RECORD_TOO_SMALL ||
			 fault == RECORD_PAST_END)
			status = skip_garbage(dump, fault, record, &again);
		else
			status = mend(dump, fault, record, &again);
		if (again)
			status = 0;
	}
	if (dump->pos > dump->reported_to)
		dump->reported_to = dump->pos;
	return status;
}

void jitdump__rewind(struct jitdump *dump)
{
	uint64_t start = dump->header.total_size;

	dump->pos = start;
	dump->stats = (struct jitdump_stats){ 0 };
	dump->last_time = 0;
	if (!start && dump->bytes.size) {
		dump->pos = dump->bytes.size;
		dump->stats.truncated_bytes = dump->bytes.size;
	}
}
