// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/compare.h"

#include <errno.h>
#include <string.h>

const char *difference__slug(enum difference difference)
{
	static const char *const slugs[DIFFERENCES] = { "unnamed", "named",  "name",
							"shorter", "longer", "absent" };

	return slugs[difference];
}

const char *difference__text(enum difference difference)
{
	static const char *const texts[DIFFERENCES] = {
		"frames it does not name", "frames it names, without a name here",
		"frames by another name",  "shorter chains",
		"longer chains",           "samples it does not show",
	};

	return texts[difference];
}

int comparison__add(struct comparison *comparison, const struct perfdata_sample *sample,
		    const struct unwind_chain *chain)
{
	struct compared_sample compared = {
		.time = sample->time,
		.pid = sample->pid,
		.tid = sample->tid,
		.first = comparison->frames.count,
		.sequence = comparison->samples.count,
		.unwound = chain->unwound,
	};

	array__for_each(frame, &chain->frames) {
		struct compared_frame ours = { .offset = (uint32_t)frame->symbol_offset,
					       .jit = frame->jit };

		if (frame->kernel || frame->ip >= PERF_SCRIPT_KERNEL_SPACE)
			continue;
		if (frame->symbol) {
			ours.symbol = names__number(&comparison->names, frame->symbol);
			if (!ours.symbol)
				return -ENOMEM;
		}
		if (!array__push(&comparison->frames, ours))
			return -ENOMEM;
	}
	compared.count = comparison->frames.count - compared.first;
	return array__push(&comparison->samples, compared) ? 0 : -ENOMEM;
}

void comparison__free(struct comparison *comparison)
{
	names__free(&comparison->names);
	array__free(&comparison->frames);
	array__free(&comparison->samples);
}

static int compare_keys(const struct compared_sample *x, const struct compared_sample *y)
{
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid == y->tid ? 0 : x->tid < y->tid ? -1 : 1;
}

static int compare_samples(const void *a, const void *b)
{
	const struct compared_sample *x = a, *y = b;
	int order = compare_keys(x, y);

	return order ? order : (x->sequence < y->sequence ? -1 : x->sequence > y->sequence);
}

static void sort(struct comparison *comparison)
{
	if (!comparison->sorted && comparison->samples.count)
		qsort(comparison->samples.items, comparison->samples.count,
		      sizeof(*comparison->samples.items), compare_samples);
	comparison->sorted = true;
	array__for_each(sample, &comparison->samples)
		sample->matched = false;
}

/* The first of ours with that key that is not matched yet; NULL: there is none. */
static struct compared_sample *find(struct comparison *comparison,
				    const struct script_sample *theirs)
{
	const struct compared_sample key = {
		.time = theirs->time,
		.pid = theirs->pid,
		.tid = theirs->tid,
	};
	size_t i =
		array__count_leading(sample, &comparison->samples, compare_keys(sample, &key) < 0);

	for (; i < comparison->samples.count; i++) {
		struct compared_sample *sample = &comparison->samples.items[i];

		if (compare_keys(sample, &key) != 0)
			break;
		if (!sample->matched)
			return sample;
	}
	return NULL;
}

struct comparer {
	struct comparison *comparison;
	struct compared *compared;
};

/* Both chains, told from the innermost frame on. */
struct pair {
	const struct compared_frame *ours;
	const struct script_frame *theirs;
	size_t nr_ours, nr_theirs;
	uint64_t aliases;
};

static bool is_alias(const struct compared_frame *ours, const struct script_frame *theirs)
{
	return ours->symbol && theirs->symbol && ours->symbol != theirs->symbol &&
	       ours->offset == (uint32_t)theirs->offset;
}

static bool same(const struct compared_frame *ours, const struct script_frame *theirs)
{
	return ours->symbol == theirs->symbol || is_alias(ours, theirs);
}

static size_t common_begin(const struct pair *pair)
{
	size_t i = 0;

	while (i < pair->nr_ours && i < pair->nr_theirs && same(&pair->ours[i], &pair->theirs[i]))
		i++;
	return i;
}

static size_t common_end(const struct pair *pair, size_t begin)
{
	size_t i = 0;

	while (i < pair->nr_ours - begin && i < pair->nr_theirs - begin &&
	       same(&pair->ours[pair->nr_ours - 1 - i], &pair->theirs[pair->nr_theirs - 1 - i]))
		i++;
	return i;
}

static enum difference kind_of(const struct pair *pair, size_t at)
{
	if (pair->nr_theirs < pair->nr_ours)
		return DIFFER_SHORTER;
	if (pair->nr_theirs > pair->nr_ours)
		return DIFFER_LONGER;
	if (!pair->theirs[at].symbol)
		return DIFFER_UNNAMED;
	return pair->ours[at].symbol ? DIFFER_NAME : DIFFER_NAMED;
}

