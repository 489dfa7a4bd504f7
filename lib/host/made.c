// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/made.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/diag.h"
#include "base/file.h"
#include "jitdump/jitdump.h"
#include "perfdata/abi.h"

#define FIRST_TIME  UINT64_C(1000000000)
#define TIME_STEP   UINT64_C(1000000)
#define HEADER_SIZE 104
#define EM_X86_64   62

/* x86-64's user registers as perf record asks for them: arch/x86/include/uapi/asm/perf_regs.h */
#define REGISTERS   UINT64_C(0xff0fff)
#define REGISTER_BP 6
#define REGISTER_SP 7
#define REGISTER_IP 8

static const uint64_t sample_types[] = {
	[MADE_FLAT] = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	[MADE_STACKS] = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
};

void made_profile__begin(struct made_profile *profile, enum made_samples samples)
{
	*profile = (struct made_profile){
		.samples = samples,
		.attr_size = MADE_ATTR_SIZE,
		.time = FIRST_TIME,
		.records = BUF(ORDER_LITTLE),
	};
}

static size_t begin(struct made_profile *profile, uint32_t type, uint16_t misc)
{
	size_t at = profile->records.size;

	buf__put_u32(&profile->records, type);
	buf__put_u16(&profile->records, misc);
	buf__put_u16(&profile->records, 0);
	return at;
}

static void end(struct made_profile *profile, size_t at)
{
	struct buf *buf = &profile->records;

	if (!buf->failed)
		set_u16(buf->data + at + 6, (uint16_t)(buf->size - at), ORDER_LITTLE);
	profile->time += TIME_STEP;
}

/* sample_id_all: what the event's samples have of TID and TIME. */
static void end_with_id(struct made_profile *profile, size_t at, uint32_t pid)
{
	struct buf *buf = &profile->records;

	buf__align(buf, 8);
	buf__put_u32(buf, pid);
	buf__put_u32(buf, pid);
	buf__put_u64(buf, profile->time);
	end(profile, at);
}

void made_profile__comm(struct made_profile *profile, uint32_t pid)
{
	size_t at = begin(profile, PERFDATA_COMM, PERFDATA_MISC_COMM_EXEC);

	buf__put_u32(&profile->records, pid);
	buf__put_u32(&profile->records, pid);
	buf__put_string(&profile->records, "probe");
	end_with_id(profile, at, pid);
}

void made_profile__map(struct made_profile *profile, uint32_t pid, uint64_t start, uint64_t size,
		       uint64_t pgoff, const char *name)
{
	size_t at = begin(profile, PERFDATA_MMAP2, PERF_RECORD_MISC_USER);
	struct buf *buf = &profile->records;

	buf__put_u32(buf, pid);
	buf__put_u32(buf, pid);
	buf__put_u64(buf, start);
	buf__put_u64(buf, size);
	buf__put_u64(buf, pgoff);
	buf__put_zeros(buf, 24); /* device, inode, generation: not known */
	buf__put_u32(buf, 5);    /* PROT_READ | PROT_EXEC */
	buf__put_u32(buf, 2);    /* MAP_PRIVATE */
	buf__put_string(buf, name);
	end_with_id(profile, at, pid);
}

static void put_registers(struct buf *buf, const struct made_stack *stack)
{
	buf__put_u64(buf, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned int i = 0; i < 64; i++) {
		uint64_t value = 0;

		if (!(REGISTERS >> i & 1))
			continue;
		if (i == REGISTER_BP)
			value = stack->bp;
		else if (i == REGISTER_SP)
			value = MADE_STACK_POINTER;
		else if (i == REGISTER_IP)
			value = stack->ip;
		buf__put_u64(buf, value);
	}
}

