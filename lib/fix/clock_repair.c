// SPDX-License-Identifier: GPL-2.0-or-later
/* Which offset between two clocks puts what was seen in order, and whether any does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/diag.h"
#include "fix/clock.h"

/*
 * How late producers may be, ns: 11 ms were seen. CLOCK_MONOTONIC is slewed by up to 500 ppm
 * against perf's clock, which adds 1/2000 of the time that the dump spans.
 */
#define LATE_SLACK   UINT64_C(100000000)
#define SLEW_DIVISOR 2000

/* How far back a record's time may be of the one before it, ns: 19 us were seen, of threads. */
#define DISORDER_SLACK UINT64_C(1000000000)

/* Of so many one may be wrong: it costs itself only. */
#define MOST_HOLD 8

struct written {
	uint64_t time;
	uint64_t offset; /* of the record in the dump */
};

struct loaded {
	uint64_t time, offset;
	uint64_t addr, end;
	uint64_t seen; /* perf's time of the first sample in what it alone ever held */
};

/* From addr on: the only code ever there, or nothing or several. Of one addr the last holds. */
struct held {
	uint64_t addr;
	size_t load; /* position in loads, or NOT_ONE */
};

#define NOT_ONE SIZE_MAX

struct clock_evidence {
	ARRAY(struct written) records; /* in the dump's order; by time once it is finished */
	ARRAY(struct loaded) loads;
	ARRAY(struct held) held;     /* by addr */
	uint64_t last_seen;          /* perf's time of the last sample: the process lived then */
	size_t nr_back;              /* records far back of the one before them */
	struct written before, back; /* the first of these */
};

struct clock_evidence *clock_evidence__new(void)
{
	return calloc(1, sizeof(struct clock_evidence));
}

void clock_evidence__free(struct clock_evidence *evidence)
{
	if (!evidence)
		return;
	array__free(&evidence->records);
	array__free(&evidence->loads);
	array__free(&evidence->held);
	free(evidence);
}

int clock_evidence__record(struct clock_evidence *evidence, uint64_t time, uint64_t offset)
{
	struct written written = { time, offset };

	return array__push(&evidence->records, written) ? 0 : -ENOMEM;
}

int clock_evidence__load(struct clock_evidence *evidence, uint64_t time, uint64_t offset,
			 uint64_t addr, uint64_t size)
{
	struct loaded loaded = { time, offset, addr, addr + size, UINT64_MAX };

	if (!size || addr > UINT64_MAX - size)
		return -EINVAL;
	return array__push(&evidence->loads, loaded) ? 0 : -ENOMEM;
}

