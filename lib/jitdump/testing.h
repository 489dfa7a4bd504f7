/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of this module: dumps written field by field, after jitdump-specification.txt and
 * the sources of the producers, and what the reader made of them.
 */
#ifndef PERFJIT_JITDUMP_TESTING_H
#define PERFJIT_JITDUMP_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/diag.h"
#include "jitdump/jitdump.h"

#define UNUSED __attribute__((unused))

#define TEST_PID 4711u

struct said {
	enum diag_level level;
	const char *kind;
	uint64_t offset;
	char text[200];
};

/* A dump that was read, and all that was said about it. */
struct reading {
	struct diag *diag;
	struct jitdump *dump; /* NULL when it can't be opened */
	int err;
	ARRAY(struct said) said;
	ARRAY(struct jitdump_event) events;
};

static inline void keep_said(void *context, const struct diag_message *message)
{
	struct reading *reading = context;
	struct said said = { message->level, message->kind, message->offset, "" };

	snprintf(said.text, sizeof(said.text), "%s", message->text);
	assert_true(array__push(&reading->said, said));
}

static inline int keep_event(void *context, const struct jitdump_event *event)
{
	struct reading *reading = context;

	assert_true(array__push(&reading->events, *event));
	return 0;
}

UNUSED static void read_path(struct reading *reading, const char *path)
{
	*reading = (struct reading){ .diag = diag__new(keep_said, reading) };
	assert_non_null(reading->diag);
	reading->err = jitdump__open(&reading->dump, path, reading->diag);
	if (!reading->err)
		assert_int_equal(jitdump__for_each_event(reading->dump, keep_event, reading), 0);
}

/* Reads what was written and releases the buffer. */
UNUSED static void read_dump(struct reading *reading, struct buf *written)
{
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	char path[64];

	assert_false(written->failed);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, written->data, written->size), written->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_path(reading, path);
	close(fd);
	buf__free(written);
}

UNUSED static void end_reading(struct reading *reading)
{
	jitdump__close(reading->dump);
	diag__free(reading->diag);
	array__free(&reading->said);
	array__free(&reading->events);
}

/* The nth function that was loaded. */
UNUSED static const struct code_record *function(const struct reading *reading, size_t nth)
{
	array__for_each(event, &reading->events)
		if (event->kind == JITDUMP_LOAD && !nth--)
			return event->code;
	fail_msg("there are not that many functions");
	return NULL;
}

UNUSED static size_t count_said(const struct reading *reading, const char *kind)
{
	size_t count = 0;

	array__for_each(said, &reading->said)
		count += strcmp(said->kind, kind) == 0;
	return count;
}

UNUSED static void put_header(struct buf *buf)
{
	buf__put_u32(buf, 0x4A695444);
	buf__put_u32(buf, 1);
	buf__put_u32(buf, 40);
	buf__put_u32(buf, 62);
	buf__put_u32(buf, 0);
	buf__put_u32(buf, TEST_PID);
	buf__put_u64(buf, 1000);
	buf__put_u64(buf, 0);
}

/* Returns where the record begins; its size is set by end_record. */
UNUSED static size_t begin_record(struct buf *buf, uint32_t id, uint64_t time)
{
	size_t start = buf->size;

	buf__put_u32(buf, id);
	buf__put_u32(buf, 0);
	buf__put_u64(buf, time);
	return start;
}

UNUSED static void set_size(struct buf *buf, size_t start, uint32_t size)
{
	set_u32(buf->data + start + 4, size, buf->order);
}

UNUSED static void end_record(struct buf *buf, size_t start)
{
	set_size(buf, start, (uint32_t)(buf->size - start));
}

/* Code that is told apart by where it is. */
UNUSED static void put_code(struct buf *buf, uint64_t addr, size_t size)
{
	for (size_t i = 0; i < size; i++)
		buf__put_u8(buf, (uint8_t)(0x80 | (addr >> 4) | i));
}

UNUSED static size_t begin_load(struct buf *buf, uint64_t time, uint64_t vma, uint64_t addr,
				uint64_t size)
{
	size_t start = begin_record(buf, JIT_CODE_LOAD, time);

	buf__put_u32(buf, TEST_PID);
	buf__put_u32(buf, TEST_PID + 1);
	buf__put_u64(buf, vma);
	buf__put_u64(buf, addr);
	buf__put_u64(buf, size);
	buf__put_u64(buf, time);
	return start;
}

UNUSED static void put_load(struct buf *buf, uint64_t time, uint64_t addr, uint64_t size,
			    const char *name)
{
	size_t start = begin_load(buf, time, addr, addr, size);

	buf__put_string(buf, name);
	put_code(buf, addr, size);
	end_record(buf, start);
}

UNUSED static void put_move(struct buf *buf, uint64_t time, uint64_t from, uint64_t to,
			    uint64_t size)
{
	size_t start = begin_record(buf, JIT_CODE_MOVE, time);

	buf__put_u32(buf, TEST_PID);
	buf__put_u32(buf, TEST_PID);
	buf__put_u64(buf, to);
	buf__put_u64(buf, from);
	buf__put_u64(buf, to);
	buf__put_u64(buf, size);
	buf__put_u64(buf, 1);
	end_record(buf, start);
}

UNUSED static size_t begin_debug_info(struct buf *buf, uint64_t time, uint64_t addr, uint64_t count)
{
	size_t start = begin_record(buf, JIT_CODE_DEBUG_INFO, time);

	buf__put_u64(buf, addr);
	buf__put_u64(buf, count);
	return start;
}

UNUSED static void put_entry(struct buf *buf, uint64_t addr, uint32_t line, const char *file)
{
	buf__put_u64(buf, addr);
	buf__put_u32(buf, line);
	buf__put_u32(buf, line + 100);
	buf__put_string(buf, file);
}

UNUSED static size_t begin_unwinding(struct buf *buf, uint64_t time, uint64_t size,
				     uint64_t hdr_size, uint64_t mapped_size)
{
	size_t start = begin_record(buf, JIT_CODE_UNWINDING_INFO, time);

	buf__put_u64(buf, size);
	buf__put_u64(buf, hdr_size);
	buf__put_u64(buf, mapped_size);
	return start;
}

UNUSED static size_t begin_debug_info2(struct buf *buf, uint64_t time, uint64_t addr,
				       uint64_t nr_offsets, uint64_t nr_positions,
				       uint64_t nr_strings)
{
	size_t start = begin_record(buf, JIT_CODE_DEBUG_INFO2, time);

	buf__put_u64(buf, addr);
	buf__put_u64(buf, nr_offsets);
	buf__put_u64(buf, nr_positions);
	buf__put_u64(buf, nr_strings);
	return start;
}

#endif
