// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/reason.h"

#include <stdio.h>
#include <string.h>

#include "check/recorded.h"
#include "check/runtime.h"

/* What is said of each; advice is what holds for any runtime and recording. */
struct wording {
	const char *slug, *text, *advice;
};

static const struct wording reasons[CHECK_REASONS] = {
	[CHECK_NOT_FIXED] = { "not-fixed", "described by a jitdump, but not in the profile yet",
			      "run perfjit-fix and check its output" },
	[CHECK_NO_DUMP] = { "no-dump", "in executable memory whose process wrote no jitdump",
			    "start the program so that it writes a jitdump, and record it from its "
			    "start" },
	[CHECK_DUMP_MISSING] = { "dump-missing", "its jitdump is not where it was written",
				 "say where the jitdump is with --jitdump-dir, or keep it beside "
				 "the profile" },
	[CHECK_CLOCK] = { "clock", "the times of its jitdump fit the profile's in no way",
			  "record with perf record -k mono, and see that the jitdump is of this "
			  "run" },
	[CHECK_NO_RECORD] = { "no-record",
			      "in executable memory that the jitdump does not describe",
			      "see with perfjit-dump what the jitdump holds: the runtime may have "
			      "been killed before it wrote all" },
	[CHECK_LOADED_LATER] = { "loaded-later", "taken before the jitdump says it was loaded",
				 "run perfjit-fix, which names code that runs before its record" },
	[CHECK_PERF_MAP] = { "perf-map",
			     "named by a perf map only, which perf reads from /tmp "
			     "alone",
			     "run perfjit-fix, which puts the map's names into the profile" },
	[CHECK_HIDDEN] = { "hidden", "its DSO lies under a later mapping",
			   "run perfjit-fix on the recorded profile: it maps DSOs again after each "
			   "such mapping" },
	[CHECK_WRONG_NAME] = { "wrong-name", "named otherwise than by its jitdump",
			       "the DSOs are of another run: run perfjit-fix on the recorded "
			       "profile" },
	[CHECK_DSO_MISSING] = { "dso-missing", "the mapped file is not on this machine",
				"keep the file, give --symfs, or move a fixed profile's DSOs with "
				"perfjit-fix --relocate" },
	[CHECK_DSO_UNREADABLE] = { "dso-unreadable", "the mapped file can't be read as ELF",
				   "see that this user may read the file, and that it is whole" },
	[CHECK_BUILD_ID] = { "build-id", "the file is not the one that ran (build-id)",
			     "install the version that ran, or its debug files in ~/.debug" },
	[CHECK_NO_SYMBOL] = { "no-symbol", "the file has no symbol for the address",
			      "install the file's debug symbols" },
	[CHECK_NO_MAP] = { "no-map", "nothing was mapped at the address",
			   "a chain that came here is broken; for the sample's own address, record "
			   "the process from its start" },
	[CHECK_KERNEL] = { "kernel", "the kernel's code, without the kernel's symbols",
			   "read the profile on the machine and kernel that recorded it, or leave the "
			   "kernel out with :u behind the event's name" },
};

static const struct wording ends[CHECK_ENDS] = {
	[CHECK_COMPLETE] = { "complete", "complete", "nothing" },
	[CHECK_STACK_SHORT] = { "stack-short", "the copy of the stack is too small",
				"as much as can be was copied: record less deep code, or code that "
				"keeps frame pointers with --call-graph fp" },
	[CHECK_NO_CFI] = { "no-cfi", "no unwind data for the code",
			   "let the runtime write unwind data, or keep frame pointers" },
	[CHECK_NO_FILE] = { "no-file", "the chain ends in a file that is not here as it ran",
			    "give the files that ran with --symfs, or check the profile where it "
			    "was recorded" },
	[CHECK_BAD_CFI] = { "bad-cfi",
			    "unwind data leads to no caller, or to stack that was not in memory",
			    "perfjit-dump --cfi shows the producer's unwind data beside the code" },
	[CHECK_FRAME_POINTER] = { "frame-pointer", "code without a frame pointer ends the chain",
				  "record with --call-graph dwarf,16384, which needs none" },
	[CHECK_BAKED] = { "baked", "perfjit-fix --unwind came no further",
			  "check the recorded profile, which still tells why" },
	[CHECK_LOST] = { "chain-lost", "the record of a deferred chain was lost",
			 "give perf record larger buffers: -m 16M" },
	[CHECK_TOO_DEEP] = { "too-deep", "more frames than are kept",
			     "raise kernel.perf_event_max_stack, or perf record "
			     "--call-graph dwarf" },
	[CHECK_NO_REGISTERS] = { "no-registers", "the sample's registers can't be used",
				 "nothing: 32-bit processes are not unwound, nor machines other than "
				 "x86-64 and aarch64" },
};

