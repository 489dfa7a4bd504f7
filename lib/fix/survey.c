// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/survey.h"

#include <elf.h>
#include <errno.h>

#include "cfi/track.h"
#include "fix/kept.h"
#include "fix/loaded.h"
#include "fix/scan.h"
#include "perfdata/event.h"
#include "session/session.h"
#include "unwind/arch.h"

/* Addresses of the upper half are the kernel's, and PERF_CONTEXT_* markers in chains. */
#define KERNEL_SPACE (UINT64_C(1) << 63)

/* Samples come upon the same addresses again and again. A power of two. */
#define NR_SIGHTINGS 4096

/* Following so many pieces of code costs no more than a look at all stacks. */
#define FEW_BODIES 64

/* Where an address was found to be in code that was there at the time. */
struct sighting {
	const struct process *process;
	uint64_t addr;
	struct code *code;
};

struct surveyor {
	struct plan *plan;
	enum byte_order order;
	struct sighting *sightings; /* by hash */
	uint64_t code_mask;         /* the bits of a return address that a signed one has too */
	bool can_follow;            /* this build can follow code */
	/* by process number */
	struct subject {
		size_t counted;  /* index + 1 into plan->per_process */
		uint64_t lo, hi; /* bounds of the code that may be in the process */
		bool reuses;     /* some of its code was at the address of other code */
		bool chooses;    /* code is followed, and so much that it is worth to be choosy */
	} * subjects;
};

/* How many different pieces of code would be followed; neighbours are often equal. */
static bool follows_many(const struct functions *functions, const struct codemap *map)
{
	struct bytes before = { 0 };
	size_t bodies = 0;

	for (size_t i = 0; i < codemap__count(map) && bodies <= FEW_BODIES; i++) {
		const struct code_record *record = codemap__at(map, i)->record;

		if (!functions__follow(functions, record) || bytes__equal(record->code, before))
			continue;
		before = record->code;
		bodies++;
	}
	return bodies > FEW_BODIES;
}

static void describe(struct surveyor *surveyor, const struct process *process)
{
	const struct functions *functions = surveyor->plan->functions;
	struct subject *subject = &surveyor->subjects[process->number];
	const struct codemap *map = process->codemap;
	uint64_t reach = 0;

	subject->chooses =
		surveyor->can_follow && !functions->without_pruning && follows_many(functions, map);

	subject->lo = UINT64_MAX;
	for (size_t i = 0; i < codemap__count(map); i++) {
		struct code *code = codemap__at(map, i);
		uint64_t end = code->addr + code->size;

		code->wants_cfi = !subject->chooses;
		if (code->addr < subject->lo)
			subject->lo = code->addr;
		if (code->addr < reach)
			subject->reuses = true;
		if (end > reach)
			reach = end;
	}
	subject->hi = reach;
}

static int find_subjects(struct surveyor *surveyor)
{
	struct processes *processes = surveyor->plan->scan->processes;

	surveyor->subjects = calloc(processes__count(processes) + 1, sizeof(struct subject));
	if (!surveyor->subjects)
		return -ENOMEM;
	for (size_t i = 0; i < processes__count(processes); i++) {
		const struct process *process = processes__at(processes, i);

		if (process->codemap)
			describe(surveyor, process);
	}
	for (size_t i = 0; i < processes__count(processes); i++) {
		const struct process *owner = loaded__owner(processes__at(processes, i));

		if (owner)
			surveyor->subjects[i] = surveyor->subjects[owner->number];
	}
	return 0;
}

static struct plan_process *count_for(struct surveyor *surveyor, struct process *process)
{
	struct subject *subject = &surveyor->subjects[process->number];

	if (!subject->counted) {
		struct plan_process fresh = { .process = process };

		if (!array__push(&surveyor->plan->per_process, fresh))
			return NULL;
		subject->counted = surveyor->plan->per_process.count;
	}
	return &surveyor->plan->per_process.items[subject->counted - 1];
}

static void note(struct code *code, uint64_t time)
{
	if (time < code->first_reference)
		code->first_reference = time;
	if (time > code->last_reference)
		code->last_reference = time;
	code->wants_cfi = true;
}

/* loaded__find with a memory, of processes that have a code map of their own. */
static struct code *find(struct surveyor *surveyor, const struct process *process, uint64_t addr,
			 uint64_t *time, bool *early)
{
	struct sighting *sighting = &surveyor->sightings[(addr ^ addr >> 12) % NR_SIGHTINGS];
	struct code *code;

	*early = false;
	if (sighting->addr == addr && sighting->process == process &&
	    *time >= sighting->code->load && *time < sighting->code->end)
		return sighting->code;
	code = loaded__find(process, addr, time, early);
	if (code && !*early && process->codemap)
		*sighting = (struct sighting){ process, addr, code };
	return code;
}

static const struct code *refer(struct surveyor *surveyor, const struct process *process,
				uint64_t addr, uint64_t time, bool *early)
{
	struct code *code = find(surveyor, process, addr, &time, early);

	if (code)
		note(code, time);
	return code;
}

