// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target (libFuzzer): any bytes as a jitdump, and as a perf map. What is read must be what
 * the headers promise, and the same however often it is read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "jitdump/jitdump.h"
#include "jitdump/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct check {
	uint64_t loads, moves, closes;
	uint64_t offset; /* behind the event before */
	uint32_t sum;    /* of all bytes, so that all are looked at */
};

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void look_at(struct check *check, struct bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		check->sum = check->sum * 31 + bytes.data[i];
}

static void look_at_text(struct check *check, const char *text)
{
	require(text != NULL);
	look_at(check, (struct bytes){ (const uint8_t *)text, strlen(text) });
}

static void check_lines(struct check *check, const struct code_record *code)
{
	const struct code_lines *lines = code->lines;

	require(lines->nr_rows > 0);
	for (size_t i = 0; i < lines->nr_rows; i++) {
		const struct code_line *row = &lines->rows[i];

		require(row->addr - code->addr < code->size);
		require(!i || lines->rows[i - 1].addr <= row->addr);
		require(row->file < lines->nr_files);
		require(row->inlined <= lines->nr_inlined);
	}
	for (size_t i = 0; i < lines->nr_files; i++)
		look_at_text(check, lines->files[i]);
	for (size_t i = 0; i < lines->nr_inlined; i++) {
		look_at_text(check, lines->inlined[i].name);
		require(lines->inlined[i].caller <= lines->nr_inlined);
		require(lines->inlined[i].call_file < lines->nr_files);
	}
}

static void check_code(struct check *check, const struct code_record *code)
{
	require(code->size && code->addr && code->addr + code->size > code->addr);
	require(code->code.size == code->size || !code->code.size);
	look_at(check, code->code);
	look_at_text(check, code->name);
	require(*code->name);
	if (code->unwind) {
		look_at(check, code->unwind->eh_frame);
		look_at(check, code->unwind->eh_frame_hdr);
	}
	if (code->lines)
		check_lines(check, code);
}

static int check_event(void *context, const struct jitdump_event *event)
{
	struct check *check = context;

	require(event->offset >= check->offset);
	check->offset = event->offset + 1;
	if (event->kind == JITDUMP_LOAD) {
		check->loads++;
		require(event->time == event->code->time && event->offset == event->code->offset);
		check_code(check, event->code);
	} else if (event->kind == JITDUMP_MOVE) {
		check->moves++;
		require(event->move.size > 0);
	} else {
		check->closes++;
	}
	return 0;
}

/* Records lie behind each other; returns how many there are. */
static uint64_t walk_records(struct jitdump *dump)
{
	struct jitdump_record record;
	uint64_t count = 0, end = 0;

	jitdump__rewind(dump);
	while (jitdump__next_record(dump, &record) > 0) {
		require(record.offset >= end && record.size >= 16);
		end = record.offset + 16;
		count++;
	}
	return count;
}

static void check_dump(const char *path, struct diag *diag)
{
	struct check first = { 0 }, second = { 0 };
	const struct jitdump_stats *stats;
	struct jitdump *dump;
	uint64_t records, all;

	if (jitdump__open(&dump, path, diag))
		return;
	records = walk_records(dump);
	require(walk_records(dump) == records);
	require(jitdump__for_each_event(dump, check_event, &first) == 0);
	stats = jitdump__stats(dump);
	all = stats->loads + stats->moves + stats->closes + stats->debug_infos +
	      stats->debug_info2s + stats->unwinding_infos + stats->unknown;
	require(all == records);
	require(first.loads <= stats->loads && first.moves <= stats->moves);
	require(first.closes == stats->closes);
	require(first.loads + first.moves + stats->unusable >= stats->loads + stats->moves);
	require(jitdump__for_each_event(dump, check_event, &second) == 0);
	require(memcmp(&first, &second, sizeof(first)) == 0);
	jitdump__close(dump);
}

static int check_entry(void *context, const struct code_record *code)
{
	struct check *check = context;

	require(code->size && code->addr + code->size > code->addr && !code->code.size);
	look_at_text(check, code->name);
	require(*code->name && !strchr(code->name, '\n'));
	require(code->index == ++check->loads);
	return 0;
}

static void check_map(const char *path, struct diag *diag)
{
	struct check check = { 0 };
	struct perfmap *map;

	require(perfmap__open(&map, path, diag) == 0);
	require(perfmap__for_each(map, check_entry, &check) == 0);
	require(perfmap__stats(map)->entries == check.loads);
	perfmap__close(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *diag = diag__new(NULL, NULL);
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[64];

	require(diag && fd >= 0);
	require(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_dump(path, diag);
	check_map(path, diag);
	close(fd);
	diag__free(diag);
	return 0;
}
