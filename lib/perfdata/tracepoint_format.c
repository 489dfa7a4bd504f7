// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfdata/tracepoint_format.h"

#include <ctype.h>
#include <stdio.h>

/* None that a kernel has comes near these. */
#define FORMAT_MAX      (64u << 10)
#define DECLARATION_MAX 256
#define DIGITS_MAX      9
#define FIELDS_MAX      512

/* Text that is being read; what was expected but not there sets failed. */
struct reader {
	const char *at, *end;
	bool failed;
};

struct field {
	struct bytes declaration;
	uint32_t offset, size, is_signed;
};

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

static bool take(struct reader *reader, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, text, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static void expect(struct reader *reader, const char *text)
{
	reader->failed |= !take(reader, text);
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
		reader->at++;
}

static struct bytes take_while(struct reader *reader, bool (*is_part)(char))
{
	const char *start = reader->at;

	while (reader->at < reader->end && is_part(*reader->at))
		reader->at++;
	return (struct bytes){ (const uint8_t *)start, (size_t)(reader->at - start) };
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t expect_number(struct reader *reader)
{
	struct bytes digits = take_while(reader, is_digit);
	uint32_t value = 0;

	if (!digits.size || digits.size > DIGITS_MAX) {
		reader->failed = true;
		return 0;
	}
	for (size_t i = 0; i < digits.size; i++)
		value = 10 * value + digits.data[i] - '0';
	return value;
}

/* One line, without its end. */
static struct reader next_line(struct reader *text)
{
	struct reader line = { text->at, text->end, false };
	const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));

	if (end)
		line.end = end;
	text->at = end ? end + 1 : text->end;
	return line;
}

static bool is_not_semicolon(char c)
{
	return c != ';';
}

static bool is_of_expression(char c)
{
	return is_word(c) || (c && strchr(" +-*/()<>", c));
}

/* Words and stars, an array's brackets, and a word if the brackets stand before the name. */
static bool is_declaration(struct bytes declaration)
{
	const char *start = (const char *)declaration.data;
	struct reader reader = { start, start + declaration.size, false };
	size_t words = 0;

	if (!declaration.size || declaration.size > DECLARATION_MAX || !is_word(*start))
		return false;
	do {
		words += take_while(&reader, is_word).size != 0;
		words += take(&reader, "*");
		skip_blanks(&reader);
	} while (reader.at < reader.end && (is_word(*reader.at) || *reader.at == '*'));
	if (take(&reader, "[")) {
		take_while(&reader, is_of_expression);
		expect(&reader, "]");
		skip_blanks(&reader);
		take_while(&reader, is_word);
	}
	return words >= 2 && !reader.failed && reader.at == reader.end;
}

/* "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;" */
static bool read_field(struct reader *line, struct field *field)
{
	skip_blanks(line);
	expect(line, "field:");
	field->declaration = take_while(line, is_not_semicolon);
	expect(line, ";");
	skip_blanks(line);
	expect(line, "offset:");
	field->offset = expect_number(line);
	expect(line, ";");
	skip_blanks(line);
	expect(line, "size:");
	field->size = expect_number(line);
	expect(line, ";");
	skip_blanks(line);
	/* kernels before 2.6.33 don't say */
	field->is_signed = take(line, "signed:") ? expect_number(line) : 0;
	return !line->failed && is_declaration(field->declaration);
}

static void put_text(struct buf *buf, const char *text)
{
	buf__put(buf, text, strlen(text));
}

static void put_field(struct buf *buf, const struct field *field)
{
	char rest[80];

	put_text(buf, "\tfield:");
	buf__put(buf, field->declaration.data, field->declaration.size);
	snprintf(rest, sizeof(rest), ";\toffset:%u;\tsize:%u;\tsigned:%u;\n", field->offset,
		 field->size, field->is_signed != 0);
	put_text(buf, rest);
}

/* Common fields stand before the first empty line, others up to what samples are printed by. */
static void clean_fields(struct reader *text, struct buf *clean, size_t *nr_skipped)
{
	unsigned int groups = 0;

	for (size_t i = 0; text->at < text->end && i < FIELDS_MAX; i++) {
		struct reader line = next_line(text);
		struct field field;

		if (take(&line, "print"))
			break;
		if (line.at == line.end && groups++ == 0)
			put_text(clean, "\n");
		else if (line.at < line.end && read_field(&line, &field))
			put_field(clean, &field);
		else
			*nr_skipped += line.at < line.end || line.failed;
	}
	put_text(clean, groups ? "\n" : "\n\n");
}

bool tracepoint_format__clean(struct bytes format, struct buf *clean, size_t *nr_skipped)
{
	const char *start = (const char *)format.data;
	struct reader text = { start, start + format.size, false };
	struct reader name, id, heading;
	struct bytes word;
	char number[32];

	*nr_skipped = 0;
	if (!format.size || format.size > FORMAT_MAX)
		return false;
	name = next_line(&text);
	expect(&name, "name: ");
	word = take_while(&name, is_word);
	id = next_line(&text);
	expect(&id, "ID: ");
	snprintf(number, sizeof(number), "\nID: %u\nformat:\n", expect_number(&id));
	heading = next_line(&text);
	expect(&heading, "format:");
	if (name.failed || id.failed || heading.failed || !word.size)
		return false;
	put_text(clean, "name: ");
	buf__put(clean, word.data, word.size);
	put_text(clean, number);
	clean_fields(&text, clean, nr_skipped);
	put_text(clean, "print fmt: \"\"\n");
	return !clean->failed;
}
