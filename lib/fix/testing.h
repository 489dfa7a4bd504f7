/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of this module: profiles and jitdumps written record by record into a folder of
 * the test's own. Written from the formats' descriptions, not with lib/perfdata or lib/jitdump.
 */
#ifndef PERFJIT_FIX_TESTING_H
#define PERFJIT_FIX_TESTING_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "fix/plan.h"
#include "perfdata/abi.h"

#define UNUSED __attribute__((unused))

/* Samples as perf record -g (FP) and perf record --call-graph=dwarf (DWARF) have them. */
#define TEST_FLAT  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define TEST_FP    (TEST_FLAT | PERF_SAMPLE_CALLCHAIN)
#define TEST_DWARF (TEST_FP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

struct testing {
	char folder[64];
	char profile[128];
	uint64_t sample_type;
	bool namespaces;          /* perf record --namespaces */
	const uint64_t *branches; /* of samples to come: from and to by turns, ends with 0 */
	struct buf records;
	struct buf dump;
	struct diag *diag;
	char last_kind[64]; /* of the reports */
	char last_text[1024];
	enum fix_layout layout;
	struct discover_options discover;
	struct perfdata *perfdata;
};

static void testing__report(void *context, const struct diag_message *message)
{
	struct testing *testing = context;

	snprintf(testing->last_kind, sizeof(testing->last_kind), "%s", message->kind);
	snprintf(testing->last_text, sizeof(testing->last_text), "%s", message->text);
}

static UNUSED int testing__setup(void **state)
{
	struct testing *testing = calloc(1, sizeof(*testing));

	assert_non_null(testing);
	strcpy(testing->folder, "/tmp/perfjit-test-XXXXXX");
	assert_non_null(mkdtemp(testing->folder));
	snprintf(testing->profile, sizeof(testing->profile), "%s/perf.data", testing->folder);
	testing->records = testing->dump = BUF(ORDER_LITTLE);
	testing->diag = diag__new(testing__report, testing);
	testing->sample_type = TEST_DWARF;
	testing->layout = FIX_LAYOUT_REGION;
	*state = testing;
	return 0;
}

