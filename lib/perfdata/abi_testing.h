/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: profiles cut down to what older perfs read, and given back. */
#ifndef PERFJIT_PERFDATA_ABI_TESTING_H
#define PERFJIT_PERFDATA_ABI_TESTING_H

#include "perfdata/abi_level.h"
#include "perfdata/edit_testing.h"

#define ABI_FOLDER "testdata/abi/"

/* The recording as perf of the level gets it. */
static inline struct perfdata *lower(struct fixture *fixture, const char *path, const char *level)
{
	struct perfdata *input = open_profile(fixture, path);
	struct perfdata_edits *edits = perfdata_edits__new(input);
	const struct perfdata_abi *abi = perfdata_abi__by_name(level);

	assert_non_null(edits);
	assert_non_null(abi);
	assert_int_equal(perfdata_edits__set_abi(edits, abi, fixture->diag), 0);
	write_to(fixture, input, edits, fixture->edited);
	perfdata_edits__free(edits);
	perfdata__close(input);
	return open_profile(fixture, fixture->edited);
}

static inline void assert_restored(struct fixture *fixture, struct perfdata *output,
				   const char *path)
{
	restore_to(fixture, output, fixture->restored);
	assert_same_file(fixture, fixture->restored, path);
}

#endif
