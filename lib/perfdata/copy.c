// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing a changed file: new bytes through a buffer, untouched spans within the kernel. */
#include "perfdata/internal.h"
#include "perfdata/splice.h"

#include <errno.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"

/* Shorter spans go through the buffer: one system call for many. */
#define SHORT_SPAN  (64u << 10)
#define BUFFER_SIZE (256u << 10)
/* Longer ones are worth a call more, to copy by whole steps of the kernel's. */
#define LONG_SPAN   (16u << 20)
#define KERNEL_STEP (64u << 10)

struct copier {
	struct bytes input;
	const struct perfdata_part *part;
	struct file_out *out;
	struct diag *diag;
	struct buf pending;
	uint64_t kept;  /* bytes of the input before it were given back */
	bool in_kernel; /* copying within the kernel has not been refused yet */
};

static int flush(struct copier *copier)
{
	int err = file_out__write(copier->out, buf__bytes(&copier->pending), copier->diag);

	copier->pending.size = 0;
	return err;
}

static int put(struct copier *copier, struct bytes bytes)
{
	int err = 0;

	if (copier->pending.size + bytes.size > BUFFER_SIZE)
		err = flush(copier);
	if (err)
		return err;
	if (bytes.size > BUFFER_SIZE)
		return file_out__write(copier->out, bytes, copier->diag);
	buf__put(&copier->pending, bytes.data, bytes.size);
	return copier->pending.failed ? -ENOMEM : 0;
}

/* Refusals that say that these two files can't be copied so, not that writing fails. */
static bool is_refusal(int err)
{
	return err == EXDEV || err == EINVAL || err == ENOSYS || err == EOPNOTSUPP ||
	       err == EBADF || err == ESPIPE || err == EPERM || err == ETXTBSY;
}

/*
 * The kernel copies in steps of its own from wherever it is told to begin. From a multiple of them
 * on it takes whole pages, many at once; that pays in long spans.
 */
static uint64_t piece(uint64_t from, uint64_t left)
{
	uint64_t behind = from % KERNEL_STEP;

	return left >= LONG_SPAN && behind ? KERNEL_STEP - behind : left;
}

/* As much of the span as the kernel copies; *done bytes, which may be fewer or none. */
static int copy_in_kernel(struct copier *copier, uint64_t offset, uint64_t size, uint64_t *done)
{
	off_t from = (off_t)(offset - copier->part->start);

	*done = 0;
	while (*done < size) {
		ssize_t copied = copy_file_range(copier->part->fd, &from, copier->out->fd, NULL,
						 piece((uint64_t)from, size - *done), 0);

		if (copied < 0 && errno == EINTR)
			continue;
		if (copied < 0 && !is_refusal(errno)) {
			int err = errno;

			diag__report(copier->diag, DIAG_ERROR, "output.write", copier->out->path,
				     DIAG_NO_OFFSET, "can't write: %s", strerror(err));
			return -err;
		}
		if (copied <= 0) {
			copier->in_kernel = false;
			return 0;
		}
		*done += (uint64_t)copied;
	}
	return 0;
}

static int copy_span(struct copier *copier, uint64_t offset, uint64_t size)
{
	uint64_t done = 0;
	int err = 0;

	if (copier->in_kernel && size >= SHORT_SPAN) {
		err = flush(copier);
		if (!err)
			err = copy_in_kernel(copier, offset, size, &done);
	}
	if (err || done == size)
		return err;
	return put(copier, (struct bytes){ copier->input.data + offset + done, size - done });
}

static int put_late(struct copier *copier, const struct splices *splices,
		    const struct splice *splice)
{
	struct buf made = BUF(ORDER_HOST);
	int err = splices->make(splices->context, splice, &made);

	if (!err)
		err = made.failed ? -ENOMEM : put(copier, buf__bytes(&made));
	buf__free(&made);
	return err;
}

static int put_splice(struct copier *copier, const struct splices *splices,
		      const struct splice *splice)
{
	if (splice->made_late)
		return put_late(copier, splices, splice);
	return put(copier, (struct bytes){ splices__bytes(splices, splice), splice->size });
}

static int write_changed(struct copier *copier, const struct splices *splices, uint64_t begin,
			 uint64_t end)
{
	uint64_t at = begin;
	int err = 0;

	array__for_each(splice, &splices->list) {
		if (splice->offset < begin || splice->offset > end)
			continue;
		err = copy_span(copier, at, splice->offset - at);
		if (!err)
			err = put_splice(copier, splices, splice);
		if (err)
			return err;
		at = splice->offset + splice->removed;
		if (copier->part->fd >= 0)
			mapped__give_back(copier->input, &copier->kept, at);
	}
	err = copy_span(copier, at, end - at);
	return err ? err : flush(copier);
}

int splices__write(const struct splices *splices, struct bytes input,
		   const struct perfdata_part *part, uint64_t begin, uint64_t end,
		   struct file_out *out, struct diag *diag)
{
	struct copier copier = {
		.input = input,
		.part = part,
		.out = out,
		.diag = diag,
		.pending = BUF(ORDER_HOST),
		.in_kernel = part->fd >= 0,
	};
	int err = write_changed(&copier, splices, begin, end);

	buf__free(&copier.pending);
	return err;
}
