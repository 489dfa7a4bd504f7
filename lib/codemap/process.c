// SPDX-License-Identifier: GPL-2.0-or-later
#include "codemap/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An entry that could not be added has hh.tbl NULL. */
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION     HASH_FNV
#include <uthash.h>

#include "codemap/mappings.h"

struct name {
	UT_hash_handle hh;
	char text[];
};

/* All address spaces that had a pid, by start. */
struct pid_spaces {
	UT_hash_handle hh;
	uint32_t pid;
	ARRAY(struct process *) spaces;
};

struct processes {
	struct name *names;
	struct pid_spaces *pids;
	ARRAY(struct process *) all;
	bool sorted;
};

struct processes *processes__new(void)
{
	return calloc(1, sizeof(struct processes));
}

static void process__free(struct process *process)
{
	codemap__free(process->codemap);
	mapping_index__free(process->index);
	array__free(&process->mappings);
	array__free(&process->comms);
	free(process);
}

void processes__free(struct processes *processes)
{
	struct pid_spaces *pid, *next_pid;
	struct name *name, *next_name;

	if (!processes)
		return;
	array__for_each(process, &processes->all)
		process__free(*process);
	array__free(&processes->all);
	HASH_ITER(hh, processes->pids, pid, next_pid)
	{
		HASH_DEL(processes->pids, pid);
		array__free(&pid->spaces);
		free(pid);
	}
	HASH_ITER(hh, processes->names, name, next_name)
	{
		HASH_DEL(processes->names, name);
		free(name);
	}
	free(processes);
}

/* The one copy of a name, or NULL when out of memory. */
static const char *intern(struct processes *processes, const char *text)
{
	size_t size = strlen(text);
	struct name *name;

	HASH_FIND(hh, processes->names, text, size, name);
	if (name)
		return name->text;
	name = calloc(1, sizeof(*name) + size + 1);
	if (!name)
		return NULL;
	memcpy(name->text, text, size + 1);
	HASH_ADD_KEYPTR(hh, processes->names, name->text, size, name);
	if (!name->hh.tbl) {
		free(name);
		return NULL;
	}
	return name->text;
}

static struct pid_spaces *find_pid(const struct processes *processes, uint32_t number)
{
	struct pid_spaces *pid;

	HASH_FIND(hh, processes->pids, &number, sizeof(number), pid);
	return pid;
}

static struct pid_spaces *get_pid(struct processes *processes, uint32_t number)
{
	struct pid_spaces *pid = find_pid(processes, number);

	if (pid)
		return pid;
	pid = calloc(1, sizeof(*pid));
	if (!pid)
		return NULL;
	pid->pid = number;
	HASH_ADD(hh, processes->pids, pid, sizeof(number), pid);
	if (!pid->hh.tbl) {
		free(pid);
		return NULL;
	}
	return pid;
}

static struct process *latest(const struct pid_spaces *pid)
{
	return pid->spaces.count ? pid->spaces.items[pid->spaces.count - 1] : NULL;
}

/* A new address space of pid from time on, where the one before ends. */
static struct process *begin(struct processes *processes, struct pid_spaces *pid, uint64_t time)
{
	struct process *before = latest(pid);
	struct process *process;

	if (!array__reserve(&pid->spaces, pid->spaces.count + 1) ||
	    !array__reserve(&processes->all, processes->all.count + 1))
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->index = mapping_index__new();
	if (!process->index) {
		free(process);
		return NULL;
	}
	process->pid = pid->pid;
	process->start = before && before->start > time ? before->start : time;
	process->end = CODE_FOREVER;
	if (before && before->end > process->start)
		before->end = process->start;
	pid->spaces.items[pid->spaces.count++] = process;
	processes->all.items[processes->all.count++] = process;
	processes->sorted = false;
	return process;
}

/* The last address space that began at or before time, or NULL. */
static struct process *space_at(const struct pid_spaces *pid, uint64_t time)
{
	size_t low = 0, high = pid->spaces.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (pid->spaces.items[mid]->start <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? pid->spaces.items[low - 1] : NULL;
}

/* The address space that an event at time concerns; made if nothing is known of pid. */
static struct process *get_space(struct processes *processes, uint64_t time, uint32_t number)
{
	struct pid_spaces *pid = get_pid(processes, number);
	struct process *process;

