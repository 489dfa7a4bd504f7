// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One profile with a process for each way in which stacks can be hard to unwind: what of its chain
 * perf shows tells which unwinder is in use and what it gets wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/made.h"
#include "host/private.h"

#define CODE_BASE    UINT64_C(0x7f0000100000)
#define EXEC_BASE    UINT64_C(0x400000)
#define EXEC_AGAIN   UINT64_C(0x7fbe00000000)
#define MEMORY_BASE  UINT64_C(0x7f0000900000)
#define MEMORY_FRAME (MEMORY_BASE + 0x140)
#define FIRST_PID    1001
#define PAGE         0x1000

enum trial {
	PLAIN,        /* a DSO as perfjit-fix writes it, mapped from its beginning */
	PGOFF,        /* mapped from the code on, at an offset */
	BARE,         /* no unwind data, frame pointers */
	JITTED,       /* as perf inject writes it, /tmp/jitted-... */
	INJECTED,     /* the same elsewhere */
	REPLACED,     /* code, and ... */
	REPLACING,    /* ... other code at its place */
	BEFORE_REMAP, /* a file of fixed address, ... */
	IN_REMAP,     /* ... a sample in its second mapping, ... */
	AFTER_REMAP,  /* ... and the first sample again */
	UNMAPPED,     /* a caller in memory that is no file */
	TRIALS,
};

struct outcome {
	uint64_t time;                     /* of the sample */
	uint64_t expected[MADE_FUNCTIONS]; /* the functions, innermost first; 0: no more */
	bool seen;
	unsigned int frames; /* right ones, from the innermost on */
};

struct trials {
	const struct probing *probing;
	struct made_profile profile;
	struct outcome outcomes[TRIALS];
	struct names names;
	uint32_t pid;
};

static void sample(struct trials *trials, enum trial trial, const struct made_code *code,
		   const struct made_stack *stack)
{
	struct outcome *outcome = &trials->outcomes[trial];

	outcome->time = made_profile__sample(&trials->profile, trials->pid, stack);
	memcpy(outcome->expected, code->functions, sizeof(outcome->expected));
}

/* The file is written and a process begins. */
static char *begin(struct trials *trials, struct made_code *code, const char *folder,
		   const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return NULL;
	if (made_code__write(code, path, trials->probing->diag) < 0) {
		free(path);
		return NULL;
	}
	trials->pid++;
	made_profile__comm(&trials->profile, trials->pid);
	return path;
}

static void map_whole(struct trials *trials, const struct made_code *code, const char *path)
{
	made_profile__map(&trials->profile, trials->pid, code->base, align_up(code->size, PAGE), 0,
			  path);
}

static void map_code(struct trials *trials, const struct made_code *code, const char *path)
{
	uint64_t pgoff = code->functions[0] - code->base;

	made_profile__map(&trials->profile, trials->pid, code->functions[0],
			  align_up(code->size - pgoff, 8), pgoff, path);
}

/* DSOs by unwind data, mapped in one way or the other. */
static int add_plain(struct trials *trials, enum trial trial, enum made_form form,
		     const char *folder, const char *name)
{
	struct made_code code = { .form = form, .base = CODE_BASE, .prefix = "jit" };
	char *path = begin(trials, &code, folder, name);
	struct made_stack stack;

	if (!path)
		return -EIO;
	if (trial == PLAIN)
		map_whole(trials, &code, path);
	else
		map_code(trials, &code, path);
	stack = made_code__stack(&code);
	sample(trials, trial, &code, &stack);
	free(path);
	return 0;
}

/* Each function has pushed its caller's frame pointer and holds its own. */
static int add_bare(struct trials *trials)
{
	struct made_code code = { .form = MADE_BARE, .base = CODE_BASE, .prefix = "jit" };
	char *path = begin(trials, &code, trials->probing->scratch.folder, "bare.so");
	struct made_stack stack = { 0 };

	if (!path)
		return -EIO;
	map_whole(trials, &code, path);
	stack.ip = code.functions[0] + 16;
	stack.bp = MADE_STACK_POINTER + 16;
	stack.words[2] = MADE_STACK_POINTER + 48;
	stack.words[3] = code.functions[1] + 16;
	stack.words[7] = code.functions[2] + 16;
	sample(trials, BARE, &code, &stack);
	free(path);
	return 0;
}