static int compare_written(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void finish_records(struct clock_evidence *evidence)
{
	const struct written *before = NULL;

	array__for_each(record, &evidence->records) {
		if (before && record->time < before->time &&
		    before->time - record->time > DISORDER_SLACK && !evidence->nr_back++) {
			evidence->before = *before;
			evidence->back = *record;
		}
		before = record;
	}
	if (evidence->records.count)
		qsort(evidence->records.items, evidence->records.count, sizeof(struct written),
		      compare_written);
}

struct edge {
	uint64_t addr;
	size_t load;
	bool begins;
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int clock_evidence__finish(struct clock_evidence *evidence)
{
	size_t count = evidence->loads.count, depth = 0, within = 0;
	struct edge *edges = calloc(count + 1, 2 * sizeof(*edges));

	if (!edges || !array__reserve(&evidence->held, 2 * count + 1)) {
		free(edges);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		edges[2 * i] = (struct edge){ evidence->loads.items[i].addr, i, true };
		edges[2 * i + 1] = (struct edge){ evidence->loads.items[i].end, i, false };
	}
	qsort(edges, 2 * count, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < 2 * count; i++) {
		depth += edges[i].begins ? 1 : (size_t)-1;
		within ^= edges[i].load; /* of one that is left, all others having cancelled out */
		evidence->held.items[evidence->held.count++] =
			(struct held){ edges[i].addr, depth == 1 ? within : NOT_ONE };
	}
	free(edges);
	finish_records(evidence);
	return 0;
}

void clock_evidence__seen(struct clock_evidence *evidence, uint64_t time, uint64_t addr)
{
	size_t count = array__count_leading(held, &evidence->held, held->addr <= addr);
	struct loaded *loaded;

	if (evidence->last_seen < time)
		evidence->last_seen = time;
	if (!count || evidence->held.items[count - 1].load == NOT_ONE)
		return;
	loaded = &evidence->loads.items[evidence->held.items[count - 1].load];
	if (loaded->seen > time)
		loaded->seen = time;
}

/* a - b, kept within what no-bound values leave. */
static int64_t difference(uint64_t a, uint64_t b)
{
	if (a >= b)
		return a - b < INT64_MAX ? (int64_t)(a - b) : INT64_MAX - 1;
	return b - a < INT64_MAX ? -(int64_t)(b - a) : -INT64_MAX;
}

/* What a function says that ran: the offset is at most so much. */
struct run_limit {
	int64_t most;
	uint64_t offset; /* of its record */
};

/* The bounds that single records and functions set. */
struct limits {
	const struct written *records; /* by time, so that their bounds descend */
	size_t nr_records;
	uint64_t begin, end;          /* the dump was mapped before, the process ended after all */
	ARRAY(struct run_limit) runs; /* the load came before the first sample; sorted */
	int64_t slack;
};

static int compare_runs(const void *a, const void *b)
{
	const struct run_limit *x = a, *y = b;

	return x->most < y->most ? -1 : x->most > y->most;
}

static int limits__collect(struct limits *limits, const struct clock_evidence *evidence,
			   uint64_t begin, uint64_t end)
{
	uint64_t span = 0;

	*limits = (struct limits){
		.records = evidence->records.items,
		.nr_records = evidence->records.count,
		.begin = begin,
		/* threads may go on when the main one has ended */
		.end = end < evidence->last_seen ? evidence->last_seen : end,
	};
	array__for_each(loaded, &evidence->loads) {
		struct run_limit run = { difference(loaded->seen, loaded->time), loaded->offset };

		if (loaded->seen != UINT64_MAX && !array__push(&limits->runs, run))
			return -ENOMEM;
	}
	if (limits->runs.count)
		qsort(limits->runs.items, limits->runs.count, sizeof(struct run_limit),
		      compare_runs);
	if (limits->nr_records)
		span = limits->records[limits->nr_records - 1].time - limits->records[0].time;
	limits->slack = (int64_t)(LATE_SLACK + span / SLEW_DIVISOR);
	return 0;
}

/* The least offset that puts a record behind the mapping of the dump. */
static int64_t least(const struct limits *limits, const struct written *record)
{
	return limits->begin ? difference(limits->begin, record->time) : INT64_MIN;
}

/* The most that keeps it within the process's life. */
static int64_t most(const struct limits *limits, const struct written *record)
{
	return limits->end != UINT64_MAX ? difference(limits->end, record->time) : INT64_MAX;
}

/* How many records come before the dump was mapped: the first ones. */
static size_t count_unmapped(const struct limits *limits, int64_t offset)
{
	return items__count_leading(record, limits->records, limits->nr_records,
				    least(limits, record) > offset);
}

/* How many come after the process had ended: the last ones. */
static size_t count_late(const struct limits *limits, int64_t offset)
{
	return limits->nr_records - items__count_leading(record, limits->records,
							 limits->nr_records,
							 most(limits, record) >= offset);
}

/* How many functions ran before they were loaded. */
static size_t count_early(const struct limits *limits, int64_t offset)
{
	return array__count_leading(run, &limits->runs, run->most < offset);
}

struct choice {
	int64_t high;
	size_t cost; /* records and functions that contradict it */
};

static void consider(struct choice *best, const struct limits *limits, int64_t high)
{
	size_t cost =
		count_unmapped(limits, high) + count_late(limits, high) + count_early(limits, high);

	if (cost < best->cost || (cost == best->cost && high < best->high))
		*best = (struct choice){ high, cost };
}

/* The upper bound that is contradicted least: one of a sample's or a record's, or there is none. */
static int64_t choose_high(const struct limits *limits)
{
	struct choice best = { INT64_MAX, SIZE_MAX };

	consider(&best, limits, INT64_MAX);
	array__for_each(run, &limits->runs)
		consider(&best, limits, run->most);
	for (size_t i = 0; i < limits->nr_records && limits->end != UINT64_MAX; i++)
		consider(&best, limits, most(limits, &limits->records[i]));
	return best.high;
}

/* Whether more than a few bounds are missed by more than producers are late. */
static bool contradicts(const struct limits *limits, int64_t offset)
{
	int64_t above = offset < INT64_MAX - limits->slack ? offset + limits->slack : INT64_MAX;
	int64_t below = offset > INT64_MIN + limits->slack ? offset - limits->slack : INT64_MIN;

	return count_unmapped(limits, above) + count_late(limits, below) >
		       limits->nr_records / MOST_HOLD ||
	       count_early(limits, below) > limits->runs.count / MOST_HOLD;
}

static int choose(const struct limits *limits, struct clock_repair *repair)
{
	struct clock_bounds *bounds = &repair->bounds;

	bounds->high = choose_high(limits);
	repair->unmapped = count_unmapped(limits, bounds->high);
	bounds->low = repair->unmapped < limits->nr_records
			      ? least(limits, &limits->records[repair->unmapped])
			      : INT64_MIN;
	/* Samples come every few ms, so they are nearer to the truth than the start of the dump. */
	repair->by_samples = limits->runs.count && bounds->high != INT64_MAX;
	if (repair->by_samples || bounds->low == INT64_MIN)
		repair->offset = bounds->high;
	else
		repair->offset = bounds->low;
	if (repair->offset == INT64_MAX)
		return -ENODATA;
	repair->early = count_early(limits, repair->offset);
	repair->late = count_late(limits, repair->offset);
	return contradicts(limits, repair->offset) ? -EDOM : 0;
}

static unsigned long long in_dump(uint64_t offset)
{
	return (unsigned long long)offset;
}

/* Bounds contradict each other only if the dump's mapping is one of them: it alone is a lower one.
 */
static void report_bounds(const struct limits *limits, const struct clock_repair *repair,
			  const char *path, struct diag *diag)
{
	const struct written *last = &limits->records[limits->nr_records - 1];
	int64_t high = most(limits, &limits->records[limits->nr_records - 1]);
	const char *why = "was written before the process ended";
	uint64_t offset = last->offset;

	if (limits->runs.count && limits->runs.items[0].most < high) {
		high = limits->runs.items[0].most;
		offset = limits->runs.items[0].offset;
		why = "loads code that a sample saw run";
	}
	diag__report(diag, DIAG_WARNING, "clock.contradiction", path, DIAG_NO_OFFSET,
		     "its times and the profile's contradict each other: the record at byte %llu "
		     "was written after the dump was mapped, so %.3f ms or more are to be added to "
		     "its times; that at byte %llu %s, so %.3f ms or less. With the best offset "
		     "%zu of %zu records are out of order, and %zu of %zu functions ran before "
		     "they were loaded. Its process is left as it is: record with -k mono",
		     in_dump(limits->records[0].offset),
		     clock__ms(least(limits, &limits->records[0])), in_dump(offset), why,
		     clock__ms(high), repair->unmapped + repair->late, limits->nr_records,
		     repair->early, limits->runs.count);
}

static void report_disorder(const struct clock_evidence *evidence, const char *path,
			    struct diag *diag)
{
	diag__report(diag, DIAG_WARNING, "clock.contradiction", path, DIAG_NO_OFFSET,
		     "its times contradict each other: %zu of %zu records are more than a second "
		     "earlier than the record in front of them, that at byte %llu %.3f ms earlier "
		     "than that at byte %llu. Its process is left as it is: record with -k mono",
		     evidence->nr_back, evidence->records.count, in_dump(evidence->back.offset),
		     clock__ms(difference(evidence->before.time, evidence->back.time)),
		     in_dump(evidence->before.offset));
}

int clock__repair(const struct clock_evidence *evidence, const char *path, uint64_t begin,
		  uint64_t end, struct clock_repair *repair, struct diag *diag)
{
	struct limits limits;
	int err = limits__collect(&limits, evidence, begin, end);

	*repair = (struct clock_repair){ .bounds = { INT64_MIN, INT64_MAX } };
	if (!err)
		err = choose(&limits, repair);
	if (err == -EDOM) {
		report_bounds(&limits, repair, path, diag);
	} else if (err != -ENOMEM && evidence->nr_back > 1 &&
		   evidence->nr_back > evidence->records.count / MOST_HOLD) {
		report_disorder(evidence, path, diag);
		err = -EDOM;
	}
	array__free(&limits.runs);
	return err;
}
