/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns for call chains: "main;py::run:*;...;leaf".
 *
 * Parts stand from callers to callees, one for each frame, and are globs as of fnmatch(3) in which
 * '*' and '?' match any character. Neighbours in the pattern are neighbours in the chain; the part
 * "..." stands for any number of frames, none among them. A pattern matches anywhere in a chain.
 * "\;" is a semicolon of a name. A frame without a name is called "[unknown]".
 */
#ifndef PERFJIT_CHECK_CHAIN_PATTERN_H
#define PERFJIT_CHECK_CHAIN_PATTERN_H

#include "base/array.h"

#define CHAIN_UNKNOWN "[unknown]"

struct chain_pattern {
	ARRAY(char *) parts; /* NULL: "..." */
};

/* 0, -ENOMEM or -EINVAL: a part is empty, or none names a frame. */
int chain_pattern__parse(struct chain_pattern *pattern, const char *text);
void chain_pattern__free(struct chain_pattern *pattern);

/* names: from the outermost caller to the frame that ran. */
bool chain_pattern__matches(const struct chain_pattern *pattern, const char *const *names,
			    size_t count);

/* Whether one name matches one glob. */
bool chain_pattern__matches_name(const char *glob, const char *name);

#endif
