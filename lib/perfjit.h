/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libperfjit: gives the JIT code in a Linux perf profile names and unwind data, so that every perf
 * and all that reads perf.data shows it as any other code.
 *
 * Functions that can fail return 0 or a negative errno; the reason went to the message callback,
 * but for -ENOMEM and for options that make no sense. Structs whose first member is size are set to
 * zero and size to sizeof by the caller, so that a later library still reads what an earlier one's
 * header described. No function keeps a pointer it was given, and none uses global state: different
 * threads may call at the same time.
 *
 * A profile that is a regular file, or a directory, is mapped while it is read. When another makes
 * it shorter meanwhile, the reader gets a SIGBUS, which is the program's to handle and not a
 * library's: give a copy of what others may still write to, or a pipe as standard input, which is
 * copied.
 */
#ifndef PERFJIT_H
#define PERFJIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERFJIT_API __attribute__((visibility("default")))

/* The library's version, as "0.1.0". */
PERFJIT_API const char *perfjit__version(void);

enum perfjit_level {
	PERFJIT_NOTE = 0,    /* odd, but nothing is lost */
	PERFJIT_WARNING = 1, /* something could not be used: a record, a function, a jitdump */
	PERFJIT_ERROR = 2,   /* what was asked for fails */
};

#define PERFJIT_NO_OFFSET UINT64_MAX

/* Valid during the callback only. */
struct perfjit_message {
	enum perfjit_level level;
	const char *kind; /* a stable word: "jitdump.truncated-record" */
	const char *file; /* or NULL */
	uint64_t offset;  /* bytes from the file's start, or PERFJIT_NO_OFFSET */
	const char *text; /* one sentence in English, without control characters */
};

/* How the code is laid out in DSOs. */
enum perfjit_layout {
	PERFJIT_LAYOUT_AUTO = 0,       /* as every perf can unwind it */
	PERFJIT_LAYOUT_TRAMPOLINE = 1, /* one for each function */
	PERFJIT_LAYOUT_REGION = 2,     /* one for each contiguous run of code */
};

struct perfjit_fix_options {
	size_t size;
	const char *output;  /* required: the fixed profile; appears complete or not at all */
	const char *dso_dir; /* folder for DSOs; NULL: "<output>.jit" */
	enum perfjit_layout layout;
	bool dry_run; /* count only, write nothing */
	bool no_sync; /* don't wait for the disk */
	/* Jitdumps as "FILE" or "PID=FILE", folders to look in first, and the root of a container.
	 */
	const char *const *jitdumps;
	size_t nr_jitdumps;
	const char *const *jitdump_dirs;
	size_t nr_jitdump_dirs;
	const char *root;
	/* NULL, or called for each message, and with how far writing is: false stops it. */
	void (*message)(void *context, const struct perfjit_message *message);
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

struct perfjit_fix_result {
	size_t size;
	uint64_t samples;
	uint64_t jit_samples;          /* in code that jitdumps describe */
	uint64_t jit_frames;           /* entries of recorded call chains in such code */
	uint64_t unknown_code_samples; /* in executable memory that is no file and in no jitdump */
	uint64_t functions;            /* named */
	uint64_t dsos;
	uint64_t jitdumps;
	uint64_t missing_jitdumps;
};

/*
 * Reads the profile input ("-": standard input) and its jitdumps, writes options->output and DSOs.
 * result may be NULL. A profile without jitdumps is copied; a missing jitdump is a warning and
 * counted. A profile that was fixed before is fixed anew; JIT code whose jitdump is gone meanwhile
 * keeps the DSOs that it has. -ECANCELED when progress said so, -EINVAL for options that make no
 * sense, -EBADMSG when the input became shorter while it was read; in all cases of failure nothing
 * is left behind and an output that was there before stands.
 */
PERFJIT_API int perfjit__fix(const char *input, const struct perfjit_fix_options *options,
			     struct perfjit_fix_result *result);

/* Writes the profile that input was made from by perfjit__fix to options->output. */
PERFJIT_API int perfjit__strip(const char *input, const struct perfjit_fix_options *options);

#ifdef __cplusplus
}
#endif

#endif
