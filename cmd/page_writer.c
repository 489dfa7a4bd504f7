// SPDX-License-Identifier: GPL-2.0-or-later
#include "page_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/text.h"
#include "report_file.h"

#define CHUNK ((size_t)1024 * 1024)

/*
 * Whether a page may take the place of what is at path: another page, an empty file or nothing. The
 * profile itself is there when its name follows the option by mistake.
 */
static bool may_replace(const char *path)
{
	static const char begin[] = "<!DOCTYPE html>";
	char found[sizeof(begin) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t size;

	if (fd < 0)
		return errno != EACCES;
	size = read(fd, found, sizeof(found));
	close(fd);
	return size <= 0 || (size == sizeof(found) && memcmp(found, begin, sizeof(found)) == 0);
}

/* What is there and must not be replaced: reported. */
static int check_replaced(const char *path, struct diag *diag)
{
	if (may_replace(path))
		return 0;
	diag__report(diag, DIAG_ERROR, "page.exists", path, DIAG_NO_OFFSET,
		     "exists and is no web page, so that it is not replaced: give the page another "
		     "name, --flamegraph=profile.html, and the profile behind it");
	return -EEXIST;
}

int page_writer__check(const char *path, struct diag *diag)
{
	int err = report_file__check(path, diag);

	return err || file__is_stream(path) ? err : check_replaced(path, diag);
}

static int open_file(struct file_out *out, const char *path, struct diag *diag)
{
	int err = check_replaced(path, diag);

	*out = (struct file_out){ .fd = -1 };
	return err ? err : file_out__open(out, path, 0666, diag);
}

void page_writer__open(struct page_writer *writer, const char *path, struct diag *diag)
{
	int stream = file__open_stream(path);

	*writer = (struct page_writer){ .diag = diag, .buf = BUF(ORDER_LITTLE) };
	writer->err = stream < 0 ? open_file(&writer->out, path, diag)
				 : file_out__take(&writer->out, stream, path);
}

static void flush(struct page_writer *writer)
{
	if (!writer->err && writer->buf.failed)
		writer->err = -ENOMEM;
	if (!writer->err)
		writer->err = file_out__write(&writer->out, buf__bytes(&writer->buf), writer->diag);
	writer->buf.size = 0;
}

int page_writer__close(struct page_writer *writer)
{
	flush(writer);
	if (!writer->err)
		writer->err = file_out__commit(&writer->out, false, writer->diag);
	file_out__abort(&writer->out);
	buf__free(&writer->buf);
	return writer->err;
}

void page_writer__put(struct page_writer *writer, struct bytes bytes)
{
	if (writer->err)
		return;
	buf__put(&writer->buf, bytes.data, bytes.size);
	if (writer->buf.size >= CHUNK || writer->buf.failed)
		flush(writer);
}

static void put(struct page_writer *writer, const char *text)
{
	page_writer__put(writer, (struct bytes){ (const uint8_t *)text, strlen(text) });
}

static void put_key(struct page_writer *writer, const char *key)
{
	if (writer->comma)
		put(writer, ",");
	writer->comma = true;
	if (!key)
		return;
	put(writer, "\n\"");
	put(writer, key);
	put(writer, "\":");
}

void page_writer__begin(struct page_writer *writer, const char *key, char bracket)
{
	const char text[] = { bracket, '\0' };

	put_key(writer, key);
	put(writer, text);
	writer->comma = false;
}

void page_writer__end(struct page_writer *writer, char bracket)
{
	const char text[] = { bracket, '\0' };

	put(writer, text);
	writer->comma = true;
}

void page_writer__number(struct page_writer *writer, const char *key, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, number);
	put_key(writer, key);
	put(writer, text);
}

/* A '<' may begin the end of the script element, or a comment in which that is not seen. */
static void put_escaped(struct page_writer *writer, const char *text)
{
	char escape[8];

	for (const char *p = text; *p; p++) {
		if (strchr("\"\\<>&'`", *p)) {
			snprintf(escape, sizeof(escape), "\\u%04x", (unsigned char)*p);
			put(writer, escape);
		} else {
			page_writer__put(writer, (struct bytes){ (const uint8_t *)p, 1 });
		}
	}
}

void page_writer__text(struct page_writer *writer, const char *key, const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *printable = malloc(size);

	if (!printable && !writer->err)
		writer->err = -ENOMEM;
	if (!printable)
		return;
	put_key(writer, key);
	put(writer, "\"");
	put_escaped(writer, text__printable(printable, size, text));
	put(writer, "\"");
	free(printable);
}

void page_writer__address(struct page_writer *writer, const char *key, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	page_writer__text(writer, key, text);
}

void page_writer__null(struct page_writer *writer, const char *key)
{
	put_key(writer, key);
	put(writer, "null");
}
