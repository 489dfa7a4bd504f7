/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that print a jitdump share. */
#ifndef PERFJIT_CMD_DUMP_JITDUMP_H
#define PERFJIT_CMD_DUMP_JITDUMP_H

#include "dump.h"
#include "dump_functions.h"
#include "jitdump/examine.h"

struct dump_jitdump {
	struct dump *dump;
	const struct jitdump_examination *examination;
	const struct jitdump_header *header;
	struct dump_functions functions;
	size_t next_oddity; /* the first that is not printed yet */
};

/* "LOAD", "MOVE" ... */
const char *dump_jitdump__type(uint32_t id);
/* Prints a record's own members. */
void dump_jitdump__record(struct dump_jitdump *print, const struct jitdump_record *record);
/* Prints what closes the dump: counts, what is odd and what that means. */
void dump_jitdump__summary(struct dump_jitdump *print);

#endif
