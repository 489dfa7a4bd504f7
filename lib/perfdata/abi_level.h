/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles made readable by older perfs: what each version of perf can read, and changes to it. */
#ifndef PERFJIT_PERFDATA_ABI_LEVEL_H
#define PERFJIT_PERFDATA_ABI_LEVEL_H

struct diag;
struct perfdata_abi;
struct perfdata_edits;

/*
 * "auto": attrs at the smallest published size that loses no set bit, nothing else changed.
 * "keep": nothing changed. A version of perf, "5.10", "6.1.192", "7.x": the newest level that is
 * not above it. NULL for anything else, and for a version below the oldest level.
 */
const struct perfdata_abi *perfdata_abi__by_name(const char *name);

/*
 * Adds to edits what makes the profile one that perf of that level reads without a warning. No
 * sample is lost. For a version:
 *  - attrs lose the bits that it does not know, and have a size that it knows;
 *  - records of types that it rejects (FINISHED_INIT for one) are taken out;
 *  - MMAP2 with a build-id becomes one with device and inode made up from that, and an entry of
 *    HEADER_BUILD_ID; the kernel's becomes MMAP;
 *  - COMPRESSED2 becomes COMPRESSED, or both become the records they hold;
 *  - fields of samples that it can't parse are taken out; call chains recorded later
 *    (CALLCHAIN_DEFERRED) are put into their samples.
 * The journal has what is taken out: perfdata__restore gives the input byte for byte. Memory grows
 * with the number of changed records, and with the compressed bytes where those are replaced.
 *
 * Once for each edits, before it is written. 0 or a negative errno, reported.
 */
int perfdata_edits__set_abi(struct perfdata_edits *edits, const struct perfdata_abi *level,
			    struct diag *diag);

#endif
