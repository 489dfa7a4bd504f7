// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * generate [OPTION...] FOLDER: a profile and a jitdump of any size, equal in each run. Writes
 * FOLDER/perf.data and FOLDER/jit-4711.dump as an x86-64 process of that pid would have left them.
 */
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "generate.h"

/* Samples are in the functions that were loaded last, so many of them. */
#define HOT 1000

/* Registers that perf asks for on x86-64: ax to r15 without the segment registers. */
#define REGISTERS    UINT64_C(0xff0fff)
#define NR_REGISTERS 20
#define REGISTER_BP  6
#define REGISTER_SP  7
#define REGISTER_IP  8

#define FRAME      16 /* words of each frame in a stack copy */
#define FRAMES_MAX 40

#define FINISHED_ROUND   68 /* of perf's own record types */
#define SAMPLES_OF_ROUND 512

struct profile {
	const struct options *options;
	FILE *file;
	uint64_t written; /* bytes of records */
	uint64_t random;
};

static uint64_t next_random(struct profile *profile)
{
	profile->random ^= profile->random << 13;
	profile->random ^= profile->random >> 7;
	profile->random ^= profile->random << 17;
	return profile->random;
}

void put(FILE *file, const void *data, size_t size)
{
	if (fwrite(data, 1, size, file) == size)
		return;
	fprintf(stderr, "generate: can't write: %s\n", strerror(errno));
	exit(1);
}

static void put_record(struct profile *profile, uint32_t type, uint16_t misc, const void *body,
		       size_t size)
{
	struct perf_event_header header = { type, misc, (uint16_t)(sizeof(header) + size) };

	put(profile->file, &header, sizeof(header));
	if (size)
		put(profile->file, body, size);
	profile->written += header.size;
}

/* pid, tid and time, which stand at the end of every record that is no sample. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
};

static void put_comm(struct profile *profile)
{
	struct {
		uint32_t pid, tid;
		char name[16];
		struct trailer trailer;
	} comm = { PID, PID, "generated", { PID, PID, START } };

	put_record(profile, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm));
}

static void put_mmap(struct profile *profile, uint64_t start, uint64_t size, const char *name)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, pgoff;
		uint32_t major, minor;
		uint64_t inode, inode_generation;
		uint32_t prot, flags;
		char rest[4096 + sizeof(struct trailer)];
	} map = { PID,         PID,
		  start,       size,
		  0,           8,
		  1,           *name == '/' && name[1] != '/',
		  0,           PROT_READ | PROT_EXEC,
		  MAP_PRIVATE, { 0 } };
	struct trailer trailer = { PID, PID, START + 1 };
	size_t room = strlen(name) / 8 * 8 + 8;

	memcpy(map.rest, name, strlen(name));
	memcpy(map.rest + room, &trailer, sizeof(trailer));
	put_record(profile, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &map,
		   (size_t)(map.rest - (char *)&map) + room + sizeof(trailer));
}

/* An address within one of the last functions that were loaded before the nth. */
static uint64_t address(struct profile *profile, uint64_t nth)
{
	const struct options *options = profile->options;
	uint64_t hot = options->places < HOT ? options->places : HOT;
	uint64_t back = 1 + next_random(profile) % (nth < hot ? nth : hot);

	return place_of(options, (nth - back) % options->places) + 14;
}

/* With stack copies, too, perf asks for the kernel's chain, which is empty in user space. */
static size_t put_chain(struct profile *profile, uint64_t *sample, uint64_t ip, uint64_t nr)
{
	size_t at = 0;

	if (!profile->options->chain) {
		sample[0] = 0;
		return 1;
	}
	sample[at++] = profile->options->chain + 1;
	sample[at++] = PERF_CONTEXT_USER;
	for (uint32_t i = 0; i < profile->options->chain; i++)
		sample[at++] = i ? address(profile, nr) : ip;
	return at;
}

/* Registers, and frames of 16 words: the caller's frame pointer, where to return to. */
static size_t put_stack(struct profile *profile, uint64_t *sample, uint64_t ip, uint64_t nr)
{
	size_t at = 0, words = profile->options->stack / 8;

	sample[at++] = PERF_SAMPLE_REGS_ABI_64;
	memset(sample + at, 0, NR_REGISTERS * 8);
	sample[at + REGISTER_BP] = STACK;
	sample[at + REGISTER_SP] = STACK;
	sample[at + REGISTER_IP] = ip;
	at += NR_REGISTERS;
	sample[at++] = words * 8;
	memset(sample + at, 0, words * 8);
	for (size_t i = 0; i + FRAME < words && i / FRAME < FRAMES_MAX; i += FRAME) {
		sample[at + i] = STACK + (i + FRAME) * 8;
		sample[at + i + 1] = address(profile, nr);
	}
	at += words;
	sample[at++] = words * 8;
	return at;
}

static void put_sample(struct profile *profile, uint64_t time, uint64_t nr)
{
	static uint64_t sample[8192];
	uint64_t ip = address(profile, nr);
	size_t at = 0;

	sample[at++] = ip;
	sample[at++] = PID | (uint64_t)PID << 32;
	sample[at++] = time;
	if (profile->options->chain || profile->options->stack)
		at += put_chain(profile, sample + at, ip, nr);
	if (profile->options->stack)
		at += put_stack(profile, sample + at, ip, nr);
	put_record(profile, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample, at * 8);
}

