// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "jitdump/dump.h"

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
	if (!gzip__is_gzip(dump->map.bytes))
		return 0;
	err = gzip__unwrap(dump->map.bytes, &dump->unwrapped, &dump->bytes.size, dump->path,
			   dump->diag);
	dump->bytes.data = dump->unwrapped;
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
	free(dump->unwrapped);
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

bool jitdump__is_jitdump(const char *path)
{
	uint8_t head[512], inner[12];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);
	struct bytes bytes = { head, got > 0 ? (size_t)got : 0 };

	if (fd >= 0)
		close(fd);
	if (gzip__is_gzip(bytes))
		bytes = (struct bytes){ inner, gzip__peek(bytes, inner, sizeof(inner)) };
	return jitdump__has_magic(bytes, NULL);
}