uint64_t made_profile__sample(struct made_profile *profile, uint32_t pid,
			      const struct made_stack *stack)
{
	size_t at = begin(profile, PERFDATA_SAMPLE, PERF_RECORD_MISC_USER);
	struct buf *buf = &profile->records;
	uint64_t time = profile->time;

	buf__put_u64(buf, stack->ip);
	buf__put_u32(buf, pid);
	buf__put_u32(buf, pid);
	buf__put_u64(buf, time);
	if (profile->samples == MADE_STACKS) {
		buf__put_u64(buf, 0); /* no chain: it is the reader's to unwind */
		put_registers(buf, stack);
		buf__put_u64(buf, sizeof(stack->words));
		for (size_t i = 0; i < sizeof(stack->words) / 8; i++)
			buf__put_u64(buf, stack->words[i]);
		buf__put_u64(buf, sizeof(stack->words));
	}
	end(profile, at);
	return time;
}

struct made_stack made_code__stack(const struct made_code *code)
{
	size_t leaf = (code->leaf_frame ? code->leaf_frame : MADE_LEAF_FRAME) / 8;
	size_t middle = leaf + MADE_MIDDLE_FRAME / 8;
	struct made_stack stack = { .ip = code->functions[0] + 16 };

	stack.words[leaf - 1] = code->functions[1] + 16;
	stack.words[middle - 1] = code->functions[2] + 16;
	return stack;
}

static void put_attr(const struct made_profile *profile, struct buf *buf)
{
	bool stacks = profile->samples == MADE_STACKS;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = profile->attr_size,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = sample_types[profile->samples],
		.mmap = 1,
		.comm = 1,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_callchain_user = stacks,
		.mmap2 = 1,
		.comm_exec = 1,
		.use_clockid = 1,
		.clockid = 1, /* CLOCK_MONOTONIC */
		.sample_regs_user = stacks ? REGISTERS : 0,
		.sample_stack_user = stacks ? sizeof(((struct made_stack *)0)->words) : 0,
	};
	size_t size = sizeof(attr) < attr.size ? sizeof(attr) : attr.size;

	buf__put(buf, &attr, size);
	buf__put_zeros(buf, attr.size - size);
}

/* magic, header, the one attr without ids, place and size of the records, features */
static void put_header(const struct made_profile *profile, struct buf *buf, uint64_t size,
		       bool compressed)
{
	uint64_t entry = profile->attr_size + 16;

	buf__put(buf, PERFDATA_MAGIC_V2, 8);
	buf__put_u64(buf, HEADER_SIZE);
	buf__put_u64(buf, entry);
	buf__put_u64(buf, HEADER_SIZE);
	buf__put_u64(buf, entry);
	buf__put_u64(buf, HEADER_SIZE + entry);
	buf__put_u64(buf, size);
	buf__put_zeros(buf, 16);
	buf__put_u64(buf, 1u << PERFDATA_FEAT_BUILD_ID |
				  (compressed ? 1u << PERFDATA_FEAT_COMPRESSED : 0));
	buf__put_zeros(buf, 24);
	put_attr(profile, buf);
	buf__put_zeros(buf, 16);
}

static void put_pipe(const struct made_profile *profile, struct buf *buf)
{
	buf__put(buf, PERFDATA_MAGIC_V2, 8);
	buf__put_u64(buf, 16);
	buf__put_u32(buf, PERFDATA_HEADER_ATTR);
	buf__put_u16(buf, 0);
	buf__put_u16(buf, (uint16_t)(8 + profile->attr_size));
	put_attr(profile, buf);
	buf__put(buf, profile->records.data, profile->records.size);
}

/* The records as one zstd frame in a record of their own. */
static void put_compressed(const struct made_profile *profile, bool second, struct buf *buf)
{
	size_t bound = ZSTD_compressBound(profile->records.size);
	uint8_t *frame = malloc(bound);
	size_t size = 0;

	if (frame)
		size = ZSTD_compress(frame, bound, profile->records.data, profile->records.size, 1);
	if (!frame || ZSTD_isError(size)) {
		buf->failed = true;
	} else {
		size_t whole = second ? 16 + align_up(size, 8) : 8 + size;

		buf__put_u32(buf, second ? PERFDATA_COMPRESSED2 : PERFDATA_COMPRESSED);
		buf__put_u16(buf, 0);
		buf__put_u16(buf, (uint16_t)whole);
		if (second)
			buf__put_u64(buf, size);
		buf__put(buf, frame, size);
		if (second)
			buf__put_zeros(buf, whole - 16 - size);
	}
	free(frame);
}