static void testing__remove(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[512];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (unlink(path) < 0)
			testing__remove(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static UNUSED int testing__teardown(void **state)
{
	struct testing *testing = *state;

	if (testing->perfdata)
		perfdata__close(testing->perfdata);
	testing__remove(testing->folder);
	buf__free(&testing->records);
	buf__free(&testing->dump);
	diag__free(testing->diag);
	free(testing);
	return 0;
}

#define TESTING(name) cmocka_unit_test_setup_teardown(name, testing__setup, testing__teardown)

/* A name in the test's folder; good until the next but three. */
static UNUSED const char *testing__path(const struct testing *testing, const char *name)
{
	static char paths[4][192];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", testing->folder, name);
	return path;
}

static void testing__write(const char *path, struct bytes bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	assert_int_equal(fclose(file), 0);
}

/* --- perf.data, one event; see tools/perf/Documentation/perf.data-file-format.txt --- */

static size_t record__begin(struct testing *testing, uint32_t type, uint16_t misc)
{
	size_t begin = testing->records.size;

	buf__put_u32(&testing->records, type);
	buf__put_u16(&testing->records, misc);
	buf__put_u16(&testing->records, 0);
	return begin;
}

/* sample_id_all: the fields that both the event and the trailer have. */
static void record__end(struct testing *testing, size_t begin, uint32_t pid, uint64_t time,
			bool trailer)
{
	struct buf *buf = &testing->records;

	while ((buf->size - begin) % 8)
		buf__put_u8(buf, 0);
	if (trailer) {
		buf__put_u32(buf, pid);
		buf__put_u32(buf, pid);
		if (testing->sample_type & PERF_SAMPLE_TIME)
			buf__put_u64(buf, time);
	}
	assert_false(buf->failed);
	set_u16(buf->data + begin + 6, (uint16_t)(buf->size - begin), ORDER_LITTLE);
}

static UNUSED void profile__comm(struct testing *testing, uint64_t time, uint32_t pid,
				 const char *name, bool exec)
{
	size_t begin = record__begin(testing, PERFDATA_COMM, exec ? PERFDATA_MISC_COMM_EXEC : 0);

	buf__put_u32(&testing->records, pid);
	buf__put_u32(&testing->records, pid);
	buf__put_string(&testing->records, name);
	record__end(testing, begin, pid, time, true);
}

static UNUSED void profile__map(struct testing *testing, uint64_t time, uint32_t pid,
				uint64_t start, uint64_t size, uint64_t pgoff, const char *name)
{
	size_t begin = record__begin(testing, PERFDATA_MMAP2, PERF_RECORD_MISC_USER);
	struct buf *buf = &testing->records;

	buf__put_u32(buf, pid);
	buf__put_u32(buf, pid);
	buf__put_u64(buf, start);
	buf__put_u64(buf, size);
	buf__put_u64(buf, pgoff);
	buf__put_zeros(buf, 24); /* device, inode, generation */
	buf__put_u32(buf, 5);
	buf__put_u32(buf, 2);
	buf__put_string(buf, name);
	record__end(testing, begin, pid, time, true);
}

/* The sign of a dump in the test's folder. */
static UNUSED void profile__marker(struct testing *testing, uint64_t time, uint32_t pid,
				   const char *name)
{
	profile__map(testing, time, pid, 0x7f0000000000, 0x1000, 0, testing__path(testing, name));
}

static UNUSED void profile__fork(struct testing *testing, uint64_t time, uint32_t pid,
				 uint32_t parent)
{
	size_t begin = record__begin(testing, PERFDATA_FORK, 0);

	buf__put_u32(&testing->records, pid);
	buf__put_u32(&testing->records, parent);
	buf__put_u32(&testing->records, pid);
	buf__put_u32(&testing->records, parent);
	buf__put_u64(&testing->records, time);
	record__end(testing, begin, parent, time, true);
}

/* chain and stack end with 0. One register is sampled, the instruction pointer. */
static UNUSED void profile__sample_stack(struct testing *testing, uint64_t time, uint32_t pid,
					 uint64_t ip, const uint64_t *chain, const uint64_t *stack)
{
	size_t begin = record__begin(testing, PERFDATA_SAMPLE, PERF_RECORD_MISC_USER);
	struct buf *buf = &testing->records;
	size_t count = 0;

	buf__put_u64(buf, ip);
	buf__put_u32(buf, pid);
	buf__put_u32(buf, pid);
	if (testing->sample_type & PERF_SAMPLE_TIME)
		buf__put_u64(buf, time);
	if (testing->sample_type & PERF_SAMPLE_CALLCHAIN) {
		while (chain && chain[count])
			count++;
		buf__put_u64(buf, count);
		for (size_t i = 0; i < count; i++)
			buf__put_u64(buf, chain[i]);
	}
	if (testing->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		for (count = 0; testing->branches[2 * count];)
			count++;
		buf__put_u64(buf, count);
		for (size_t i = 0; i < count; i++) {
			buf__put_u64(buf, testing->branches[2 * i]);
			buf__put_u64(buf, testing->branches[2 * i + 1]);
			buf__put_u64(buf, 0);
		}
	}
	if (testing->sample_type & PERF_SAMPLE_STACK_USER) {
		buf__put_u64(buf, PERF_SAMPLE_REGS_ABI_64);
		buf__put_u64(buf, ip);
		for (count = 0; stack && stack[count];)
			count++;
		buf__put_u64(buf, 8 * count);
		for (size_t i = 0; i < count; i++)
			buf__put_u64(buf, stack[i]);
		if (count)
			buf__put_u64(buf, 8 * count);
	}
	record__end(testing, begin, pid, time, false);
}

static UNUSED void profile__sample(struct testing *testing, uint64_t time, uint32_t pid,
				   uint64_t ip)
{
	profile__sample_stack(testing, time, pid, ip, NULL, NULL);
}

static UNUSED void profile__round(struct testing *testing)
{
	record__end(testing, record__begin(testing, PERFDATA_FINISHED_ROUND, 0), 0, 0, false);
}

/* Where in the file the next record will stand. */
#define PROFILE_ATTR_SIZE   128
#define PROFILE_DATA_OFFSET (104 + PROFILE_ATTR_SIZE + 16)
static UNUSED uint64_t profile__here(const struct testing *testing)
{
	return PROFILE_DATA_OFFSET + testing->records.size;
}

static void put_header(const struct testing *testing, struct buf *file)
{
	buf__put(file, PERFDATA_MAGIC_V2, 8);
	buf__put_u64(file, 104);
	buf__put_u64(file, PROFILE_ATTR_SIZE + 16);
	buf__put_u64(file, 104);
	buf__put_u64(file, PROFILE_ATTR_SIZE + 16);
	buf__put_u64(file, PROFILE_DATA_OFFSET);
	buf__put_u64(file, testing->records.size);
	buf__put_zeros(file, 16 + 32); /* event types, features: none */
}

/* Writes the profile and opens it. */
static UNUSED struct perfdata *profile__open(struct testing *testing)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PROFILE_ATTR_SIZE,
		.sample_type = testing->sample_type,
		.sample_period = 1,
		.sample_id_all = 1,
		.mmap2 = 1,
		.namespaces = testing->namespaces,
		.use_clockid = 1,
		.clockid = 1,
		.sample_regs_user = 1 << 8,
		.sample_stack_user = 64,
	};
	struct buf file = BUF(ORDER_LITTLE);
	size_t size = sizeof(attr) < PROFILE_ATTR_SIZE ? sizeof(attr) : PROFILE_ATTR_SIZE;

	put_header(testing, &file);
	buf__put(&file, &attr, size);
	buf__put_zeros(&file, PROFILE_ATTR_SIZE - size + 16);
	buf__put(&file, testing->records.data, testing->records.size);
	assert_false(file.failed);
	testing__write(testing->profile, buf__bytes(&file));
	buf__free(&file);
	assert_int_equal(perfdata__open(&testing->perfdata, testing->profile, testing->diag), 0);
	return testing->perfdata;
}

