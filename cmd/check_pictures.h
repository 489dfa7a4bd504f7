/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --flamegraph of perfjit-check: what its page shows, and writing it. */
#ifndef PERFJIT_CMD_CHECK_PICTURES_H
#define PERFJIT_CMD_CHECK_PICTURES_H

#include "check/flame.h"
#include "check/jit_memory.h"
#include "check_result.h"

struct page_writer;

/* Zero-initialise. */
struct check_pictures {
	struct names names;
	struct flame_frames frames;
	struct flame now, before;
	bool has_before; /* the profile was fixed */
	struct check check_before;
	struct jit_memory memory;
};

void check_pictures__begin(struct check_pictures *pictures);
/* A sample of the profile. 0 or -ENOMEM. */
int check_pictures__add(struct check_pictures *pictures, const struct check_seen *seen);
/* Counts the profile as it was before perfjit-fix. 0 or a negative errno, reported. */
int check_pictures__add_before(struct check_pictures *pictures, struct perfdata *original,
			       const struct check_options *options, struct diag *diag);
/* Writes the page. 0 or a negative errno, reported but for -ENOMEM. */
int check_pictures__write(struct check_pictures *pictures, const struct check_result *result,
			  struct diag *diag);
void check_pictures__free(struct check_pictures *pictures);

/* The member "memory" of the page's data; check_memory.c. */
void check_pictures__put_memory(struct check_pictures *pictures, struct page_writer *writer);

/* The page as it stands in cmd/flamegraph; check_page.c. */
struct bytes check_page__source(void);

#endif
