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

/* A name and the build-id that stands behind it: what mappings are of. */
struct image {
	UT_hash_handle hh;
	uint32_t number;
	uint8_t build_id_size;
	char text[];
};

/* All address spaces that had a pid, by start. */
struct pid_spaces {
	UT_hash_handle hh;
	uint32_t pid;
	ARRAY(struct process *) spaces;
};

struct processes {
	struct image *images;
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
	struct image *image, *next_image;

	if (!processes)
		return;
	array__for_each(process, &processes->all)
		process__free(*process);
	array__free(&processes->all);
	HASH_ITER(hh, processes->pids, pid, next_pid)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(processes->pids, pid);
		array__free(&pid->spaces);
		free(pid);
	}
	HASH_ITER(hh, processes->images, image, next_image)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(processes->images, image);
		free(image);
	}
	free(processes);
}

/* Enters the image that a key, a name, its NUL and a build-id, is not found for. */
static struct image *add_image(struct processes *processes, struct bytes key,
			       uint8_t build_id_size)
{
	struct image *image = calloc(1, sizeof(*image) + key.size);

	if (!image)
		return NULL;
	memcpy(image->text, key.data, key.size);
	image->build_id_size = build_id_size;
	image->number = HASH_COUNT(processes->images);
	HASH_ADD_KEYPTR(hh, processes->images, image->text, key.size, image);
	if (!image->hh.tbl) {
		free(image);
		return NULL;
	}
	return image;
}

/* Makes name and build-id of a mapping the one copy that there is of them; -ENOMEM. */
static int intern(struct processes *processes, struct mapping *mapping)
{
	size_t length = strlen(mapping->name) + 1;
	size_t build_id_size = mapping->build_id.size <= UINT8_MAX ? mapping->build_id.size : 0;
	size_t size = length + build_id_size;
	uint8_t *key = malloc(size);
	struct image *image;

	if (!key)
		return -ENOMEM;
	memcpy(key, mapping->name, length);
	if (build_id_size)
		memcpy(key + length, mapping->build_id.data, build_id_size);
	HASH_FIND(hh, processes->images, key, size, image);
	if (!image)
		image = add_image(processes, (struct bytes){ key, size }, (uint8_t)build_id_size);
	free(key);
	if (!image)
		return -ENOMEM;
	mapping->name = image->text;
	mapping->build_id = (struct bytes){ (const uint8_t *)image->text + length, build_id_size };
	mapping->image = image->number;
	return 0;
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
	size_t count = array__count_leading(space, &pid->spaces, (*space)->start <= time);

	return count ? pid->spaces.items[count - 1] : NULL;
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

	if (!process || intern(processes, &copy))
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

size_t process__nr_mappings(const struct process *process, uint64_t time)
{
	return array__count_leading(mapping, &process->mappings, mapping->time <= time);
}

const struct mapping *process__mapping(const struct process *process, uint64_t addr, uint64_t time)
{
	for (unsigned int depth = 0; depth <= PROCESS_MAX_FORKS; depth++) {
		const struct mapping *mapping = mapping_index__find(
			process->index, process->mappings.items, process->mappings.count,
			process__nr_mappings(process, time), addr);

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

void process__settle(const struct process *process)
{
	mapping_index__settle(process->index, process->mappings.items, process->mappings.count);
}

const char *process__comm(const struct process *process, uint64_t time)
{
	size_t count = array__count_leading(comm, &process->comms, comm->time <= time);

	return count ? process->comms.items[count - 1].comm : "";
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

uint32_t processes__nr_images(const struct processes *processes)
{
	return HASH_COUNT(processes->images);
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
