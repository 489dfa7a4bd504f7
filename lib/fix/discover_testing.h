/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: dumps in folders, and a profile whose runtime mapped one. */
#ifndef PERFJIT_FIX_DISCOVER_TESTING_H
#define PERFJIT_FIX_DISCOVER_TESTING_H

#include "fix/testing.h"

/* A profile with one process whose runtime mapped a dump of that name. */
static UNUSED void profile_of(struct testing *testing, uint32_t pid, const char *dump)
{
	profile__comm(testing, 0, pid, "jit", false);
	profile__map(testing, 10, pid, 0x7f0000000000, 0x1000, 0, dump);
	profile__sample(testing, 40, pid, 0x10200);
}

static UNUSED void write_dump(struct testing *testing, uint32_t pid, const char *path)
{
	dump__begin(testing, pid);
	dump__load(testing, 30, 0x10200, 16, "a");
	dump__write(testing, path);
}

struct folder {
	char path[192];
};

static UNUSED struct folder make_folder(const struct testing *testing, const char *name)
{
	struct folder folder;

	snprintf(folder.path, sizeof(folder.path), "%s/%s", testing->folder, name);
	assert_int_equal(mkdir(folder.path, 0777), 0);
	return folder;
}

static UNUSED void expect_dump(const struct plan *plan, const char *path, uint32_t pid)
{
	assert_int_equal(plan->discovery->dumps.count, 1);
	assert_string_equal(jitdump__path(plan->discovery->dumps.items[0].dump), path);
	assert_int_equal(plan->discovery->dumps.items[0].pid, pid);
	assert_non_null(plan->discovery->dumps.items[0].process);
	assert_int_equal(plan->discovery->nr_missing, 0);
}

static UNUSED void expect_nothing(const struct plan *plan, size_t missing)
{
	assert_int_equal(plan->discovery->dumps.count, 0);
	assert_int_equal(plan->discovery->nr_missing, missing);
}

#endif
