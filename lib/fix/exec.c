// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/exec.h"

#include <errno.h>
#include <stdlib.h>

#include "fix/kept.h"
#include "fix/plan.h"
#include "fix/scan.h"

/* The lowest place that an image had in a process until time. */
struct exec_place {
	uint32_t image;
	uint64_t time, base;
};

/* By image, then time; all that a process has mapped itself. */
struct exec_places {
	ARRAY(struct exec_place) list;
};

struct execs_planner {
	struct plan *plan;
	struct exec_places *places; /* by number of the process */
	bool *dropped;              /* likewise: a FORK precedes its exec */
};

static int note_fork(struct execs *execs, const struct perfdata *perfdata,
		     const struct perfdata_record *record)
{
	struct perfdata_task task;
	struct exec_fork fork;

	if (!perfdata__parse_task(perfdata, record, &task) || task.pid != task.tid ||
	    task.pid == task.ppid)
		return 0;
	fork = (struct exec_fork){ task.pid, task.ppid, task.ptid, task.time };
	return array__push(&execs->forks, fork) ? 0 : -ENOMEM;
}

static int note_exec(struct execs *execs, const struct perfdata *perfdata,
		     const struct perfdata_record *record)
{
	struct perfdata_comm comm;
	struct exec exec;

	if (!perfdata__parse_comm(perfdata, record, &comm) || comm.pid != comm.tid || !comm.exec)
		return 0;
	exec = (struct exec){ comm.pid, comm.sample_id.time, comm.sample_id };
	return array__push(&execs->list, exec) ? 0 : -ENOMEM;
}

int execs__note(struct execs *execs, const struct perfdata *perfdata,
		const struct perfdata_record *record)
{
	switch (record->type) {
	case PERFDATA_FORK:
		return note_fork(execs, perfdata, record);
	case PERFDATA_COMM:
		return note_exec(execs, perfdata, record);
	default:
		return 0;
	}
}

static int compare(uint32_t pid, uint64_t time, uint32_t other_pid, uint64_t other_time)
{
	if (pid != other_pid)
		return pid < other_pid ? -1 : 1;
	return time < other_time ? -1 : time > other_time;
}

static int compare_execs(const void *a, const void *b)
{
	const struct exec *x = a, *y = b;

	return compare(x->pid, x->time, y->pid, y->time);
}

static int compare_forks(const void *a, const void *b)
{
	const struct exec_fork *x = a, *y = b;

	return compare(x->pid, x->time, y->pid, y->time);
}

void execs__settle(struct execs *execs)
{
	if (execs->list.count)
		qsort(execs->list.items, execs->list.count, sizeof(*execs->list.items),
		      compare_execs);
	if (execs->forks.count)
		qsort(execs->forks.items, execs->forks.count, sizeof(*execs->forks.items),
		      compare_forks);
}

void execs__free(struct execs *execs)
{
	array__free(&execs->list);
	array__free(&execs->forks);
}

/* The exec that process began by, or NULL. */
static const struct exec *find_exec(const struct execs *execs, const struct process *process)
{
	const struct exec key = { .pid = process->pid, .time = process->start };

	return process->execed && execs->list.count
		       ? bsearch(&key, execs->list.items, execs->list.count, sizeof(key),
				 compare_execs)
		       : NULL;
}

/* The last fork that made the pid, before or at the exec, or NULL. */
static const struct exec_fork *fork_of(const struct execs *execs, const struct exec *exec)
{
	size_t count = array__count_leading(
		fork, &execs->forks, compare(fork->pid, fork->time, exec->pid, exec->time) <= 0);
	const struct exec_fork *fork = count ? &execs->forks.items[count - 1] : NULL;

	return fork && fork->pid == exec->pid ? fork : NULL;
}

/* Where its file would begin. */
static uint64_t base_of(const struct mapping *mapping)
{
	return mapping->start - mapping->pgoff;
}

static bool has_unwind_data(const struct mapping *mapping)
{
	return mapping->file || mapping->kernel;
}

static int compare_places(const void *a, const void *b)
{
	const struct exec_place *x = a, *y = b;

	return compare(x->image, x->time, y->image, y->time);
}

