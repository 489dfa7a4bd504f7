/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an HTML page with JSON in a script element: piece by piece, as it can be large. Nothing in
 * a text can end the element, or be markup elsewhere.
 */
#ifndef PERFJIT_CMD_PAGE_WRITER_H
#define PERFJIT_CMD_PAGE_WRITER_H

#include "base/buf.h"
#include "base/file.h"

struct diag;

/* After a failure, which is kept, puts do nothing. */
struct page_writer {
	struct file_out out;
	struct diag *diag;
	struct buf buf;
	bool comma; /* something stands before what comes next */
	int err;    /* negative errno, reported but for -ENOMEM */
};

/*
 * Whether a page could be put at path: to be asked before what it shows is counted. 0 or a negative
 * errno, reported.
 */
int page_writer__check(const char *path, struct diag *diag);
/* The page appears at path only when it is whole. */
void page_writer__open(struct page_writer *writer, const char *path, struct diag *diag);
/* 0 or the first failure. */
int page_writer__close(struct page_writer *writer);

/* As it is. */
void page_writer__put(struct page_writer *writer, struct bytes bytes);

/*
 * JSON; key is NULL in arrays, and else a word that needs no escapes. Control characters and bytes
 * that are not UTF-8 are put as text__printable() puts them.
 */
void page_writer__begin(struct page_writer *writer, const char *key, char bracket);
void page_writer__end(struct page_writer *writer, char bracket);
void page_writer__number(struct page_writer *writer, const char *key, int64_t number);
void page_writer__text(struct page_writer *writer, const char *key, const char *text);
void page_writer__address(struct page_writer *writer, const char *key, uint64_t address);
void page_writer__null(struct page_writer *writer, const char *key);

#endif
