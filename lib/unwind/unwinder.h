/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all unwind_threads share. Private. */
#ifndef PERFJIT_UNWIND_UNWINDER_H
#define PERFJIT_UNWIND_UNWINDER_H

#include "unwind/arch.h"
#include "unwind/kallsyms.h"
#include "unwind/module.h"
#include "unwind/unwind.h"

/* A call chain that was recorded behind the samples that it belongs to. */
struct deferred_chain {
	uint64_t cookie;
	uint32_t tid;
	uint32_t count; /* addresses */
	size_t begin;   /* position of the first in unwinder.deferred_ips */
	size_t nth;     /* in order of being recorded */
};

struct unwinder {
	struct perfdata *perfdata;
	struct diag *diag;
	struct unwind_options options;
	struct processes *processes;
	const struct unwind_arch *arch; /* of the recording machine; NULL: none known here */
	enum byte_order order;
	struct unwind_module *modules; /* by mapping->image */
	uint32_t nr_modules;
	ARRAY(struct deferred_chain) deferred; /* by (cookie, tid, nth) */
	ARRAY(uint64_t) deferred_ips;
	struct kernel_symbols kernel;
};

/* The chain that a cookie of a thread stands for, or NULL. */
const struct deferred_chain *unwinder__deferred(const struct unwinder *unwinder, uint32_t tid,
						uint64_t cookie);
/* The module of a mapping, open; NULL: it is no file's. -ENOMEM shows as NULL with *err. */
struct unwind_module *unwinder__module(struct unwinder *unwinder, const struct mapping *mapping,
				       int *err);

/* locate.c: the path of a file in the build-id cache, "/NAME" of that build-id, to be freed; NULL:
 * there is no cache, or no memory. */
char *unwinder__cached(const struct unwinder *unwinder, struct bytes build_id, const char *name);

#endif
