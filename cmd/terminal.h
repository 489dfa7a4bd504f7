/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours and quoting for what people read. */
#ifndef PERFJIT_CMD_TERMINAL_H
#define PERFJIT_CMD_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum color_when {
	COLOR_AUTO, /* on a terminal, unless NO_COLOR is set (no-color.org) or TERM is dumb */
	COLOR_ALWAYS,
	COLOR_NEVER,
};

bool color__wanted(enum color_when when, FILE *stream);

/* Prints a path as one word of a shell command. */
void terminal__print_quoted(FILE *stream, const char *path);

/* "1023 bytes", "1.0 kB", "12.3 MB": decimal units. Returns out. */
char *terminal__bytes(char out[32], uint64_t bytes);

/* What turns a noun into its plural, unless count is 1: "1 dump", "2 dumps". */
const char *terminal__plural(uint64_t count);

#endif
