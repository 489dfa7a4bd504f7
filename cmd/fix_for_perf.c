// SPDX-License-Identifier: GPL-2.0-or-later
/* --for-perf: options chosen by what a perf was found to be able to do. */
#include <string.h>

#include "base/diag.h"
#include "fix_options.h"
#include "host/probe.h"

struct choice {
	char text[FIX_CHOSEN_MAX];
	size_t length;
};

static void note(struct choice *choice, const char *option, const char *value)
{
	size_t room = sizeof(choice->text) - choice->length;
	int length = snprintf(choice->text + choice->length, room, " %s%s", option, value);

	choice->length += length > 0 && (size_t)length < room ? (size_t)length : 0;
}

static bool is_faulty(const struct perf_probe *probe, enum probe which)
{
	return probe->results[which].status == PROBE_FAULTY;
}

/* What was said on the command line stays. */
static void choose_abi(struct fix_options *options, const struct perf_probe *probe,
		       struct choice *choice)
{
	const char *abi = perf_probe__abi(probe);

	if (!abi || options->abi)
		return;
	options->abi = perfdata_abi__by_name(abi);
	note(choice, "--perf-abi=", abi);
}

/* Names come from maps or from DSOs; chains that it can't unwind are put into the profile. */
static void choose_means(struct fix_options *options, const struct perf_probe *probe,
			 struct choice *choice)
{
	bool dsos = options->plan.relocate || options->buildid_cache;

	if (!options->perf_map && is_faulty(probe, PROBE_SYMBOLS) && !dsos) {
		options->perf_map = true;
		note(choice, "--perf-map", "");
	}
	/* one that drops chains drops each whose stack copy is too small */
	if (options->bake.which == BAKE_NONE &&
	    (is_faulty(probe, PROBE_UNWINDER) || is_faulty(probe, PROBE_FAILED_STEP))) {
		options->bake.which = BAKE_ALL;
		note(choice, "--unwind", "");
	}
}

int fix_options__choose(struct fix_options *options, struct diag *diag)
{
	struct perf_probe probe;
	struct choice choice = { "", 0 };
	int err = perf_probe__run(&probe, options->for_perf, diag);

	if (err)
		return err;
	if (!probe.accepted_attr) {
		diag__report(diag, DIAG_ERROR, "perf.broken", options->for_perf, DIAG_NO_OFFSET,
			     "is no perf, or a broken one: perfjit-doctor --perf says what it does");
		return -EINVAL;
	}
	if (options->strip)
		return 0;
	choose_abi(options, &probe, &choice);
	choose_means(options, &probe, &choice);
	fix_options__settle(options);
	snprintf(options->chosen, sizeof(options->chosen), "perf %.32s, %s:%.180s",
		 *probe.build.version ? probe.build.version : "of unknown version",
		 perf_unwinder__text(probe.unwinder),
		 choice.length ? choice.text : " nothing needs to be done otherwise");
	return 0;
}
