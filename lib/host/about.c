// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of each fault that probes find. */
#include "host/probe.h"

#define FIX "run perfjit-fix on the recorded profile"

static const struct probe_about abouts[PROBES] = {
	[PROBE_RUNS] = {
		.slug = "does-not-run",
		.able = "reads a profile",
		.fault = "it prints no samples of a profile that every perf reads",
		.builds = "a perf that is broken, or none at all",
		.cure = "see what it says itself",
		.severe = true,
	},
	[PROBE_SYMBOLS] = {
		.slug = "no-libelf",
		.able = "reads symbols of ELF files",
		.fault = "it is built without libelf and reads no symbols from files",
		.builds = "any version built with NO_LIBELF=1",
		.cure = "use a perf with libelf, or let perfjit-fix write perf maps, which it reads",
		.option = "--perf-map",
		.severe = true,
	},
	[PROBE_UNWINDER] = {
		.slug = "no-unwinder",
		.able = "unwinds copied stacks",
		.fault = "it is built without an unwinder: of samples of --call-graph dwarf it shows "
			 "the innermost frame alone, and before 6.12 its build options do not tell",
		.builds = "any version built with neither libunwind nor libdw's unwinder, or without "
			  "libelf",
		.cure = "use a perf with an unwinder, or let perfjit-fix put the call chains into the "
			"profile",
		.option = "--unwind",
		.severe = true,
	},
	[PROBE_BUILD_IDS] = {
		.slug = "equal-build-ids",
		.able = "inject: functions have build-ids of their own",
		.fault = "perf inject makes the build-id of a function from its address and code alone, "
			 "so that functions of equal code (all of CPython's) get the names of another "
			 "run from ~/.debug",
		.builds = "5.10 to 6.12 built with libcrypto",
		.cure = "remove ~/.debug, and " FIX ": its build-ids are never those of another run",
		.option = "",
		.severe = true,
	},
	[PROBE_FAILED_STEP] = {
		.slug = "drops-failed-chains",
		.able = "keeps what it unwound before it fails",
		.fault = "when one step of unwinding fails it throws the whole chain away, leaf and all",
		.builds = "7.x with libunwind alone (LIBUNWIND=1 NO_LIBDW=1)",
		.cure = "use a perf with libdw, or let perfjit-fix put the call chains into the profile",
		.option = "--unwind",
		.severe = true,
	},
	[PROBE_REMAPPED] = {
		.slug = "loses-remapped",
		.able = "unwinds on after a file was met at a second address",
		.fault = "it keeps libdw's list of modules from sample to sample, and an executable "
			 "mapped a second time (V8 does that) drops out of it for good: no later chain "
			 "of the process goes through it",
		.builds = "7.2 and newer with libdw",
		.cure = FIX " (it maps code at both places), or let it put the call chains into the "
			"profile",
		.option = "--unwind",
		.severe = true,
	},
	[PROBE_REUSE] = {
		.slug = "stale-rows",
		.able = "unwinds by new rules where code was replaced",
		.fault = "it goes on using the unwind rules, or the module, of code that has been "
			 "replaced by other code at the same address",
		.builds = "all with libunwind, which caches rules by address; 7.2 and newer with libdw, "
			  "which keeps modules",
		.cure = FIX ": it lays code out and tells perf so that nothing stale is kept",
		.option = "",
		.severe = true,
	},
	[PROBE_PGOFF] = {
		.slug = "pgoff-table",
		.able = "finds unwind tables of mappings with an offset",
		.fault = "it looks for .eh_frame_hdr as if the mapping began at the file's beginning",
		.builds = "5.19 to 6.7 with libunwind, 6.1 before the fixes of 2024",
		.cure = FIX ": its mappings begin where its files do",
		.option = "",
		.severe = true,
	},
	[PROBE_NO_CFI] = {
		.slug = "stops-without-cfi",
		.able = "goes on by frame pointers where there is no unwind data",
		.fault = "libunwind stops at code without unwind data, such as Java's, also when that "
			 "keeps frame pointers",
		.builds = "all with libunwind",
		.cure = FIX ": it makes the unwind data",
		.option = "",
		.severe = true,
	},
	[PROBE_PREFIX] = {
		.slug = "jitted-prefix",
		.able = "unwinds through perf inject's files in any folder",
		.fault = "libdw is told a wrong place for perf inject's files unless their path begins "
			 "with /tmp/jitted-, and chains end at the first of their frames (Java: "
			 "~/.debug/jit, Node: the working folder)",
		.builds = "all with libdw; 5.10 and older in any folder",
		.cure = FIX " instead of perf inject",
		.option = "",
		.severe = true,
	},
	[PROBE_UNMAPPED] = {
		.slug = "drops-unmapped",
		.able = "shows the frame at which it can't go on",
		.fault = "libdw leaves out the frame in memory that is no file, so that JIT code without "
			 "a DSO is not even seen as [unknown]",
		.builds = "all with libdw",
		.cure = FIX ": then a file is mapped there",
		.option = "",
	},
	[PROBE_INJECT] = {
		.slug = "no-inject",
		.able = "has inject --jit",
		.fault = "it has no inject --jit, or that writes nothing",
		.builds = "any version built with NO_LIBELF=1",
		.cure = FIX ": it needs no perf",
		.option = "",
	},
	[PROBE_OFFSETS] = {
		.slug = "inject-offsets",
		.able = "inject: addresses are file offsets",
		.fault = "perf inject writes files whose addresses lie 0x40 from their file offsets: "
			 "libunwind stops at the first JIT frame",
		.builds = "5.4.215 and newer 5.4, 5.10.145 and newer 5.10, 5.15.71 to 5.15.146, 6.0 and "
			  "6.1.0 to 6.1.1",
		.cure = FIX " instead of perf inject",
		.option = "",
	},
	[PROBE_MISSING] = {
		.slug = "inject-missing-dump",
		.able = "inject: goes on when a dump is missing",
		.fault = "perf inject stops at a dump that is not there and leaves a cut-off profile: "
			 "all samples behind are lost",
		.builds = "all so far",
		.cure = FIX " instead: a missing dump costs its own names only",
		.option = "",
	},
	[PROBE_CONTAINER] = {
		.slug = "inject-container",
		.able = "inject: reads dumps of containers",
		.fault = "perf inject passes over a dump whose name has another pid than the process, as "
			 "in a container, and says nothing",
		.builds = "all before 5.12; up to 6.12 without NAMESPACES records (--namespaces)",
		.cure = FIX " instead of perf inject",
		.option = "",
	},
	[PROBE_FOREIGN] = {
		.slug = "inject-foreign-dump",
		.able = "inject: leaves the dumps of others alone",
		.fault = "perf inject takes a dump for a process' own whose name has another pid, even "
			 "outside of containers",
		.builds = "7.2 and newer",
		.cure = FIX " instead of perf inject",
		.option = "",
	},
	[PROBE_CACHED] = {
		.slug = "inject-not-cached",
		.able = "inject: its files are in ~/.debug",
		.fault = "perf inject's files are not in the build-id cache: names are gone once "
			 "jitted-*.so are deleted",
		.builds = "7.2 and newer",
		.cure = FIX ", and keep its folder with the profile",
		.option = "--buildid-cache",
	},
	[PROBE_ATTR] = {
		.slug = "older",
		.able = "reads profiles of all perfs known",
		.fault = "it refuses profiles recorded, or injected, by a newer perf: \"incompatible file "
			 "format\"",
		.builds = "each refuses what has longer event attributes than its own: 5.10 has 120 bytes, "
			  "6.1 128, 6.12 136, 7.2 144",
		.cure = "let perfjit-fix write the profile for it",
		.option = "--perf-abi",
	},
	[PROBE_ZSTD] = {
		.slug = "no-zstd",
		.able = "reads compressed profiles",
		.fault = "it is built without zstd and reads no profile of perf record -z",
		.builds = "any version built without libzstd; Debian's 5.10",
		.cure = "let perfjit-fix write the profile for it",
		.option = "--perf-abi",
	},
	[PROBE_ZSTD2] = {
		.slug = "no-zstd2",
		.able = "reads compressed profiles of 6.16 and newer",
		.fault = "it does not know the form of compressed records that perf record -z writes "
			 "since 6.16",
		.builds = "all before 6.16",
		.cure = "let perfjit-fix write the profile for it",
		.option = "--perf-abi",
	},
	[PROBE_PIPE] = {
		.slug = "no-pipe",
		.able = "reads profiles from a pipe",
		.fault = "it reads no profile from standard input",
		.builds = "none known",
		.cure = "record to a file",
	},
	[PROBE_LINES] = {
		.slug = "slow-lines",
		.able = "asks for lines of source once for each file",
		.fault = "it starts addr2line once for each address of a call chain, to look for "
			 "inlined functions: seconds where others take tenths, minutes with Node",
		.builds = "5.10, built without libbfd as Debian does; 6.1 and newer do not",
		.cure = "perf report --no-inline and perf script --no-inline",
	},
};

const struct probe_about *probe__about(enum probe probe)
{
	return &abouts[probe];
}
