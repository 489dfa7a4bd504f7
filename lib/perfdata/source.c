// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a profile's bytes come from. */
#include "perfdata/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/spool.h"

/* Bytes of a file that may be in memory while it is gone through. */
#define RESIDENT_MAX (32u << 20)

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
		return diag__errno(diag, "file.open", path, "can't look at it");
	if (source->stat.st_size == 0)
		return 0;
	source->mapped = (size_t)source->stat.st_size;
	data = mmap(NULL, source->mapped, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		source->mapped = 0;
		return diag__errno(diag, "file.open", path, "can't read");
	}
	source->parts.items[0].size = source->mapped;
	source->bytes = (struct bytes){ data, source->mapped };
	return 0;
}

void mapped__give_back(struct bytes bytes, uint64_t *kept, uint64_t at)
{
	uint64_t end = at - RESIDENT_MAX / 2;

	if (at < *kept || at - *kept < RESIDENT_MAX || at > bytes.size)
		return;
	end -= end % (uint64_t)sysconf(_SC_PAGESIZE);
	madvise((void *)(uintptr_t)(bytes.data + *kept), end - *kept, MADV_DONTNEED);
	*kept = end;
}

void perfdata__give_back(const struct perfdata *perfdata, uint64_t *kept, uint64_t at)
{
	if (perfdata->source.mapped)
		mapped__give_back(perfdata->source.bytes, kept, at);
}

void perfdata__keep_mapped(struct perfdata *perfdata)
{
	perfdata->keeps_mapped = true;
}

int perfdata_source__take(struct perfdata_source *source, struct bytes bytes)
{
	struct perfdata_part part = { .fd = -1, .size = bytes.size };

	source->bytes = bytes;
	return array__push(&source->parts, part) ? 0 : -ENOMEM;
}

#define HEAD 8

/* Copies what a stream begins with, *bytes of it. */
static int copy_head(int fd, int stream, uint8_t head[HEAD], size_t *bytes, const char *path,
		     struct diag *diag)
{
	*bytes = 0;
	while (*bytes < HEAD) {
		ssize_t got = read(stream, head + *bytes, HEAD - *bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return diag__errno(diag, "file.open", path, "can't read");
		if (got == 0)
			break;
		*bytes += (size_t)got;
	}
	return spool__write(fd, (struct bytes){ head, *bytes }, path, diag);
}

/*
 * A stream is copied to a file without a name, so that it can be mapped like any other. What does
 * not begin like a profile may have no end; its first bytes are enough to refuse it.
 */
static int copy_stream(int fd, int stream, const char *path, struct diag *diag)
{
	uint8_t head[HEAD];
	size_t bytes;
	int err = copy_head(fd, stream, head, &bytes, path, diag);

	if (err || !(unwrap__is_wrapped((struct bytes){ head, bytes }) ||
		     (bytes == HEAD && perfdata_header__is_magic(head))))
		return err;
	return spool__copy(fd, stream, path, diag);
}

static int open_stream(struct perfdata_source *source, int stream, const char *path,
		       struct diag *diag)
{
	int fd = spool__create(path, diag);
	int err;

	if (fd < 0)
		return fd;
	err = copy_stream(fd, stream, path, diag);
	if (err) {
		close(fd);
		return err;
	}
	return perfdata_source__map(source, fd, path, diag);
}

/* Takes the place of the wrapped file; whose it is and who may read it stays said of that. */
static int unwrap(struct perfdata_source *source, const char *path, struct diag *diag)
{
	struct perfdata_source wrapped = *source;
	int fd = spool__create(path, diag);
	int err = fd < 0 ? fd : unwrap__write(fd, wrapped.bytes, path, diag);

	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	*source = (struct perfdata_source){ 0 };
	err = perfdata_source__map(source, fd, path, diag);
	source->stat.st_mode = wrapped.stat.st_mode;
	source->stat.st_uid = wrapped.stat.st_uid;
	source->stat.st_gid = wrapped.stat.st_gid;
	perfdata_source__close(&wrapped);
	return err;
}

/* fd becomes the source's or is closed. */
static int open_fd(struct perfdata_source *source, int fd, const char *path, struct diag *diag)
{
	struct stat stat;
	int err;

	if (fstat(fd, &stat) < 0) {
		err = diag__errno(diag, "file.open", path, "can't look at it");
		close(fd);
		return err;
	}
	if (S_ISREG(stat.st_mode))
		return perfdata_source__map(source, fd, path, diag);
	if (S_ISDIR(stat.st_mode))
		err = perfdata_source__open_directory(source, fd, path, diag);
	else
		err = open_stream(source, fd, path, diag);
	close(fd);
	return err;
}

int perfdata_source__open(struct perfdata_source *source, const char *path, struct diag *diag)
{
	bool standard_input = strcmp(path, "-") == 0;
	int fd = standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				: open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int err;

	if (fd < 0)
		return diag__errno(diag, "file.open", path, "can't open");
	err = open_fd(source, fd, path, diag);
	if (!err && unwrap__is_wrapped(source->bytes))
		err = unwrap(source, path, diag);
	return err;
}

int perfdata__check_whole(const struct perfdata *perfdata, struct diag *diag)
{
	array__for_each(part, &perfdata->source.parts) {
		struct stat stat;

		if (part->fd < 0 ||
		    (fstat(part->fd, &stat) == 0 && (uint64_t)stat.st_size >= part->size))
			continue;
		diag__report(diag, DIAG_ERROR, "perfdata.cut-short", perfdata->path, DIAG_NO_OFFSET,
			     "was cut short while it was read");
		return -EBADMSG;
	}
	return 0;
}

void perfdata_source__close(struct perfdata_source *source)
{
	if (source->mapped)
		munmap((void *)(uintptr_t)source->bytes.data, source->mapped);
	array__for_each(part, &source->parts) {
		if (part->fd >= 0)
			close(part->fd);
		free(part->name);
	}
	array__free(&source->parts);
	*source = (struct perfdata_source){ 0 };
}
