// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/diag.h"

/* How far off times may be that are still taken to be of the same clock, ns. */
#define SAME_CLOCK_SLACK UINT64_C(1000000000)

/*
 * How late producers may be, ns: 11 ms were seen. CLOCK_MONOTONIC is slewed by up to 500 ppm
 * against perf's clock, which adds 1/2000 of the time that the dump spans.
 */
#define LATE_SLACK   UINT64_C(100000000)
#define SLEW_DIVISOR 2000

uint64_t clock__from_tsc(const struct perfdata_time_conv *conv, uint64_t tsc)
{
	uint64_t cycles = conv->cycles + ((tsc - conv->cycles) & conv->mask);
	uint64_t quotient = cycles >> conv->shift;
	uint64_t remainder = cycles & ((UINT64_C(1) << conv->shift) - 1);

	return conv->zero + quotient * conv->mult + (remainder * conv->mult >> conv->shift);
}

static uint64_t add_slack(uint64_t time)
{
	return time <= UINT64_MAX - SAME_CLOCK_SLACK ? time + SAME_CLOCK_SLACK : UINT64_MAX;
}

static bool fits(const struct clock_profile *profile, uint64_t first, uint64_t last)
{
	return add_slack(first) >= profile->begin && last <= add_slack(profile->end);
}

enum clock_kind clock__kind(const struct clock_dump *dump, const struct clock_profile *profile,
			    struct diag *diag)
{
	const struct perfdata_time_conv *conv = profile->conv;
	enum clock_kind plain = profile->monotonic ? CLOCK_PERF : CLOCK_OFFSET;

	if (!dump->arch_timestamp)
		return plain;
	if (conv && conv->shift < 64 && conv->mult &&
	    fits(profile, clock__from_tsc(conv, dump->first), clock__from_tsc(conv, dump->last)))
		return CLOCK_TSC;
	if (fits(profile, dump->first, dump->last)) {
		diag__report(diag, DIAG_NOTE, "clock.false-arch-flag", dump->path, DIAG_NO_OFFSET,
			     "says that its times are the processor's, but they are nanoseconds "
			     "within the profile's time: taken as such");
		return plain;
	}
	diag__report(diag, DIAG_WARNING, "clock.unknown", dump->path, DIAG_NO_OFFSET,
		     conv ? "has times that the profile's time conversion puts outside of it: "
			    "their offset is looked for"
			  : "has times of the processor's clock, for which the profile has no "
			    "conversion: their offset is looked for");
	return CLOCK_OFFSET;
}

struct loaded {
	uint64_t time;
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
	ARRAY(struct loaded) loads;
	ARRAY(struct held) held; /* by addr */
};

struct clock_evidence *clock_evidence__new(void)
{
	return calloc(1, sizeof(struct clock_evidence));
}

void clock_evidence__free(struct clock_evidence *evidence)
{
	if (!evidence)
		return;
	array__free(&evidence->loads);
	array__free(&evidence->held);
	free(evidence);
}

int clock_evidence__load(struct clock_evidence *evidence, uint64_t time, uint64_t addr,
			 uint64_t size)
{
	struct loaded loaded = { time, addr, addr + size, UINT64_MAX };

	if (!size || addr > UINT64_MAX - size)
		return -EINVAL;
	return array__push(&evidence->loads, loaded) ? 0 : -ENOMEM;
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
	return 0;
}

