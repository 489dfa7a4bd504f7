/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that print the summary of perfjit-fix share. */
#ifndef PERFJIT_CMD_FIX_PRINTER_H
#define PERFJIT_CMD_FIX_PRINTER_H

#include "fix_result.h"

struct printer {
	const struct fix_result *result;
	const struct plan *plan;
	FILE *stream;
};

/* The word at the beginning of a line, in a column of its own. */
void printer__label(const struct printer *printer, const char *text);
void printer__path(const struct printer *printer, const char *path);
/* Paths are told relative to where the user is, where that is shorter. */
const char *printer__from_here(const char *path);

/* fix_details.c */
/* Each DSO, function and inserted record with the reason for it. */
void printer__details(const struct printer *printer);

#endif
