// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong with a recording for its jitdumps and perf maps. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "doctor/recording.h"
#include "jitdump/examine.h"

/* Dumps of so many processes are examined one by one. */
#define DUMPS_MAX 64

/* What was reported of the clock of the dump that fares worst, or NULL. */
static const struct heard *clock_report(const struct recording *recording, bool refused)
{
	const struct heard *report = NULL;

	if (refused)
		report = recording__report_of(recording, "clock.contradiction");
	if (refused && !report)
		report = recording__report_of(recording, "clock.no-evidence");
	return report ? report : recording__report_of(recording, "clock.repaired");
}

static void find_wrong_clock(struct recording *recording)
{
	const struct found_dump *wrong = NULL;
	const struct heard *report;
	struct finding *finding;
	bool refused = false;

	array__for_each(found, &recording->plan->discovery->dumps)
		if (found->clock == CLOCK_OFFSET || found->refused) {
			wrong = found;
			refused |= found->refused;
		}
	if (!wrong)
		return;
	report = clock_report(recording, refused);
	finding = recording__add(recording, "wrong-clock", refused ? FINDING_LOSS : FINDING_PERF,
				 recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       recording->recorded.monotonic
			       ? "the times of its jitdump are not those of the profile's clock"
			       : "it was recorded without -k mono: perf's clock is not that of the "
				 "jitdump, and perf inject refuses the whole profile");
	diagnosis__say(recording->diagnosis, &finding->evidence, "%s: %s",
		       report ? report->file : jitdump__path(wrong->dump),
		       report ? report->text : "its times are of another clock");
	diagnosis__say(
		recording->diagnosis, &finding->cure,
		refused && recording->recorded.monotonic ? "see that the jitdump is of this run"
		: refused                                ? "record again, with -k mono"
			  : "perfjit-fix finds the offset between the clocks; next time record "
			    "with -k mono");
	if (refused)
		recording__say_record(recording, finding, recording__usual_chains(recording));
	else
		recording__say_fix(recording, &finding->command);
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
	finding = recording__add(recording, first->deleted ? "dump-deleted" : "dump-missing",
				 FINDING_LOSS, recording->counts->unnamed);
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
		       recording->path);
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
	finding = recording__add(recording, "container", FINDING_PERF, recording->counts->jit);
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
	recording__say_fix(recording, &finding->command);
}

/* "jit-1234.dump", the only name that perf inject looks for. */
static bool is_perf_name(const char *path)
{
	const char *name = file__base_name(path);
	size_t digits = strncmp(name, "jit-", 4) == 0 ? strspn(name + 4, "0123456789") : 0;

	return digits && strcmp(name + 4 + digits, ".dump") == 0;
}

static void find_name(struct recording *recording)
{
	const struct marker *first = NULL;
	struct finding *finding;

	array__for_each(found, &recording->plan->discovery->dumps)
		if (!first && found->marker && !is_perf_name(found->marker->name))
			first = found->marker;
	if (!first)
		return;
	finding = recording__add(recording, "dump-name", FINDING_PERF, recording->counts->jit);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "the jitdump of pid %u is not called jit-PID.dump: perf inject passes over "
		       "it and says nothing",
		       first->pid);
	diagnosis__say(recording->diagnosis, &finding->evidence, "process %u mapped %s", first->pid,
		       first->name);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "perfjit-fix knows a jitdump by what is in it");
	recording__say_fix(recording, &finding->command);
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

/* Dumps that are cut off: the one whose process lacks most, and how many samples lack a name. */
struct cut_dumps {
	const struct found_dump *worst; /* NULL: none is */
	struct oddity_count oddity;     /* of the worst */
	uint64_t most, samples;         /* of its process; of all their processes */
};

static void add_killed(struct recording *recording, const struct cut_dumps *cut)
{
	const struct found_dump *found = cut->worst;
	struct finding *finding = recording__add(
		recording, "dump-killed", cut->samples ? FINDING_LOSS : FINDING_NOTE, cut->samples);

	if (!finding)
		return;
	if (strcmp(cut->oddity.kind, "jitdump.empty") == 0)
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
		       jitdump__path(found->dump), cut->oddity.about->meaning, cut->oddity.kind);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "let the program end by itself or by SIGTERM, not by SIGKILL; what was not "
		       "written can't be had back");
	recording__say_record(recording, finding, recording__usual_chains(recording));
}

static void note_if_cut(struct cut_dumps *cut, const struct recording *recording,
			const struct found_dump *found)
{
	struct jitdump_examination *examination;
	const struct oddity_count *oddity;
	uint64_t samples;

	if (jitdump_examination__new(&examination, jitdump__path(found->dump), recording->quiet))
		return;
	oddity = worst_of(examination);
	if (oddity) {
		samples = recording__count_unnamed(recording, found->pid);
		if (!cut->worst || samples > cut->most) {
			cut->worst = found;
			cut->oddity = *oddity;
			cut->most = samples;
		}
		cut->samples += samples;
	}
	jitdump_examination__free(examination);
}

