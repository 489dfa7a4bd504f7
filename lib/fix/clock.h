/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times of a jitdump as perf's clock has them. Runtimes write CLOCK_MONOTONIC or TSC values;
 * perf's own clock is neither, unless the profile was recorded with -k mono.
 */
#ifndef PERFJIT_FIX_CLOCK_H
#define PERFJIT_FIX_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/perfdata.h"

struct diag;

/*
 * perf's time of a TSC value by the conversion in the profile, as linux/perf_event.h gives it for
 * cap_user_time_zero and cap_user_time_short.
 */
uint64_t clock__from_tsc(const struct perfdata_time_conv *conv, uint64_t tsc);

/* What a dump's times are. */
enum clock_kind {
	CLOCK_PERF,   /* perf's clock: ready for use */
	CLOCK_TSC,    /* to be converted by clock__from_tsc */
	CLOCK_OFFSET, /* perf's clock plus or minus an offset to be found out */
};

struct clock_profile {
	bool monotonic;                        /* recorded with -k mono */
	const struct perfdata_time_conv *conv; /* or NULL */
	uint64_t begin; /* ns: when the dump was mapped or its process began; 0: not known */
	uint64_t end;   /* ns: of the last record; UINT64_MAX: not known */
};

struct clock_dump {
	const char *path;
	bool arch_timestamp;  /* JITDUMP_FLAG_ARCH_TIMESTAMP, which some producers set falsely */
	uint64_t first, last; /* the lowest and the highest time in it */
};

/* Tells by the dump's flag and by where its times fall. A flag found false is reported. */
enum clock_kind clock__kind(const struct clock_dump *dump, const struct clock_profile *profile,
			    struct diag *diag);

/*
 * Evidence about the offset of a dump's clock: what must have come before what. One for each
 * process and dump.
 */
struct clock_evidence;

struct clock_evidence *clock_evidence__new(void);
void clock_evidence__free(struct clock_evidence *evidence);

/*
 * All that the dump says comes before the first clock_evidence__seen, and clock_evidence__finish
 * in between. Times are of the dump's clock, offset is that of the record in the dump, bytes.
 * These return 0, -ENOMEM, or -EINVAL for a range that is empty or wraps around.
 */

/* A record of any kind was written at time. In the order of the dump. */
int clock_evidence__record(struct clock_evidence *evidence, uint64_t time, uint64_t offset);
/* Code came to [addr, addr + size) at time, by a LOAD or a MOVE. */
int clock_evidence__load(struct clock_evidence *evidence, uint64_t time, uint64_t offset,
			 uint64_t addr, uint64_t size);
int clock_evidence__finish(struct clock_evidence *evidence);

/*
 * A sample of the process at a time of perf's clock had addr as its ip or in its call chain: the
 * code was there by then, and the process was.
 */
void clock_evidence__seen(struct clock_evidence *evidence, uint64_t time, uint64_t addr);

/* ns of perf's clock minus the dump's; INT64_MIN and INT64_MAX stand for no bound. */
struct clock_bounds {
	int64_t low, high;
};

struct clock_repair {
	struct clock_bounds bounds;
	int64_t offset;  /* within the bounds: to be added to the dump's times */
	bool by_samples; /* the upper bound is that of samples in code: mostly within a ms */
	size_t early;    /* functions that even so were seen before they were loaded */
	size_t unmapped; /* records that even so come before the dump was mapped */
	size_t late;     /* records that even so come after the process had ended */
};

/*
 * Chooses the offset. begin: when the process mapped the dump, or the process' own beginning, 0
 * when neither is known; end: of its exit, UINT64_MAX when not known. Producers are a few ms late
 * with some records (JVM: after the code ran; JSC: before the dump was mapped), so evidence may
 * contradict itself a little, and a single wrong record costs itself only: the offset then
 * contradicts as little as can be.
 *
 * 0, -ENOMEM, -ENODATA when nothing bounds the offset (it is INT64_MAX then, clock__share may give
 * another), or -EDOM, reported with the bounds and the records they are from, when more than one
 * in eight contradicts any offset, or the record in front of it.
 */
int clock__repair(const struct clock_evidence *evidence, const char *path, uint64_t begin,
		  uint64_t end, struct clock_repair *repair, struct diag *diag);

/*
 * A machine's processes have the same clocks: each repair gets the lowest offset that samples
 * gave any, if that is within its own bounds (it is not in a time namespace of its own). Those that
 * clock__repair found contradictory are not among them.
 */
void clock__share(struct clock_repair *repairs, size_t count);

#define CLOCK_BOUNDS_TEXT 80

/* Says in words which offsets would fit, in a text of CLOCK_BOUNDS_TEXT bytes. Returns text. */
const char *clock_bounds__text(const struct clock_bounds *bounds, char *text, size_t size);
/* ms of ns, for printing. */
double clock__ms(int64_t ns);

/* Reports the bounds and the offset that was chosen, or that there is none; false then. */
bool clock__report(const struct clock_repair *repair, const char *path, struct diag *diag);

/* A dump's time moved by an offset, kept between 0 and UINT64_MAX. */
uint64_t clock__shift(uint64_t time, int64_t offset);

#endif