void clock_evidence__seen(struct clock_evidence *evidence, uint64_t time, uint64_t addr)
{
	size_t low = 0, high = evidence->held.count;
	struct loaded *loaded;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (evidence->held.items[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || evidence->held.items[low - 1].load == NOT_ONE)
		return;
	loaded = &evidence->loads.items[evidence->held.items[low - 1].load];
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

uint64_t clock__shift(uint64_t time, int64_t offset)
{
	uint64_t distance = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;

	if (offset < 0)
		return time > distance ? time - distance : 0;
	return time <= UINT64_MAX - distance ? time + distance : UINT64_MAX;
}

/* The bounds that single functions set, sorted. */
struct limits {
	ARRAY(int64_t) at_least; /* the dump was mapped before the load */
	ARRAY(int64_t) at_most;  /* the load came before the first sample */
	int64_t cap;             /* the last load came before the exit */
	uint64_t slack;
};

static int compare_limits(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int limits__collect(struct limits *limits, const struct clock_evidence *evidence,
			   uint64_t begin, uint64_t end)
{
	uint64_t first = UINT64_MAX, last = 0;

	*limits = (struct limits){ .cap = INT64_MAX };
	array__for_each(loaded, &evidence->loads) {
		if (begin && !array__push(&limits->at_least, difference(begin, loaded->time)))
			return -ENOMEM;
		if (loaded->seen != UINT64_MAX &&
		    !array__push(&limits->at_most, difference(loaded->seen, loaded->time)))
			return -ENOMEM;
		if (first > loaded->time)
			first = loaded->time;
		if (last < loaded->time)
			last = loaded->time;
	}
	if (end != UINT64_MAX && evidence->loads.count)
		limits->cap = difference(end, last);
	limits->slack = LATE_SLACK + (last > first ? (last - first) / SLEW_DIVISOR : 0);
	if (limits->at_least.count)
		qsort(limits->at_least.items, limits->at_least.count, sizeof(int64_t),
		      compare_limits);
	if (limits->at_most.count)
		qsort(limits->at_most.items, limits->at_most.count, sizeof(int64_t),
		      compare_limits);
	return 0;
}

static void limits__free(struct limits *limits)
{
	array__free(&limits->at_least);
	array__free(&limits->at_most);
}

/* How many of sorted values are up to limit. */
static size_t count_to(const int64_t *values, size_t count, int64_t limit)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (values[mid] <= limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t count_unmapped(const struct limits *limits, int64_t offset)
{
	return limits->at_least.count -
	       count_to(limits->at_least.items, limits->at_least.count, offset);
}

static size_t count_early(const struct limits *limits, int64_t offset)
{
	return offset == INT64_MIN
		       ? 0
		       : count_to(limits->at_most.items, limits->at_most.count, offset - 1);
}

/*
 * The upper bound that contradicts the fewest functions: each bound by a sample is one that may
 * be kept at the cost of those below it, or none of them is.
 */
static int64_t choose_high(const struct limits *limits)
{
	int64_t best = limits->cap;
	size_t cost = count_unmapped(limits, best) + count_early(limits, best);

	for (size_t i = limits->at_most.count; i--;) {
		int64_t high = limits->at_most.items[i];
		size_t this_cost = count_unmapped(limits, high) + count_early(limits, high);

		if (high <= limits->cap && this_cost <= cost) {
			best = high;
			cost = this_cost;
		}
	}
	return best;
}

/* Whether more than a few bounds are missed by more than producers are late. */
static bool contradicts(const struct limits *limits, int64_t offset)
{
	int64_t slack = limits->slack < INT64_MAX / 4 ? (int64_t)limits->slack : INT64_MAX / 4;
	int64_t above = offset < INT64_MAX - slack ? offset + slack : INT64_MAX;
	int64_t below = offset > INT64_MIN + slack ? offset - slack : INT64_MIN;

	return count_unmapped(limits, above) > limits->at_least.count / 8 ||
	       count_early(limits, below) > limits->at_most.count / 8;
}

static int choose(const struct limits *limits, struct clock_repair *repair)
{
	struct clock_bounds *bounds = &repair->bounds;
	size_t below;

	bounds->high = choose_high(limits);
	below = count_to(limits->at_least.items, limits->at_least.count, bounds->high);
	bounds->low = below ? limits->at_least.items[below - 1] : INT64_MIN;
	/* Samples come every few ms, so they are nearer to the truth than the start of the dump. */
	repair->by_samples = limits->at_most.count && bounds->high != INT64_MAX;
	if (repair->by_samples || bounds->low == INT64_MIN)
		repair->offset = bounds->high;
	else
		repair->offset = bounds->low;
	if (repair->offset == INT64_MAX)
		return -ENODATA;
	repair->early = count_early(limits, repair->offset);
	repair->unmapped = count_unmapped(limits, repair->offset);
	return contradicts(limits, repair->offset) ? -EDOM : 0;
}

static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

int clock__repair(const struct clock_evidence *evidence, const char *path, uint64_t begin,
		  uint64_t end, struct clock_repair *repair, struct diag *diag)
{
	struct limits limits;
	int err = limits__collect(&limits, evidence, begin, end);

	*repair = (struct clock_repair){ .bounds = { INT64_MIN, INT64_MAX } };
	if (!err)
		err = choose(&limits, repair);
	if (err == -EDOM)
		diag__report(diag, DIAG_WARNING, "clock.contradiction", path, DIAG_NO_OFFSET,
			     "no offset puts its times and the profile's in order: at best, "
			     "%.3f ms, %zu of %zu functions were loaded before the dump was mapped "
			     "and %zu of %zu ran before they were loaded; record with -k mono",
			     ms(repair->offset), repair->unmapped, limits.at_least.count,
			     repair->early, limits.at_most.count);
	limits__free(&limits);
	return err;
}

void clock__share(struct clock_repair *repairs, size_t count)
{
	int64_t offset = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		if (repairs[i].by_samples && repairs[i].offset < offset)
			offset = repairs[i].offset;
	}
	for (size_t i = 0; i < count; i++) {
		const struct clock_bounds *bounds = &repairs[i].bounds;

		if (offset != INT64_MAX && bounds->low <= offset && offset <= bounds->high)
			repairs[i].offset = offset;
	}
}

bool clock__report(const struct clock_repair *repair, const char *path, struct diag *diag)
{
	const struct clock_bounds *bounds = &repair->bounds;
	char low[32] = "any time", high[32] = "any time";

	if (repair->offset == INT64_MAX) {
		diag__report(diag, DIAG_WARNING, "clock.no-evidence", path, DIAG_NO_OFFSET,
			     "nothing tells how the profile's clock relates to the dump's; "
			     "record with -k mono");
		return false;
	}
	if (bounds->low != INT64_MIN)
		snprintf(low, sizeof(low), "%.3f ms", ms(bounds->low));
	if (bounds->high != INT64_MAX)
		snprintf(high, sizeof(high), "%.3f ms", ms(bounds->high));
	diag__report(diag, DIAG_NOTE, "clock.repaired", path, DIAG_NO_OFFSET,
		     "the profile was not recorded with -k mono: %.3f ms added to the dump's times "
		     "(bounds: %s to %s)",
		     ms(repair->offset), low, high);
	return true;
}
