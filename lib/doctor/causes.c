// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is wrong with a recording. Causes are looked for in the order in which one explains the
 * next: names that were lost, then call chains, then what costs little.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "doctor/recording.h"
#include "jitdump/examine.h"

/* Dumps of so many processes are examined one by one. */
#define DUMPS_MAX 64

static struct finding *add(struct recording *recording, const char *slug,
			   enum finding_weight weight, uint64_t samples)
{
	struct finding *finding = diagnosis__add(recording->diagnosis, slug, weight);

	if (finding && samples) {
		finding->samples = samples;
		finding->of = recording->counts->before.samples;
	}
	return finding;
}

static void say_fix(struct recording *recording, struct finding *finding)
{
	diagnosis__say(recording->diagnosis, &finding->command, "perfjit-fix %s",
		       recording->options->path);
}

/* How the recognised runtime is recorded. */
static void say_record(struct recording *recording, struct finding *finding, const char *chains)
{
	const struct runtime *runtime = recording->runtime;

	diagnosis__say(recording->diagnosis, &finding->command,
		       "perf record -k mono %s PROGRAM    (%s%s%s)", chains,
		       runtime ? runtime->name : "as perfjit-fix(1) says for each runtime",
		       runtime ? ": " : "", runtime ? runtime->enable : "");
}

static const char *usual_chains(const struct recording *recording)
{
	const struct runtime *runtime = recording->runtime;

	return runtime && strcmp(runtime->name, "CPython") == 0 ? "--call-graph dwarf,16384" : "-g";
}

/* ---- the dumps ------------------------------------------------------------------------------- */

static void find_empty(struct recording *recording)
{
	struct finding *finding;

	if (recording->counts->before.samples)
		return;
	finding = add(recording, "no-samples", FINDING_LOSS, 0);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "there is no sample in the profile");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "no SAMPLE record that can be read");
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "record for longer, and see that the event counts: -e cpu-clock works "
		       "everywhere");
}

static void find_wrong_clock(struct recording *recording)
{
	const struct found_dump *wrong = NULL;
	struct finding *finding;
	bool refused = false;

	array__for_each(found, &recording->plan->discovery->dumps)
		if (found->clock == CLOCK_OFFSET || found->refused) {
			wrong = found;
			refused |= found->refused;
		}
	if (!wrong)
		return;
	finding = add(recording, "wrong-clock", refused ? FINDING_LOSS : FINDING_PERF,
		      recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(
		recording->diagnosis, &finding->what,
		"it was recorded without -k mono: perf's clock is not that of the jitdump, and "
		"perf inject refuses the whole profile");
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s: %s",
		       jitdump__path(wrong->dump),
		       refused ? recording__heard(recording, "clock.contradiction")
		       : *recording__heard(recording, "clock.repaired")
			       ? recording__heard(recording, "clock.repaired")
			       : "its times are of another clock");
	diagnosis__say(
		recording->diagnosis, &finding->cure,
		refused ? "record again, with -k mono"
			: "perfjit-fix finds the offset between the clocks; next time record "
			  "with -k mono");
	if (refused)
		say_record(recording, finding, usual_chains(recording));
	else
		say_fix(recording, finding);
}

static void find_missing(struct recording *recording)
{
	const struct marker *first = NULL;
	const char *tried = recording__heard(recording, "discover.missing-dump");
	struct finding *finding;

	array__for_each(marker, &recording->plan->discovery->markers)
		if (marker->missing && !marker->odd && !first)
			first = marker;
	if (!first)
		return;
	finding = add(recording, first->deleted ? "dump-deleted" : "dump-missing", FINDING_LOSS,
		      recording->counts->unnamed);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "the jitdump of pid %u is gone: %s%s",
		       first->pid, first->name,
		       first->deleted ? " was deleted while it was recorded" : "");
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s",
		       *tried ? tried : "it is not where the profile says");
	diagnosis__say(
		recording->diagnosis, &finding->cure,
		"say where it is now, or of a container where its root is (--root=DIR); if it "
		"is lost, record again and keep it beside the profile");
	diagnosis__say(recording->diagnosis, &finding->command, "perfjit-fix --jitdump-dir=DIR %s",
		       recording->options->path);
}