static int add_reuse(struct trials *trials)
{
	struct made_code old = { .form = MADE_REGION, .base = CODE_BASE, .prefix = "old" };
	struct made_code new = {
		.form = MADE_REGION,
		.base = CODE_BASE,
		.prefix = "new",
		.leaf_frame = 2 * MADE_LEAF_FRAME,
		.identity = 1,
	};
	char *first = begin(trials, &old, trials->probing->scratch.folder, "old.so");
	char *second = scratch__path(&trials->probing->scratch, "new.so");
	struct made_stack stack;
	int err = first && second ? made_code__write(&new, second, trials->probing->diag) : -EIO;

	if (!err) {
		map_whole(trials, &old, first);
		stack = made_code__stack(&old);
		sample(trials, REPLACED, &old, &stack);
		map_whole(trials, &new, second);
		stack = made_code__stack(&new);
		sample(trials, REPLACING, &new, &stack);
	}
	free(first);
	free(second);
	return err;
}

static int add_remap(struct trials *trials)
{
	struct made_code code = { .form = MADE_EXEC, .base = EXEC_BASE, .prefix = "exec" };
	char *path = begin(trials, &code, trials->probing->scratch.folder, "program");
	struct made_stack stack, again;

	if (!path)
		return -EIO;
	map_whole(trials, &code, path);
	made_profile__map(&trials->profile, trials->pid, EXEC_AGAIN, PAGE, 0, path);
	stack = made_code__stack(&code);
	again = stack;
	again.ip += EXEC_AGAIN - EXEC_BASE;
	sample(trials, BEFORE_REMAP, &code, &stack);
	sample(trials, IN_REMAP, &code, &again);
	sample(trials, AFTER_REMAP, &code, &stack);
	free(path);
	return 0;
}

static int add_unmapped(struct trials *trials)
{
	struct made_code code = { .form = MADE_REGION, .base = CODE_BASE, .prefix = "jit" };
	char *path = begin(trials, &code, trials->probing->scratch.folder, "unmapped.so");
	struct outcome *outcome = &trials->outcomes[UNMAPPED];
	struct made_stack stack;

	if (!path)
		return -EIO;
	map_whole(trials, &code, path);
	made_profile__map(&trials->profile, trials->pid, MEMORY_BASE, PAGE, 0, "//anon");
	stack = made_code__stack(&code);
	stack.words[MADE_LEAF_FRAME / 8 - 1] = MEMORY_FRAME + 16;
	sample(trials, UNMAPPED, &code, &stack);
	outcome->expected[1] = MEMORY_FRAME;
	outcome->expected[2] = 0;
	free(path);
	return 0;
}

static int add_all(struct trials *trials)
{
	const struct probing *probing = trials->probing;
	int err = add_plain(trials, PLAIN, MADE_REGION, probing->scratch.folder, "plain.so");

	if (!err)
		err = add_plain(trials, PGOFF, MADE_REGION, probing->scratch.folder, "pgoff.so");
	if (!err)
		err = add_bare(trials);
	if (!err && probing->jitted.folder)
		err = add_plain(trials, JITTED, MADE_INJECTED, probing->jitted.folder, "jitted.so");
	if (!err)
		err = add_plain(trials, INJECTED, MADE_INJECTED, probing->scratch.folder,
				"injected.so");
	if (!err)
		err = add_reuse(trials);
	if (!err)
		err = add_remap(trials);
	return err ? err : add_unmapped(trials);
}

/* perf prints an address, or a place in the file: both are the same within a page. */
static bool is_in(uint64_t ip, uint64_t function)
{
	uint64_t place = ip % PAGE, begin_of = function % PAGE;

	return function && place >= begin_of && place < begin_of + MADE_FUNCTION_SIZE;
}

static int take_sample(void *context, const struct script_sample *sample_)
{
	struct trials *trials = context;

	for (size_t i = 0; i < TRIALS; i++) {
		struct outcome *outcome = &trials->outcomes[i];
		const struct script_frame *frames = sample_->frames.items;
		size_t n = 0;

		if (!outcome->time || outcome->time != sample_->time)
			continue;
		outcome->seen = true;
		while (n < sample_->frames.count && n < MADE_FUNCTIONS &&
		       is_in(frames[n].ip, outcome->expected[n]))
			n++;
		outcome->frames = (unsigned int)n;
	}
	return 0;
}