static int note_places(struct exec_places *places, const struct process *process)
{
	struct exec_place *last = NULL;

	array__for_each(mapping, &process->mappings) {
		struct exec_place place = { mapping->image, mapping->time, base_of(mapping) };

		if (has_unwind_data(mapping) && !array__push(&places->list, place))
			return -ENOMEM;
	}
	if (!places->list.count)
		return 0;
	qsort(places->list.items, places->list.count, sizeof(*places->list.items), compare_places);
	array__for_each(place, &places->list) {
		if (last && last->image == place->image && last->base < place->base)
			place->base = last->base;
		last = place;
	}
	return 0;
}

/* Whether a file was mapped further down in one process until time. */
static bool was_lower_in(const struct exec_places *places, const struct mapping *mapping,
			 uint64_t time)
{
	size_t count =
		array__count_leading(place, &places->list,
				     compare(place->image, place->time, mapping->image, time) <= 0);
	const struct exec_place *place = count ? &places->list.items[count - 1] : NULL;

	return place && place->image == mapping->image && place->base < base_of(mapping);
}

/* What the pid was before its exec. */
static const struct process *before_exec(const struct execs_planner *planner,
					 const struct process *process)
{
	return process->start ? processes__find(planner->plan->scan->processes, process->pid,
						process->start - 1)
			      : NULL;
}

/* Whether it was further down in what readers take to be mapped still since before the exec. */
static bool was_lower(const struct execs_planner *planner, const struct process *process,
		      const struct mapping *mapping)
{
	uint64_t time = process->start;

	process = before_exec(planner, process);
	for (unsigned int depth = 0; process && depth <= PROCESS_MAX_FORKS; depth++) {
		if (was_lower_in(&planner->places[process->number], mapping, time))
			return true;
		if (planner->dropped[process->number] || !process->start)
			return false;
		time = process->start;
		process = process->execed ? before_exec(planner, process) : process->parent;
	}
	return false;
}

static bool misleads(const struct execs_planner *planner, const struct process *process)
{
	array__for_each(mapping, &process->mappings)
		if (has_unwind_data(mapping) && was_lower(planner, process, mapping))
			return true;
	return false;
}

static int plan_fork(struct execs_planner *planner, const struct process *process)
{
	struct plan *plan = planner->plan;
	struct plan_insert insert = {
		.kind = PLAN_FORK,
		.process = process,
		.time = process->start,
		.sequence = plan->inserts.count,
		.exec = find_exec(&plan->scan->execs, process),
		.reason = "exec: readers must forget what was mapped before",
	};

	if (!insert.exec || !misleads(planner, process))
		return 0;
	planner->dropped[process->number] = true;
	return array__push(&plan->inserts, insert) ? 0 : -ENOMEM;
}

/* At a FORK perf also forgets the namespaces of the process, which no record tells of again. */
static bool can_forget(const struct plan *plan, const struct plan_options *options)
{
	const struct scan *scan = plan->scan;

	return scan->execs.list.count &&
	       (plan->dsos.count || (plan->kept && plan->kept->records.count)) &&
	       scan->unwinds_stack && scan->timed && !scan->namespaces &&
	       !(options->without & FIX_EXEC_FORK);
}

static int plan_all(struct execs_planner *planner, size_t count)
{
	struct process *const *processes = planner->plan->scan->by_start;
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = note_places(&planner->places[processes[i]->number], processes[i]);
	for (size_t i = 0; !err && i < count; i++)
		err = plan_fork(planner, processes[i]);
	return err;
}

int execs__plan(struct plan *plan, const struct plan_options *options)
{
	size_t count = processes__count(plan->scan->processes);
	struct execs_planner planner = { .plan = plan };
	int err = -ENOMEM;

	if (!can_forget(plan, options))
		return 0;
	planner.places = calloc(count + 1, sizeof(*planner.places));
	planner.dropped = calloc(count + 1, sizeof(*planner.dropped));
	if (planner.places && planner.dropped)
		err = plan_all(&planner, count);
	for (size_t i = 0; planner.places && i < count; i++)
		array__free(&planner.places[i].list);
	free(planner.places);
	free(planner.dropped);
	return err;
}

void execs__put_fork(const struct plan *plan, const struct exec *exec, struct buf *buf)
{
	const struct exec_fork *fork = fork_of(&plan->scan->execs, exec);
	struct perfdata_task task = {
		.pid = exec->pid,
		.tid = exec->pid,
		.ppid = fork ? fork->ppid : 0,
		.ptid = fork ? fork->ptid : 0,
		.time = exec->time,
		.exec = true,
		.sample_id = exec->sample_id,
	};

	perfdata__put_fork(plan->perfdata, buf, &task);
}
