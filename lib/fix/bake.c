// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples are read in the order of the file, unwound in batches by several threads, and their
 * chains kept in that order. A batch is small against a processor's cache, and there are few at a
 * time: memory grows with the chains only.
 */
#include "fix/bake.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "fix/kept.h"

#define BATCH_SAMPLES 128
/* Batches for each thread: one it works at, one that waits. */
#define BATCHES_EACH 2
#define THREADS_MAX  64

enum batch_state {
	BATCH_FREE,
	BATCH_FULL, /* of samples */
	BATCH_TAKEN,
	BATCH_DONE, /* the chains are there */
};

struct batch_sample {
	struct perfdata_record record;
	size_t copy; /* its place in batch.copies, if it was compressed */
};

struct batch {
	enum batch_state state;
	struct batch_sample samples[BATCH_SAMPLES];
	size_t nr_samples;
	struct buf copies;
	ARRAY(struct baked_chain) chains;
	struct buf ips;
	struct bake_counts counts;
	int err;
};

struct baker {
	struct baked *baked;
	const struct plan *plan;
	const struct bake_options *options;
	struct unwinder *unwinder;
	enum byte_order order;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct batch *batches;
	size_t nr_batches;
	size_t filling, working, emptying; /* the next one for each; all go round */
	uint64_t kept;                     /* as in perfdata__give_back */
	bool ended;
	pthread_t threads[THREADS_MAX];
	unsigned int nr_threads;
};

/* ---- what was planned ------------------------------------------------------------------------ */

