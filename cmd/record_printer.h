/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints records, each described once: as lines for people, or as a JSON object a line.
 *
 * A record has a type, may have an offset, and has members: numbers, addresses, texts, and lists of
 * items that have members of their own. As text, items and what print_line gets stand on lines
 * of their own below the record.
 */
#ifndef PERFJIT_CMD_RECORD_PRINTER_H
#define PERFJIT_CMD_RECORD_PRINTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "json.h"

struct record_printer {
	FILE *stream;
	bool json;
	bool color;
	int error; /* errno of writing that failed */
	/* private: */
	struct json_writer writer;
	struct json_object *record, *list, *item; /* NULL when printing text */
};

void printer__begin(struct record_printer *printer, const char *type, uint64_t offset);
void printer__end(struct record_printer *printer);
/* Whether it makes no sense to go on: the reader is gone, the disk full or memory out. */
bool printer__stopped(const struct record_printer *printer);

void printer__number(struct record_printer *printer, const char *key, uint64_t value);
void printer__signed(struct record_printer *printer, const char *key, int64_t value);
/* Hexadecimal; in JSON a text. */
void printer__address(struct record_printer *printer, const char *key, uint64_t value);
/* Nanoseconds: printed as seconds, as perf script does; in JSON a number. */
void printer__time(struct record_printer *printer, const char *key, uint64_t ns);
/* Untrusted text; as text it stands in quotes. */
void printer__text(struct record_printer *printer, const char *key, const char *text);
/* A word of ours, without quotes. */
void printer__word(struct record_printer *printer, const char *key, const char *word);
void printer__flag(struct record_printer *printer, const char *key, bool value);
/* As text 16 bytes a line with their place; in JSON hexadecimal digits. */
void printer__bytes(struct record_printer *printer, const char *key, struct bytes bytes);

void printer__begin_list(struct record_printer *printer, const char *key);
void printer__begin_item(struct record_printer *printer);
void printer__end_item(struct record_printer *printer);
void printer__end_list(struct record_printer *printer);
/* The same, of numbers. */
void printer__list_address(struct record_printer *printer, uint64_t value);

/* What is odd, as a record of type "oddity". */
void printer__oddity(struct record_printer *printer, enum diag_level level, const char *kind,
		     uint64_t offset, const char *text);

/* Colour on and off, where colours are wanted: "" otherwise. */
const char *printer__color(const struct record_printer *printer, enum diag_level level);
const char *printer__plain(const struct record_printer *printer);

#endif
