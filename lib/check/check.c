// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/check.h"

#include <errno.h>

#include "base/diag.h"
#include "check/root.h"
#include "check/runtime.h"
#include "check/subject.h"
#include "perfdata/bake.h"
#include "perfdata/edit.h"
#include "perfdata/tracepoint.h"

struct checker {
	struct check *check;
	struct perfdata *profile;
	struct check_options *options;
	struct unwind_thread *thread;
	struct unwind_chain chain;
	ARRAY(struct check_finding) findings; /* of the chain's frames */
	struct check_view view;
	bool baked;                  /* chains were put in the place of stacks */
	struct check_group **events; /* by position of the attr; NULL until a sample counts */
	ARRAY(const char *) names;   /* of a chain, outermost first */
	struct check_counts counts;  /* of one sample */
};

static struct check_group *add_group(struct check *check, enum check_group_kind kind,
				     const char *name)
{
	struct check_group *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->kind = kind;
	group->name = name;
	if (!array__push(&check->groups, group)) {
		free(group);
		return NULL;
	}
	return group;
}

static struct check_group *group_of_runtime(struct check *check, const struct runtime *runtime)
{
	struct check_group *group;

	array__for_each(known, &check->groups)
		if ((*known)->kind == CHECK_RUNTIME && (*known)->runtime == runtime)
			return *known;
	group = add_group(check, CHECK_RUNTIME, runtime ? runtime->name : "other");
	if (group)
		group->runtime = runtime;
	return group;
}

/* 0 or -ENOMEM. */
static int make_groups(struct check *check, struct check_subject *subject)
{
	if (subject->group)
		return 0;
	subject->runtime_group = group_of_runtime(check, subject->runtime);
	subject->group = add_group(check, CHECK_PROCESS, subject->process->comm);
	if (!subject->runtime_group || !subject->group)
		return -ENOMEM;
	subject->group->pid = subject->process->pid;
	subject->group->runtime = subject->runtime;
	return 0;
}

static size_t position_of_attr(const struct checker *checker, const struct perfdata_attr *attr)
{
	size_t i = 0;

	while (i < perfdata__nr_attrs(checker->profile) &&
	       perfdata__attr(checker->profile, i) != attr)
		i++;
	return i;
}

static const char *event_name(const struct checker *checker, const struct perfdata_attr *attr)
{
	size_t i = position_of_attr(checker, attr);

	return i < checker->check->event_names.count ? checker->check->event_names.items[i]
						     : "unknown event";
}

static struct check_group *group_of_event(struct checker *checker, const struct perfdata_attr *attr)
{
	size_t i = position_of_attr(checker, attr);

	if (!checker->events[i])
		checker->events[i] =
			add_group(checker->check, CHECK_EVENT, event_name(checker, attr));
	return checker->events[i];
}

static bool is_selected(const struct checker *checker, const struct perfdata_sample *sample,
			const struct check_subject *subject)
{
	const struct check_options *options = checker->options;
	bool pid = !options->pids.count, comm = !options->comms.count;
	bool event = !options->events.count;

	array__for_each(wanted, &options->pids)
		pid = pid || *wanted == sample->pid;
	array__for_each(glob, &options->comms)
		comm = comm ||
		       (subject && chain_pattern__matches_name(
					   *glob, process__comm(subject->process, sample->time)));
	array__for_each(glob, &options->events)
		event = event ||
			chain_pattern__matches_name(*glob, event_name(checker, sample->attr));
	return pid && comm && event;
}

