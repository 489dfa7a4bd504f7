// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a perf reads names from ELF files, and whether it takes them from the build-id cache
 * whatever the file itself says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "host/made.h"
#include "host/private.h"

#define PID  3001
#define BASE UINT64_C(0x7f0000100000)

/* The folder in the cache for a build-id: home/.debug/.build-id/ab/cdef..., made. */
static char *make_entry(const struct probing *probing, const uint8_t *build_id)
{
	char name[128] = "home", *path;
	int at = (int)strlen(name);

	for (size_t depth = 0; depth < 4; depth++) {
		if (depth < 2)
			at += snprintf(name + at, sizeof(name) - (size_t)at, "%s",
				       depth ? "/.build-id" : "/.debug");
		else
			at += snprintf(name + at, sizeof(name) - (size_t)at, "/%02x",
				       build_id[depth - 2]);
		for (size_t i = 2; depth == 3 && i < DSO_BUILD_ID_SIZE; i++)
			at += snprintf(name + at, sizeof(name) - (size_t)at, "%02x", build_id[i]);
		path = scratch__path(&probing->scratch, name);
		if (!path)
			return NULL;
		if (mkdir(path, 0700) < 0 && errno != EEXIST) {
			free(path);
			return NULL;
		}
		if (depth < 3)
			free(path);
	}
	return path;
}

/* Another file under the build-id of the DSO, with other names. */
static int poison(const struct probing *probing, const struct made_code *code)
{
	struct made_code stale = { .form = MADE_EXEC, .base = BASE, .prefix = "stale" };
	char *folder = make_entry(probing, code->build_id), *path = NULL;
	int err = folder && asprintf(&path, "%s/elf", folder) >= 0 ? 0 : -ENOMEM;

	if (!err)
		err = made_code__write(&stale, path, probing->diag);
	free(folder);
	free(path);
	return err;
}

int probe__cache(struct perf_probe *probe, const struct probing *probing)
{
	struct made_code code = { .form = MADE_REGION, .base = BASE, .prefix = "fresh" };
	char *dso = scratch__path(&probing->scratch, "cached.so"), symbol[64];
	char *path = scratch__path(&probing->scratch, "cached.data");
	int err = dso && path ? made_code__write(&code, dso, probing->diag) : -ENOMEM;
	struct child_result result;
	bool shown;

	if (!err)
		err = poison(probing, &code);
	if (!err) {
		struct made_stack stack = { .ip = code.functions[0] + 16 };
		struct made_profile profile;
		uint64_t time;

		made_profile__begin(&profile, MADE_FLAT);
		made_profile__comm(&profile, PID);
		made_profile__map(&profile, PID, BASE, 0x1000, 0, dso);
		time = made_profile__sample(&profile, PID, &stack);
		err = made_profile__write(&profile, MADE_FILE, path, probing->diag);
		if (!err)
			err = probe__shows(probing, path, false, time, &shown, symbol, &result);
		made_profile__free(&profile);
	}
	if (!err && shown) {
		probe->cache_first = strncmp(symbol, "stale", 5) == 0;
		probe__set(probe, PROBE_SYMBOLS, *symbol ? PROBE_OK : PROBE_FAULTY, "%s",
			   *symbol ? symbol : "no name for an address in an ELF file");
	}
	free(dso);
	free(path);
	return err;
}
