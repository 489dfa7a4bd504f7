// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/probe.h"

#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/diag.h"
#include "host/private.h"

/* Seconds. A probe is done in a fraction of one; on a loaded machine it may take longer. */
#define PROBE_TIMEOUT 120

void probe__set(struct perf_probe *probe, enum probe which, enum probe_status status,
		const char *format, ...)
{
	struct probe_result *result = &probe->results[which];
	va_list args;

	result->status = status;
	va_start(args, format);
	vsnprintf(result->evidence, sizeof(result->evidence), format, args);
	va_end(args);
	for (char *c = result->evidence; *c; c++)
		if (*c == '\n')
			*c = ' ';
	while (*result->evidence && result->evidence[strlen(result->evidence) - 1] == ' ')
		result->evidence[strlen(result->evidence) - 1] = '\0';
}

static bool is_x86_64(void)
{
	struct utsname name;

	return uname(&name) == 0 && strcmp(name.machine, "x86_64") == 0;
}

static int run_all(struct perf_probe *probe, const struct probing *probing)
{
	int err;

	/* stacks of another machine are not every perf's to unwind */
	err = is_x86_64() ? probe__unwinding(probe, probing) : 0;
	if (!err && probe->results[PROBE_UNWINDER].status == PROBE_OK)
		err = probe__lines(probe, probing);
	if (!err)
		err = probe__forms(probe, probing);
	if (!err)
		err = probe__inject(probe, probing);
	return err ? err : probe__cache(probe, probing);
}

int probing__run(const struct probing *probing, const char *const *arguments, const char *path,
		 struct child_result *result)
{
	const struct perf_run run = {
		.perf = probing->perf,
		.path = path,
		.arguments = arguments,
		.home = probing->home,
		.timeout = PROBE_TIMEOUT,
	};

	return perf__run(&run, result);
}

int probing__script(const struct probing *probing, const char *profile, bool pipe,
		    struct perf_script *script, struct child_result *result)
{
	const struct perf_script_options options = {
		.perf = probing->perf,
		.profile = profile,
		.home = probing->home,
		.timeout = PROBE_TIMEOUT,
		.pipe = pipe,
	};

	return perf_script__run(script, &options, result);
}

static void leave(struct probing *probing)
{
	scratch__remove(&probing->scratch);
	scratch__remove(&probing->jitted);
	free(probing->home);
}

/* 0 or a negative errno, reported. */
static int enter(struct probing *probing)
{
	int err = scratch__make(&probing->scratch, NULL, "perfjit-doctor");

	if (!err) {
		probing->home = scratch__path(&probing->scratch, "home");
		if (!probing->home)
			err = -ENOMEM;
		else if (mkdir(probing->home, 0700) < 0)
			err = -errno;
		/* without it, less is said of the fault */
		scratch__make(&probing->jitted, "/tmp", "jitted");
	}
	if (err) {
		diag__report(probing->diag, DIAG_ERROR, "host.folder", NULL, DIAG_NO_OFFSET,
			     "can't make a folder for probing: %s", strerror(-err));
		leave(probing);
	}
	return err;
}

int perf_probe__run(struct perf_probe *probe, const char *perf, struct diag *diag)
{
	struct probing probing = { .perf = perf, .diag = diag };
	int err;

	*probe = (struct perf_probe){ 0 };
	err = perf_build__ask(&probe->build, perf);
	if (err) {
		diag__report(diag, DIAG_ERROR, "host.perf", perf, DIAG_NO_OFFSET,
			     "can't be run: %s", strerror(-err));
		return err;
	}
	err = enter(&probing);
	if (err)
		return err;
	err = run_all(probe, &probing);
	leave(&probing);
	return err;
}

const char *perf_unwinder__text(enum perf_unwinder unwinder)
{
	static const char *const texts[] = {
		[UNWINDER_UNKNOWN] = "unwinder unknown",
		[UNWINDER_NONE] = "no unwinder",
		[UNWINDER_LIBDW] = "libdw",
		[UNWINDER_LIBUNWIND] = "libunwind",
	};

	return texts[unwinder];
}

const char *perf_probe__abi(const struct perf_probe *probe)
{
	/* PERF_ATTR_SIZE_VER6 and on, and the first long-term version that knows each */
	const struct {
		uint32_t size;
		const char *abi;
	} levels[] = { { 144, "7.2" }, { 136, "6.12" }, { 128, "6.1" }, { 1, "5.10" } };

	/* that level has nothing compressed */
	if (probe->accepted_attr && probe->results[PROBE_ZSTD].status == PROBE_FAULTY)
		return "5.10";
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (probe->accepted_attr >= levels[i].size)
			return levels[i].abi;
	return NULL;
}
