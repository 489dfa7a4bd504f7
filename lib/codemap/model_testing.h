/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: random stories for the models, which abort where the real one differs. */
#ifndef PERFJIT_CODEMAP_MODEL_TESTING_H
#define PERFJIT_CODEMAP_MODEL_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/bytes.h"

struct model_run {
	size_t size; /* bytes of a story */
	size_t count;
};

static inline void check_model(void (*check)(struct bytes story), const struct model_run *runs,
			       size_t nr_runs)
{
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15);

	for (size_t r = 0; r < nr_runs; r++) {
		uint8_t *bytes = malloc(runs[r].size);

		assert_non_null(bytes);
		for (size_t n = 0; n < runs[r].count; n++) {
			for (size_t i = 0; i < runs[r].size; i++) {
				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				bytes[i] = (uint8_t)(random >> 32);
			}
			check((struct bytes){ bytes, runs[r].size });
		}
		free(bytes);
	}
}

#endif