static enum probe_status status_of(bool known, bool right)
{
	return known ? right ? PROBE_OK : PROBE_FAULTY : PROBE_UNKNOWN;
}

/* A probe that is right when all of a chain is shown. */
static void judge_chain(struct perf_probe *probe, enum probe which, const struct outcome *outcome,
			unsigned int wanted, bool known)
{
	probe__set(probe, which, status_of(known && outcome->seen, outcome->frames >= wanted),
		   "%u of %u frames shown", outcome->frames,
		   outcome->expected[2] ? MADE_FUNCTIONS : 2);
}

static void judge_basics(struct perf_probe *probe, const struct outcome *outcomes)
{
	const struct outcome *plain = &outcomes[PLAIN], *bare = &outcomes[BARE];

	judge_chain(probe, PROBE_UNWINDER, plain, MADE_FUNCTIONS, true);
	if (!plain->seen)
		return;
	if (plain->frames <= 1)
		probe->unwinder = UNWINDER_NONE;
	else
		probe->unwinder = bare->frames > 1 ? UNWINDER_LIBDW : UNWINDER_LIBUNWIND;
}

static void judge(struct perf_probe *probe, const struct outcome *outcomes)
{
	bool unwinds;

	judge_basics(probe, outcomes);
	unwinds = outcomes[PLAIN].frames == MADE_FUNCTIONS;
	judge_chain(probe, PROBE_FAILED_STEP, &outcomes[BARE], 1, unwinds);
	judge_chain(probe, PROBE_NO_CFI, &outcomes[BARE], 2, unwinds);
	judge_chain(probe, PROBE_PGOFF, &outcomes[PGOFF], MADE_FUNCTIONS, unwinds);
	judge_chain(probe, PROBE_PREFIX, &outcomes[INJECTED], MADE_FUNCTIONS, unwinds);
	if (probe->results[PROBE_PREFIX].status == PROBE_FAULTY && outcomes[JITTED].seen)
		probe__set(probe, PROBE_PREFIX, PROBE_FAULTY,
			   "%u of %u frames shown, %u where the path begins with /tmp/jitted-",
			   outcomes[INJECTED].frames, MADE_FUNCTIONS, outcomes[JITTED].frames);
	judge_chain(probe, PROBE_REUSE, &outcomes[REPLACING], MADE_FUNCTIONS,
		    unwinds && outcomes[REPLACED].frames == MADE_FUNCTIONS);
	judge_chain(probe, PROBE_REMAPPED, &outcomes[AFTER_REMAP], MADE_FUNCTIONS,
		    unwinds && outcomes[BEFORE_REMAP].frames == MADE_FUNCTIONS);
	/* nothing is left of such a chain where a failed step takes all of it */
	judge_chain(probe, PROBE_UNMAPPED, &outcomes[UNMAPPED], 2,
		    unwinds && outcomes[UNMAPPED].frames > 0);
}

static void judge_running(struct perf_probe *probe, const struct outcome *plain,
			  const struct child_result *result)
{
	if (plain->seen)
		probe__set(probe, PROBE_RUNS, PROBE_OK, "exit code %d", result->status);
	else
		probe__set(probe, PROBE_RUNS, PROBE_FAULTY, "%s%d: %.200s",
			   result->timed_out ? "killed after it hung, exit code " : "exit code ",
			   result->status, result->errors);
}

int probe__unwinding(struct perf_probe *probe, const struct probing *probing)
{
	struct trials trials = { .probing = probing, .pid = FIRST_PID };
	struct perf_script script = {
		.names = &trials.names,
		.visit = take_sample,
		.context = &trials,
	};
	struct child_result result = { 0 };
	char *path = scratch__path(&probing->scratch, "stacks.data");
	int err;

	made_profile__begin(&trials.profile, MADE_STACKS);
	err = path ? add_all(&trials) : -ENOMEM;
	if (!err)
		err = made_profile__write(&trials.profile, MADE_FILE, path, probing->diag);
	if (!err)
		err = probing__script(probing, path, false, &script, &result);
	if (!err) {
		judge_running(probe, &trials.outcomes[PLAIN], &result);
		judge(probe, trials.outcomes);
	}
	perf_script__free(&script);
	names__free(&trials.names);
	made_profile__free(&trials.profile);
	free(path);
	return err;
}