/* Of a process that stays as it was fixed before: whether it is in a DSO from then. */
static bool is_kept(const struct mapping *mapping)
{
	return mapping && mapping->exec && session__is_jit_dso(mapping->name);
}

static void count_ip(struct surveyor *surveyor, struct process *process,
		     const struct perfdata_sample *sample, struct plan_counts *counts)
{
	const struct mapping *mapping;
	const struct code *code;
	bool early;

	counts->samples++;
	if (sample->ip >= KERNEL_SPACE)
		return;
	mapping = process__mapping(process, sample->ip, sample->time);
	code = refer(surveyor, process, sample->ip, sample->time, &early);
	if (code) {
		counts->jit_samples++;
		counts->jit_samples_early += early;
		counts->jit_samples_map += code_record__is_of_perf_map(code->record);
		counts->jit_samples_file += mapping && mapping->file;
	} else {
		counts->anon_samples +=
			mapping && mapping->exec && !mapping->file && !mapping->kernel;
		counts->kept_samples +=
			kept__stands(surveyor->plan->kept, process) && is_kept(mapping);
	}
}

static void count_kept_chain(const struct surveyor *surveyor, const struct process *process,
			     const struct perfdata_sample *sample, struct plan_counts *counts)
{
	struct cursor chain = cursor__at(sample->callchain, surveyor->order);

	while (cursor__left(&chain) >= 8) {
		uint64_t addr = cursor__u64(&chain);

		counts->kept_frames += addr < KERNEL_SPACE &&
				       is_kept(process__mapping(process, addr, sample->time));
	}
}

static bool in_bounds(const struct subject *subject, uint64_t addr)
{
	return addr >= subject->lo && addr <= subject->hi;
}

/*
 * Return addresses point behind the call, which may be the last thing in its function. perf names
 * recorded addresses as they stand, and so they are counted; readers that look the byte before
 * them up come to the function all the same.
 */
static void count_chain(struct surveyor *surveyor, struct process *process,
			const struct perfdata_sample *sample, struct plan_counts *counts)
{
	const struct subject *subject = &surveyor->subjects[process->number];
	struct cursor chain = cursor__at(sample->callchain, surveyor->order);
	const struct code *at;
	bool early;

	while (cursor__left(&chain) >= 8) {
		uint64_t addr = cursor__u64(&chain);

		if (addr >= KERNEL_SPACE || !in_bounds(subject, addr))
			continue;
		at = refer(surveyor, process, addr, sample->time, &early);
		counts->jit_frames += at != NULL;
		if (!at || early || addr == at->addr)
			refer(surveyor, process, addr - 1, sample->time, &early);
	}
}

/*
 * A word of a stack may be anything: it is no sign of code before its load. But if it is of such
 * code, readers will come there.
 */
static const struct code *refer_word(struct surveyor *surveyor, const struct process *process,
				     uint64_t word, uint64_t time)
{
	bool early;
	struct code *code = find(surveyor, process, word, &time, &early);

	if (code)
		code->wants_cfi = true;
	if (!code || early)
		return NULL;
	note(code, time);
	return code;
}

/* Any word that could be a return address: more than those that are, never fewer. */
static void refer_words(struct surveyor *surveyor, const struct process *process,
			struct bytes words, size_t size, uint64_t time)
{
	const struct subject *subject = &surveyor->subjects[process->number];

	for (size_t i = 0; i + size <= words.size; i += size) {
		uint64_t word = size == 4 ? get_u32(words.data + i, surveyor->order)
					  : get_u64(words.data + i, surveyor->order);
		const struct code *code;

		word &= surveyor->code_mask;
		if (!in_bounds(subject, word))
			continue;
		code = refer_word(surveyor, process, word, time);
		if (!code || word == code->addr)
			refer_word(surveyor, process, word - 1, time);
	}
}

/*
 * Where branches came from and went to, and what an event says an address of: readers name them
 * too. They came before the sample, and are no sign of code before its load either.
 */
static void refer_branches(struct surveyor *surveyor, const struct process *process,
			   const struct perfdata_sample *sample)
{
	const struct subject *subject = &surveyor->subjects[process->number];
	struct cursor branches = cursor__at(sample->branches, surveyor->order);

	if (in_bounds(subject, sample->addr))
		refer_word(surveyor, process, sample->addr, sample->time);
	while (cursor__left(&branches) >= PERFDATA_BRANCH_SIZE) {
		uint64_t from = cursor__u64(&branches), to = cursor__u64(&branches);

		cursor__u64(&branches); /* flags */
		if (in_bounds(subject, from))
			refer_word(surveyor, process, from, sample->time);
		if (in_bounds(subject, to))
			refer_word(surveyor, process, to, sample->time);
	}
}

/* What is of no interest to processes where every function stays and gets all that there is. */
static void refer_rest(struct surveyor *surveyor, const struct process *process,
		       struct perfdata_record *record)
{
	const struct perfdata *perfdata = surveyor->plan->perfdata;
	const struct subject *subject = &surveyor->subjects[process->number];
	struct perfdata_sample sample;