/* Whether it has another number where it ran than perf saw; a child may have its parent's dump. */
static bool is_in_container(const struct marker *marker)
{
	if (marker->missing || marker->odd || !marker->file_pid || marker->file_pid == marker->pid)
		return false;
	for (const struct process *process = marker->process; process; process = process->parent)
		if (process->pid == marker->file_pid)
			return false;
	return true;
}

static void find_container(struct recording *recording)
{
	const struct marker *first = NULL;
	struct finding *finding;

	array__for_each(marker, &recording->plan->discovery->markers)
		if (!first && is_in_container(marker))
			first = marker;
	if (!first)
		return;
	finding = add(recording, "container", FINDING_PERF, recording->counts->jit);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "process %u ran in a pid namespace, where it is %u: perf inject up to 6.12 "
		       "passes over its jitdump and says nothing",
		       first->pid, first->file_pid);
	diagnosis__say(recording->diagnosis, &finding->evidence, "process %u mapped %s", first->pid,
		       first->name);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "perfjit-fix tells them apart by more than the name");
	say_fix(recording, finding);
}

/* The oddity that lost most of what the recording should have had, or NULL. */
static const struct oddity_count *worst_of(const struct jitdump_examination *examination)
{
	array__for_each(oddity, &examination->counts)
		if (oddity->about->effect == ODDITY_LOSS &&
		    oddity->about->origin == ORIGIN_RECORDING)
			return oddity;
	return NULL;
}

static void add_killed(struct recording *recording, const struct found_dump *found,
		       const struct oddity_count *oddity)
{
	struct finding *finding =
		add(recording, "dump-killed", FINDING_LOSS, recording->counts->unnamed);

	if (!finding)
		return;
	if (strcmp(oddity->kind, "jitdump.empty") == 0)
		diagnosis__say(recording->diagnosis, &finding->what,
			       "the jitdump of pid %u is empty: the process was killed, or left by "
			       "_exit, before it wrote any of it",
			       found->pid);
	else
		diagnosis__say(recording->diagnosis, &finding->what,
			       "the jitdump of pid %u ends in the middle: the process was killed "
			       "before it wrote the rest",
			       found->pid);
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s: %s [%s]",
		       jitdump__path(found->dump), oddity->about->meaning, oddity->kind);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "let the program end by itself or by SIGTERM, not by SIGKILL; what was not "
		       "written can't be had back");
	say_record(recording, finding, usual_chains(recording));
}

static void find_killed(struct recording *recording)
{
	size_t count = recording->plan->discovery->dumps.count;
	bool found_one = false;

	for (size_t i = 0; i < count && i < DUMPS_MAX && !found_one; i++) {
		const struct found_dump *found = &recording->plan->discovery->dumps.items[i];
		struct jitdump_examination *examination;
		const struct oddity_count *oddity;

		if (jitdump_examination__new(&examination, jitdump__path(found->dump),
					     recording->quiet))
			continue;
		oddity = worst_of(examination);
		if (oddity)
			add_killed(recording, found, oddity);
		found_one = oddity != NULL;
		jitdump_examination__free(examination);
	}
}

static void find_perf_map(struct recording *recording)
{
	const struct discovery *discovery = recording->plan->discovery;
	struct finding *finding;

	if (!discovery->maps.count || discovery->dumps.count || discovery->nr_missing)
		return;
	finding = add(recording, "perf-map", FINDING_PERF, recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(
		recording->diagnosis, &finding->what,
		"pid %u wrote a perf map instead of a jitdump: it has names, but no code, no "
		"unwind data and no times",
		discovery->maps.items[0].pid);
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "no jitdump is mapped, and there is a perf-%u.map",
		       discovery->maps.items[0].pid);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "perfjit-fix puts the map's names into the profile; for call chains through "
		       "JIT code let the runtime write a jitdump");
	if (recording->counts->jit)
		say_fix(recording, finding);
	else
		say_record(recording, finding, usual_chains(recording));
}

