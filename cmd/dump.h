/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of perfjit-dump share. */
#ifndef PERFJIT_CMD_DUMP_H
#define PERFJIT_CMD_DUMP_H

#include "dump_options.h"
#include "exit.h"
#include "record_printer.h"

struct disassembler;

/* One run: a file, what is wanted of it, and where it is printed to. */
struct dump {
	const struct dump_options *options;
	const char *path; /* to open */
	const char *name; /* to print: "-" is standard input */
	struct diag *diag;
	struct record_printer printer;
	struct disassembler *disassembler; /* NULL until code is printed */
	bool selected;         /* something was there of what options select */
	bool disagrees;        /* --cfi found a table that does not fit its code */
	const char *functions; /* the --type they are of in this kind of file; NULL: it has none */
};

/* Print the file; a negative errno that is already reported, but for -ENOMEM. */
int dump__jitdump(struct dump *dump);
int dump__perfdata(struct dump *dump);
int dump__elf(struct dump *dump);
int dump__perfmap(struct dump *dump);

#endif
