// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong with a jitdump. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

/* Behind how many there are. */
static const char *origin_text(enum oddity_origin origin)
{
	static const char *const texts[] = {
		[ORIGIN_PRODUCER] = ", written so by the runtime",
		[ORIGIN_RECORDING] =
			", by how it was recorded: the process was killed, or still ran",
		[ORIGIN_COPY] = ", damaged or cut after it was written",
		[ORIGIN_NOBODY] = "",
	};

	return texts[origin];
}

/* NULL: there is nothing to be done. */
static const char *cure_of(const struct oddity_kind *about)
{
	if (about->effect == ODDITY_HARMLESS)
		return NULL;
	if (about->effect == ODDITY_PERF_WRONG)
		return "run perfjit-fix on the profile, which reads it rightly";
	switch (about->origin) {
	case ORIGIN_RECORDING:
		return "let the program end by itself or by SIGTERM, and copy the dump after that";
	case ORIGIN_COPY:
		return "copy it again";
	default:
		return "report it to those who make the runtime: perfjit-dump shows what is where";
	}
}

static void add(struct diagnosis *diagnosis, const struct oddity_count *count, const char *path)
{
	const struct oddity_kind *about = count->about;
	struct finding *finding = diagnosis__add(diagnosis, count->kind, weight_of(about->effect));
	const char *origin = origin_text(about->origin), *cure = cure_of(about);
	size_t length = strlen(about->meaning);

	if (!finding)
		return;
	diagnosis__say(diagnosis, &finding->what, "%.*s",
		       (int)(length && about->meaning[length - 1] == '.' ? length - 1 : length),
		       about->meaning);
	if (count->first == DIAG_NO_OFFSET)
		diagnosis__say(diagnosis, &finding->evidence, "%" PRIu64 " of them%s", count->count,
			       origin);
	else
		diagnosis__say(diagnosis, &finding->evidence,
			       "%" PRIu64 " of them, the first at byte %#" PRIx64 "%s",
			       count->count, count->first, origin);
	if (cure)
		diagnosis__say(diagnosis, &finding->cure, "%s", cure);
	diagnosis__say(diagnosis, &finding->command, "perfjit-dump %s", path);
}

static void add_all(struct diagnosis *diagnosis, const struct jitdump_examination *examination,
		    const char *path)
{
	for (int weight = FINDING_LOSS; weight <= FINDING_NOTE; weight++)
		array__for_each(count, &examination->counts)
			if (weight_of(count->about->effect) == (enum finding_weight)weight)
				add(diagnosis, count, path);
}

int diagnose__dump(struct diagnosis *diagnosis, const char *path, struct diag *diag)
{
	struct jitdump_examination *examination;
	char *quoted;
	int err = jitdump_examination__new(&examination, path, diag);

	if (err)
		return err;
	diagnosis__note_place(diagnosis, path);
	quoted = text__quoted(path);
	if (quoted) {
		diagnosis__note_place(diagnosis, quoted);
		add_all(diagnosis, examination, quoted);
	} else {
		diagnosis->failed = true;
	}
	free(quoted);
	diagnosis__say(diagnosis, &diagnosis->sound,
		       "%s is a sound jitdump%s%s: %" PRIu64 " functions, %" PRIu64
		       " of them with unwind data",
		       path, examination->producer ? " of " : "",
		       examination->producer ? examination->producer : "", examination->stats.loads,
		       examination->with_cfi);
	jitdump_examination__free(examination);
	return diagnosis->failed ? -ENOMEM : 0;
}
