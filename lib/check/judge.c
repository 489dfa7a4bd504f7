// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "check/runtime.h"

#define TEXT_SIZE 1024

/* One verdict in the making. */
struct draft {
	char name[TEXT_SIZE], found[TEXT_SIZE], advice[TEXT_SIZE];
	bool passed;
};

/* Appends to a text of TEXT_SIZE bytes. */
static void say(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(char *to, const char *format, ...)
{
	size_t length = strlen(to);
	va_list args;

	va_start(args, format);
	vsnprintf(to + length, TEXT_SIZE - length, format, args);
	va_end(args);
}

int check_verdicts__add(struct check_verdicts *verdicts, const char *name, const char *found,
			const char *advice)
{
	struct check_verdict verdict = {
		.name = strdup(name),
		.passed = !advice,
		.found = strdup(found),
		.advice = advice ? strdup(advice) : NULL,
	};

	if (!verdict.name || !verdict.found || (advice && !verdict.advice) ||
	    !array__push(&verdicts->items, verdict)) {
		free(verdict.name);
		free(verdict.found);
		free(verdict.advice);
		return -ENOMEM;
	}
	verdicts->nr_failed += !verdict.passed;
	return 0;
}

void check_verdicts__free(struct check_verdicts *verdicts)
{
	array__for_each(verdict, &verdicts->items) {
		free(verdict->name);
		free(verdict->found);
		free(verdict->advice);
	}
	array__free(&verdicts->items);
}

static int add(struct check_verdicts *verdicts, const struct draft *draft)
{
	return check_verdicts__add(verdicts, draft->name, draft->found,
				   draft->passed ? NULL : draft->advice);
}

/* The runtime whose JIT code most frames without a name are in. */
static const struct runtime *worst_runtime(const struct check *check)
{
	const struct check_group *worst = NULL;

	array__for_each(item, &check->groups) {
		const struct check_group *group = *item;
		uint64_t unnamed = group->counts.jit_frames - group->counts.jit_frames_named;

		if (group->kind == CHECK_RUNTIME && unnamed &&
		    (!worst || unnamed > worst->counts.jit_frames - worst->counts.jit_frames_named))
			worst = group;
	}
	return worst ? worst->runtime : NULL;
}

/* The largest of counts but for those left out, a bit for each, and their sum. nr_counts: all 0. */
static size_t find_most(const uint64_t *counts, size_t nr_counts, uint64_t left_out, uint64_t *sum)
{
	size_t most = nr_counts;

	*sum = 0;
	for (size_t i = 0; i < nr_counts; i++) {
		if (left_out >> i & 1)
			continue;
		*sum += counts[i];
		if (counts[i] && (most == nr_counts || counts[i] > counts[most]))
			most = i;
	}
	return most;
}

/* What most frames without a name have in common, and what to do about it. */
static void advise_names(const struct check *check, const uint64_t *reasons, bool kernel,
			 char *advice)
{
	uint64_t sum, left_out = kernel ? 0 : UINT64_C(1) << CHECK_KERNEL;
	enum check_reason most = find_most(reasons, CHECK_REASONS, left_out, &sum);
	char what[512];

	if (most == CHECK_REASONS) {
		say(advice, "every frame has a name");
		return;
	}
	say(advice, "%" PRIu64 " of %" PRIu64 " unnamed: %s: %s", reasons[most], sum,
	    check_reason__text(most),
	    check_reason__advice(most, worst_runtime(check), &check->recorded, what, sizeof(what)));
}

static int judge_share(const struct check *check, struct check_verdicts *verdicts,
		       const char *option, double demand, uint64_t part, uint64_t whole,
		       uint64_t least, bool jit)
{
	double percent = check__percent(part, whole);
	const char *what = jit ? "frames in JIT code" : "user frames";
	struct draft draft = { 0 };

	say(draft.name, "%s=%g", option, demand);
	if (whole)
		say(draft.found, "%" PRIu64 " of %" PRIu64 " %s have their name (%.2f %%)", part,
		    whole, what, percent);
	else
		say(draft.found, "there are no %s", what);
	draft.passed = whole >= least && percent >= demand;
	if (whole < least)
		say(draft.advice,
		    "a percentage of fewer than %" PRIu64 " %s says nothing: record the program "
		    "for longer, or lower --min-frames",
		    least, what);
	else
		advise_names(check, jit ? check->total.jit_reasons : check->total.reasons, false,
			     draft.advice);
	return add(verdicts, &draft);
}

const struct runtime *check__runtime_of_ends(const struct check *check)
{
	const struct check_group *worst = NULL;
	uint64_t most = 0;

	array__for_each(item, &check->groups) {
		const struct check_counts *counts = &(*item)->counts;

		if ((*item)->kind != CHECK_RUNTIME ||
		    counts->chains - counts->ends[CHECK_COMPLETE] <= most)
			continue;
		worst = *item;
		most = counts->chains - counts->ends[CHECK_COMPLETE];
	}
	return worst ? worst->runtime : NULL;
}

/* Why most chains that are not complete end early, and what to do about it. */
static void advise_chains(const struct check *check, bool ignore_short, char *advice)
{
	const uint64_t complete = UINT64_C(1) << CHECK_COMPLETE;
	const uint64_t is_short = ignore_short ? UINT64_C(1) << CHECK_STACK_SHORT : 0;
	const uint64_t *ends = check->total.ends;
	uint64_t sum;
	enum check_end most = find_most(ends, CHECK_ENDS, complete | is_short, &sum);
	char what[512];

	if (most == CHECK_ENDS) {
		say(advice, "every chain is complete");
		return;
	}
	say(advice, "%" PRIu64 " of %" PRIu64 " incomplete: %s: %s", ends[most], sum,
	    check_end__text(most),
	    check_end__advice(most, check__runtime_of_ends(check), &check->recorded, what,
			      sizeof(what)));
}

static int judge_chains(const struct check *check, struct check_verdicts *verdicts,
			const struct check_demands *demands, uint64_t least)
{
	const struct check_counts *total = &check->total;
	uint64_t left_out = demands->ignore_short ? total->ends[CHECK_STACK_SHORT] : 0;
	uint64_t whole = total->chains - left_out, part = total->ends[CHECK_COMPLETE];
	double percent = check__percent(part, whole);
	struct draft draft = { 0 };

	say(draft.name, "--min-complete=%g", demands->min_complete);
	if (whole)
		say(draft.found, "%" PRIu64 " of %" PRIu64 " call chains are complete (%.2f %%)",
		    part, whole, percent);
	else
		say(draft.found, "there are no call chains");
	if (left_out)
		say(draft.found, ", %" PRIu64 " with short stacks left out", left_out);
	draft.passed = whole >= least && percent >= demands->min_complete;
	if (whole < least)
		say(draft.advice,
		    "a percentage of fewer than %" PRIu64 " chains says nothing: record with "
		    "--call-graph, record for longer, or lower --min-samples",
		    least);
	else
		advise_chains(check, demands->ignore_short, draft.advice);
	return add(verdicts, &draft);
}

static int judge_least(struct check_verdicts *verdicts, const char *option, int64_t demand,
		       uint64_t found, const char *what, const char *advice)
{
	struct draft draft = { .passed = found >= (uint64_t)demand };

	say(draft.name, "%s=%" PRId64, option, demand);
	say(draft.found, "there are %" PRIu64 " %s", found, what);
	say(draft.advice, "%s", advice);
	return add(verdicts, &draft);
}

static void draft_expect(const struct check_wanted *wanted, const struct check *check,
			 struct draft *draft)
{
	say(draft->name, "--expect=%s", wanted->text);
	say(draft->found, "%" PRIu64 " of %" PRIu64 " frames match", wanted->found,
	    check->total.frames + check->total.kernel_frames);
	draft->passed = wanted->found > 0;
	/* where most have names, it is the glob that is likely to be wrong */
	if (check->total.jit_frames_named < check->total.jit_frames / 2)
		advise_names(check, check->total.jit_reasons, false, draft->advice);
	else
		say(draft->advice,
		    "see with perf report --no-demangle which names there are: a glob must match "
		    "a whole name, as it stands in the jitdump or symbol table");
}

static void draft_forbid(const struct check_wanted *wanted, const struct check *check,
			 struct draft *draft)
{
	char name[256];

	say(draft->name, "--forbid=%s", wanted->text);
	say(draft->found, "%" PRIu64 " of %" PRIu64 " frames match", wanted->found,
	    check->total.frames + check->total.kernel_frames);
	draft->passed = wanted->found == 0;
	if (wanted->example && strcmp(wanted->example, CHAIN_UNKNOWN) == 0)
		advise_names(check, check->total.reasons, true, draft->advice);
	else if (wanted->example)
		say(draft->advice,
		    "the first is '%s': perf report --no-children shows where it is "
		    "called from",
		    text__printable(name, sizeof(name), wanted->example));
}

static void draft_chain(const struct check_wanted *wanted, const struct check *check,
			struct draft *draft)
{
	say(draft->name, "--expect-chain=%s", wanted->text);
	say(draft->found, "%" PRIu64 " of %" PRIu64 " samples have it", wanted->found,
	    check->total.samples);
	draft->passed = wanted->found > 0;
	if (!check->total.chains)
		say(draft->advice, "there are no call chains: record with --call-graph");
	else if (check->total.ends[CHECK_COMPLETE] < check->total.chains / 2)
		advise_chains(check, false, draft->advice);
	else
		say(draft->advice,
		    "parts that are not neighbours in the chain want '...' between them; perf "
		    "script --no-demangle shows the chains, innermost frame first");
}

static int judge_wanted(const struct check *check, const struct check_wanted *wanted,
			struct check_verdicts *verdicts)
{
	struct draft draft = { 0 };

	switch (wanted->kind) {
	case CHECK_EXPECT:
		draft_expect(wanted, check, &draft);
		break;
	case CHECK_FORBID:
		draft_forbid(wanted, check, &draft);
		break;
	default:
		draft_chain(wanted, check, &draft);
		break;
	}
	return add(verdicts, &draft);
}

/* Frames of code whose whole dump, or map, the profile makes no use of. */
static uint64_t in_unused_dumps(const struct check_counts *counts)
{
	return counts->jit_reasons[CHECK_NOT_FIXED] + counts->jit_reasons[CHECK_PERF_MAP] +
	       counts->jit_reasons[CHECK_DUMP_MISSING] + counts->jit_reasons[CHECK_CLOCK];
}

/* A process whose JIT code is left without names; or NULL. */
static const struct check_group *unnamed_process(const struct check *check)
{
	array__for_each(item, &check->groups) {
		const struct check_counts *counts = &(*item)->counts;

		if ((*item)->kind != CHECK_PROCESS || !counts->jit_frames)
			continue;
		if (!counts->jit_frames_named || in_unused_dumps(counts))
			return *item;
	}
	return NULL;
}

static int judge_implied(const struct check *check, struct check_verdicts *verdicts)
{
	const struct check_group *process = unnamed_process(check);
	const struct check_counts *total = &check->total;
	struct draft draft = { .passed = !process && total->jit_frames };
	char name[64];

	verdicts->implied = true;
	verdicts->no_jit = !total->jit_frames;
	say(draft.name, "JIT code of every process is named");
	if (verdicts->no_jit)
		say(draft.found, "there are no frames in JIT code");
	else
		say(draft.found, "%" PRIu64 " of %" PRIu64 " frames in JIT code have their name",
		    total->jit_frames_named, total->jit_frames);
	if (process)
		say(draft.found, ", %" PRIu64 " of %" PRIu64 " of process %u (%s)",
		    process->counts.jit_frames_named, process->counts.jit_frames, process->pid,
		    text__printable(name, sizeof(name), process->name));
	if (verdicts->no_jit)
		say(draft.advice,
		    total->samples
			    ? "no sample is in JIT code: is this the profile that was meant?"
			    : "no sample counts: see --pid, --comm and --event, or the profile");
	else
		advise_names(check, total->jit_reasons, false, draft.advice);
	return add(verdicts, &draft);
}

static uint64_t least(int64_t demand)
{
	return demand < 0 ? CHECK_LEAST : (uint64_t)demand;
}

static int judge_numbers(const struct check *check, const struct check_demands *demands,
			 struct check_verdicts *verdicts)
{
	const struct check_counts *total = &check->total;
	int err = 0;

	if (demands->min_samples >= 0)
		err = judge_least(verdicts, "--min-samples", demands->min_samples, total->samples,
				  "samples", "record for longer, or at a higher rate (-F)");
	if (!err && demands->min_frames >= 0)
		err = judge_least(verdicts, "--min-frames", demands->min_frames, total->jit_frames,
				  "frames in JIT code",
				  "record for longer, with --call-graph, and see that the program "
				  "runs code that is compiled");
	if (!err && demands->min_named >= 0)
		err = judge_share(check, verdicts, "--min-named", demands->min_named,
				  total->jit_frames_named, total->jit_frames,
				  least(demands->min_frames), true);
	if (!err && demands->min_named_all >= 0)
		err = judge_share(check, verdicts, "--min-named-all", demands->min_named_all,
				  total->frames_named, total->frames, least(demands->min_frames),
				  false);
	if (!err && demands->min_complete >= 0)
		err = judge_chains(check, verdicts, demands, least(demands->min_samples));
	return err;
}

int check__judge(const struct check *check, const struct check_options *options,
		 const struct check_demands *demands, struct check_verdicts *verdicts)
{
	int err = judge_numbers(check, demands, verdicts);

	array__for_each(wanted, &options->wanted)
		if (!err)
			err = judge_wanted(check, wanted, verdicts);
	if (!err && !verdicts->items.count && !demands->others)
		err = judge_implied(check, verdicts);
	return err;
}