static void find_killed(struct recording *recording)
{
	size_t count = recording->plan->discovery->dumps.count;
	struct cut_dumps cut = { 0 };

	for (size_t i = 0; i < count && i < DUMPS_MAX; i++)
		note_if_cut(&cut, recording, &recording->plan->discovery->dumps.items[i]);
	/* a process that called exec may have two */
	if (cut.samples > recording->counts->unnamed)
		cut.samples = recording->counts->unnamed;
	if (cut.worst)
		add_killed(recording, &cut);
}

static void find_perf_map(struct recording *recording)
{
	const struct discovery *discovery = recording->plan->discovery;
	struct finding *finding;

	if (!discovery->maps.count || discovery->dumps.count || discovery->nr_missing)
		return;
	finding = recording__add(recording, "perf-map", FINDING_PERF,
				 recording->counts->before.samples);
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
		recording__say_fix(recording, &finding->command);
	else
		recording__say_record(recording, finding, recording__usual_chains(recording));
}

/* Whether something is there, or was, that describes code; odd mappings may be of anything. */
static bool is_described(const struct discovery *discovery)
{
	array__for_each(marker, &discovery->markers)
		if (!marker->odd)
			return true;
	return discovery->dumps.count || discovery->maps.count;
}

/* The first Python that writes jitdumps, 3.13. */
#define PYTHON_WITH_DUMPS 13

/* -X takes what it does not know, and Python runs on as if nothing had been said. */
static bool is_old_python(const struct recording *recording)
{
	const char *command = recording->recorded.command;

	return recording->runtime && strcmp(recording->runtime->name, "CPython") == 0 &&
	       recording->python && recording->python < PYTHON_WITH_DUMPS &&
	       (strstr(command, " -X perf") || strstr(command, " -Xperf"));
}

static void add_old_python(struct recording *recording)
{
	struct finding *finding = recording__add(recording, "old-python", FINDING_LOSS,
						 recording->counts->before.samples);

	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "this Python, 3.%u, writes no jitdump: 3.13 and later do, by -X perf_jit",
		       recording->python);
	diagnosis__say(
		recording->diagnosis, &finding->evidence,
		"the command line has -X perf, and neither a jitdump nor a perf map is there");
	diagnosis__say(recording->diagnosis, &finding->cure, "record with Python 3.13 or later%s",
		       recording->python == PYTHON_WITH_DUMPS - 1
			       ? "; 3.12 writes a perf map by -X perf, to be kept for names alone"
			       : "");
	/* python3 is the old one */
	diagnosis__say(recording->diagnosis, &finding->command,
		       "perf record -k mono %s python3.%u -X perf_jit PROGRAM",
		       recording__usual_chains(recording), PYTHON_WITH_DUMPS);
}

static void find_no_dump(struct recording *recording)
{
	const struct check_counts *counts = &recording->counts->before;
	const struct runtime *runtime = recording->runtime;
	struct finding *finding;
	char advice[512];

	if (is_described(recording->plan->discovery))
		return;
	if (is_old_python(recording)) {
		add_old_python(recording);
		return;
	}
	if (!counts->reasons[CHECK_NO_DUMP])
		return;
	finding = recording__add(recording, "no-dump", FINDING_LOSS, recording->counts->unnamed);
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
		       check_reason__advice(CHECK_NO_DUMP, runtime, &recording->recorded, advice,
					    sizeof(advice)));
	if (!runtime || runtime->source != RUNTIME_NONE)
		recording__say_record(recording, finding, recording__usual_chains(recording));
}

void recording__judge_moved(struct recording *recording)
{
	const struct marker *first = NULL;
	struct finding *finding;

	array__for_each(marker, &recording->plan->discovery->markers)
		if (!marker->missing && is_perf_name(marker->name) && !first &&
		    access(marker->name, F_OK) != 0)
			first = marker;
	if (!first)
		return;
	finding = recording__add(recording, "dump-moved", FINDING_PERF,
				 recording->counts->before.samples);
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
	recording__say_fix(recording, &finding->command);
}

static void find_compressed(struct recording *recording)
{
	struct finding *finding;

	if (!perfdata__compressed(recording->perfdata) || !recording->plan->discovery->dumps.count)
		return;
	finding = recording__add(recording, "compressed", FINDING_PERF, recording->counts->jit);
	if (!finding)
		return;
	diagnosis__say(
		recording->diagnosis, &finding->what,
		"it was recorded with -z: perf inject looks into no compressed record, names "
		"nothing and says nothing");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "its records stand in COMPRESSED records");
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "perfjit-fix reads them; for perf inject record without -z");
	recording__say_fix(recording, &finding->command);
}

void recording__judge_dumps(struct recording *recording)
{
	find_wrong_clock(recording);
	find_missing(recording);
	find_container(recording);
	find_name(recording);
	find_compressed(recording);
	find_killed(recording);
	find_perf_map(recording);
	find_no_dump(recording);
}
