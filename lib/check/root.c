// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/root.h"

#include <fnmatch.h>
#include <string.h>

#include "base/file.h"
#include "codemap/process.h"
#include "unwind/unwind.h"

/* glibc's, musl's, and the kernel's return to user space of a new thread. */
static const char *const names[] = {
	"_start",       "_start_c", "__libc_start_*", "__libc_init_first*", "generic_start_main*",
	"clone",        "clone3",   "__clone*",       "__GI___clone*",      "start_thread",
	"thread_start", "start",    "_dl_start_user", "_dl_start",
};

/* What an Erlang process' first function returns to, as jitdumps and perf maps name it. */
static const char *const own_names[] = { "erts_beamasm:normal_exit/0*",
					 "$erts_beamasm:normal_exit/0*" };

static const char *const c_libraries[] = { "libc.so.*",     "libc-*.so", "libpthread*.so*",
					   "ld-linux*.so*", "ld-*.so",   "ld-musl-*.so*" };

static bool matches_any(const char *const *globs, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (fnmatch(globs[i], text, 0) == 0)
			return true;
	return false;
}

static bool is_in_c_library(const struct unwind_frame *frame)
{
	if (!frame->mapping || !frame->mapping->file)
		return false;
	return matches_any(c_libraries, sizeof(c_libraries) / sizeof(*c_libraries),
			   file__base_name(frame->mapping->name));
}

/* Whether code outside the C library is what the last one called: at most through start_thread. */
static bool has_called_out(const struct unwind_frame *frames, size_t count)
{
	const struct unwind_frame *callee = &frames[count - 2];

	if (count > 2 && is_in_c_library(callee))
		callee--;
	return callee->mapping && !is_in_c_library(callee);
}

bool root__is_own(const struct unwind_frame *last)
{
	return last->jit && last->symbol &&
	       matches_any(own_names, sizeof(own_names) / sizeof(*own_names), last->symbol);
}

bool root__is_last(const struct unwind_frame *frames, size_t count)
{
	const struct unwind_frame *last = &frames[count - 1];

	if (last->symbol)
		return matches_any(names, sizeof(names) / sizeof(*names), last->symbol);
	if (!is_in_c_library(last))
		return false;
	return last->reason == UNWIND_NO_SYMBOL || has_called_out(frames, count);
}
