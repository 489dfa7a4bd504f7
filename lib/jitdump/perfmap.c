// SPDX-License-Identifier: GPL-2.0-or-later
#include "jitdump/perfmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/diag.h"
#include "base/file.h"
#include "jitdump/arena.h"

/* So much of a line is looked at before it is asked whether a hole follows. */
#define PIECE ((size_t)64 << 10)

struct perfmap {
	char *path;
	struct diag *diag;
	uint32_t pid;
	struct arena names;
	ARRAY(struct code_record) records;
	struct perfmap_stats stats;
};

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* Takes a number and the blanks behind it, one at least. CPython 3.12.0a and others write 0x. */
static bool take_number(struct bytes *line, uint64_t *value)
{
	const uint8_t *p = line->data, *end = p + line->size, *digits;

	if (line->size > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	*value = 0;
	for (digits = p; p < end && hex_digit(*p) >= 0; p++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)hex_digit(*p);
	}
	if (p == digits || p == end || !is_blank(*p))
		return false;
	while (p < end && is_blank(*p))
		p++;
	*line = (struct bytes){ p, (size_t)(end - p) };
	return true;
}

static int unusable(struct perfmap *map, uint64_t offset, const char *kind, const char *why)
{
	map->stats.unusable++;
	diag__report(map->diag, DIAG_WARNING, kind, map->path, offset, "the line %s: skipped", why);
	return 0;
}

static int add_line(struct perfmap *map, struct bytes line, uint64_t offset)
{
	struct code_record code = { .pid = map->pid, .offset = offset };
	uint64_t end;

	while (line.size && is_blank(*line.data)) {
		line.data++;
		line.size--;
	}
	if (line.size && line.data[line.size - 1] == '\r')
		line.size--;
	if (!line.size)
		return 0;
	if (!take_number(&line, &code.addr))
		return unusable(map, offset, "perfmap.no-address", "begins with no address");
	if (!take_number(&line, &code.size))
		return unusable(map, offset, "perfmap.no-size", "has no size behind the address");
	if (!line.size)
		return unusable(map, offset, "perfmap.no-name", "has no name");
	if (memchr(line.data, 0, line.size))
		return unusable(map, offset, "perfmap.damaged-name",
				"holds bytes that are no text");
	if (!code.size)
		return unusable(map, offset, "perfmap.empty-code", "tells of code without size");
	if (code.size > CODE_SIZE_MAX)
		return unusable(map, offset, "perfmap.huge-code",
				"tells of more than 256 MiB of code in one function");
	if (__builtin_add_overflow(code.addr, code.size, &end))
		return unusable(map, offset, "perfmap.address-overflow",
				"tells of code that reaches past the end of the address space");
	code.index = map->stats.entries + 1;
	code.name = arena__text(&map->names, line.data, line.size);
	if (!code.name || !array__push(&map->records, code))
		return -ENOMEM;
	map->stats.entries++;
	return 0;
}

/* Where the line at pos ends. Holes have no newline, and reading them would take memory. */
static size_t end_of_line(const struct file_map *file, size_t pos)
{
	struct bytes text = file->bytes;

	while (pos < text.size) {
		size_t size = text.size - pos < PIECE ? text.size - pos : PIECE;
		const uint8_t *newline = memchr(text.data + pos, '\n', size);

		if (newline)
			return (size_t)(newline - text.data);
		pos = file_map__data_from(file, pos + size);
	}
	return text.size;
}

static int read_lines(struct perfmap *map, const struct file_map *file)
{
	size_t pos = 0;

	while (pos < file->bytes.size) {
		size_t end = end_of_line(file, pos);
		int err = add_line(map, (struct bytes){ file->bytes.data + pos, end - pos }, pos);

		if (err)
			return err;
		pos = end + 1;
	}
	return 0;
}

static uint32_t pid_in_name(const char *path)
{
	const char *name = file__base_name(path);
	unsigned long pid;
	char *end;

	if (strncmp(name, "perf-", 5) != 0 || name[5] < '1' || name[5] > '9')
		return 0;
	errno = 0;
	pid = strtoul(name + 5, &end, 10);
	return !errno && pid <= INT32_MAX && strcmp(end, ".map") == 0 ? (uint32_t)pid : 0;
}

static int read_file(struct perfmap *map)
{
	struct file_map file;
	/* copied: a process that lives writes on */
	int err = file_map__open(&file, map->path, true, map->diag);

	if (err)
		return err;
	err = read_lines(map, &file);
	file_map__close(&file);
	return err;
}

int perfmap__open(struct perfmap **opened, const char *path, struct diag *diag)
{
	struct perfmap *map = calloc(1, sizeof(*map));
	int err = -ENOMEM;

	*opened = NULL;
	if (!map)
		return -ENOMEM;
	map->diag = diag;
	map->pid = pid_in_name(path);
	map->path = strdup(path);
	if (map->path)
		err = read_file(map);
	if (err) {
		perfmap__close(map);
		return err;
	}
	*opened = map;
	return 0;
}

void perfmap__close(struct perfmap *map)
{
	if (!map)
		return;
	array__free(&map->records);
	arena__free(&map->names);
	free(map->path);
	free(map);
}

const char *perfmap__path(const struct perfmap *map)
{
	return map->path;
}

uint32_t perfmap__pid(const struct perfmap *map)
{
	return map->pid;
}

const struct perfmap_stats *perfmap__stats(const struct perfmap *map)
{
	return &map->stats;
}

int perfmap__for_each(const struct perfmap *map,
		      int (*visit)(void *context, const struct code_record *code), void *context)
{
	array__for_each(code, &map->records) {
		int stop = visit(context, code);

		if (stop)
			return stop;
	}
	return 0;
}
