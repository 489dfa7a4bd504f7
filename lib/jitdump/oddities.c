// SPDX-License-Identifier: GPL-2.0-or-later
/* What each oddity of a dump means. Kinds are those that this module reports. */
#include <string.h>

#include "jitdump/examine.h"

#define HARMLESS   ODDITY_HARMLESS
#define PERF_WRONG ODDITY_PERF_WRONG
#define LOSS       ODDITY_LOSS
#define PRODUCER   ORIGIN_PRODUCER
#define RECORDING  ORIGIN_RECORDING
#define COPY       ORIGIN_COPY
#define NOBODY     ORIGIN_NOBODY

static const struct oddity_kind kinds[] = {
	/* the file */
	{ "jitdump.empty", LOSS, RECORDING,
	  "The runtime opened its dump and never wrote to it: it was killed before its first flush, "
	  "or is a forked child that loaded no code." },
	{ "jitdump.gzip-damaged", LOSS, COPY,
	  "The gzip file is damaged: what stands behind the damage is lost. Copy it anew." },
	{ "jitdump.zstd-damaged", LOSS, COPY,
	  "The zstd file is damaged: what stands behind the damage is lost. Copy it anew." },
	{ "jitdump.truncated-header", LOSS, RECORDING,
	  "Nothing but a part of the header was written: the process ended before more was "
	  "flushed, or the copy is cut off." },
	/* the header */
	{ "jitdump.swapped-magic", PERF_WRONG, PRODUCER,
	  "JavaScriptCore writes the magic number this way on big-endian machines; perf takes the "
	  "rest for the wrong byte order." },
	{ "jitdump.version", PERF_WRONG, PRODUCER,
	  "There is only version 1. perf inject stops with an error at any other (Mono and early "
	  ".NET wrote 2)." },
	{ "jitdump.flags", PERF_WRONG, PRODUCER,
	  "The format knows one flag. perf inject stops with an error at others; LLVM once wrote "
	  "uninitialised memory here." },
	{ "jitdump.arch-timestamp", PERF_WRONG, PRODUCER,
	  "Times are values of the CPU's counter. perf needs a recording with TIME_CONV records to "
	  "understand them and stops without." },
	{ "jitdump.header-size", PERF_WRONG, PRODUCER,
	  "The size of the header can't be; 40 bytes were taken instead." },
	{ "jitdump.no-machine", HARMLESS, PRODUCER,
	  "The header doesn't name a machine (CPython before 3.13.5). perf takes that of the "
	  "recording." },
	{ "jitdump.padding", HARMLESS, PRODUCER,
	  "A reserved field isn't 0: V8 writes 0xdeadbeef, CPython 3.13 what happened to be in "
	  "memory (gh-142779)." },
	{ "jitdump.header-clock", HARMLESS, PRODUCER,
	  "The header's time is of another clock or unit than the records' (V8, CPython). Nobody "
	  "uses it." },
	{ "jitdump.header-late", HARMLESS, PRODUCER,
	  "The header was written after the first code was: code may be older than the mapping by "
	  "which perf learns of the dump (Bun)." },
	/* records and what is between them */
	{ "jitdump.resync", PERF_WRONG, RECORDING,
	  "Bytes between records are no records. perf inject stops reading here without a word. "
	  "After a fork the child may write the parent's buffer a second time (CPython); two "
	  "processes may write one file." },
	{ "jitdump.garbage-tail", LOSS, RECORDING,
	  "The end of the dump can't be read: the process was killed while writing, or the file "
	  "was damaged." },
	{ "jitdump.truncated-record", LOSS, RECORDING,
	  "The dump ends within a record: the process was killed, still ran when the dump was "
	  "copied, or the disk was full. What is before it is good." },
	{ "jitdump.truncated-prefix", LOSS, RECORDING,
	  "The dump ends within a record: the process was killed, still ran when the dump was "
	  "copied, or the disk was full. What is before it is good." },
	{ "jitdump.truncated-load", LOSS, RECORDING,
	  "The last function's code is cut off; its name and place are there, and enough to name "
	  "samples." },
	{ "jitdump.record-size", PERF_WRONG, COPY,
	  "The size of a record can't be. perf inject stops reading here without a word." },
	{ "jitdump.record-past-end", LOSS, COPY,
	  "A record is said to reach past the end of the file, and others follow within it." },
	{ "jitdump.short-record", LOSS, PRODUCER,
	  "The fields of such a record don't fit into it: it is passed over." },
	{ "jitdump.code-size", LOSS, PRODUCER,
	  "The record has no room for the code it tells of: it is passed over." },
	{ "jitdump.entry-count", LOSS, PRODUCER,
	  "The debug table has no room for its entries: source lines of a function are lost." },
	{ "jitdump.unwinding-size", LOSS, PRODUCER,
	  "The record has no room for its unwind data: a function has none." },
	{ "jitdump.eh-frame-hdr-size", LOSS, PRODUCER,
	  "The search table is said to be larger than all unwind data: a function has none." },
	{ "jitdump.wrong-size", PERF_WRONG, PRODUCER,
	  "total_size is wrong; where the record really ends was told by its fields. perf goes by "
	  "total_size and loses its way." },
	{ "jitdump.unknown-record", HARMLESS, PRODUCER,
	  "Kinds that are not known are passed over, by perf too." },
	{ "jitdump.time-backwards", HARMLESS, PRODUCER,
	  "Records are not in order of time (.NET: several threads write). What reads in file "
	  "order may believe in code that had been replaced." },
	{ "jitdump.microseconds", HARMLESS, PRODUCER,
	  "Times are whole microseconds (V8 since Node 22): several functions have the same, and "
	  "only the order in the file tells which came first." },
	{ "jitdump.other-pid", HARMLESS, RECORDING,
	  "A record is of another process than the header says: a forked child wrote into its "
	  "parent's file." },
	{ "jitdump.repeated-record", HARMLESS, RECORDING,
	  "The same function is there twice, with the same time: a forked child wrote the buffer "
	  "that it had from its parent (CPython)." },
	/* functions */
	{ "jitdump.empty-code", LOSS, PRODUCER, "A function without code can't be in any sample." },
	{ "jitdump.huge-code", LOSS, COPY,
	  "No runtime makes functions of so many bytes: what the record says is damaged." },
	{ "jitdump.no-address", LOSS, PRODUCER, "A function without an address can't be placed." },
	{ "jitdump.address-overflow", LOSS, PRODUCER,
	  "Code past the end of the address space can't be." },
	{ "jitdump.empty-move", LOSS, PRODUCER, "A move of nothing says nothing." },
	{ "jitdump.empty-name", LOSS, PRODUCER,
	  "The function is called by its address, for want of a name." },
	{ "jitdump.no-vma", HARMLESS, PRODUCER,
	  "LLVM's listener leaves vma 0; the address is that in code_addr." },
	{ "jitdump.vma", HARMLESS, PRODUCER,
	  "vma and code_addr differ. Both perf and this reader go by code_addr." },
	{ "jitdump.equal-code", PERF_WRONG, NOBODY,
	  "Functions have the same bytes. perf 6.17 and 6.18 give such DSOs one build-id, so that "
	  "all are shown under the name of one (gh-139544)." },
	/* unwind data */
	{ "jitdump.unwinding-order", PERF_WRONG, PRODUCER,
	  "The search table comes before .eh_frame, as the specification says (LLVM ORC); perf "
	  "reads them the other way round and finds neither." },
	{ "jitdump.shared-unwinding", PERF_WRONG, PRODUCER,
	  "One .eh_frame is for several functions (LLVM ORC); perf gives it to the first that "
	  "follows and leaves the others without." },
	{ "jitdump.empty-unwinding", PERF_WRONG, PRODUCER,
	  "There is a search table and no .eh_frame (V8 does this for all but optimised code): "
	  "nobody can unwind such code by it. Frame pointers, or perfjit-fix, which writes the "
	  "rule that they follow." },
	{ "jitdump.crowded", PERF_WRONG, PRODUCER,
	  "What is to be mapped behind the function (mapped_size) lies over the next one: perf "
	  "shows one in place of the other." },
	/* source lines */
	{ "jitdump.biased-lines", PERF_WRONG, PRODUCER,
	  "V8 and LLVM add 0x40 to all addresses of source lines, which perf adds again: with perf "
	  "inject all lines are 64 bytes off." },
	{ "jitdump.file-name", PERF_WRONG, PRODUCER,
	  "V8 (Node 20 to 24) writes file names whose first bytes are of something else. perf "
	  "loses its way in the table; most names can be told from the function's." },
	{ "jitdump.debug-entries", LOSS, PRODUCER,
	  "A debug table ends in the middle or makes no sense from some entry on." },
	{ "jitdump.debug-strings", LOSS, PRODUCER,
	  "A debug table refers to strings that are not there." },
	{ "jitdump.debug-info-unused", HARMLESS, PRODUCER,
	  "Source lines of code that is not loaded afterwards." },
	{ "jitdump.line-outside", HARMLESS, PRODUCER,
	  "Source lines for addresses outside of the function are left out." },
};

static const struct oddity_kind unexplained = { NULL, LOSS, COPY,
						"Something can't be used as it stands." };

const struct oddity_kind *oddity_kind__find(const char *kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return &kinds[i];
	return &unexplained;
}