const char *check_reason__slug(enum check_reason reason)
{
	return reasons[reason].slug;
}

const char *check_end__slug(enum check_end end)
{
	return ends[end].slug;
}

const char *check_reason__text(enum check_reason reason)
{
	return reasons[reason].text;
}

const char *check_end__text(enum check_end end)
{
	return ends[end].text;
}

static const char *advise_clock(const struct check_recorded *recorded)
{
	return recorded->monotonic ? "see that the jitdump is of this run"
				   : reasons[CHECK_CLOCK].advice;
}

const char *check_reason__advice(enum check_reason reason, const struct runtime *runtime,
				 const struct check_recorded *recorded, char *out, size_t size)
{
	const char *advice = reasons[reason].advice;

	if (reason == CHECK_CLOCK)
		advice = advise_clock(recorded);
	if (reason == CHECK_LOADED_LATER && recorded->fixed)
		advice = "nothing: other code came to the address later, so that it can't be told "
			 "whose the sample is";
	if (reason == CHECK_NO_DUMP && runtime && runtime->source == RUNTIME_NONE)
		snprintf(out, size, "nothing can be done: %s", runtime->enable);
	else if (reason == CHECK_NO_DUMP && runtime)
		snprintf(out, size,
			 "let %s tell perf of its code (%s), and record it from its "
			 "start",
			 runtime->name, runtime->enable);
	else
		snprintf(out, size, "%s", advice);
	return out;
}

static bool keeps_frame_pointers(const struct runtime *runtime)
{
	return runtime && runtime->frame_pointers;
}

/* Whether the runtime would keep frame pointers and, as far as is known, was not told to. */
static bool is_to_keep_frame_pointers(const struct runtime *runtime,
				      const struct check_recorded *recorded)
{
	return keeps_frame_pointers(runtime) && *runtime->frame_pointers &&
	       !strstr(recorded->command, runtime->frame_pointers);
}

const char *check_end__chains(enum check_end end, const struct runtime *runtime,
			      const struct check_recorded *recorded)
{
	switch (end) {
	case CHECK_STACK_SHORT:
		if (recorded->stack < CHECK_STACK_MAX)
			return "--call-graph dwarf,65528";
		return keeps_frame_pointers(runtime) ? "-g" : NULL;
	case CHECK_FRAME_POINTER:
		return is_to_keep_frame_pointers(runtime, recorded) ? "-g"
								    : "--call-graph dwarf,16384";
	case CHECK_NO_CFI:
	case CHECK_BAD_CFI:
		return keeps_frame_pointers(runtime) ? "-g" : NULL;
	default:
		return NULL;
	}
}

/* What holds for this recording only; NULL: what holds for any. */
static const char *advise_unwinding(enum check_end end, const struct check_recorded *recorded)
{
	if (end == CHECK_TOO_DEEP && recorded->stack)
		return "perf report --max-stack shows more; perfjit-fix --unwind keeps 1024";
	if (recorded->fixed || !recorded->described)
		return NULL;
	if (end == CHECK_NO_CFI)
		return "run perfjit-fix and check its output: it makes unwind data for JIT code";
	return end == CHECK_BAD_CFI ? "run perfjit-fix and check its output: it puts the unwind "
				      "data of JIT code right"
				    : NULL;
}

const char *check_end__advice(enum check_end end, const struct runtime *runtime,
			      const struct check_recorded *recorded, char *out, size_t size)
{
	const char *advice = advise_unwinding(end, recorded);
	bool pointers = end == CHECK_NO_CFI || end == CHECK_FRAME_POINTER;

	if (end == CHECK_STACK_SHORT && recorded->stack < CHECK_STACK_MAX)
		snprintf(out, size,
			 "copy more of the stack than %u bytes: perf record --call-graph "
			 "dwarf,65528",
			 recorded->stack);
	else if (!advice && pointers && is_to_keep_frame_pointers(runtime, recorded))
		snprintf(out, size,
			 "let %s keep frame pointers: %s; or record with --call-graph dwarf,16384",
			 runtime->name, runtime->frame_pointers);
	else
		snprintf(out, size, "%s", advice ? advice : ends[end].advice);
	return out;
}