static void find_no_dump(struct recording *recording)
{
	const struct discovery *discovery = recording->plan->discovery;
	const struct check_counts *counts = &recording->counts->before;
	const struct runtime *runtime = recording->runtime;
	struct finding *finding;
	char advice[512];

	if (discovery->markers.count || discovery->maps.count || !counts->reasons[CHECK_NO_DUMP])
		return;
	finding = add(recording, "no-dump", FINDING_LOSS, recording->counts->unnamed);
	if (!finding)
		return;
	if (runtime && runtime->source == RUNTIME_NONE)
		diagnosis__say(recording->diagnosis, &finding->what,
			       "no jitdump is mapped in this profile, and %s", runtime->enable);
	else
		diagnosis__say(
			recording->diagnosis, &finding->what,
			"no jitdump is mapped in this profile: %s was not told to write one, "
			"or perf came later",
			runtime ? runtime->name : "the runtime");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64
		       " frames in executable memory that is no file, and no mapping of a "
		       "jitdump",
		       counts->reasons[CHECK_NO_DUMP]);
	diagnosis__say(recording->diagnosis, &finding->cure, "%s",
		       check_reason__advice(CHECK_NO_DUMP, runtime, advice, sizeof(advice)));
	if (!runtime || runtime->source != RUNTIME_NONE)
		say_record(recording, finding, usual_chains(recording));
}

/* ---- the perf that reads it ------------------------------------------------------------------ */

static void add_perf(struct recording *recording, enum probe which, uint64_t samples)
{
	const struct probe_about *about = probe__about(which);
	struct finding *finding = add(recording, about->slug, FINDING_PERF, samples);
	const char *abi = perf_probe__abi(recording->options->probe);

	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "%s can't read this profile: %s",
		       recording->options->perf, about->fault);
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s",
		       recording->options->probe->results[which].evidence);
	diagnosis__say(recording->diagnosis, &finding->cure, "%s", about->cure);
	if (about->option && strcmp(about->option, "--perf-abi") == 0 && abi)
		diagnosis__say(recording->diagnosis, &finding->command,
			       "perfjit-fix --perf-abi=%s %s", abi, recording->options->path);
	else
		diagnosis__say(recording->diagnosis, &finding->command, "perfjit-fix %s %s",
			       about->option ? about->option : "", recording->options->path);
}

static bool is_faulty(const struct recording *recording, enum probe which)
{
	return recording->options->probe &&
	       recording->options->probe->results[which].status == PROBE_FAULTY;
}

static void find_perf(struct recording *recording)
{
	const struct perf_probe *probe = recording->options->probe;
	uint64_t samples = recording->counts->before.samples;

	if (probe && probe->accepted_attr && recording->attr_size > probe->accepted_attr)
		add_perf(recording, PROBE_ATTR, samples);
	if (is_faulty(recording, PROBE_SYMBOLS))
		add_perf(recording, PROBE_SYMBOLS, samples);
	if (is_faulty(recording, PROBE_UNWINDER) && recording->has_stacks)
		add_perf(recording, PROBE_UNWINDER, samples);
	if (is_faulty(recording, PROBE_ZSTD) && perfdata__compressed(recording->perfdata))
		add_perf(recording, PROBE_ZSTD, samples);
}

/* ---- call chains ----------------------------------------------------------------------------- */

static const struct check_counts *best(const struct recording *recording)
{
	return recording->counts->fixed ? &recording->counts->after : &recording->counts->before;
}

static void find_ended(struct recording *recording, enum check_end end, const char *slug,
		       const char *what)
{
	const struct check_counts *counts = best(recording);
	struct finding *finding;
	char advice[512];

	if (!counts->ends[end])
		return;
	finding = add(recording, slug, FINDING_LOSS, counts->ends[end]);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "%s", what);
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64 " of %" PRIu64 " call chains end there%s", counts->ends[end],
		       counts->chains, recording->counts->fixed ? ", also after perfjit-fix" : "");
	diagnosis__say(recording->diagnosis, &finding->cure, "%s",
		       check_end__advice(end, recording->runtime, advice, sizeof(advice)));
	say_record(recording, finding,
		   end == CHECK_STACK_SHORT ? "--call-graph dwarf,65528" : usual_chains(recording));
}

