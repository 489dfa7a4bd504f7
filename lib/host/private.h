/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a probe. Private to lib/host. */
#ifndef PERFJIT_HOST_PRIVATE_H
#define PERFJIT_HOST_PRIVATE_H

#include "host/probe.h"
#include "host/scratch.h"

void probe__set(struct perf_probe *probe, enum probe which, enum probe_status status,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* 0 or a negative errno: out of memory, or the files can't be written. */
int probe__unwinding(struct perf_probe *probe, const struct scratch *scratch);
int probe__inject(struct perf_probe *probe, const struct scratch *scratch);
int probe__forms(struct perf_probe *probe, const struct scratch *scratch);
int probe__cache(struct perf_probe *probe, const struct scratch *scratch);

/*
 * Runs perf script on a profile and tells whether it showed the sample of a time; symbol: the name
 * that its address has, "" for none.
 */
int probe__shows(const struct scratch *scratch, const char *profile, bool pipe, uint64_t time,
		 bool *shown, char symbol[64], struct child_result *result);

#endif
