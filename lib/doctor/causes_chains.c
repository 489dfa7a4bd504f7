// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong with a recording's call chains. */
#include <inttypes.h>
#include <string.h>

#include "doctor/recording.h"

static const struct check_counts *best(const struct recording *recording)
{
	return recording->counts->fixed ? &recording->counts->after : &recording->counts->before;
}

static void find_ended(struct recording *recording, enum check_end end, const char *slug,
		       const char *what)
{
	const struct check_counts *counts = best(recording);
	uint64_t ended = counts->ends[end];
	const char *chains = check_end__chains(end, recording->runtime, &recording->recorded);
	struct finding *finding;
	char advice[512];

	if (!ended)
		return;
	finding = recording__add(recording, slug, FINDING_LOSS, ended);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what, "%s", what);
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64 " of %" PRIu64 " call chains end there%s", ended, counts->chains,
		       recording->counts->fixed ? ", also after perfjit-fix" : "");
	diagnosis__say(recording->diagnosis, &finding->cure, "%s",
		       check_end__advice(end, recording->runtime, &recording->recorded, advice,
					 sizeof(advice)));
	if (chains)
		recording__say_record(recording, finding, chains);
	else
		recording__say_fix(recording, &finding->command);
}

/* Where the file is not that ran, it can't be told whether a chain is whole. */
static void find_no_file(struct recording *recording)
{
	const struct no_file *no_file = &recording->no_file;
	uint64_t ended = best(recording)->ends[CHECK_NO_FILE];
	struct finding *finding;

	if (!ended || !no_file->name)
		return;
	finding = recording__add(recording, "no-file", FINDING_LOSS, ended);
	if (!finding)
		return;
	diagnosis__say(
		recording->diagnosis, &finding->what,
		"call chains end in %s, which %s: nothing is known of who called it", no_file->name,
		no_file->reason == CHECK_BUILD_ID ? "is here in another build than the one that ran"
						  : "is not on this machine, or can't be read");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "%" PRIu64 " of %" PRIu64 " call chains end in such files", ended,
		       best(recording)->chains);
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "say where the files are that ran, as the root of a container, chroot or "
		       "copied system; or bring them: perf archive where it was recorded, unpacked "
		       "into ~/.debug here");
	diagnosis__say(recording->diagnosis, &finding->command, "perfjit-doctor --symfs=DIR %s",
		       recording->path);
}

static void find_no_chains(struct recording *recording)
{
	struct finding *finding;

	if (recording->has_chains || recording->has_stacks)
		return;
	finding = recording__add(recording, "no-chains", FINDING_NOTE,
				 recording->counts->before.samples);
	if (!finding)
		return;
	diagnosis__say(recording->diagnosis, &finding->what,
		       "it was recorded without call chains: who called what is not in it");
	diagnosis__say(recording->diagnosis, &finding->evidence,
		       "no event asks for CALLCHAIN or STACK_USER");
	diagnosis__say(recording->diagnosis, &finding->cure,
		       "if chains are wanted, record with -g or --call-graph dwarf");
	recording__say_record(recording, finding, recording__usual_chains(recording));
}

void recording__judge_chains(struct recording *recording)
{
	find_no_file(recording);
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
	find_no_chains(recording);
}
