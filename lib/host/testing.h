/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the tests of this module: a perf that is a shell script, and a place for what it is given. */
#ifndef PERFJIT_HOST_TESTING_H
#define PERFJIT_HOST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/diag.h"
#include "host/private.h"

#define UNUSED __attribute__((unused))

struct testing {
	struct probing probing;
	char *perf; /* its path */
	struct perf_probe probe;
};

static void testing__enter(struct testing *testing)
{
	assert_int_equal(scratch__make(&testing->probing.scratch, NULL, "perfjit-test"), 0);
	assert_int_equal(scratch__make(&testing->probing.jitted, "/tmp", "jitted"), 0);
	testing->probing.home = scratch__path(&testing->probing.scratch, "home");
	testing->perf = scratch__path(&testing->probing.scratch, "perf");
	assert_true(testing->probing.home && testing->perf);
	assert_int_equal(mkdir(testing->probing.home, 0700), 0);
	testing->probing.perf = testing->perf;
}

static void testing__leave(struct testing *testing)
{
	scratch__remove(&testing->probing.scratch);
	scratch__remove(&testing->probing.jitted);
	free(testing->probing.home);
	free(testing->perf);
}

static UNUSED int testing__setup(void **state)
{
	struct testing *testing = calloc(1, sizeof(*testing));

	assert_non_null(testing);
	testing->probing.diag = diag__new(NULL, NULL);
	assert_non_null(testing->probing.diag);
	testing__enter(testing);
	*state = testing;
	return 0;
}

static UNUSED int testing__teardown(void **state)
{
	struct testing *testing = *state;

	assert_int_equal(diag__count(testing->probing.diag, DIAG_ERROR), 0);
	diag__free(testing->probing.diag);
	testing__leave(testing);
	free(testing);
	return 0;
}

/* All files anew. */
static UNUSED void testing__renew(struct testing *testing)
{
	testing__leave(testing);
	testing__enter(testing);
}

/* What perf is from now on: these lines of a shell. */
static UNUSED void testing__perf_is(struct testing *testing, const char *lines)
{
	FILE *file = fopen(testing->probing.perf, "w");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", lines);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(testing->probing.perf, 0700), 0);
	testing->probe = (struct perf_probe){ 0 };
}

static UNUSED void testing__expect(const struct testing *testing, enum probe which,
				   enum probe_status status)
{
	const struct probe_result *result = &testing->probe.results[which];

	if (result->status != status)
		print_error("%s: %d, not %d: %s\n", probe__about(which)->slug, result->status,
			    status, result->evidence);
	assert_int_equal(result->status, status);
}

#endif
