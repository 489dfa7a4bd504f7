// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is wrong with a recording. Causes are looked for in the order in which one explains the
 * next: names that were lost, then call chains, then what costs little.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "doctor/recording.h"

struct finding *recording__add(struct recording *recording, const char *slug,
			       enum finding_weight weight, uint64_t samples)
{
	struct finding *finding = diagnosis__add(recording->diagnosis, slug, weight);

	if (finding && samples) {
		finding->samples = samples;
		finding->of = recording->counts->before.samples;
	}
	return finding;
}

static bool is_faulty(const struct recording *recording, enum probe which)
{
	return recording->options->probe &&
	       recording->options->probe->results[which].status == PROBE_FAULTY;
}

/* What the perf lacks of what it takes to read this profile. */
static bool lacks(const struct recording *recording, enum probe which)
{
	const struct perf_probe *probe = recording->options->probe;

	switch (which) {
	case PROBE_ATTR:
		return probe && probe->accepted_attr && recording->attr_size > probe->accepted_attr;
	case PROBE_SYMBOLS:
		return is_faulty(recording, which);
	case PROBE_UNWINDER:
		return is_faulty(recording, which) && recording->has_stacks;
	case PROBE_ZSTD:
		return is_faulty(recording, which) && perfdata__compressed(recording->perfdata);
	default:
		return false;
	}
}

void recording__say_fix(struct recording *recording, char **command)
{
	bool any = false;

	for (enum probe i = 0; i < PROBES; i++)
		any |= lacks(recording, i);
	if (any)
		diagnosis__say(recording->diagnosis, command, "perfjit-fix --for-perf=%s %s",
			       recording->perf, recording->path);
	else
		diagnosis__say(recording->diagnosis, command, "perfjit-fix %s", recording->path);
}

static void find_empty(struct recording *recording)
{
	struct finding *finding;

	if (recording->counts->before.samples)
		return;
	finding = recording__add(recording, "no-samples", FINDING_LOSS, 0);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "there is no sample in the profile");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "no SAMPLE record that can be read");
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "record for longer, and see that the event counts: -e cpu-clock works "
		       "everywhere");
}

/* All samples are there, and something of what perf writes at the end is not. */
static void find_cut_features(struct recording *recording, const char *heard)
{
	struct finding *finding = recording__add(recording, "cut-off", FINDING_PERF,
						 recording->counts->before.samples);

	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "the profile is cut off behind its samples: header features that perf "
		       "writes last, of the machine and the recording, are not there");
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s; all of %" PRIu64
		       " samples are there", heard, recording->counts->before.samples);
	diagnosis__say(recording->diagnosis, &finding->builds,
		       "7.2 and newer refuse such a profile");
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "copy it again, or see whether the disk was full; perfjit-fix makes a "
		       "profile of it that every perf reads");
	recording__say_fix(recording, &finding->command);
}

/* A recorder that was killed, or a copy of a part. How much is missing, nobody knows. */
static void find_cut(struct recording *recording)
{
	const char *unfinished = recording__heard(recording, "perfdata.unfinished");
	const char *truncated = recording__heard(recording, "perfdata.truncated");
	const char *features = recording__heard(recording, "perfdata.cut-features");
	struct finding *finding;

	if (*features && !*unfinished && !*truncated)
		find_cut_features(recording, features);

	if (!*unfinished && !*truncated)
		return;
	finding =
		recording__add(recording, *unfinished ? "unfinished" : "cut-off", FINDING_LOSS, 0);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "%s",
		       *unfinished ? "perf record was killed before it finished the profile: its "
				     "last samples, and what it writes at the end, are not there"
				   : "the profile is cut off: it says of itself that it is longer, "
				     "and the samples behind the cut are lost");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%s; %" PRIu64 " samples are there", *unfinished ? unfinished : truncated,
		       recording->counts->before.samples);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       *unfinished ? "perfjit-fix makes a whole profile of what is there; end perf "
				     "record with Ctrl-C or SIGINT, not with SIGKILL"
				   : "copy it again, or see whether the disk was full; perfjit-fix "
				     "makes a whole profile of what is there");
	recording__say_fix(recording, &finding->command);
}