/*
 * HEADER_BUILD_ID without entries, without which perf inject enters none. HEADER_COMPRESSED:
 * version, type (zstd), level, ratio, bytes of a buffer for what is inflated.
 */
static void put_features(struct buf *buf, bool compressed)
{
	uint64_t offset = buf->size + (compressed ? 32 : 16);

	buf__put_u64(buf, offset);
	buf__put_u64(buf, 0);
	if (!compressed)
		return;
	buf__put_u64(buf, offset);
	buf__put_u64(buf, 20);
	for (size_t i = 0; i < 4; i++)
		buf__put_u32(buf, 1);
	buf__put_u32(buf, 1 << 20);
}

static int write_file(const struct buf *buf, const char *path, struct diag *diag)
{
	struct file_out out;
	int err;

	if (buf->failed)
		return -ENOMEM;
	err = file_out__open(&out, path, 0600, diag);
	if (err)
		return err;
	err = file_out__write(&out, buf__bytes(buf), diag);
	if (!err)
		err = file_out__commit(&out, false, diag);
	file_out__abort(&out);
	return err;
}

int made_profile__write(const struct made_profile *profile, enum made_container container,
			const char *path, struct diag *diag)
{
	bool compressed = container == MADE_COMPRESSED || container == MADE_COMPRESSED2;
	struct buf data = BUF(ORDER_LITTLE), file = BUF(ORDER_LITTLE);
	int err;

	if (compressed)
		put_compressed(profile, container == MADE_COMPRESSED2, &data);
	else
		buf__put(&data, profile->records.data, profile->records.size);
	if (container == MADE_PIPE) {
		put_pipe(profile, &file);
	} else {
		put_header(profile, &file, data.size, compressed);
		buf__put(&file, data.data, data.size);
		put_features(&file, compressed);
	}
	file.failed |= data.failed || profile->records.failed;
	err = write_file(&file, path, diag);
	buf__free(&data);
	buf__free(&file);
	return err;
}

void made_profile__free(struct made_profile *profile)
{
	buf__free(&profile->records);
}

int made_dump__write(const struct made_dump *dump, const char *path, struct diag *diag)
{
	struct buf buf = BUF(ORDER_LITTLE);
	int err;

	buf__put_u32(&buf, JITDUMP_MAGIC);
	buf__put_u32(&buf, 1);
	buf__put_u32(&buf, 40);
	buf__put_u32(&buf, EM_X86_64);
	buf__put_u32(&buf, 0);
	buf__put_u32(&buf, dump->pid);
	buf__put_u64(&buf, dump->time);
	buf__put_u64(&buf, 0);

	buf__put_u32(&buf, JIT_CODE_LOAD);
	buf__put_u32(&buf, (uint32_t)(56 + strlen(dump->name) + 1 + MADE_DUMP_CODE_SIZE));
	buf__put_u64(&buf, dump->time);
	buf__put_u32(&buf, dump->pid);
	buf__put_u32(&buf, dump->pid);
	buf__put_u64(&buf, dump->addr);
	buf__put_u64(&buf, dump->addr);
	buf__put_u64(&buf, MADE_DUMP_CODE_SIZE);
	buf__put_u64(&buf, 1);
	buf__put_string(&buf, dump->name);
	/* the same code whatever the name, as CPython's trampolines are */
	for (size_t i = 0; i < MADE_DUMP_CODE_SIZE; i++)
		buf__put_u8(&buf, 0x90);
	err = write_file(&buf, path, diag);
	buf__free(&buf);
	return err;
}