	if (!subject->reuses && !subject->chooses)
		return;
	perfdata_record__complete(record, perfdata);
	if (!perfdata__parse_sample(perfdata, record, &sample))
		return;
	refer_words(surveyor, process, sample.user_regs, 8, sample.time);
	refer_words(surveyor, process, sample.user_stack,
		    sample.user_regs_abi == PERF_SAMPLE_REGS_ABI_32 ? 4 : 8, sample.time);
	refer_branches(surveyor, process, &sample);
}

/* Stacks are most of a profile: their pages are not looked at where nobody asks for them. */
static bool parse_front(const struct perfdata *perfdata, struct perfdata_record *record,
			struct perfdata_sample *sample)
{
	if (perfdata__parse_sample_front(perfdata, record, sample))
		return true;
	if (!record->absent)
		return false;
	perfdata_record__complete(record, perfdata);
	return perfdata__parse_sample_front(perfdata, record, sample);
}

static void add_counts(struct plan_counts *sum, const struct plan_counts *counts)
{
	sum->samples += counts->samples;
	sum->jit_samples += counts->jit_samples;
	sum->jit_samples_early += counts->jit_samples_early;
	sum->jit_samples_file += counts->jit_samples_file;
	sum->jit_samples_map += counts->jit_samples_map;
	sum->jit_frames += counts->jit_frames;
	sum->anon_samples += counts->anon_samples;
	sum->kept_samples += counts->kept_samples;
	sum->kept_frames += counts->kept_frames;
}

static int survey_sample(struct surveyor *surveyor, struct perfdata_record *record)
{
	struct plan *plan = surveyor->plan;
	struct plan_counts counts = { 0 };
	struct perfdata_sample sample;
	struct process *process;
	struct plan_process *its;

	if (!parse_front(plan->perfdata, record, &sample))
		return 0;
	process = processes__find(plan->scan->processes, sample.pid, sample.time);
	if (!process)
		return 0;
	its = count_for(surveyor, process);
	if (!its)
		return -ENOMEM;
	count_ip(surveyor, process, &sample, &counts);
	if (kept__stands(plan->kept, process))
		count_kept_chain(surveyor, process, &sample, &counts);
	else if (loaded__owner(process))
		count_chain(surveyor, process, &sample, &counts);
	add_counts(&its->counts, &counts);
	add_counts(&plan->counts, &counts);
	add_counts(&plan->per_event.items[sample.attr - perfdata__attr(plan->perfdata, 0)].counts,
		   &counts);
	refer_rest(surveyor, process, record);
	return 0;
}

/* What is referred to in a child's copy of its parent's memory may be shown by the parent's DSOs.
 */
static void refer_inherited(struct surveyor *surveyor)
{
	const struct scan *scan = surveyor->plan->scan;

	for (size_t i = processes__count(scan->processes); i > 0; i--) {
		const struct process *child = scan->by_start[i - 1];
		const struct process *from = loaded__owner(child->parent);

		for (size_t k = 0; from && child->codemap && k < codemap__count(child->codemap);
		     k++) {
			const struct code *code = codemap__at(child->codemap, k);
			struct code *original =
				code->inherited
					? codemap__find(from->codemap, code->addr, code->load)
					: NULL;

			if (!original)
				continue;
			original->wants_cfi |= code->wants_cfi;
			if (code->first_reference <= code->last_reference)
				note(original, code->load);
		}
	}
}

int survey__run(struct plan *plan)
{
	/* not every profile tells its machine; this one is in all builds that have any */
	const struct cfi_target target = { EM_X86_64, ELFCLASS64, ORDER_LITTLE };
	const struct unwind_arch *arch = unwind_arch__of(perfdata__machine(plan->perfdata));
	struct surveyor surveyor = {
		.plan = plan,
		.order = perfdata__order(plan->perfdata),
		.can_follow = cfi__can_track(&target),
		.code_mask = arch ? arch->code_mask : UINT64_MAX,
	};
	struct perfdata_walk walk;
	struct perfdata_record record;
	int got = -ENOMEM;

	surveyor.sightings = calloc(NR_SIGHTINGS, sizeof(*surveyor.sightings));
	if (surveyor.sightings)
		got = find_subjects(&surveyor);
	if (got) {
		free(surveyor.subjects);
		free(surveyor.sightings);
		return got;
	}
	perfdata_walk__begin(&walk, plan->perfdata);
	walk.heads = true;
	while ((got = perfdata_walk__next(&walk, &record)) > 0) {
		plan->traced |= record.type == PERFDATA_AUXTRACE;
		if (record.type != PERFDATA_SAMPLE)
			continue;
		got = survey_sample(&surveyor, &record);
		if (got)
			break;
	}
	perfdata_walk__end(&walk);
	if (!got)
		refer_inherited(&surveyor);
	free(surveyor.subjects);
	free(surveyor.sightings);
	return got;
}
