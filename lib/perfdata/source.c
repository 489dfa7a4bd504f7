// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a profile's bytes come from. */
#include "perfdata/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"

static int fail(struct diag *diag, const char *path, const char *what)
{
	int err = errno;

	diag__report(diag, DIAG_ERROR, "file.open", path, DIAG_NO_OFFSET, "%s: %s", what,
		     strerror(err));
	return -err;
}

int perfdata_source__map(struct perfdata_source *source, int fd, const char *path,
			 struct diag *diag)
{
	struct perfdata_part part = { .fd = fd };
	void *data;

	if (!array__push(&source->parts, part)) {
		close(fd);
		return -ENOMEM;
	}
	if (fstat(fd, &source->stat) < 0)
		return fail(diag, path, "can't look at it");
	if (source->stat.st_size == 0)
		return 0;
	source->mapped = (size_t)source->stat.st_size;
	data = mmap(NULL, source->mapped, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		source->mapped = 0;
		return fail(diag, path, "can't read");
	}
	source->parts.items[0].size = source->mapped;
	source->bytes = (struct bytes){ data, source->mapped };
	return 0;
}

int perfdata_source__open(struct perfdata_source *source, const char *path, struct diag *diag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return fail(diag, path, "can't open");
	return perfdata_source__map(source, fd, path, diag);
}

void perfdata_source__close(struct perfdata_source *source)
{
	if (source->mapped)
		munmap((void *)(uintptr_t)source->bytes.data, source->mapped);
	array__for_each (part, &source->parts) {
		if (part->fd >= 0)
			close(part->fd);
		free(part->name);
	}
	array__free(&source->parts);
	*source = (struct perfdata_source){ 0 };
}
