/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a jitdump, by address: which of them are wanted, which a record belongs to. */
#ifndef PERFJIT_CMD_DUMP_FUNCTIONS_H
#define PERFJIT_CMD_DUMP_FUNCTIONS_H

#include "dump_options.h"
#include "jitdump/jitdump.h"

struct dump_functions {
	ARRAY(const struct code_record *) by_place; /* address, then place in the dump */
	ARRAY(uint64_t) unwinds;                    /* places of unwind data of those wanted */
	const struct dump_selection *select;
};

/* Takes the dump's functions, which live as long as it. 0 or a negative errno. */
int dump_functions__read(struct dump_functions *functions, struct jitdump *dump,
			 const struct dump_selection *select);
void dump_functions__free(struct dump_functions *functions);

/* The function that a debug table for addr at an offset of the dump belongs to, or NULL. */
const struct code_record *dump_functions__after(const struct dump_functions *functions,
						uint64_t addr, uint64_t offset);
/* The function that the LOAD at this offset made, or NULL when it could not be used. */
const struct code_record *dump_functions__at(const struct dump_functions *functions, uint64_t addr,
					     uint64_t offset);
/* Whether a function is selected, or a function that the record is about. */
bool dump_functions__wanted(const struct dump_functions *functions, const struct code_record *code);
bool dump_functions__record_wanted(const struct dump_functions *functions,
				   const struct jitdump_record *record);

#endif
