// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "jitdump/dump.h"
#include "jitdump/packed.h"

void jitdump__report(struct jitdump *dump, enum diag_level level, const char *kind, uint64_t offset,
		     const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	diag__report(dump->diag, level, kind, dump->path, offset, "%s", text);
}

static int open_bytes(struct jitdump *dump)
{
	/* a copy: the runtime may still run, and begin anew */
	int err = file_map__open(&dump->map, dump->path, true, dump->diag);

	if (err)
		return err;
	dump->bytes = dump->map.bytes;
	if (!packed__is_packed(dump->map.bytes))
		return 0;
	err = packed__unpack(dump->map.bytes, &dump->unpacked, &dump->bytes.size, dump->path,
			     dump->diag);
	dump->bytes.data = dump->unpacked;
	file_map__close(&dump->map);
	return err;
}

int jitdump__open(struct jitdump **opened, const char *path, struct diag *diag)
{
	struct jitdump *dump = calloc(1, sizeof(*dump));
	int err = -ENOMEM;

	*opened = NULL;
	if (!dump)
		return -ENOMEM;
	dump->diag = diag;
	dump->map.fd = -1;
	dump->path = strdup(path);
	if (dump->path)
		err = open_bytes(dump);
	if (!err)
		err = jitdump__read_header(dump);
	if (err) {
		jitdump__close(dump);
		return err;
	}
	*opened = dump;
	return 0;
}

void jitdump__close(struct jitdump *dump)
{
	if (!dump)
		return;
	array__free(&dump->events);
	arena__free(&dump->arena);
	file_map__close(&dump->map);
	free(dump->unpacked);
	free(dump->path);
	free(dump);
}

const char *jitdump__path(const struct jitdump *dump)
{
	return dump->path;
}

const struct jitdump_header *jitdump__header(const struct jitdump *dump)
{
	return &dump->header;
}

const struct jitdump_stats *jitdump__stats(const struct jitdump *dump)
{
	return dump->assembled ? &dump->totals : &dump->stats;
}

static bool holds_jitdump(struct bytes packed)
{
	uint8_t inner[12] = { 0 };

	return jitdump__has_magic(
		(struct bytes){ inner, packed__peek(packed, inner, sizeof(inner)) }, NULL);
}

bool jitdump__is_jitdump(const char *path)
{
	uint8_t *head = malloc(PACKED_HEAD_MAX);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got = fd < 0 || !head ? -1 : pread(fd, head, 12, 0);
	struct bytes bytes = { head, got > 0 ? (size_t)got : 0 };
	bool is = jitdump__has_magic(bytes, NULL);

	if (packed__is_packed(bytes)) {
		got = pread(fd, head, PACKED_HEAD_MAX, 0);
		bytes.size = got > 0 ? (size_t)got : 0;
		is = packed__is_packed(bytes) && holds_jitdump(bytes);
	}
	if (fd >= 0)
		close(fd);
	free(head);
	return is;
}
