// SPDX-License-Identifier: GPL-2.0-or-later
/* What all threads share is made here, before there are any. */
#include "unwind/unwinder.h"

#include <errno.h>

#include "session/session.h"

#define BODY 8

/* u64 cookie, u64 count, that many addresses, the trailer */
static int note_deferred(struct unwinder *unwinder, const struct perfdata_record *record)
{
	struct bytes body = { record->data + BODY, record->size - BODY };
	struct cursor cur = cursor__at(body, unwinder->order);
	struct deferred_chain chain = { .begin = unwinder->deferred_ips.count,
					.nth = unwinder->deferred.count };
	struct perfdata_sample_id sample_id;
	uint64_t count;

	chain.cookie = cursor__u64(&cur);
	count = cursor__u64(&cur);
	if (count > cursor__left(&cur) / 8 ||
	    !perfdata__parse_sample_id(unwinder->perfdata, record, &sample_id))
		return 0;
	chain.tid = sample_id.tid;
	chain.count = (uint32_t)count;
	for (uint64_t i = 0; i < count; i++)
		if (!array__push(&unwinder->deferred_ips, cursor__u64(&cur)))
			return -ENOMEM;
	return array__push(&unwinder->deferred, chain) ? 0 : -ENOMEM;
}

static int visit(void *context, const struct perfdata_record *record,
		 const struct perfdata_mmap *mmap)
{
	struct unwinder *unwinder = context;

	if (mmap)
		kernel_symbols__note(&unwinder->kernel, mmap);
	return record->type == PERFDATA_CALLCHAIN_DEFERRED ? note_deferred(unwinder, record) : 0;
}

static int compare_keys(const struct deferred_chain *x, const struct deferred_chain *y)
{
	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int compare_chains(const void *a, const void *b)
{
	const struct deferred_chain *x = a, *y = b;
	int order = compare_keys(x, y);

	return order ? order : x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int compare_key(const void *key, const void *item)
{
	return compare_keys(key, item);
}

const struct deferred_chain *unwinder__deferred(const struct unwinder *unwinder, uint32_t tid,
						uint64_t cookie)
{
	struct deferred_chain key = { .cookie = cookie, .tid = tid };

	if (!unwinder->deferred.count)
		return NULL;
	return bsearch(&key, unwinder->deferred.items, unwinder->deferred.count, sizeof(key),
		       compare_key);
}

static void describe(struct unwinder *unwinder, const struct mapping *mapping)
{
	struct unwind_module *module = &unwinder->modules[mapping->image];

	if (module->name)
		return;
	module->name = mapping->name;
	module->jit = session__is_jit_dso(mapping->name);
	module->build_id_size = mapping->build_id.size;
	if (module->build_id_size > sizeof(module->build_id))
		module->build_id_size = 0;
	if (module->build_id_size)
		memcpy(module->build_id, mapping->build_id.data, module->build_id_size);
	else
		module->build_id_size =
			perfdata__build_id(unwinder->perfdata, mapping->name, module->build_id);
}

/* One for each image; look-ups in processes change nothing from here on. */
static int make_modules(struct unwinder *unwinder)
{
	struct processes *processes = unwinder->processes;
	uint32_t count = processes__nr_images(processes);

	unwinder->modules = calloc((size_t)count + 1, sizeof(*unwinder->modules));
	if (!unwinder->modules)
		return -ENOMEM;
	unwinder->nr_modules = count;
	for (uint32_t i = 0; i < count; i++)
		pthread_mutex_init(&unwinder->modules[i].lock, NULL);
	for (size_t i = 0; i < processes__count(processes); i++) {
		struct process *process = processes__at(processes, i);

		process->number = i;
		process__settle(process);
		array__for_each(mapping, &process->mappings)
			describe(unwinder, mapping);
	}
	return 0;
}

static bool is_module(const struct mapping *mapping)
{
	return mapping->file || strcmp(mapping->name, "[vdso]") == 0;
}

struct unwind_module *unwinder__module(struct unwinder *unwinder, const struct mapping *mapping,
				       int *err)
{
	struct unwind_module *module = &unwinder->modules[mapping->image];

	if (!is_module(mapping))
		return NULL;
	*err = unwind_module__open(module, unwinder);
	return *err ? NULL : module;
}

static int read_profile(struct unwinder *unwinder)
{
	const struct unwind_options *options = &unwinder->options;
	int err;

	unwinder->processes = processes__new();
	if (!unwinder->processes)
		return -ENOMEM;
	err = session__read(unwinder->processes, unwinder->perfdata, visit, unwinder);
	if (!err && options->extend)
		err = options->extend(options->context, unwinder->processes);
	return err;
}

int unwinder__new(struct unwinder **unwinder, struct perfdata *perfdata,
		  const struct unwind_options *options, struct diag *diag)
{
	struct unwinder *new = calloc(1, sizeof(*new));
	int err;

	*unwinder = NULL;
	if (!new)
		return -ENOMEM;
	new->perfdata = perfdata;
	new->diag = diag;
	pthread_mutex_init(&new->kernel.lock, NULL);
	new->options = *options;
	new->order = perfdata__order(perfdata);
	new->arch = unwind_arch__of(perfdata__machine(perfdata));
	err = read_profile(new);
	if (!err)
		err = make_modules(new);
	if (err) {
		unwinder__free(new);
		return err;
	}
	if (new->deferred.count)
		qsort(new->deferred.items, new->deferred.count, sizeof(*new->deferred.items),
		      compare_chains);
	*unwinder = new;
	return 0;
}

void unwinder__free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	for (uint32_t i = 0; i < unwinder->nr_modules; i++)
		unwind_module__close(&unwinder->modules[i]);
	free(unwinder->modules);
	processes__free(unwinder->processes);
	array__free(&unwinder->deferred);
	array__free(&unwinder->deferred_ips);
	kernel_symbols__free(&unwinder->kernel);
	free(unwinder);
}

const struct processes *unwinder__processes(const struct unwinder *unwinder)
{
	return unwinder->processes;
}
