// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile that is a directory (perf record --threads, --kcore): "data" is a seekable file,
 * "data.0", "data.1" ... hold nothing but records.
 */
#include "perfdata/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"

/* N of "data.N", -1 for "data", -2 for any other name. */
static long data_number(const char *name)
{
	char *end;
	long number;

	if (strcmp(name, "data") == 0)
		return -1;
	if (strncmp(name, "data.", 5) != 0 || name[5] < '0' || name[5] > '9')
		return -2;
	number = strtol(name + 5, &end, 10);
	return *end ? -2 : number;
}

static int compare_parts(const void *a, const void *b)
{
	long x = data_number(((const struct perfdata_part *)a)->name);
	long y = data_number(((const struct perfdata_part *)b)->name);

	return x < y ? -1 : x > y;
}

static int add_part(struct perfdata_source *source, int folder, const char *name, const char *path,
		    struct diag *diag)
{
	struct perfdata_part part = { .name = strdup(name) };

	if (!part.name)
		return -ENOMEM;
	part.fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (part.fd < 0 || fstat(part.fd, &part.stat) < 0 || !S_ISREG(part.stat.st_mode)) {
		int err = part.fd < 0
				  ? diag__errno(diag, "file.open", path, "can't open a file in it")
				  : -EINVAL;

		if (part.fd >= 0)
			diag__report(diag, DIAG_ERROR, "file.open", path, DIAG_NO_OFFSET,
				     "%s in it is no regular file", name);
		if (part.fd >= 0)
			close(part.fd);
		free(part.name);
		return err;
	}
	part.size = (uint64_t)part.stat.st_size;
	if (data_number(name) == -1)
		source->stat = part.stat;
	if (array__push(&source->parts, part))
		return 0;
	close(part.fd);
	free(part.name);
	return -ENOMEM;
}

static int find_parts(struct perfdata_source *source, int folder, const char *path,
		      struct diag *diag)
{
	int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = diag__errno(diag, "file.open", path, "can't open");
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir)) != NULL)
		if (data_number(entry->d_name) >= -1)
			err = add_part(source, folder, entry->d_name, path, diag);
	closedir(dir);
	if (!err && source->parts.count)
		qsort(source->parts.items, source->parts.count, sizeof(struct perfdata_part),
		      compare_parts);
	return err;
}

/*
 * Each file at a page's beginning, with a page between it and the next, so that an offset behind
 * the last byte of one is none in another.
 */
static uint64_t place_parts(struct perfdata_source *source)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t at = 0;

	array__for_each(part, &source->parts) {
		part->start = at;
		at += align_up(part->size, page) + page;
	}
	return at;
}

int perfdata_source__map_parts(struct perfdata_source *source, const char *path, struct diag *diag)
{
	uint64_t size = place_parts(source);
	uint8_t *base =
		mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return diag__errno(diag, "file.open", path, "can't read");
	source->mapped = size;
	source->bytes = (struct bytes){ base, size };
	array__for_each(part, &source->parts) {
		if (part->size && mmap(base + part->start, part->size, PROT_READ,
				       MAP_PRIVATE | MAP_FIXED, part->fd, 0) == MAP_FAILED)
			return diag__errno(diag, "file.open", path, "can't read");
	}
	return 0;
}

int perfdata_source__open_directory(struct perfdata_source *source, int folder, const char *path,
				    struct diag *diag)
{
	int err = find_parts(source, folder, path, diag);

	if (err)
		return err;
	if (!source->parts.count || data_number(source->parts.items[0].name) != -1) {
		diag__report(diag, DIAG_ERROR, "perfdata.not-perf-data", path, DIAG_NO_OFFSET,
			     "is a directory without the file \"data\" of a perf recording");
		return -EINVAL;
	}
	source->is_directory = true;
	return perfdata_source__map_parts(source, path, diag);
}
