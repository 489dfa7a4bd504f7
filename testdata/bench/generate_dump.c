// SPDX-License-Identifier: GPL-2.0-or-later
/* The jitdump: functions that keep a frame pointer, each with CFI, some with lines. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

#define NR_LINES 4

struct prefix {
	uint32_t id, size;
	uint64_t time;
};

static void put_header(FILE *file)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, sizeof(header), EM_X86_64, 0, PID, START, 0 };

	put(file, &header, sizeof(header));
}

/* .eh_frame as compilers write it: the CFA after push %rbp and after mov %rsp,%rbp. */
static const uint8_t eh_frame[] = {
	20, 0,    0,    0, 0, 0,    0, 0, 1, 'z', 'R', 0,    1,    0x78, 16,
	1,  0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0, 28,  0,   0,    0,    28,   0,
	0,  0,    0,    0, 0, 0,    0, 0, 0, 0,   0,   0x41, 0x0e, 16,   0x86,
	2,  0x43, 0x0d, 6, 0, 0,    0, 0, 0, 0,   0,   0,    0,    0,    0,
};
#define PC_BEGIN 32
#define PC_SIZE  36

static void put_unwinding(FILE *file, uint64_t time, uint64_t size)
{
	struct {
		struct prefix prefix;
		uint64_t size, hdr_size, mapped_size;
		uint8_t eh_frame[sizeof(eh_frame)];
		uint8_t hdr[20 + (8 - sizeof(eh_frame) % 8) % 8];
	} record = { { 4, sizeof(record), time }, sizeof(eh_frame) + 20, 20, 0, { 0 },
		     { 1, 0x1b, 3, 0x3b } };
	/* the CFI is taken to stand at the next multiple of 8 behind the code */
	int32_t begin = -(int32_t)((size + 7) / 8 * 8 + PC_BEGIN);
	int32_t begin_in_hdr = -(int32_t)((size + 7) / 8 * 8 + sizeof(eh_frame));
	int32_t hdr[4] = { -4 - (int32_t)sizeof(eh_frame), 1, begin_in_hdr,
			   24 - (int32_t)sizeof(eh_frame) };

	memcpy(record.eh_frame, eh_frame, sizeof(eh_frame));
	memcpy(record.eh_frame + PC_BEGIN, &begin, sizeof(begin));
	memcpy(record.eh_frame + PC_SIZE, &size, 4);
	memcpy(record.hdr + 4, hdr, sizeof(hdr));
	put(file, &record, sizeof(record));
}

/* The file's name stands in the first entry, "same as before" in the others. */
static void put_lines(FILE *file, uint64_t time, uint64_t addr, uint64_t size, uint64_t nth)
{
	char record[512], name[64];
	struct prefix prefix = { 2, 0, time };
	uint64_t fields[2] = { addr, NR_LINES };
	size_t at = sizeof(prefix);

	snprintf(name, sizeof(name), "/generated/file_%u.c", (unsigned int)(nth / 50));
	memcpy(record + at, fields, sizeof(fields));
	at += sizeof(fields);
	for (uint32_t i = 0; i < NR_LINES; i++) {
		uint64_t place = addr + i * size / NR_LINES;
		uint32_t line[2] = { (uint32_t)(nth % 50 * 20 + i), 0 };
		const char *file_name = i ? "\xff" : name;

		memcpy(record + at, &place, 8);
		memcpy(record + at + 8, line, 8);
		memcpy(record + at + 16, file_name, strlen(file_name) + 1);
		at += 16 + strlen(file_name) + 1;
	}
	prefix.size = (uint32_t)at;
	memcpy(record, &prefix, sizeof(prefix));
	put(file, record, at);
}

/* No two functions have the same, unless they are to be alike. */
static void make_code(uint8_t *code, uint64_t size, uint64_t constant)
{
	/* push %rbp; mov %rsp,%rbp; movabs $constant,%rax */
	static const uint8_t begin[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 };
	/* mov %rax,-8(%rbp) ... pop %rbp; ret */
	static const uint8_t store[] = { 0x48, 0x89, 0x45, 0xf8 }, end[] = { 0x5d, 0xc3 };
	size_t at = sizeof(begin) + sizeof(constant);

	memcpy(code, begin, sizeof(begin));
	memcpy(code + sizeof(begin), &constant, sizeof(constant));
	for (; at < size - sizeof(end); at += sizeof(store))
		memcpy(code + at, store, sizeof(store));
	memcpy(code + size - sizeof(end), end, sizeof(end));
}

static void put_load(const struct options *options, FILE *file, uint64_t time, uint64_t addr,
		     uint64_t size, uint64_t nth)
{
	struct {
		struct prefix prefix;
		uint32_t pid, tid;
		uint64_t vma, addr, size, index;
	} load = { { 0, 0, time }, PID, PID, addr, addr, size, nth };
	uint8_t code[CODE_SIZE_MAX];
	char name[64];
	size_t length = (size_t)snprintf(name, sizeof(name), "generated::function_%u(int, long)",
					 (unsigned int)nth) +
			1;

	make_code(code, size, options->alike ? 0 : nth);
	load.prefix.size = (uint32_t)(sizeof(load) + length + size);
	put(file, &load, sizeof(load));
	put(file, name, length);
	put(file, code, size);
}

void write_dump(const struct options *options, const char *path)
{
	FILE *file = fopen(path, "wbe");

	if (!file) {
		fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	put_header(file);
	for (uint64_t i = 0; i < options->functions; i++) {
		uint64_t place = i % options->places, addr = place_of(options, place);
		uint64_t time = load_time(i + 1), size = code_size(options, place);

		if (options->lines)
			put_lines(file, time, addr, size, i);
		put_unwinding(file, time, size);
		put_load(options, file, time, addr, size, i);
	}
	if (fclose(file) != 0) {
		fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
		exit(1);
	}
}
