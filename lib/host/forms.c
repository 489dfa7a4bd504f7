// SPDX-License-Identifier: GPL-2.0-or-later
/* Which forms of a profile a perf reads: sizes of event attributes, compression, pipes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/made.h"
#include "host/private.h"

#define PID  1001
#define BASE UINT64_C(0x7f0000100000)

/* PERF_ATTR_SIZE_VER0 to VER9, and one that no perf knows yet. include/uapi/linux/perf_event.h */
static const uint32_t attr_sizes[] = { 152, 144, 136, 128, 120, 112, 104, 96, 80, 72, 64 };

#define NEWEST_KNOWN 144

struct wanted {
	struct names names;
	uint64_t time;
	bool shown;
	char *symbol;
};

static int look(void *context, const struct script_sample *sample)
{
	struct wanted *wanted = context;

	if (sample->time != wanted->time)
		return 0;
	wanted->shown = true;
	if (sample->frames.count && sample->frames.items[0].symbol)
		snprintf(wanted->symbol, 64, "%s",
			 names__text(&wanted->names, sample->frames.items[0].symbol));
	return 0;
}

int probe__shows(const struct probing *probing, const char *profile, bool pipe, uint64_t time,
		 bool *shown, char symbol[64], struct child_result *result)
{
	struct wanted wanted = { .time = time, .symbol = symbol };
	struct perf_script script = { .names = &wanted.names, .visit = look, .context = &wanted };
	int err;

	*symbol = '\0';
	err = probing__script(probing, profile, pipe, &script, result);
	*shown = wanted.shown;
	perf_script__free(&script);
	names__free(&wanted.names);
	return err;
}

/* One sample without a stack, in a file of that form. */
static int try_form(const struct probing *probing, enum made_container container,
		    uint32_t attr_size, bool *shown, struct child_result *result)
{
	struct made_profile profile;
	struct made_stack stack = { .ip = BASE + 0x100 };
	char *path = scratch__path(&probing->scratch, "form.data"), symbol[64];
	uint64_t time;
	int err;

	if (!path)
		return -ENOMEM;
	made_profile__begin(&profile, MADE_FLAT);
	if (attr_size)
		profile.attr_size = attr_size;
	made_profile__comm(&profile, PID);
	made_profile__map(&profile, PID, BASE, 0x1000, 0, "//anon");
	time = made_profile__sample(&profile, PID, &stack);
	err = made_profile__write(&profile, container, path, probing->diag);
	if (!err)
		err = probe__shows(probing, path, container == MADE_PIPE, time, shown, symbol,
				   result);
	made_profile__free(&profile);
	free(path);
	return err;
}

static int probe_attr(struct perf_probe *probe, const struct probing *probing)
{
	struct child_result result;
	bool shown = false;
	int err = 0;

	for (size_t i = 0; !err && !shown && i < sizeof(attr_sizes) / sizeof(*attr_sizes); i++) {
		err = try_form(probing, MADE_FILE, attr_sizes[i], &shown, &result);
		if (shown)
			probe->accepted_attr = attr_sizes[i];
		else if (attr_sizes[i] <= NEWEST_KNOWN)
			probe->refused_attr = attr_sizes[i];
	}
	if (err || !shown)
		return err;
	if (probe->refused_attr)
		probe__set(probe, PROBE_ATTR, PROBE_FAULTY,
			   "event attributes of %u bytes are read, of %u bytes refused",
			   probe->accepted_attr, probe->refused_attr);
	else
		probe__set(probe, PROBE_ATTR, PROBE_OK, "event attributes of %u bytes are read",
			   probe->accepted_attr);
	return 0;
}

static int probe_form(struct perf_probe *probe, const struct probing *probing, enum probe which,
		      enum made_container container)
{
	struct child_result result;
	bool shown = false;
	int err = try_form(probing, container, 0, &shown, &result);

	if (err)
		return err;
	if (shown)
		probe__set(probe, which, PROBE_OK, "the sample is shown");
	else
		probe__set(probe, which, PROBE_FAULTY, "no sample, exit code %d: %.180s",
			   result.status, result.errors);
	return 0;
}

int probe__forms(struct perf_probe *probe, const struct probing *probing)
{
	int err = probe_attr(probe, probing);

	if (!err)
		err = probe_form(probe, probing, PROBE_PIPE, MADE_PIPE);
	if (!err)
		err = probe_form(probe, probing, PROBE_ZSTD, MADE_COMPRESSED);
	/* one that can't inflate at all is not said to lack the newer form as well */
	if (!err && probe->results[PROBE_ZSTD].status == PROBE_OK)
		err = probe_form(probe, probing, PROBE_ZSTD2, MADE_COMPRESSED2);
	return err;
}