static void put_samples(struct profile *profile)
{
	const struct options *options = profile->options;
	uint64_t span = load_time(options->functions) - load_time(1);

	for (uint64_t i = 0; i < options->samples; i++) {
		uint64_t time = load_time(1) +
				(uint64_t)((double)span / (double)options->samples * (double)i);

		/* how many are loaded by then */
		put_sample(profile, time, 1 + (time - load_time(1)) / LOAD_STEP);
		if (i % SAMPLES_OF_ROUND == SAMPLES_OF_ROUND - 1)
			put_record(profile, FINISHED_ROUND, 0, NULL, 0);
	}
}

static struct perf_event_attr make_attr(const struct options *options)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = PERF_ATTR_SIZE_VER5, /* old enough for any perf */
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.comm_exec = 1,
		.mmap = 1,
		.mmap2 = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (options->chain || options->stack)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (options->stack) {
		attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = REGISTERS;
		attr.sample_stack_user = options->stack;
		attr.exclude_callchain_user = 1;
	}
	return attr;
}

/* Header and attr, whose section of ids is empty. Features: ARCH (bit 6) and NRCPUS (7). */
static void put_header(const struct profile *profile)
{
	struct perf_event_attr attr = make_attr(profile->options);
	uint64_t attr_size = PERF_ATTR_SIZE_VER5 + 16;
	uint64_t header[13] = { 0,
				sizeof(header),
				attr_size,
				sizeof(header),
				attr_size,
				sizeof(header) + attr_size,
				profile->written,
				0,
				0,
				3 << 6 };
	uint64_t ids[2] = { sizeof(header) + attr_size, 0 };

	memcpy(header, "PERFILE2", 8);
	put(profile->file, header, sizeof(header));
	put(profile->file, &attr, PERF_ATTR_SIZE_VER5);
	put(profile->file, ids, sizeof(ids));
}

/* Behind the records: where each feature stands, then the features. */
static void put_features(const struct profile *profile)
{
	const struct {
		uint32_t length;
		char name[12];
	} arch = { sizeof(arch.name), "x86_64" };
	const uint32_t nr_cpus[2] = { 1, 1 };
	uint64_t at = (uint64_t)ftell(profile->file);
	uint64_t sections[4] = { at + sizeof(sections), sizeof(arch),
				 at + sizeof(sections) + sizeof(arch), sizeof(nr_cpus) };

	put(profile->file, sections, sizeof(sections));
	put(profile->file, &arch, sizeof(arch));
	put(profile->file, nr_cpus, sizeof(nr_cpus));
}

static void write_profile(const struct options *options, const char *path, const char *dump)
{
	struct profile profile = { options, fopen(path, "wbe"), 0, UINT64_C(0x9e3779b97f4a7c15) };

	if (!profile.file) {
		fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	put_header(&profile);
	put_comm(&profile);
	put_mmap(&profile, CODE & ~UINT64_C(4095), code_end(options) + 4096 - CODE, "//anon");
	put_mmap(&profile, MARKER, 4096, dump);
	put_samples(&profile);
	put_features(&profile);
	rewind(profile.file);
	put_header(&profile);
	if (fclose(profile.file) != 0) {
		fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

static uint64_t number(const char *text, uint64_t max)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0);

	if (*end || end == text || value > max) {
		fprintf(stderr, "generate: '%s' is no number up to %llu\n", text,
			(unsigned long long)max);
		exit(2);
	}
	return value;
}

static void parse(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "functions", required_argument, NULL, 'f' },
		{ "samples", required_argument, NULL, 's' },
		{ "chain", required_argument, NULL, 'c' },
		{ "stack", required_argument, NULL, 'S' },
		{ "uses", required_argument, NULL, 'u' },
		{ "spaced", no_argument, NULL, 'p' },
		{ "lines", no_argument, NULL, 'l' },
		{ "alike", no_argument, NULL, 'a' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t uses = 1;

	for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
		switch (c) {
		case 'f':
			options->functions = number(optarg, 10000000);
			break;
		case 's':
			options->samples = number(optarg, 1000000000);
			break;
		case 'c':
			options->chain = (uint32_t)number(optarg, 127);
			break;
		case 'S':
			options->stack = (uint32_t)number(optarg, 65000 - 4096) / 8 * 8;
			break;
		case 'u':
			uses = number(optarg, 1000000);
			break;
		case 'p':
			options->spaced = true;
			break;
		case 'l':
			options->lines = true;
			break;
		case 'a':
			options->alike = true;
			break;
		default:
			exit(2);
		}
	if (optind + 1 != argc || !options->functions || !uses) {
		fprintf(stderr,
			"usage: generate [--functions=N] [--samples=N] [--chain=FRAMES] "
			"[--stack=BYTES] [--uses=N] [--spaced] [--lines] [--alike] FOLDER\n");
		exit(2);
	}
	options->places = (options->functions + uses - 1) / uses;
}

int main(int argc, char **argv)
{
	struct options options = { .functions = 10000, .samples = 10000 };
	char folder[PATH_SIZE], dump[PATH_SIZE + 32], profile[PATH_SIZE + 32];

	parse(&options, argc, argv);
	if (!realpath(argv[optind], folder) || strlen(folder) > PATH_SIZE - 64) {
		fprintf(stderr, "generate: %s: %s\n", argv[optind], strerror(errno));
		return 1;
	}
	snprintf(dump, sizeof(dump), "%s/jit-%u.dump", folder, PID);
	snprintf(profile, sizeof(profile), "%s/perf.data", folder);
	write_dump(&options, dump);
	write_profile(&options, profile, dump);
	return 0;
}