static int compare_inserts(const void *a, const void *b)
{
	const struct plan_insert *x = *(const struct plan_insert *const *)a;
	const struct plan_insert *y = *(const struct plan_insert *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static int map_insert(const struct plan *plan, const struct plan_insert *insert,
		      struct processes *processes)
{
	const struct plan_dso *dso = &plan->dsos.items[insert->dso];
	struct mapping mapping = {
		.time = insert->time,
		.start = insert->start,
		.size = insert->size,
		.pgoff = insert->pgoff,
		.name = dso->recorded,
		.build_id = { dso->build_id, sizeof(dso->build_id) },
		.exec = true,
	};

	return processes__map(processes, insert->process->pid, &mapping);
}

/* Maps the DSOs as the inserted records will. */
static int extend(void *context, struct processes *processes)
{
	const struct plan *plan = context;
	size_t count = plan->inserts.count;
	const struct plan_insert **inserts = calloc(count + 1, sizeof(struct plan_insert *));
	int err = 0;

	if (!inserts)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		inserts[i] = &plan->inserts.items[i];
	qsort(inserts, count, sizeof(struct plan_insert *), compare_inserts);
	for (size_t i = 0; !err && i < count; i++)
		if (inserts[i]->kind == PLAN_MMAP2)
			err = map_insert(plan, inserts[i], processes);
	if (!err && plan->kept)
		err = kept__map(plan->kept, processes);
	free(inserts);
	return err;
}

/* DSOs may have been told to be moved elsewhere later, and are not below symfs yet. */
static const char *locate(void *context, const char *name)
{
	const struct plan *plan = context;

	array__for_each(dso, &plan->dsos)
		if (dso->path && strcmp(dso->recorded, name) == 0)
			return dso->path;
	return plan->kept ? kept__locate(plan->kept, name) : NULL;
}

/* ---- one batch ------------------------------------------------------------------------------- */

static bool passes_jit(const struct unwind_chain *chain)
{
	array__for_each(frame, &chain->frames)
		if (frame->jit)
			return true;
	return false;
}

static int keep_chain(struct batch *batch, const struct unwind_chain *chain, uint64_t nth)
{
	size_t count = chain->frames.count - chain->nr_kernel;
	struct baked_chain kept = { .nth = nth,
				    .begin = batch->ips.size,
				    .size = (uint32_t)(8 * count) };

	for (size_t i = chain->nr_kernel; i < chain->frames.count; i++)
		buf__put_u64(&batch->ips, chain->frames.items[i].ip);
	batch->counts.baked++;
	batch->counts.frames += count;
	return array__push(&batch->chains, kept) && !batch->ips.failed ? 0 : -ENOMEM;
}

static int unwind_one(const struct baker *baker, struct batch *batch,
		      const struct perfdata_record *record, struct unwind_thread *thread,
		      struct unwind_chain *chain)
{
	struct perfdata_sample sample;
	bool jit;
	int err;

	if (!perfdata__parse_sample(baker->plan->perfdata, record, &sample) ||
	    !perfdata_bake__concerns(&sample.attr->attr))
		return 0;
	err = unwind_thread__sample(thread, &sample, chain);
	if (err)
		return err;
	jit = passes_jit(chain);
	batch->counts.samples++;
	batch->counts.jit += jit;
	batch->counts.ends[chain->end]++;
	if (!chain->unwound || (baker->options->which == BAKE_JIT && !jit))
		return 0;
	return keep_chain(batch, chain, record->nth);
}

static void unwind_batch(const struct baker *baker, struct batch *batch,
			 struct unwind_thread *thread, struct unwind_chain *chain)
{
	for (size_t i = 0; !batch->err && i < batch->nr_samples; i++) {
		struct batch_sample *sample = &batch->samples[i];

		if (sample->record.compressed)
			sample->record.data = batch->copies.data + sample->copy;
		batch->err = unwind_one(baker, batch, &sample->record, thread, chain);
	}
}

static struct batch *take_batch(struct baker *baker)
{
	struct batch *batch;

	pthread_mutex_lock(&baker->lock);
	for (;;) {
		batch = &baker->batches[baker->working % baker->nr_batches];
		if (batch->state == BATCH_FULL)
			break;
		if (baker->ended && baker->working == baker->filling) {
			batch = NULL;
			break;
		}
		pthread_cond_wait(&baker->changed, &baker->lock);
	}
	if (batch) {
		batch->state = BATCH_TAKEN;
		baker->working++;
	}
	pthread_mutex_unlock(&baker->lock);
	return batch;
}

static void set_state(struct baker *baker, struct batch *batch, enum batch_state state)
{
	pthread_mutex_lock(&baker->lock);
	batch->state = state;
	pthread_cond_broadcast(&baker->changed);
	pthread_mutex_unlock(&baker->lock);
}

static void *work(void *context)
{
	struct baker *baker = context;
	struct unwind_chain chain = { 0 };
	struct unwind_thread *thread;
	struct batch *batch;
	int err = unwind_thread__new(&thread, baker->unwinder, false);

	while ((batch = take_batch(baker))) {
		batch->err = err;
		unwind_batch(baker, batch, thread, &chain);
		set_state(baker, batch, BATCH_DONE);
	}
	unwind_chain__free(&chain);
	unwind_thread__free(thread);
	return NULL;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void add_counts(struct bake_counts *to, const struct bake_counts *from)
{
	to->samples += from->samples;
	to->baked += from->baked;
	to->jit += from->jit;
	to->frames += from->frames;
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		to->ends[i] += from->ends[i];
}

/* Takes over what a batch has found, in the order of filling, and makes it free again. */
static int empty(struct baker *baker, struct batch *batch)
{
	struct baked *baked = baker->baked;
	size_t begin = baked->ips.size;
	int err = batch->err;

	if (batch->nr_samples)
		perfdata__give_back(baker->plan->perfdata, &baker->kept,
				    batch->samples[batch->nr_samples - 1].record.offset);

	buf__put(&baked->ips, batch->ips.data, batch->ips.size);
	array__for_each(chain, &batch->chains) {
		chain->begin += begin;
		if (!array__push(&baked->chains, *chain))
			err = -ENOMEM;
	}
	add_counts(&baked->counts, &batch->counts);
	batch->chains.count = batch->ips.size = batch->copies.size = batch->nr_samples = 0;
	batch->counts = (struct bake_counts){ 0 };
	batch->err = 0;
	batch->state = BATCH_FREE;
	baker->emptying++;
	return baked->ips.failed ? -ENOMEM : err;
}

static struct batch *wait_done(struct baker *baker)
{
	struct batch *batch = &baker->batches[baker->emptying % baker->nr_batches];

	pthread_mutex_lock(&baker->lock);
	while (batch->state != BATCH_DONE)
		pthread_cond_wait(&baker->changed, &baker->lock);
	pthread_mutex_unlock(&baker->lock);
	return batch;
}

/* Gives the batch that is being filled to the threads; the next one is free then. */
static int pass_on(struct baker *baker)
{
	struct batch *batch = &baker->batches[baker->filling % baker->nr_batches];

	pthread_mutex_lock(&baker->lock);
	batch->state = BATCH_FULL;
	baker->filling++;
	pthread_cond_broadcast(&baker->changed);
	pthread_mutex_unlock(&baker->lock);
	if (baker->filling - baker->emptying < baker->nr_batches)
		return 0;
	return empty(baker, wait_done(baker));
}

static int fill(struct baker *baker, const struct perfdata_record *record)
{
	struct batch *batch = &baker->batches[baker->filling % baker->nr_batches];
	struct batch_sample *sample = &batch->samples[batch->nr_samples++];

	*sample = (struct batch_sample){ .record = *record };
	if (record->compressed) {
		sample->copy = batch->copies.size;
		buf__put(&batch->copies, record->data, record->size);
		if (batch->copies.failed)
			return -ENOMEM;
	}
	return batch->nr_samples == BATCH_SAMPLES ? pass_on(baker) : 0;
}

static int read_samples(struct baker *baker,
			bool (*progress)(void *context, uint64_t done, uint64_t total),
			void *context)
{
	struct perfdata *perfdata = baker->plan->perfdata;
	uint64_t total = perfdata__bytes(perfdata).size;
	struct perfdata_record record;
	struct perfdata_walk walk;
	int got;

	perfdata_walk__begin(&walk, perfdata);
	walk.keep = true;
	while ((got = perfdata_walk__next(&walk, &record)) > 0) {
		if (record.type != PERFDATA_SAMPLE)
			continue;
		got = fill(baker, &record);
		if (!got && progress && record.nth % 4096 == 0 &&
		    !progress(context, record.offset, total))
			got = -ECANCELED;
		if (got)
			break;
	}
	perfdata_walk__end(&walk);
	return got;
}

static int start(struct baker *baker)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int wanted = baker->options->threads;

	if (!wanted)
		wanted = processors > 0 ? (unsigned int)processors : 1;
	if (wanted > THREADS_MAX)
		wanted = THREADS_MAX;
	baker->nr_batches = BATCHES_EACH * (size_t)wanted;
	baker->batches = calloc(baker->nr_batches, sizeof(*baker->batches));
	if (!baker->batches)
		return -ENOMEM;
	for (size_t i = 0; i < baker->nr_batches; i++)
		baker->batches[i].ips = BUF(baker->order);
	while (baker->nr_threads < wanted &&
	       pthread_create(&baker->threads[baker->nr_threads], NULL, work, baker) == 0)
		baker->nr_threads++;
	return baker->nr_threads ? 0 : -EAGAIN;
}

/* Lets the threads do what was passed on, and takes it over. */
static int finish(struct baker *baker, int err)
{
	if (!err && baker->batches[baker->filling % baker->nr_batches].nr_samples)
		err = pass_on(baker);
	pthread_mutex_lock(&baker->lock);
	baker->ended = true;
	pthread_cond_broadcast(&baker->changed);
	pthread_mutex_unlock(&baker->lock);
	while (baker->emptying < baker->filling) {
		int failed = empty(baker, wait_done(baker));

		err = err ? err : failed;
	}
	for (unsigned int i = 0; i < baker->nr_threads; i++)
		pthread_join(baker->threads[i], NULL);
	return err;
}

static void free_batches(struct baker *baker)
{
	for (size_t i = 0; baker->batches && i < baker->nr_batches; i++) {
		buf__free(&baker->batches[i].copies);
		buf__free(&baker->batches[i].ips);
		array__free(&baker->batches[i].chains);
	}
	free(baker->batches);
}

/* Records are asked for in order, by several walks, each from the beginning. */
static bool find_chain(void *context, uint64_t nth, struct bytes *ips)
{
	struct baked *baked = context;
	const struct baked_chain *chain;

	while (baked->next &&
	       (baked->next == baked->chains.count || baked->chains.items[baked->next].nth > nth))
		baked->next--;
	while (baked->next < baked->chains.count && baked->chains.items[baked->next].nth < nth)
		baked->next++;
	if (baked->next == baked->chains.count || baked->chains.items[baked->next].nth != nth)
		return false;
	chain = &baked->chains.items[baked->next];
	*ips = (struct bytes){ baked->ips.data + chain->begin, chain->size };
	return true;
}

static enum perfdata_bake_stacks stacks_of(const struct bake_options *options)
{
	if (options->which == BAKE_JIT)
		return PERFDATA_STACKS_OF_OTHERS;
	return options->keep_stacks ? PERFDATA_STACKS_KEPT : PERFDATA_STACKS_DROPPED;
}

int baked__make(struct baked *baked, const struct plan *plan, const struct bake_options *options,
		bool (*progress)(void *context, uint64_t done, uint64_t total), void *context,
		struct diag *diag)
{
	struct unwind_options unwind = {
		.symfs = options->symfs,
		.max_stack = options->max_stack ? options->max_stack : BAKE_MAX_STACK,
		.extend = extend,
		.locate = plan->dsos.count || plan->kept ? locate : NULL,
		.context = (void *)(uintptr_t)plan,
	};
	struct baker baker = {
		.baked = baked,
		.plan = plan,
		.options = options,
		.order = perfdata__order(plan->perfdata),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	int err;

	*baked = (struct baked){ .ips = BUF(baker.order) };
	baked->bake = (struct perfdata_bake){ stacks_of(options), find_chain, baked };
	err = unwinder__new(&baker.unwinder, plan->perfdata, &unwind, diag);
	if (!err)
		err = start(&baker);
	if (!err)
		err = read_samples(&baker, progress, context);
	if (baker.nr_threads)
		err = finish(&baker, err);
	free_batches(&baker);
	unwinder__free(baker.unwinder);
	return err;
}

void baked__free(struct baked *baked)
{
	array__free(&baked->chains);
	buf__free(&baked->ips);
}
