/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call chains of a profile put together to a tree, as flame graphs show it: callers above, the
 * command that ran at the top.
 */
#ifndef PERFJIT_CHECK_FLAME_H
#define PERFJIT_CHECK_FLAME_H

#include <stdint.h>

#include "base/array.h"
#include "check/check.h"
#include "base/names.h"

enum flame_kind {
	FLAME_COMMAND,
	FLAME_KERNEL,
	FLAME_NATIVE, /* code of a file */
	FLAME_JIT,
};

#define FLAME_RESOLVED (-1)

/* All that tells frames apart: those that are equal are one where they have the same callers. */
struct flame_frame {
	uint32_t name;  /* number in names; 0: it has none */
	uint32_t place; /* of a frame that is not resolved: what is mapped there; 0: nothing */
	uint32_t kind;  /* enum flame_kind */
	int32_t reason; /* enum check_reason, or FLAME_RESOLVED */
	const struct runtime *runtime; /* FLAME_JIT: whose code it is; NULL: not known */
};

struct flame_known;

/* Each different frame once; for several flames. Zero-initialise, but for names. */
struct flame_frames {
	struct names *names;
	ARRAY(struct flame_frame) items;
	struct flame_known *known; /* private */
};

struct flame_stack {
	size_t first;           /* position in path */
	size_t depth;           /* frames, at least one */
	const uint32_t *frames; /* private */
};

/* Takes four bytes a frame and a few words a sample. Zero-initialise, but for frames. */
struct flame {
	struct flame_frames *frames;
	ARRAY(uint32_t) path;             /* of all stacks: numbers of frames, callers first */
	ARRAY(struct flame_stack) stacks; /* one a sample */
};

struct flame_node {
	size_t depth;   /* 0: it has no caller */
	uint32_t frame; /* position in frames->items */
	uint64_t self;  /* samples that end with it */
};

/* 0 or -ENOMEM. */
int flame__add(struct flame *flame, const struct check_seen *seen);
/*
 * Calls visit for each node, callers before callees: a node's callees follow it, one deeper. 0, or
 * what visit returned that is not 0.
 */
int flame__walk(struct flame *flame, int (*visit)(void *context, const struct flame_node *node),
		void *context);
void flame__free(struct flame *flame);
void flame_frames__free(struct flame_frames *frames);

#endif