static int count_user_frame(struct checker *checker, const struct check_subject *subject,
			    const struct perfdata_sample *sample, struct unwind_frame *frame)
{
	struct check_counts *counts = &checker->counts;
	bool own_address = !frame->caller && !counts->frames && !counts->kernel_frames;
	struct check_finding finding;

	check__classify(subject, frame, sample->time, &checker->view, &finding);
	/* for whoever is told the chain */
	frame->jit = finding.jit;
	if (finding.symbol) {
		frame->symbol = finding.symbol;
		frame->symbol_offset = finding.symbol_offset;
	}
	if (!array__push(&checker->findings, finding))
		return -ENOMEM;
	counts->frames++;
	counts->frames_named += finding.named;
	counts->jit_frames += finding.jit;
	counts->jit_frames_named += finding.jit && finding.named;
	counts->jit_samples += finding.jit && own_address;
	counts->jit_samples_named += finding.jit && own_address && finding.named;
	if (finding.named)
		return 0;
	counts->reasons[finding.reason]++;
	counts->jit_reasons[finding.reason] += finding.jit;
	return check_ranges__count(&checker->check->ranges,
				   &(struct check_range){
					   .pid = sample->pid,
					   .reason = finding.reason,
					   .name = finding.place,
					   .jit = finding.jit,
					   .runtime = subject ? subject->runtime : NULL,
				   },
				   frame->ip, own_address);
}

static int count_kernel_frame(struct checker *checker, const struct unwind_frame *frame)
{
	struct check_counts *counts = &checker->counts;
	const struct check_finding finding = {
		.named = frame->symbol != NULL,
		.reason = CHECK_KERNEL,
		.place = "",
	};

	counts->kernel_frames++;
	counts->kernel_frames_named += finding.named;
	counts->reasons[CHECK_KERNEL] += !finding.named;
	return array__push(&checker->findings, finding) ? 0 : -ENOMEM;
}

/* In one that is not here, or not the one that ran: who called what in it nobody can tell. */
static bool is_in_no_file(const struct unwind_frame *frame)
{
	return frame->reason == UNWIND_NO_FILE || frame->reason == UNWIND_OTHER_FILE ||
	       frame->reason == UNWIND_NOT_ELF;
}

/* A chain as the kernel walked it is whole when it arrived where threads begin. */
static enum check_end end_of_recorded(const struct checker *checker)
{
	const struct unwind_chain *chain = &checker->chain;
	size_t nr_user = chain->frames.count - chain->nr_kernel;

	if (nr_user > 1 && root__is_last(chain->frames.items + chain->nr_kernel, nr_user))
		return CHECK_COMPLETE;
	if (nr_user >= UNWIND_MAX_STACK && !checker->baked)
		return CHECK_TOO_DEEP;
	if (nr_user && is_in_no_file(&chain->frames.items[chain->frames.count - 1]))
		return CHECK_NO_FILE;
	return checker->baked ? CHECK_BAKED : CHECK_FRAME_POINTER;
}

/* Some caller runs JIT code: one that seems to have none lost it, and found a zero instead. */
static bool begins_in_jit(const struct unwind_chain *chain)
{
	return chain->frames.count && chain->frames.items[chain->frames.count - 1].jit;
}

static bool ends_at_own_root(const struct unwind_chain *chain)
{
	size_t count = chain->frames.count;

	return count > chain->nr_kernel + 1 && root__is_own(&chain->frames.items[count - 1]);
}

static enum check_end end_of(const struct checker *checker)
{
	const struct unwind_chain *chain = &checker->chain;

	if (ends_at_own_root(chain))
		return CHECK_COMPLETE;
	switch (chain->end) {
	case UNWIND_COMPLETE:
		return begins_in_jit(chain) ? CHECK_BAD_CFI : CHECK_COMPLETE;
	case UNWIND_RECORDED:
		return end_of_recorded(checker);
	case UNWIND_LOST:
		return CHECK_LOST;
	case UNWIND_STACK_CUT:
		return CHECK_STACK_SHORT;
	case UNWIND_NO_CFI:
		return CHECK_NO_CFI;
	case UNWIND_FILE_GONE:
		return CHECK_NO_FILE;
	case UNWIND_TOO_DEEP:
		return CHECK_TOO_DEEP;
	case UNWIND_OTHER_ABI:
		return CHECK_NO_REGISTERS;
	default:
		return CHECK_BAD_CFI;
	}
}

/* Whether the event asks for call chains, be they recorded or to be unwound. */
static bool has_chain(const struct perfdata_sample *sample, const struct unwind_chain *chain)
{
	const uint64_t asked = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;

	return sample->attr && (sample->attr->attr.sample_type & asked) &&
	       chain->end != UNWIND_NO_USER;
}

