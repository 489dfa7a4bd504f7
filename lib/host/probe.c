// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/diag.h"
#include "host/private.h"

/* The exit code of a command that is not there: base/child.h. */
#define NOT_FOUND 127

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

static int run_all(struct perf_probe *probe, const struct scratch *scratch)
{
	int err;

	/* stacks of another machine are not every perf's to unwind */
	err = is_x86_64() ? probe__unwinding(probe, scratch) : 0;
	if (!err)
		err = probe__forms(probe, scratch);
	if (!err)
		err = probe__inject(probe, scratch);
	return err ? err : probe__cache(probe, scratch);
}

int perf_probe__run(struct perf_probe *probe, const char *perf, struct diag *diag)
{
	struct scratch scratch;
	int err;

	*probe = (struct perf_probe){ 0 };
	err = perf_build__ask(&probe->build, perf);
	if (err) {
		diag__report(diag, DIAG_ERROR, "host.perf", perf, DIAG_NO_OFFSET,
			     "can't be run: %s", strerror(-err));
		return err;
	}
	err = scratch__make(&scratch, perf, diag);
	if (err)
		return err;
	err = run_all(probe, &scratch);
	scratch__remove(&scratch);
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
