// SPDX-License-Identifier: GPL-2.0-or-later
#include "fix/home.h"

static uint64_t base_of(const struct mapping *mapping)
{
	return mapping->start - mapping->pgoff;
}

/* Whether both map some of the same part of one file. */
static bool maps_same_part(const struct mapping *a, const struct mapping *b)
{
	return mapping__same_file(a, b) && a->pgoff < b->pgoff + b->size &&
	       b->pgoff < a->pgoff + a->size;
}

/*
 * How many mappings of the file have this one's base: where the loader put the file, all its parts
 * do; what the program mapped again stands alone.
 */
static size_t count_kin(const struct process *process, const struct mapping *mapping)
{
	size_t kin = 0;

	for (; process; process = process->execed ? NULL : process->parent)
		array__for_each(other, &process->mappings)
			kin += other->start != mapping->start &&
			       base_of(other) == base_of(mapping) &&
			       mapping__same_file(other, mapping);
	return kin;
}

/* Whether a is more likely than b where the file was loaded: more kin, else the earlier one. */
static bool is_rather_home(const struct process *process, const struct mapping *a,
			   const struct mapping *b)
{
	size_t of_a = count_kin(process, a), of_b = count_kin(process, b);

	if (of_a != of_b)
		return of_a > of_b;
	return a->time != b->time ? a->time < b->time : a->offset < b->offset;
}

static enum home find_home(const struct process *process, const struct mapping *mapping)
{
	const struct process *up = process;

	for (; up; up = up->execed ? NULL : up->parent)
		array__for_each(other, &up->mappings)
			if (other->exec && other->start != mapping->start &&
			    maps_same_part(other, mapping) &&
			    is_rather_home(process, other, mapping))
				return HOME_ALIAS;
	return HOME_FILE;
}

enum home home__of(struct home_memory *memory, const struct process *process,
		   const struct code *code)
{
	const struct mapping *mapping = process__mapping(process, code->addr, code->load);

	if (!mapping || !mapping->file)
		return HOME_MEMORY;
	if (memory->mapping != mapping) {
		memory->mapping = mapping;
		memory->home = find_home(process, mapping);
	}
	return memory->home;
}