static int count_frames(struct checker *checker, const struct check_subject *subject,
			const struct perfdata_sample *sample)
{
	int err;

	checker->findings.count = 0;
	array__for_each(frame, &checker->chain.frames) {
		if (frame->kernel)
			err = count_kernel_frame(checker, frame);
		else
			err = count_user_frame(checker, subject, sample, frame);
		if (err)
			return err;
	}
	return 0;
}

static int note_found(struct check_wanted *wanted, const char *name)
{
	wanted->found++;
	if (!wanted->example)
		wanted->example = strdup(name);
	return wanted->example ? 0 : -ENOMEM;
}

static int match_one(const struct checker *checker, struct check_wanted *wanted)
{
	const char *const *names = checker->names.items;
	int err = 0;

	if (wanted->kind == CHECK_EXPECT_CHAIN) {
		wanted->found +=
			chain_pattern__matches(&wanted->chain, names, checker->names.count);
		return 0;
	}
	for (size_t i = checker->names.count; !err && i-- > 0;)
		if (chain_pattern__matches_name(wanted->text, names[i]))
			err = note_found(wanted, names[i] ? names[i] : CHAIN_UNKNOWN);
	return err;
}

static int match_wanted(struct checker *checker)
{
	int err = 0;

	if (!checker->options->wanted.count)
		return 0;
	checker->names.count = 0;
	for (size_t i = checker->chain.frames.count; i-- > 0;)
		if (!array__push(&checker->names, checker->chain.frames.items[i].symbol))
			return -ENOMEM;
	array__for_each(wanted, &checker->options->wanted)
		if (!err)
			err = match_one(checker, wanted);
	return err;
}

/* What one sample gave, to all that it belongs to. */
static int add_up(struct checker *checker, struct check_subject *subject,
		  const struct perfdata_sample *sample)
{
	struct check_group *event = group_of_event(checker, sample->attr);
	int err = subject ? make_groups(checker->check, subject) : 0;

	if (err || !event)
		return -ENOMEM;
	check_counts__add(&checker->check->total, &checker->counts);
	check_counts__add(&event->counts, &checker->counts);
	if (subject) {
		check_counts__add(&subject->group->counts, &checker->counts);
		check_counts__add(&subject->runtime_group->counts, &checker->counts);
	}
	return 0;
}

static int tell(struct checker *checker, const struct check_subject *subject,
		const struct perfdata_sample *sample, enum check_end end)
{
	const struct check_seen seen = {
		.sample = sample,
		.chain = &checker->chain,
		.findings = checker->findings.items,
		.subject = subject,
		.end = end,
	};

	if (!checker->options->visit)
		return 0;
	return checker->options->visit(checker->options->context, &seen);
}

static int check_sample(struct checker *checker, const struct perfdata_record *record)
{
	struct check *check = checker->check;
	struct check_subject *subject;
	enum check_end end = CHECK_ENDS;
	struct perfdata_sample sample;
	int err;

	if (!perfdata__parse_sample(checker->profile, record, &sample))
		return 0;
	subject = check_subjects__find(check->subjects, sample.pid, sample.time, check->fixed);
	if (!is_selected(checker, &sample, subject)) {
		check->nr_left_out++;
		return 0;
	}
	err = unwind_thread__sample(checker->thread, &sample, &checker->chain);
	if (err)
		return err;
	checker->counts = (struct check_counts){ .samples = 1 };
	err = count_frames(checker, subject, &sample);
	if (!err && has_chain(&sample, &checker->chain)) {
		checker->counts.chains = 1;
		end = end_of(checker);
		checker->counts.ends[end] = 1;
	}
	if (!err)
		err = match_wanted(checker);
	if (!err)
		err = tell(checker, subject, &sample, end);
	return err ? err : add_up(checker, subject, &sample);
}

