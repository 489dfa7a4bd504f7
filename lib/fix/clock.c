// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/clock.h"

#include <stdio.h>

#include "base/diag.h"

/* How far off times may be that are still taken to be of the same clock, ns. */
#define SAME_CLOCK_SLACK UINT64_C(1000000000)

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

uint64_t clock__shift(uint64_t time, int64_t offset)
{
	uint64_t distance = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;

	if (offset < 0)
		return time > distance ? time - distance : 0;
	return time <= UINT64_MAX - distance ? time + distance : UINT64_MAX;
}

double clock__ms(int64_t ns)
{
	return (double)ns / 1e6;
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

const char *clock_bounds__text(const struct clock_bounds *bounds, char *text, size_t size)
{
	bool low = bounds->low != INT64_MIN, high = bounds->high != INT64_MAX;

	if (low && high)
		snprintf(text, size, "%.3f to %.3f ms would fit", clock__ms(bounds->low),
			 clock__ms(bounds->high));
	else if (low)
		snprintf(text, size, "%.3f ms or more would fit", clock__ms(bounds->low));
	else if (high)
		snprintf(text, size, "%.3f ms or less would fit", clock__ms(bounds->high));
	else
		snprintf(text, size, "found by another process of the profile");
	return text;
}

bool clock__report(const struct clock_repair *repair, const char *path, struct diag *diag)
{
	char bounds[CLOCK_BOUNDS_TEXT];

	if (repair->offset == INT64_MAX) {
		diag__report(diag, DIAG_WARNING, "clock.no-evidence", path, DIAG_NO_OFFSET,
			     "nothing tells how the profile's clock relates to the dump's; "
			     "record with -k mono");
		return false;
	}
	diag__report(diag, DIAG_NOTE, "clock.repaired", path, DIAG_NO_OFFSET,
		     "the profile was not recorded with -k mono: %.3f ms added to the dump's times "
		     "(%s)",
		     clock__ms(repair->offset),
		     clock_bounds__text(&repair->bounds, bounds, sizeof(bounds)));
	return true;
}