/* --- jitdump; see tools/perf/Documentation/jitdump-specification.txt --- */

static UNUSED void dump__begin(struct testing *testing, uint32_t pid)
{
	struct buf *buf = &testing->dump;

	buf->size = 0;
	buf__put_u32(buf, JITDUMP_MAGIC);
	buf__put_u32(buf, 1);
	buf__put_u32(buf, 40);
	buf__put_u32(buf, 62); /* EM_X86_64 */
	buf__put_u32(buf, 0);
	buf__put_u32(buf, pid);
	buf__put_u64(buf, 0);
	buf__put_u64(buf, 0);
}

/* As many bytes of code as said, nop but for the first, which is the name's first letter. */
static UNUSED void dump__load(struct testing *testing, uint64_t time, uint64_t addr, uint64_t size,
			      const char *name)
{
	struct buf *buf = &testing->dump;

	buf__put_u32(buf, JIT_CODE_LOAD);
	buf__put_u32(buf, (uint32_t)(56 + strlen(name) + 1 + size));
	buf__put_u64(buf, time);
	buf__put_u32(buf, 1);
	buf__put_u32(buf, 1);
	buf__put_u64(buf, addr);
	buf__put_u64(buf, addr);
	buf__put_u64(buf, size);
	buf__put_u64(buf, addr);
	buf__put_string(buf, name);
	buf__put_u8(buf, (uint8_t)name[0]);
	for (uint64_t i = 1; i < size; i++)
		buf__put_u8(buf, 0x90);
}

/* For the next load: CFI as CPython 3.13 writes it for 11 bytes of code. */
static UNUSED const uint8_t TEST_EH_FRAME[48] = {
	0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x7a, 0x52, 0x00,
	0x01, 0x78, 0x10, 0x01, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01, 0x00, 0x00,
	0x14, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x00, 0x00, 0xd0, 0xff, 0xff, 0xff,
	0x0b, 0x00, 0x00, 0x00, 0x00, 0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0x00,
};

static UNUSED void dump__unwinding(struct testing *testing, uint64_t time)
{
	static const uint8_t hdr[20] = { 1, 0x1b, 3, 0x3b };
	struct buf *buf = &testing->dump;

	buf__put_u32(buf, JIT_CODE_UNWINDING_INFO);
	buf__put_u32(buf, 40 + sizeof(TEST_EH_FRAME) + sizeof(hdr) + 4);
	buf__put_u64(buf, time);
	buf__put_u64(buf, sizeof(TEST_EH_FRAME) + sizeof(hdr));
	buf__put_u64(buf, sizeof(hdr));
	buf__put_u64(buf, sizeof(TEST_EH_FRAME) + sizeof(hdr));
	buf__put(buf, TEST_EH_FRAME, sizeof(TEST_EH_FRAME));
	buf__put(buf, hdr, sizeof(hdr));
	buf__put_zeros(buf, 4);
}

static UNUSED void dump__write(struct testing *testing, const char *name)
{
	assert_false(testing->dump.failed);
	testing__write(testing__path(testing, name), buf__bytes(&testing->dump));
}

/* --- plans --- */

/* A plan of the profile as it stands now, opened. */
static UNUSED struct plan *testing__plan(struct testing *testing, unsigned int without)
{
	struct plan_options options = {
		.output = testing__path(testing, "fixed"),
		.layout = testing->layout,
		.without = without,
		.discover = testing->discover,
	};
	struct plan *plan;

	if (!testing->perfdata)
		profile__open(testing);
	assert_int_equal(plan__make(&plan, testing->perfdata, &options, testing->diag), 0);
	return plan;
}

#endif