static bool is_at_jit(const struct pair *pair, size_t at)
{
	return (at < pair->nr_ours && pair->ours[at].jit) ||
	       (at > 0 && at <= pair->nr_ours && pair->ours[at - 1].jit);
}

static void keep_example(struct comparer *comparer, const struct compared_sample *sample,
			 const struct pair *pair, enum difference kind, size_t at)
{
	struct compared *compared = comparer->compared;
	const struct names *names = &comparer->comparison->names;
	struct difference_example *example = &compared->examples[compared->nr_examples];

	if (compared->nr_examples == DIFFERENCE_EXAMPLES)
		return;
	compared->nr_examples++;
	*example = (struct difference_example){
		.kind = kind,
		.time = sample->time,
		.pid = sample->pid,
		.tid = sample->tid,
		.position = at,
		.ours = pair->nr_ours,
		.theirs = pair->nr_theirs,
	};
	if (at < pair->nr_ours && pair->ours[at].symbol)
		example->our_name = names__text(names, pair->ours[at].symbol);
	if (at < pair->nr_theirs && pair->theirs[at].symbol)
		example->their_name = names__text(names, pair->theirs[at].symbol);
}

static void count_aliases(struct compared *compared, const struct pair *pair, size_t begin,
			  size_t end)
{
	for (size_t i = 0; i < begin; i++)
		compared->aliases += is_alias(&pair->ours[i], &pair->theirs[i]);
	for (size_t i = 1; i <= end; i++)
		compared->aliases += is_alias(&pair->ours[pair->nr_ours - i],
					      &pair->theirs[pair->nr_theirs - i]);
}

static void note_difference(struct comparer *comparer, const struct compared_sample *sample,
			    const struct pair *pair, enum difference kind, size_t at)
{
	struct compared *compared = comparer->compared;

	compared->samples_differing++;
	compared->unwound_differing += sample->unwound;
	compared->kinds[kind]++;
	compared->at_jit[kind] += is_at_jit(pair, at);
	compared->leaf_only += kind != DIFFER_ABSENT && pair->nr_theirs <= 1 && pair->nr_ours > 1;
	keep_example(comparer, sample, pair, kind, at);
}

static int compare_sample(void *context, const struct script_sample *theirs)
{
	struct comparer *comparer = context;
	struct compared *compared = comparer->compared;
	struct compared_sample *sample = find(comparer->comparison, theirs);
	struct pair pair;
	size_t begin, end, longer;

	/* one that the options leave out */
	if (!sample)
		return 0;
	sample->matched = true;
	pair = (struct pair){
		.ours = comparer->comparison->frames.items + sample->first,
		.theirs = theirs->frames.items,
		.nr_ours = sample->count,
		.nr_theirs = theirs->frames.count,
	};
	begin = common_begin(&pair);
	end = common_end(&pair, begin);
	longer = pair.nr_ours > pair.nr_theirs ? pair.nr_ours : pair.nr_theirs;
	compared->samples++;
	compared->frames += longer;
	compared->frames_differing += longer - begin - end;
	count_aliases(compared, &pair, begin, end);
	if (begin + end < longer)
		note_difference(comparer, sample, &pair, kind_of(&pair, begin), begin);
	return 0;
}

static void count_absent(struct comparer *comparer)
{
	array__for_each(sample, &comparer->comparison->samples) {
		const struct pair pair = {
			.ours = comparer->comparison->frames.items + sample->first,
			.nr_ours = sample->count,
		};

		if (sample->matched)
			continue;
		comparer->compared->samples++;
		comparer->compared->frames += sample->count;
		comparer->compared->frames_differing += sample->count;
		note_difference(comparer, sample, &pair, DIFFER_ABSENT, 0);
	}
}

int comparison__run(struct comparison *comparison, const struct perf_script_options *options,
		    struct compared *compared)
{
	struct comparer comparer = { comparison, compared };
	struct perf_script script = {
		.names = &comparison->names,
		.visit = compare_sample,
		.context = &comparer,
	};
	struct child_result result;
	int err;

	*compared = (struct compared){ .perf = options->perf };
	err = perf_build__ask(&compared->build, options->perf);
	if (err)
		return err;
	sort(comparison);
	err = perf_script__run(&script, options, &result);
	perf_script__free(&script);
	if (err)
		return err;
	count_absent(&comparer);
	compared->status = result.status;
	compared->timed_out = result.timed_out;
	memcpy(compared->errors, result.errors, sizeof(compared->errors));
	return 0;
}
