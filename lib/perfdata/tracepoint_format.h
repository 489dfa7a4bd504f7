/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of tracepoints, as /sys/kernel/tracing/events has them, on their way to libtraceevent. */
#ifndef PERFJIT_PERFDATA_TRACEPOINT_FORMAT_H
#define PERFJIT_PERFDATA_TRACEPOINT_FORMAT_H

#include "base/buf.h"

/*
 * Writes a format anew, holding nothing but what it is understood to say: libtraceevent's parser
 * trusts the kernel, and reads from no address or without end when a format is damaged. What a
 * sample is printed by ("print fmt") is left out, fields that are not understood are counted.
 * False when it is no format.
 */
bool tracepoint_format__clean(struct bytes format, struct buf *clean, size_t *nr_skipped);

#endif