/* ---- the perf that reads it ------------------------------------------------------------------ */

static void find_lack(struct recording *recording, enum probe which)
{
	const struct probe_about *about = probe__about(which);
	struct finding *finding;

	if (!lacks(recording, which))
		return;
	finding = recording__add(recording, about->slug, FINDING_PERF,
				 recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "%s can't read this profile: %s",
		       recording->options->perf, about->fault);
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s",
		       recording->options->probe->results[which].evidence);
	diagnosis__say(recording->diagnosis, &finding->cure, "%s", about->cure);
	recording__say_fix(recording, &finding->command);
}

/* ---- what costs little ----------------------------------------------------------------------- */

static void find_early(struct recording *recording)
{
	uint64_t early = recording->plan->counts.jit_samples_early;
	struct finding *finding;

	if (!early)
		return;
	finding = recording__add(recording, "loaded-later", FINDING_PERF, early);
	if (!finding)
		return;
	diagnosis__say(
		recording->diagnosis, &finding->what,
		"samples were taken in code before the jitdump says it was loaded: perf leaves "
		"them without names");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64 " of %" PRIu64 " samples in JIT code", early,
		       recording->plan->counts.jit_samples);
	diagnosis__say(recording->diagnosis, &finding->cure, "perfjit-fix names them");
	recording__say_fix(recording, &finding->command);
}

static void find_lost(struct recording *recording)
{
	uint64_t lost = recording->counts->lost, samples = recording->counts->before.samples;
	struct finding *finding;

	if (!lost)
		return;
	finding = recording__add(recording, "lost-events", FINDING_LOSS, 0);
	if (!finding)
		return;
	/* of what there would be */
	finding->samples = lost;
	finding->of = lost + samples;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "events were lost while recording: perf did not keep up");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64 " events by LOST and LOST_SAMPLES records", lost);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "record with larger buffers (-m 16M)%s fewer samples (-F 99)%s",
		       recording->has_stacks ? "," : " or",
		       recording->has_stacks ? " or smaller stack copies" : "");
}

/* Whether some event has the modifier u: "cycles:u", "{cycles,faults}:Su". */
static bool asks_for_user_only(const char *command)
{
	if (strstr(command, "--all-user"))
		return true;
	while ((command = strchr(command, ':'))) {
		size_t length = strspn(++command, "ukhvGHIpPSDWeb");

		if (memchr(command, 'u', length) && !isalnum((unsigned char)command[length]) &&
		    command[length] != '_')
			return true;
	}
	return false;
}

static void find_user_only(struct recording *recording)
{
	const char *command = recording->recorded.command;
	struct finding *finding;

	if (!recording->user_only || !*command || asks_for_user_only(command))
		return;
	finding = recording__add(recording, "user-only", FINDING_NOTE, 0);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "the kernel is not in the profile: this user was not allowed to see it");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "all events exclude the kernel, and nothing shows that this was asked for");
	diagnosis__say(
		recording->diagnosis, &finding->cure,
		"to see it, record as root or with kernel.perf_event_paranoid at 1 or lower");
}

void recording__judge(struct recording *recording)
{
	static const enum probe needed[] = { PROBE_ATTR, PROBE_SYMBOLS, PROBE_UNWINDER,
					     PROBE_ZSTD };
	const struct recording_counts *counts = recording->counts;

	find_cut(recording);
	find_empty(recording);
	recording__judge_dumps(recording);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		find_lack(recording, needed[i]);
	recording__judge_chains(recording);
	recording__judge_moved(recording);
	find_early(recording);
	find_lost(recording);
	find_user_only(recording);
	recording__say_fix(recording, &recording->diagnosis->next);
	diagnosis__say(recording->diagnosis, &recording->diagnosis->sound,
		       "%s is a sound recording%s%s: %" PRIu64 " samples, %" PRIu64
		       " of them through JIT code",
		       recording->options->path, counts->runtime ? " of " : "",
		       counts->runtime ? counts->runtime : "", counts->before.samples, counts->jit);
}
