// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "dso/image.h"

/* Small functions are gathered into writes of this size. */
#define CHUNK_SIZE ((size_t)256 * 1024)
/* Whole blocks between functions stay holes of the file, which take no room on most disks. */
#define BLOCK_SIZE 4096

/* Writes at a place in the file that only goes forward. */
struct stream {
	struct file_out *out;
	struct diag *diag;
	uint8_t *chunk;
	size_t filled;
	uint64_t offset; /* in the file, behind what is in the chunk */
};

static int flush(struct stream *stream)
{
	int err = file_out__write(stream->out, (struct bytes){ stream->chunk, stream->filled },
				  stream->diag);

	stream->filled = 0;
	return err;
}

static int put(struct stream *stream, struct bytes bytes)
{
	int err = 0;

	stream->offset += bytes.size;
	if (bytes.size > CHUNK_SIZE - stream->filled)
		err = flush(stream);
	if (err)
		return err;
	if (bytes.size > CHUNK_SIZE)
		return file_out__write(stream->out, bytes, stream->diag);
	if (bytes.size)
		memcpy(stream->chunk + stream->filled, bytes.data, bytes.size);
	stream->filled += bytes.size;
	return 0;
}

static int seek_file(struct file_out *out, uint64_t offset, struct diag *diag)
{
	int err;

	if (lseek(out->fd, (off_t)offset, SEEK_SET) >= 0)
		return 0;
	err = -errno;
	diag__report(diag, DIAG_ERROR, "output.write", out->path, offset, "can't seek: %s",
		     strerror(-err));
	return err;
}

static int seek(struct stream *stream, uint64_t offset)
{
	int err = flush(stream);

	stream->offset = offset;
	return err ? err : seek_file(stream->out, offset, stream->diag);
}

/* Zeros, or a hole, up to offset. */
static int skip_to(struct stream *stream, uint64_t offset)
{
	uint64_t gap = offset - stream->offset;
	bool has_block = align_up(stream->offset, BLOCK_SIZE) + BLOCK_SIZE <= offset;

	if (has_block || gap > CHUNK_SIZE - stream->filled)
		return seek(stream, offset);
	memset(stream->chunk + stream->filled, 0, gap);
	stream->filled += gap;
	stream->offset = offset;
	return 0;
}

/* What of the function's code does not lie where the ELF header stands. */
static struct bytes visible_code(const struct dso_spec *spec, const struct dso_function *function)
{
	struct bytes code = image__function_code(function);
	uint64_t offset = function->addr - spec->base;
	uint64_t header = dso__header_size(spec->target.class, DSO_HEADERS_APART);
	size_t hidden = offset < header ? (size_t)(header - offset) : 0;

	if (hidden >= code.size)
		return (struct bytes){ 0 };
	return (struct bytes){ code.data + hidden, code.size - hidden };
}

int image__write_text(const struct dso_spec *spec, struct file_out *out, struct diag *diag)
{
	uint64_t header = dso__header_size(spec->target.class, DSO_HEADERS_APART);
	uint64_t text = spec->functions[0].addr - spec->base;
	struct stream stream = { .out = out, .diag = diag, .chunk = malloc(CHUNK_SIZE) };
	int err;

	if (!stream.chunk)
		return -ENOMEM;
	err = seek(&stream, text < header ? header : text);
	for (size_t i = 0; i < spec->nr_functions && !err; i++) {
		struct bytes code = visible_code(spec, &spec->functions[i]);
		uint64_t offset = spec->functions[i].addr - spec->base;

		if (!code.size)
			continue;
		err = skip_to(&stream, offset < header ? header : offset);
		if (!err)
			err = put(&stream, code);
	}
	if (!err)
		err = flush(&stream);
	free(stream.chunk);
	return err;
}

int image__write_at(struct file_out *out, uint64_t offset, struct bytes bytes, struct diag *diag)
{
	int err = seek_file(out, offset, diag);

	return err ? err : file_out__write(out, bytes, diag);
}
