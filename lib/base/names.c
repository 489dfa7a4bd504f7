// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
/* uthash's own choice falls through from case to case, of which clang warns */
#define HASH_FUNCTION HASH_FNV
#include <uthash.h>

struct name {
	uint32_t number;
	bool added;
	UT_hash_handle hh;
	char text[];
};

#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) ((element)->added = false)

uint32_t names__number(struct names *names, const char *text)
{
	size_t length = strlen(text);
	struct name *name;

	HASH_FIND(hh, names->table, text, length, name);
	if (name)
		return name->number;
	name = calloc(1, sizeof(*name) + length + 1);
	if (!name)
		return 0;
	memcpy(name->text, text, length + 1);
	if (names->by_number.count >= UINT32_MAX - 1 || !array__push(&names->by_number, name)) {
		free(name);
		return 0;
	}
	name->number = (uint32_t)names->by_number.count;
	name->added = true;
	HASH_ADD_KEYPTR(hh, names->table, name->text, length, name);
	if (name->added)
		return name->number;
	names->by_number.count--;
	free(name);
	return 0;
}

const char *names__text(const struct names *names, uint32_t number)
{
	return names->by_number.items[number - 1]->text;
}

void names__free(struct names *names)
{
	HASH_CLEAR(hh, names->table);
	array__for_each(name, &names->by_number)
		free(*name);
	array__free(&names->by_number);
}
