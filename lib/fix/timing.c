// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/timing.h"

#include <errno.h>
#include <stdlib.h>

#include "perfdata/event.h"

/* A dump whose offset is looked for. */
struct suspect {
	struct found_dump *found;
	struct clock_evidence *evidence;
	size_t next; /* + 1: of the same process; 0: none */
};

struct timing {
	const struct scan *scan;
	struct perfdata *perfdata;
	struct diag *diag;
	ARRAY(struct suspect) suspects;
	size_t *first; /* + 1, by process number */
};

uint64_t timing__perf_time(const struct found_dump *found, const struct perfdata_time_conv *conv,
			   uint64_t time)
{
	switch (found->clock) {
	case CLOCK_TSC:
		return clock__from_tsc(conv, time);
	case CLOCK_OFFSET:
		return clock__shift(time, found->repair.offset);
	case CLOCK_PERF:
		break;
	}
	return time;
}

struct span {
	uint64_t first, last;
};

static int widen(void *context, const struct jitdump_event *event)
{
	struct span *span = context;

	if (event->time < span->first)
		span->first = event->time;
	if (event->time > span->last)
		span->last = event->time;
	return 0;
}

static int note_load(void *context, const struct jitdump_event *event)
{
	struct clock_evidence *evidence = context;
	int err = 0;

	if (event->kind == JITDUMP_LOAD)
		err = clock_evidence__load(evidence, event->time, event->offset, event->code->addr,
					   event->code->size);
	else if (event->kind == JITDUMP_MOVE)
		err = clock_evidence__load(evidence, event->time, event->offset, event->move.to,
					   event->move.size);
	/* a place that cannot be says nothing about times */
	return err == -EINVAL ? 0 : err;
}

static uint64_t begin_of(const struct found_dump *found)
{
	return found->time ? found->time : found->process->start;
}

static int add_suspect(struct timing *timing, struct found_dump *found)
{
	size_t *first = &timing->first[found->process->number];
	struct suspect suspect = { found, clock_evidence__new(), *first };

	if (!suspect.evidence || !array__push(&timing->suspects, suspect)) {
		clock_evidence__free(suspect.evidence);
		return -ENOMEM;
	}
	*first = timing->suspects.count;
	return 0;
}

/* Tells the clock by the dump's own times. */
static int judge(struct timing *timing, struct found_dump *found)
{
	bool arch = jitdump__header(found->dump)->flags & JITDUMP_FLAG_ARCH_TIMESTAMP;
	struct clock_profile profile = {
		.monotonic = timing->scan->monotonic,
		.conv = perfdata__time_conv(timing->perfdata),
		.begin = begin_of(found),
		.end = found->process->end,
	};
	struct clock_dump dump = {
		.path = jitdump__path(found->dump),
		.arch_timestamp = arch,
	};
	struct span span = { UINT64_MAX, 0 };
	int err;

	if (!arch && profile.monotonic)
		return 0;
	err = jitdump__for_each_event(found->dump, widen, &span);
	/* nothing in it: nothing to tell */
	if (err || span.first > span.last)
		return err;
	dump.first = span.first;
	dump.last = span.last;
	found->clock = clock__kind(&dump, &profile, timing->diag);
	return found->clock == CLOCK_OFFSET ? add_suspect(timing, found) : 0;
}

static int note_records(struct jitdump *dump, struct clock_evidence *evidence)
{
	struct jitdump_record record;
	int status;

	jitdump__rewind(dump);
	while ((status = jitdump__next_record(dump, &record)) > 0) {
		/* of other kinds it is not known what their time is */
		if (record.id > JIT_CODE_UNWINDING_INFO && record.id != JIT_CODE_DEBUG_INFO2)
			continue;
		status = clock_evidence__record(evidence, record.time, record.offset);
		if (status)
			break;
	}
	return status;
}

static int note_dumps(struct timing *timing)
{
	array__for_each(suspect, &timing->suspects) {
		struct jitdump *dump = suspect->found->dump;
		int err = jitdump__for_each_event(dump, note_load, suspect->evidence);

		if (!err)
			err = note_records(dump, suspect->evidence);
		if (!err)
			err = clock_evidence__finish(suspect->evidence);
		if (err)
			return err;
	}
	return 0;
}

/* What returns to an address has called from the byte before it. */
static void see_words(struct clock_evidence *evidence, uint64_t time, struct bytes words,
		      enum byte_order order)
{
	for (size_t i = 0; i + 8 <= words.size; i += 8)
		clock_evidence__seen(evidence, time, get_u64(words.data + i, order) - 1);
}

static void see_sample(struct timing *timing, const struct perfdata_record *record)
{
	enum byte_order order = perfdata__order(timing->perfdata);
	struct perfdata_sample sample;
	const struct process *process;

	if (!perfdata__parse_sample(timing->perfdata, record, &sample) || !sample.has_time)
		return;
	process = processes__find(timing->scan->processes, sample.pid, sample.time);
	for (size_t next = process ? timing->first[process->number] : 0; next;) {
		const struct suspect *suspect = &timing->suspects.items[next - 1];

		clock_evidence__seen(suspect->evidence, sample.time, sample.ip);
		see_words(suspect->evidence, sample.time, sample.callchain, order);
		see_words(suspect->evidence, sample.time, sample.user_stack, order);
		next = suspect->next;
	}
}

static int see_samples(struct timing *timing)
{
	struct perfdata_walk walk;
	struct perfdata_record record;
	int got;

	perfdata_walk__begin(&walk, timing->perfdata);
	while ((got = perfdata_walk__next(&walk, &record)) > 0)
		if (record.type == PERFDATA_SAMPLE)
			see_sample(timing, &record);
	perfdata_walk__end(&walk);
	return got;
}

static int repair(struct timing *timing)
{
	ARRAY(struct clock_repair) repairs = { 0 };
	size_t i = 0;
	int err = 0;

	array__for_each(suspect, &timing->suspects) {
		struct found_dump *found = suspect->found;

		err = clock__repair(suspect->evidence, jitdump__path(found->dump), begin_of(found),
				    found->process->end, &found->repair, timing->diag);
		found->refused = err == -EDOM;
		if (err == -ENOMEM || (!found->refused && !array__push(&repairs, found->repair))) {
			array__free(&repairs);
			return -ENOMEM;
		}
	}
	clock__share(repairs.items, repairs.count);
	array__for_each(suspect, &timing->suspects) {
		struct found_dump *found = suspect->found;

		if (found->refused)
			continue;
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is one for each of these */
		found->repair = repairs.items[i++];
		found->refused =
			!clock__report(&found->repair, jitdump__path(found->dump), timing->diag);
	}
	array__free(&repairs);
	return 0;
}

int timing__settle(const struct scan *scan, struct discovery *discovery, struct perfdata *perfdata,
		   struct diag *diag)
{
	struct timing timing = { .scan = scan, .perfdata = perfdata, .diag = diag };
	int err = 0;

	if (!scan->timed)
		return 0;
	timing.first = calloc(processes__count(scan->processes) + 1, sizeof(*timing.first));
	if (!timing.first)
		return -ENOMEM;
	array__for_each(found, &discovery->dumps)
		if (!err && found->process && !found->left)
			err = judge(&timing, found);
	if (!err && timing.suspects.count) {
		err = note_dumps(&timing);
		if (!err)
			err = see_samples(&timing);
		if (!err)
			err = repair(&timing);
	}
	array__for_each(suspect, &timing.suspects)
		clock_evidence__free(suspect->evidence);
	array__free(&timing.suspects);
	free(timing.first);
	return err;
}
