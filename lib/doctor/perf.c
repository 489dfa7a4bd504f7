// SPDX-License-Identifier: GPL-2.0-or-later
/* The faults of a perf build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/diagnosis.h"

static void say_command(struct diagnosis *diagnosis, struct finding *finding, const char *option,
			const struct perf_probe *probe)
{
	const char *abi = perf_probe__abi(probe);

	if (strcmp(option, "--perf-abi") == 0 && abi)
		diagnosis__say(diagnosis, &finding->command, "perfjit-fix --perf-abi=%s perf.data",
			       abi);
	else
		diagnosis__say(diagnosis, &finding->command, "perfjit-fix%s%s perf.data",
			       *option ? " " : "", option);
}

static void add_fault(struct diagnosis *diagnosis, const struct perf_probe *probe, enum probe which)
{
	const struct probe_about *about = probe__about(which);
	struct finding *finding =
		diagnosis__add(diagnosis, about->slug, about->severe ? FINDING_LOSS : FINDING_PERF);

	if (!finding)
		return;
	diagnosis__say(diagnosis, &finding->what, "%s", about->fault);
	diagnosis__say(diagnosis, &finding->evidence, "%s", probe->results[which].evidence);
	diagnosis__say(diagnosis, &finding->builds, "%s", about->builds);
	diagnosis__say(diagnosis, &finding->cure, "%s", about->cure);
	if (about->option)
		say_command(diagnosis, finding, about->option, probe);
}

static void add_cache(struct diagnosis *diagnosis, const struct perf_probe *probe)
{
	struct finding *finding;

	if (!probe->cache_first)
		return;
	finding = diagnosis__add(diagnosis, "cache-first", FINDING_NOTE);
	if (!finding)
		return;
	diagnosis__say(
		diagnosis, &finding->what,
		"it trusts ~/.debug more than a file itself: what stands there under a file's "
		"build-id is shown");
	diagnosis__say(diagnosis, &finding->evidence,
		       "names came from a file that was put into the cache");
	diagnosis__say(diagnosis, &finding->builds, "all so far");
}

/* Options for all of its faults at once. */
static void say_next(struct diagnosis *diagnosis, const char *path)
{
	char *quoted = text__quoted(path);

	if (quoted && diagnosis__is_bad(diagnosis))
		diagnosis__say(diagnosis, &diagnosis->next, "perfjit-fix --for-perf=%s perf.data",
			       quoted);
	diagnosis->next_is_for_all = true;
	diagnosis->failed |= !quoted;
	if (quoted && strchr(path, '/'))
		diagnosis__note_place(diagnosis, quoted);
	free(quoted);
}

void diagnose__perf(struct diagnosis *diagnosis, const struct perf_probe *probe, const char *path)
{
	if (strchr(path, '/'))
		diagnosis__note_place(diagnosis, path);
	for (int severe = 1; severe >= 0; severe--)
		for (enum probe i = 0; i < PROBES; i++)
			if (probe->results[i].status == PROBE_FAULTY &&
			    probe__about(i)->severe == severe)
				add_fault(diagnosis, probe, i);
	add_cache(diagnosis, probe);
	say_next(diagnosis, path);
	diagnosis__say(diagnosis, &diagnosis->sound,
		       "%s names JIT code and unwinds through it, by %s: nothing is wrong with it",
		       path, perf_unwinder__text(probe->unwinder));
}