static int walk(struct checker *checker)
{
	const struct check_options *options = checker->options;
	uint64_t total = perfdata__bytes(checker->profile).size;
	struct perfdata_walk walk;
	struct perfdata_record record;
	int got;

	perfdata_walk__begin(&walk, checker->profile);
	while ((got = perfdata_walk__next(&walk, &record)) > 0) {
		if (record.type != PERFDATA_SAMPLE)
			continue;
		got = check_sample(checker, &record);
		if (!got && options->progress &&
		    !options->progress(options->context, record.offset, total))
			got = -ECANCELED;
		if (got)
			break;
	}
	perfdata_walk__end(&walk);
	return got;
}

static int by_samples(const void *a, const void *b)
{
	const struct check_group *x = *(struct check_group *const *)a;
	const struct check_group *y = *(struct check_group *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->counts.samples != y->counts.samples)
		return x->counts.samples > y->counts.samples ? -1 : 1;
	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : strcmp(x->name, y->name);
}

static int name_events(struct check *check, const struct perfdata *profile, struct diag *diag)
{
	struct tracepoints *tracepoints;
	int err = tracepoints__read(&tracepoints, profile, diag);

	for (size_t i = 0; !err && i < perfdata__nr_attrs(profile); i++) {
		char name[128];
		char *copy = strdup(
			tracepoints__event_name(tracepoints, profile, i, name, sizeof(name)));

		if (!copy || !array__push(&check->event_names, copy)) {
			free(copy);
			err = -ENOMEM;
		}
	}
	tracepoints__free(tracepoints);
	return err;
}

int check__count(struct check *check, struct perfdata *profile, struct check_options *options,
		 struct diag *diag)
{
	struct checker checker = {
		.check = check,
		.profile = profile,
		.options = options,
		.baked = perfdata__is_baked(profile),
	};
	struct unwinder *unwinder = NULL;
	int err = unwinder__new(&unwinder, profile, &options->unwind, diag);

	/* in pipe form the attrs are records themselves, and read by now */
	if (!err)
		err = name_events(check, profile, diag);
	if (!err)
		err = unwind_thread__new(&checker.thread, unwinder, true);
	checker.events = calloc(perfdata__nr_attrs(profile) + 1, sizeof(*checker.events));
	if (!err && !checker.events)
		err = -ENOMEM;
	if (!err) {
		checker.view.processes = unwinder__processes(unwinder);
		checker.view.symfs = options->unwind.symfs;
		err = walk(&checker);
	}
	unwind_chain__free(&checker.chain);
	unwind_thread__free(checker.thread);
	unwinder__free(unwinder);
	array__free(&checker.names);
	array__free(&checker.findings);
	free(checker.events);
	check_ranges__sort(&check->ranges);
	if (check->groups.count)
		qsort(check->groups.items, check->groups.count, sizeof(*check->groups.items),
		      by_samples);
	return err;
}

int check__read(struct check *check, struct perfdata *profile, struct perfdata *original,
		const struct check_options *options, struct diag *diag)
{
	struct check_subjects *subjects = calloc(1, sizeof(*subjects));
	int err;

	*check = (struct check){ .fixed = perfdata__is_edited(profile), .subjects = subjects };
	if (!subjects)
		return -ENOMEM;
	/* what a fixed profile was made from need not be there any more */
	if (check->fixed)
		subjects->silent = diag__new(NULL, NULL);
	if (check->fixed && !subjects->silent)
		return -ENOMEM;
	err = check_subjects__read(subjects, original, &options->discover,
				   check->fixed ? subjects->silent : diag);
	check->nr_dumps = subjects->discovery.dumps.count;
	check->nr_missing_dumps = subjects->discovery.nr_missing;
	check->nr_maps = subjects->discovery.maps.count;
	if (!err)
		err = check_recorded__read(&check->recorded, original);
	check->recorded.described = check->nr_dumps || check->nr_maps;
	check->recorded.fixed = check->fixed;
	return err;
}

void check__free(struct check *check)
{
	array__for_each(group, &check->groups)
		free(*group);
	array__free(&check->groups);
	array__for_each(name, &check->event_names)
		free(*name);
	array__free(&check->event_names);
	check_ranges__free(&check->ranges);
	if (check->subjects)
		check_subjects__free(check->subjects);
	free(check->subjects);
	check->subjects = NULL;
	check_recorded__free(&check->recorded);
}