static void find_chains(struct recording *recording)
{
	find_ended(
		recording, CHECK_STACK_SHORT, "stack-short",
		"the copies of stacks are too small: call chains are cut before they reach where "
		"their thread began");
	find_ended(recording, CHECK_FRAME_POINTER, "frame-pointers",
		   "call chains were recorded by frame pointers, and code without them ends them");
	find_ended(recording, CHECK_NO_CFI, "no-unwind-data",
		   "call chains end at code without unwind data");
	find_ended(recording, CHECK_BAD_CFI, "bad-unwind-data",
		   "call chains end where unwind data leads to no caller");
}

static void find_no_chains(struct recording *recording)
{
	struct finding *finding;

	if (recording->has_chains || recording->has_stacks)
		return;
	finding = add(recording, "no-chains", FINDING_NOTE, recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "it was recorded without call chains: who called what is not in it");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "no event asks for CALLCHAIN or STACK_USER");
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "if chains are wanted, record with -g or --call-graph dwarf");
	say_record(recording, finding, usual_chains(recording));
}

/* ---- what costs little ----------------------------------------------------------------------- */

static void find_moved(struct recording *recording)
{
	const struct marker *first = NULL;
	struct finding *finding;

	array__for_each(marker, &recording->plan->discovery->markers)
		if (!marker->missing && !marker->odd && !first && access(marker->name, F_OK) != 0)
			first = marker;
	if (!first)
		return;
	finding = add(recording, "dump-moved", FINDING_PERF, recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(
		recording->diagnosis, &finding->what,
		"the jitdump of pid %u is no longer where the profile says: perf inject stops "
		"at that and loses all samples",
		first->pid);
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%s is gone; a copy was found elsewhere", first->name);
	diagnosis__say(recording->diagnosis, &finding->cure, "perfjit-fix finds the copy");
	say_fix(recording, finding);
}

static void find_early(struct recording *recording)
{
	uint64_t early = recording->plan->counts.jit_samples_early;
	struct finding *finding;

	if (!early)
		return;
	finding = add(recording, "loaded-later", FINDING_PERF, early);
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
	say_fix(recording, finding);
}

static void find_lost(struct recording *recording)
{
	uint64_t lost = recording->counts->lost, samples = recording->counts->before.samples;
	struct finding *finding;

	if (!lost)
		return;
	finding = add(recording, "lost-events", FINDING_LOSS, lost < samples ? lost : samples);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "events were lost while recording: perf did not keep up");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64 " events by LOST and LOST_SAMPLES records", lost);
	diagnosis__say(
		recording->diagnosis, &finding->cure,
		"record with larger buffers (-m 16M), fewer samples (-F 99) or smaller stack "
		"copies");
}

static void find_user_only(struct recording *recording)
{
	const char *command = perfdata__feature_string(recording->perfdata, PERFDATA_FEAT_CMDLINE);
	struct finding *finding;

	if (!recording->user_only || (command && strstr(command, ":u")))
		return;
	finding = add(recording, "user-only", FINDING_NOTE, 0);
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
	const struct recording_counts *counts = recording->counts;

	find_empty(recording);
	find_wrong_clock(recording);
	find_missing(recording);
	find_container(recording);
	find_killed(recording);
	find_perf_map(recording);
	find_no_dump(recording);
	find_perf(recording);
	find_chains(recording);
	find_no_chains(recording);
	find_moved(recording);
	find_early(recording);
	find_lost(recording);
	find_user_only(recording);
	diagnosis__say(recording->diagnosis, &recording->diagnosis->sound,
		       "%s is a sound recording%s%s: %" PRIu64 " samples, %" PRIu64
		       " of them through JIT code",
		       recording->options->path, counts->runtime ? " of " : "",
		       counts->runtime ? counts->runtime : "", counts->before.samples, counts->jit);
}
