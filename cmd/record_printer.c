// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_printer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "messages.h"

#define BYTES_A_LINE 16

/* What members are put into now. */
static struct json_object *target(const struct record_printer *printer)
{
	return printer->item ? printer->item : printer->record;
}

static void key_of(struct record_printer *printer, const char *key)
{
	fputc(' ', printer->stream);
	fputs(key, printer->stream);
	fputc('=', printer->stream);
}

void printer__begin(struct record_printer *printer, const char *type, uint64_t offset)
{
	/* up to the end it changes only where writing fails */
	errno = 0;
	if (printer->json) {
		printer->record = json_object_new_object();
		json__put_text(&printer->writer, printer->record, "type", type);
		if (offset != DIAG_NO_OFFSET)
			json__put_number(&printer->writer, printer->record, "offset", offset);
		return;
	}
	if (offset != DIAG_NO_OFFSET)
		fprintf(printer->stream, "0x%08" PRIx64 " ", offset);
	fputs(type, printer->stream);
}

static void print_object(struct record_printer *printer)
{
	const char *text = NULL;

	if (printer->record)
		text = json_object_to_json_string_ext(
			printer->record, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text && !printer->writer.failed)
		fprintf(printer->stream, "%s\n", text);
	else
		printer->writer.failed = true;
	json_object_put(printer->record);
	printer->record = NULL;
}

void printer__end(struct record_printer *printer)
{
	if (printer->json)
		print_object(printer);
	else
		fputc('\n', printer->stream);
	if (ferror(printer->stream) && !printer->error)
		printer->error = errno ? errno : EIO;
}

bool printer__stopped(const struct record_printer *printer)
{
	return printer->writer.failed || printer->error;
}

void printer__number(struct record_printer *printer, const char *key, uint64_t value)
{
	if (printer->json) {
		json__put_number(&printer->writer, target(printer), key, value);
		return;
	}
	key_of(printer, key);
	fprintf(printer->stream, "%" PRIu64, value);
}

void printer__signed(struct record_printer *printer, const char *key, int64_t value)
{
	if (printer->json) {
		json__put(&printer->writer, target(printer), key, json_object_new_int64(value));
		return;
	}
	key_of(printer, key);
	fprintf(printer->stream, "%" PRId64, value);
}

void printer__address(struct record_printer *printer, const char *key, uint64_t value)
{
	if (printer->json) {
		json__put_address(&printer->writer, target(printer), key, value);
		return;
	}
	key_of(printer, key);
	fprintf(printer->stream, "0x%" PRIx64, value);
}

void printer__time(struct record_printer *printer, const char *key, uint64_t ns)
{
	if (printer->json) {
		json__put_number(&printer->writer, target(printer), key, ns);
		return;
	}
	key_of(printer, key);
	fprintf(printer->stream, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

/* Names of some compilers are megabytes long: nothing is cut. */
static void print_quoted(struct record_printer *printer, const char *text)
{
	char room[1024], *printable = room;
	size_t size = 4 * strlen(text) + 1;

	if (size > sizeof(room))
		printable = malloc(size);
	if (!printable) {
		printer->writer.failed = true;
		return;
	}
	fprintf(printer->stream, "\"%s\"", text__printable(printable, size, text));
	if (printable != room)
		free(printable);
}

void printer__text(struct record_printer *printer, const char *key, const char *text)
{
	if (printer->json) {
		json__put_text(&printer->writer, target(printer), key, text);
		return;
	}
	key_of(printer, key);
	print_quoted(printer, text);
}

void printer__word(struct record_printer *printer, const char *key, const char *word)
{
	if (printer->json) {
		json__put_text(&printer->writer, target(printer), key, word);
		return;
	}
	key_of(printer, key);
	fputs(word, printer->stream);
}

void printer__flag(struct record_printer *printer, const char *key, bool value)
{
	if (printer->json) {
		json__put_bool(&printer->writer, target(printer), key, value);
		return;
	}
	key_of(printer, key);
	fputs(value ? "yes" : "no", printer->stream);
}

static void put_hex(struct record_printer *printer, const char *key, struct bytes bytes)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * bytes.size + 1);

	for (size_t i = 0; text && i < bytes.size; i++) {
		text[2 * i] = digits[bytes.data[i] >> 4];
		text[2 * i + 1] = digits[bytes.data[i] & 15];
	}
	if (text)
		text[2 * bytes.size] = '\0';
	json__put(&printer->writer, target(printer), key,
		  text ? json_object_new_string(text) : NULL);
	free(text);
}

static void print_hex_line(FILE *stream, struct bytes bytes, size_t at)
{
	fprintf(stream, "\n    %04zx: ", at);
	for (size_t i = at; i < at + BYTES_A_LINE; i++) {
		if (i < bytes.size)
			fprintf(stream, " %02x", bytes.data[i]);
		else
			fputs("   ", stream);
	}
	fputs("  ", stream);
	for (size_t i = at; i < at + BYTES_A_LINE && i < bytes.size; i++) {
		uint8_t byte = bytes.data[i];

		fputc(byte >= 0x20 && byte < 0x7f ? byte : '.', stream);
	}
}

void printer__bytes(struct record_printer *printer, const char *key, struct bytes bytes)
{
	if (printer->json) {
		put_hex(printer, key, bytes);
		return;
	}
	fprintf(printer->stream, "\n  %s:", key);
	for (size_t at = 0; at < bytes.size; at += BYTES_A_LINE)
		print_hex_line(printer->stream, bytes, at);
}

void printer__begin_list(struct record_printer *printer, const char *key)
{
	if (!printer->json)
		return;
	printer->list = json_object_new_array();
	json__put(&printer->writer, printer->record, key, printer->list);
}

void printer__begin_item(struct record_printer *printer)
{
	if (printer->json) {
		printer->item = json_object_new_object();
		json__append(&printer->writer, printer->list, printer->item);
	} else {
		fputs("\n   ", printer->stream);
	}
}

void printer__end_item(struct record_printer *printer)
{
	printer->item = NULL;
}

void printer__end_list(struct record_printer *printer)
{
	printer->list = NULL;
}

void printer__list_address(struct record_printer *printer, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	if (printer->json)
		json__append(&printer->writer, printer->list, json_object_new_string(text));
	else
		fprintf(printer->stream, "\n    %s", text);
}

const char *printer__color(const struct record_printer *printer, enum diag_level level)
{
	return printer->color ? messages__color(level) : "";
}

const char *printer__plain(const struct record_printer *printer)
{
	return printer->color ? "\033[0m" : "";
}

void printer__oddity(struct record_printer *printer, enum diag_level level, const char *kind,
		     uint64_t offset, const char *text)
{
	if (printer->json) {
		printer__begin(printer, "oddity", offset);
		printer__word(printer, "level", messages__level_name(level));
		printer__word(printer, "kind", kind);
		printer__text(printer, "text", text);
		printer__end(printer);
		return;
	}
	fprintf(printer->stream, "  %s! %s:%s ", printer__color(printer, level),
		messages__level_name(level), printer__plain(printer));
	if (offset != DIAG_NO_OFFSET)
		fprintf(printer->stream, "at byte 0x%" PRIx64 ": ", offset);
	fprintf(printer->stream, "%s [%s]\n", text, kind);
}
