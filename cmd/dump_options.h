/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of perfjit-dump, and what it selects. */
#ifndef PERFJIT_CMD_DUMP_OPTIONS_H
#define PERFJIT_CMD_DUMP_OPTIONS_H

#include "base/array.h"
#include "terminal.h"

/* What is to be printed; what nothing is said of is all wanted. */
struct dump_selection {
	ARRAY(const char *) functions; /* patterns */
	ARRAY(const char *) types;
	ARRAY(uint32_t) pids;
	bool by_address;
	uint64_t first, last; /* addresses, both included */
	bool by_time;
	uint64_t from, to; /* ns, both included */
};

struct dump_options {
	const char *input;
	struct dump_selection select;
	bool json;
	bool hex;     /* the bytes of records */
	bool stats;   /* no records, only counts */
	bool summary; /* no records, only what is odd */
	bool header;  /* no records, only what describes the file */
	bool cfi, code, lines;
	enum color_when color;
};

/* Ends the process when the command line is wrong, or asks for --help or --version. */
void dump_options__parse(struct dump_options *options, int argc, char **argv);
void dump_options__free(struct dump_options *options);

/* Whether functions are selected one by one. */
bool dump_selection__of_code(const struct dump_selection *select);
/* Whether functions are selected by their names, and by nothing else. */
bool dump_selection__is_of_names(const struct dump_selection *select);
/* Whether anything is left out. */
bool dump_selection__is_partial(const struct dump_selection *select);
/* What a record says of itself is wanted. */
bool dump_selection__type(const struct dump_selection *select, const char *type);
bool dump_selection__pid(const struct dump_selection *select, uint32_t pid);
bool dump_selection__time(const struct dump_selection *select, uint64_t ns);
bool dump_selection__name(const struct dump_selection *select, const char *name);
/* Whether any of [start, start + size) is. */
bool dump_selection__range(const struct dump_selection *select, uint64_t start, uint64_t size);

#endif
