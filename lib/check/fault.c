// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/fault.h"

#include <string.h>

/* A fault, and whether it explains what was seen. */
struct known_fault {
	struct fault fault;
	bool (*explains)(const struct compared *compared, bool fixed);
};

static bool mostly(const struct compared *compared, uint64_t part)
{
	return part > 0 && part >= compared->samples_differing - part;
}

/* What unwinders do concerns chains that were not recorded as such. */
static bool is_of_unwinding(const struct compared *compared)
{
	return mostly(compared, compared->unwound_differing);
}

/* <= 6.12: libunwind where it is linked; from 7 on libdw comes first where both are. */
static bool uses_libunwind(const struct perf_build *build)
{
	return build->libunwind == BUILT_WITH && (build->major < 7 || build->libdw != BUILT_WITH);
}

static bool uses_libdw(const struct perf_build *build)
{
	return build->libdw == BUILT_WITH && !uses_libunwind(build);
}

static bool is_refused(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return compared->status && (strstr(compared->errors, "incompatible file format") ||
				    strstr(compared->errors, "failed to process type"));
}

static bool has_no_unwinder(const struct compared *compared, bool fixed)
{
	const struct perf_build *build = &compared->build;
	bool none = build->libunwind == BUILT_WITHOUT && build->libdw == BUILT_WITHOUT;

	(void)fixed;
	return mostly(compared, compared->leaf_only) && (build->unwinder == BUILT_WITHOUT || none);
}

static bool may_have_no_unwinder(const struct compared *compared, bool fixed)
{
	const struct perf_build *build = &compared->build;

	(void)fixed;
	return mostly(compared, compared->leaf_only) && build->unwinder == BUILT_UNKNOWN &&
	       build->libunwind != BUILT_WITH;
}

static bool drops_failed_chains(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return mostly(compared, compared->leaf_only) && compared->build.major >= 7 &&
	       uses_libunwind(&compared->build);
}

static bool has_no_libelf(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return compared->build.libelf == BUILT_WITHOUT &&
	       mostly(compared, compared->kinds[DIFFER_UNNAMED]);
}

static bool names_of_another_run(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return mostly(compared, compared->at_jit[DIFFER_NAME]);
}

static bool drops_frame_without_file(const struct compared *compared, bool fixed)
{
	return is_of_unwinding(compared) && !fixed && uses_libdw(&compared->build) &&
	       mostly(compared, compared->kinds[DIFFER_SHORTER]);
}

static bool needs_data_in_maps(const struct compared *compared, bool fixed)
{
	return is_of_unwinding(compared) && !fixed && uses_libunwind(&compared->build) &&
	       mostly(compared, compared->at_jit[DIFFER_SHORTER]);
}

static bool keeps_old_modules(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return is_of_unwinding(compared) && compared->build.major >= 7 &&
	       uses_libdw(&compared->build) && mostly(compared, compared->kinds[DIFFER_SHORTER]);
}

/* Elsewhere than at JIT code there are unwind data, which are looked for in the wrong place. */
static bool takes_lowest_mapping(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return is_of_unwinding(compared) && uses_libunwind(&compared->build) &&
	       mostly(compared, compared->kinds[DIFFER_SHORTER] - compared->at_jit[DIFFER_SHORTER]);
}

static bool loses_stack_pointer(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return is_of_unwinding(compared) && uses_libunwind(&compared->build) &&
	       mostly(compared, compared->kinds[DIFFER_SHORTER] + compared->kinds[DIFFER_LONGER]);
}

static bool reads_perf_maps(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return mostly(compared, compared->kinds[DIFFER_NAMED]);
}

static bool failed(const struct compared *compared, bool fixed)
{
	(void)fixed;
	return compared->status || compared->timed_out;
}

/* The first that explains what was seen is told: what is certain stands first. */
static const struct known_fault faults[] = {
	{ { "older",
	    "this perf is older than the one that recorded, and refuses event attributes longer "
	    "than it knows, or records of kinds it does not know",
	    "write the profile for it with perfjit-fix --perf-abi=VERSION" },
	  is_refused },
	{ { "failed", "this perf failed to read the whole profile", "see what it says itself" },
	  failed },
	{ { "no-unwinder", "this perf is built without an unwinder and shows no copied stacks",
	    "use a perf with libdw or libunwind, or let perfjit-fix --unwind write the chains" },
	  has_no_unwinder },
	{ { "no-unwinder",
	    "this perf shows no copied stacks, as one does that is built without an unwinder; "
	    "before 6.12 perf does not tell",
	    "use a perf with libdw or libunwind, or let perfjit-fix --unwind write the chains" },
	  may_have_no_unwinder },
	{ { "drops-failed-chains",
	    "perf 7 with libunwind alone drops the whole chain when one step of it fails",
	    "use a perf with libdw, or let perfjit-fix --unwind write the chains" },
	  drops_failed_chains },
	{ { "no-libelf", "this perf is built without libelf and reads no symbols from files",
	    "use a perf with libelf, or perfjit-fix --perf-map" },
	  has_no_libelf },
	{ { "stale-cache",
	    "this perf names JIT code by the DSOs of another run, from its build-id cache or from "
	    "the same path",
	    "remove ~/.debug/jit and ~/.debug/.build-id, or use the output of perfjit-fix, whose "
	    "build-ids are never those of another run" },
	  names_of_another_run },
	{ { "libdw-no-file",
	    "libdw leaves the chain at the first frame whose file it can't report: JIT code "
	    "without a DSO, or perf inject's DSOs outside of /tmp",
	    "run perfjit-fix on the recorded profile" },
	  drops_frame_without_file },
	{ { "libunwind-no-map",
	    "libunwind reads unwind data through the mappings, and those of JIT code's DSOs are "
	    "not there or cover one another",
	    "run perfjit-fix on the recorded profile" },
	  needs_data_in_maps },
	{ { "libdw-old-modules",
	    "perf 7 keeps libdw's list of modules from sample to sample, and a file that is mapped "
	    "twice, or replaced, is lost from it for good",
	    "use perf 6.12 or older, or let perfjit-fix --unwind write the chains" },
	  keeps_old_modules },
	{ { "libunwind-lowest-map",
	    "with libunwind perf takes a file's beginning to be the lowest mapping of it that the "
	    "process ever had: chains end in libraries that another program had mapped in it "
	    "before exec, such as a shell or env",
	    "record the program itself, use a perf with libdw, or let perfjit-fix --unwind write "
	    "the chains" },
	  takes_lowest_mapping },
	{ { "libunwind-steps",
	    "libunwind keeps unwind rows by address, and guesses where there are none: it goes "
	    "another way at code without unwind data",
	    "let perfjit-fix --unwind write the chains" },
	  loses_stack_pointer },
	{ { "other-names",
	    "this perf has names of its own, from perf maps in /tmp or for PLT entries",
	    "nothing, if they are right" },
	  reads_perf_maps },
};

const struct fault *fault__of(const struct compared *compared, bool fixed)
{
	if (!compared->samples_differing && !failed(compared, fixed))
		return NULL;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (faults[i].explains(compared, fixed))
			return &faults[i].fault;
	return NULL;
}