	if (!pid)
		return NULL;
	if (!pid->spaces.count)
		return begin(processes, pid, 0);
	process = space_at(pid, time);
	return process ? process : pid->spaces.items[0];
}

static int set_comm(struct process *process, uint64_t time, const char *text)
{
	struct process_comm comm = { .time = time };
	size_t at;

	strncpy(comm.comm, text, sizeof(comm.comm) - 1);
	if (!array__push(&process->comms, comm))
		return -ENOMEM;
	for (at = process->comms.count - 1; at && process->comms.items[at - 1].time > time; at--)
		process->comms.items[at] = process->comms.items[at - 1];
	process->comms.items[at] = comm;
	comm = process->comms.items[process->comms.count - 1];
	memcpy(process->comm, comm.comm, sizeof(comm.comm));
	return 0;
}

int processes__fork(struct processes *processes, uint64_t time, uint32_t pid, uint32_t parent)
{
	struct process *from, *process;
	struct pid_spaces *spaces;

	if (pid == parent)
		return 0;
	from = get_space(processes, time, parent);
	spaces = get_pid(processes, pid);
	if (!from || !spaces)
		return -ENOMEM;
	process = latest(spaces);
	/* Events at time 0 come in any order. */
	if (!process || time || process->start || process->parent) {
		process = begin(processes, spaces, time);
		if (!process)
			return -ENOMEM;
	}
	process->parent = from;
	if (process->comms.count || !*process__comm(from, time))
		return 0;
	return set_comm(process, process->start, process__comm(from, time));
}

int processes__exec(struct processes *processes, uint64_t time, uint32_t pid, const char *comm)
{
	struct process *process = get_space(processes, time, pid);

	if (process)
		process = begin(processes, find_pid(processes, pid), time);
	if (!process)
		return -ENOMEM;
	process->execed = true;
	return set_comm(process, process->start, comm);
}

int processes__comm(struct processes *processes, uint64_t time, uint32_t pid, const char *comm)
{
	struct process *process = get_space(processes, time, pid);

	return process ? set_comm(process, time, comm) : -ENOMEM;
}

int processes__exit(struct processes *processes, uint64_t time, uint32_t pid)
{
	struct process *process = get_space(processes, time, pid);

	if (!process)
		return -ENOMEM;
	if (process->end > time)
		process->end = time > process->start ? time : process->start;
	return 0;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/*
 * The kernel names what is no file "//anon" and "[...]", or by the object behind it. Files in
 * /dev/shm count as memory: a runtime that maps its code twice, for writing and for running, may
 * make one with shm_open, and libraries are hardly ever kept there.
 */
static bool is_file(const char *name)
{
	static const char *const memory[] = {
		"//anon",    "/anon_hugepage", "/memfd:", "/SYSV",       "/dev/zero",
		"/dev/shm/", "/dev/ashmem",    "[",       "anon_inode:",
	};

	if (!*name)
		return false;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++) {
		if (begins(name, memory[i]))
			return false;
	}
	return true;
}

static bool is_kernel(const char *name)
{
	return begins(name, "[") && !begins(name, "[anon") && !begins(name, "[heap") &&
	       !begins(name, "[stack");
}

int processes__map(struct processes *processes, uint32_t pid, const struct mapping *mapping)
{
	struct process *process = get_space(processes, mapping->time, pid);
	struct mapping copy = *mapping;
	size_t at;

	copy.name = intern(processes, mapping->name);
	if (!process || !copy.name)
		return -ENOMEM;
	copy.file = is_file(copy.name);
	copy.kernel = is_kernel(copy.name);
	if (!array__push(&process->mappings, copy))
		return -ENOMEM;
	for (at = process->mappings.count - 1;
	     at && process->mappings.items[at - 1].time > copy.time; at--)
		process->mappings.items[at] = process->mappings.items[at - 1];
	process->mappings.items[at] = copy;
	mapping_index__forget(process->index, at);
	if (process->end <= copy.time && process == latest(find_pid(processes, pid)))
		process->end = CODE_FOREVER;
	return 0;
}

struct process *processes__find(const struct processes *processes, uint32_t pid, uint64_t time)
{
	const struct pid_spaces *spaces = find_pid(processes, pid);

	return spaces ? space_at(spaces, time) : NULL;
}

static size_t count_mappings(const struct process *process, uint64_t time)
{
	size_t low = 0, high = process->mappings.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (process->mappings.items[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct mapping *process__mapping(const struct process *process, uint64_t addr, uint64_t time)
{
	for (unsigned int depth = 0; depth <= PROCESS_MAX_FORKS; depth++) {
		const struct mapping *mapping = mapping_index__find(
			process->index, process->mappings.items, process->mappings.count,
			count_mappings(process, time), addr);

		if (mapping)
			return mapping;
		if (!process->parent || !process->start)
			return NULL;
		if (time > process->start)
			time = process->start;
		process = process->parent;
	}
	return NULL;
}

const char *process__comm(const struct process *process, uint64_t time)
{
	size_t low = 0, high = process->comms.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (process->comms.items[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? process->comms.items[low - 1].comm : "";
}

static int compare_processes(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

size_t processes__count(const struct processes *processes)
{
	return processes->all.count;
}

struct process *processes__at(struct processes *processes, size_t i)
{
	if (!processes->sorted) {
		qsort(processes->all.items, processes->all.count, sizeof(*processes->all.items),
		      compare_processes);
		processes->sorted = true;
	}
	return processes->all.items[i];
}
