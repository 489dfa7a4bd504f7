/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came of a run of perfjit-fix, and the two forms in which it is told. */
#ifndef PERFJIT_CMD_FIX_RESULT_H
#define PERFJIT_CMD_FIX_RESULT_H

#include <stdio.h>

#include "exit.h"
#include "fix/perf_map.h"
#include "fix/relocate.h"
#include "fix_options.h"
#include "messages.h"

struct fix_result {
	const struct fix_options *options;
	const struct plan *plan; /* NULL when there is none */
	bool relocated;          /* instead of fixed */
	struct relocate_result moves;
	struct perf_map_result maps;
	struct bake_counts baked; /* with --unwind, once written */
	size_t nr_cached;         /* DSOs new in the build-id cache */
	bool written;
	uint64_t output_size;    /* bytes; 0 when not written, or no file */
	uint64_t dso_disk_bytes; /* that the written DSOs take on the disk: they have holes */
	enum exit_code code;
};

/* Whether a dump describes no code at all of a process that has samples, and none elsewhere. */
bool fix_result__says_nothing(const struct plan *plan, const struct found_dump *found);
/* Whether a dump of a process that has samples is not used, for its times fit in no way. */
bool fix_result__is_refused(const struct plan *plan, const struct found_dump *found);
/* Whether something of the profile stays unnamed because its dump is missing or says nothing. */
bool fix_result__is_partial(const struct plan *plan);
/* Whether the profile or the user knows of any jitdump, or an earlier run did. */
bool fix_result__has_jit(const struct plan *plan);
/* Whether code of a process that has samples stays unnamed, its jitdump and its DSOs being gone. */
bool fix_result__has_lost(const struct plan *plan);
/* Processes that stay as an earlier run has fixed them. */
size_t fix_result__nr_kept(const struct plan *plan);
/* DSOs that get a file. */
size_t fix_result__nr_dsos(const struct plan *plan);

/* For people. */
void fix_result__print(const struct fix_result *result, FILE *stream);
/* For machines: one JSON object. 0 or -ENOMEM. */
int fix_result__print_json(const struct fix_result *result, const struct messages *messages,
			   FILE *stream);

/* Where a function's CFI is from, in a word for programs and in words for people. */
const char *fix_result__origin_word(enum function_origin origin);
const char *fix_result__origin_text(enum function_origin origin);

#endif
