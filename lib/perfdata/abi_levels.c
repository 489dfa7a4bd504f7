// SPDX-License-Identifier: GPL-2.0-or-later
/* What each version of perf knows. */
#include "perfdata/abi_convert.h"

#include <limits.h>
#include <stdio.h>

/*
 * Sizes and bits: tools/include/uapi/linux/perf_event.h of each version (PERF_ATTR_SIZE_VER*, the
 * bit fields of struct perf_event_attr, PERF_SAMPLE_MAX, PERF_FORMAT_MAX, PERF_SAMPLE_BRANCH_MAX,
 * PERF_RECORD_MAX). Types that perf writes: tools/lib/perf/include/perf/event.h. Features:
 * tools/perf/util/header.h. All must stand in the order of versions.
 */
static const struct perfdata_abi levels[] = {
	{
		.name = "5.10",
		.major = 5,
		.minor = 10,
		.attr_size = 120,
		.flags = 34,       /* text_poke */
		.sample_bits = 22, /* CGROUP */
		.read_bits = 4,
		.branch_bits = 18, /* HW_INDEX */
		.kernel_types = PERFDATA_TEXT_POKE,
		.user_types = PERFDATA_COMPRESSED,
		.features = 30,
	},
	{
		.name = "5.15",
		.major = 5,
		.minor = 15,
		.attr_size = 128,  /* sig_data */
		.flags = 38,       /* build_id, inherit_thread, remove_on_exec, sigtrap */
		.sample_bits = 25, /* DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT */
		.read_bits = 4,
		.branch_bits = 18,
		.kernel_types = PERFDATA_TEXT_POKE,
		.user_types = PERFDATA_COMPRESSED,
		.features = 32, /* HYBRID_TOPOLOGY, HYBRID_CPU_PMU_CAPS */
		.mmap_build_ids = true,
	},
	{
		.name = "6.1",
		.major = 6,
		.minor = 1,
		.attr_size = 128,
		.flags = 38,
		.sample_bits = 25,
		.read_bits = 5,    /* LOST */
		.branch_bits = 19, /* PRIV_SAVE */
		.kernel_types = PERFDATA_AUX_OUTPUT_HW_ID,
		.user_types = PERFDATA_FINISHED_INIT,
		.features = 32,
		.mmap_build_ids = true,
		.ranges = true,
		.directories = true,
		.zstd = true,
	},
	{
		.name = "6.6",
		.major = 6,
		.minor = 6,
		.attr_size = 136, /* config3 */
		.flags = 38,
		.sample_bits = 25,
		.read_bits = 5,
		.branch_bits = 19,
		.kernel_types = PERFDATA_AUX_OUTPUT_HW_ID,
		.user_types = PERFDATA_FINISHED_INIT,
		.features = 32,
		.mmap_build_ids = true,
		.ranges = true,
		.directories = true,
		.zstd = true,
	},
	{
		.name = "6.12",
		.major = 6,
		.minor = 12,
		.attr_size = 136,
		.flags = 38,
		.sample_bits = 25,
		.read_bits = 5,
		.branch_bits = 20, /* COUNTERS */
		.kernel_types = PERFDATA_AUX_OUTPUT_HW_ID,
		.user_types = PERFDATA_FINISHED_INIT,
		.features = 32,
		.mmap_build_ids = true,
		.ranges = true,
		.directories = true,
		.zstd = true,
	},
	{
		.name = "7.x",
		.major = 7,
		.minor = 0,
		.attr_size = 144, /* config4 */
		.flags = 40,      /* defer_callchain, defer_output */
		.sample_bits = 25,
		.read_bits = 5,
		.branch_bits = 20,
		.aux_actions = true,
		.kernel_types = PERFDATA_CALLCHAIN_DEFERRED,
		.user_types = PERFDATA_BPF_METADATA + 2, /* SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN */
		.features = 35,                          /* CPU_DOMAIN_INFO, E_MACHINE, CLN_SIZE */
		.mmap_build_ids = true,
		.ranges = true,
		.foreign_updates = true,
		.directories = true,
		.zstd = true,
	},
};

static const struct perfdata_abi level_auto = { .name = "auto", .attr_size = UINT32_MAX };
static const struct perfdata_abi level_keep = { .name = "keep" };

const struct perfdata_abi perfdata_abi__any = {
	.name = "any",
	.attr_size = UINT32_MAX,
	.flags = 63,
	.sample_bits = 63,
	.read_bits = 63,
	.branch_bits = 63,
	.aux_actions = true,
	.kernel_types = UINT32_MAX,
	.user_types = UINT32_MAX,
	.features = UINT_MAX,
	.mmap_build_ids = true,
	.ranges = true,
	.foreign_updates = true,
	.directories = true,
	.zstd = true,
};

#define NR_LEVELS (sizeof(levels) / sizeof(levels[0]))

/* Two numbers, and whatever further ones are of no account here. */
static bool parse_version(const char *name, unsigned int *major, unsigned int *minor)
{
	int end = 0;

	if (strcmp(name, "7.x") == 0) {
		*major = 7;
		*minor = 0;
		return true;
	}
	if (name[0] < '0' || name[0] > '9' || sscanf(name, "%3u.%3u%n", major, minor, &end) != 2)
		return false;
	return name[end - 1] != ' ' && (name[end] == '\0' || name[end] == '.');
}

const struct perfdata_abi *perfdata_abi__by_name(const char *name)
{
	const struct perfdata_abi *found = NULL;
	unsigned int major, minor;

	if (strcmp(name, level_auto.name) == 0)
		return &level_auto;
	if (strcmp(name, level_keep.name) == 0)
		return &level_keep;
	if (!parse_version(name, &major, &minor))
		return NULL;
	for (size_t i = 0; i < NR_LEVELS; i++)
		if (levels[i].major < major ||
		    (levels[i].major == major && levels[i].minor <= minor))
			found = &levels[i];
	return found;
}

bool perfdata_abi__is_version(const struct perfdata_abi *level)
{
	return level->major > 0;
}

bool perfdata_abi__knows_type(const struct perfdata_abi *level, uint32_t type)
{
	if (type < PERFDATA_HEADER_ATTR)
		return type <= level->kernel_types;
	return type <= level->user_types;
}
