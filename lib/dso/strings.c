// SPDX-License-Identifier: GPL-2.0-or-later
#include "dso/strings.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM      1
#define uthash_nonfatal_oom(e) ((e)->string = NULL)
/* uthash's own choice falls through from case to case, of which clang warns */
#define HASH_FUNCTION(key, size, hash) HASH_FNV(key, size, hash)
#include <uthash.h>

struct string_number {
	const char *string; /* NULL: not in the table, for want of memory */
	uint32_t number;
	UT_hash_handle hh;
};

const uint32_t *strings__number(struct strings *strings, const char *string, uint32_t fresh)
{
	struct string_number *entry;

	HASH_FIND_STR(strings->table, string, entry);
	if (entry)
		return &entry->number;
	entry = malloc(sizeof(*entry));
	if (!entry)
		return NULL;
	*entry = (struct string_number){ .string = string, .number = fresh };
	HASH_ADD_KEYPTR(hh, strings->table, string, strlen(string), entry);
	if (!entry->string) {
		free(entry);
		return NULL;
	}
	return &entry->number;
}

void strings__free(struct strings *strings)
{
	struct string_number *entry, *next;

	HASH_ITER(hh, strings->table, entry, next)
	{
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the last takes the table along */
		HASH_DEL(strings->table, entry);
		free(entry);
	}
}
