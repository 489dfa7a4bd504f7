// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong with a jitdump. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor/diagnosis.h"
#include "jitdump/examine.h"

static enum finding_weight weight_of(enum oddity_effect effect)
{
	static const enum finding_weight weights[] = {
		[ODDITY_HARMLESS] = FINDING_NOTE,
		[ODDITY_PERF_WRONG] = FINDING_PERF,
		[ODDITY_LOSS] = FINDING_LOSS,
	};

	return weights[effect];
}

static const char *origin_text(enum oddity_origin origin)
{
	static const char *const texts[] = {
		[ORIGIN_PRODUCER] = "the runtime that wrote it",
		[ORIGIN_RECORDING] = "the recording: the process was killed, or still ran",
		[ORIGIN_COPY] = "whoever copied it: it was damaged or cut afterwards",
		[ORIGIN_NOBODY] = "nobody: it is as it should be",
	};

	return texts[origin];
}

static void add(struct diagnosis *diagnosis, const struct oddity_count *count, const char *path)
{
	const struct oddity_kind *about = count->about;
	struct finding *finding = diagnosis__add(diagnosis, count->kind, weight_of(about->effect));
	size_t length = strlen(about->meaning);

	if (!finding)
		return;
	diagnosis__say(diagnosis, &finding->what, "%.*s",
		       (int)(length && about->meaning[length - 1] == '.' ? length - 1 : length),
		       about->meaning);
	if (count->first == DIAG_NO_OFFSET)
		diagnosis__say(diagnosis, &finding->evidence, "%" PRIu64 " of them", count->count);
	else
		diagnosis__say(diagnosis, &finding->evidence,
			       "%" PRIu64 " of them, the first at byte %#" PRIx64, count->count,
			       count->first);
	diagnosis__say(diagnosis, &finding->cure, "this is the doing of %s",
		       origin_text(about->origin));
	diagnosis__say(diagnosis, &finding->command, "perfjit-dump %s", path);
}

int diagnose__dump(struct diagnosis *diagnosis, const char *path, struct diag *diag)
{
	struct jitdump_examination *examination;
	int err = jitdump_examination__new(&examination, path, diag);

	if (err)
		return err;
	diagnosis__note_place(diagnosis, path);
	for (int weight = FINDING_LOSS; weight <= FINDING_NOTE; weight++)
		array__for_each(count, &examination->counts)
			if (weight_of(count->about->effect) == (enum finding_weight)weight)
				add(diagnosis, count, path);
	diagnosis__say(diagnosis, &diagnosis->sound,
		       "%s is a sound jitdump%s%s: %" PRIu64 " functions, %" PRIu64
		       " of them with unwind data",
		       path, examination->producer ? " of " : "",
		       examination->producer ? examination->producer : "", examination->stats.loads,
		       examination->with_cfi);
	jitdump_examination__free(examination);
	return diagnosis->failed ? -ENOMEM : 0;
}
