// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of tracepoints' fields, told apart as libtraceevent's tep_print_field() does, which
 * does not look whether they are within the raw bytes.
 */
#include "perfdata/tracepoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

const struct tracepoint_field *tracepoint__field(const struct tracepoint *tracepoint,
						 const char *name)
{
	for (size_t i = 0; tracepoint && i < tracepoint->nr_fields; i++)
		if (strcmp(tracepoint->fields[i].name, name) == 0)
			return &tracepoint->fields[i];
	return NULL;
}

static bool slice(struct bytes raw, uint64_t offset, uint64_t size, struct bytes *value)
{
	if (offset > raw.size || size > raw.size - offset)
		return false;
	*value = (struct bytes){ raw.data + offset, (size_t)size };
	return true;
}

bool tracepoint_field__value(const struct tracepoint_field *field, struct bytes raw,
			     enum byte_order order, struct bytes *value)
{
	uint32_t place;

	if (!slice(raw, field->offset, field->size, value))
		return false;
	if (!field->is_dynamic || field->size != 4)
		return true;
	place = get_u32(value->data, order);
	return slice(raw, (place & 0xffff) + (field->is_relative ? field->offset + 4ull : 0),
		     place >> 16, value);
}

static bool read_number(struct bytes bytes, bool is_signed, enum byte_order order, uint64_t *number)
{
	switch (bytes.size) {
	case 1:
		*number = is_signed ? (uint64_t)(int8_t)*bytes.data : *bytes.data;
		return true;
	case 2:
		*number = get_u16(bytes.data, order);
		*number = is_signed ? (uint64_t)(int16_t)*number : *number;
		return true;
	case 4:
		*number = get_u32(bytes.data, order);
		*number = is_signed ? (uint64_t)(int32_t)*number : *number;
		return true;
	case 8:
		*number = get_u64(bytes.data, order);
		return true;
	}
	return false;
}

bool tracepoint_field__number(const struct tracepoint_field *field, struct bytes raw,
			      enum byte_order order, uint64_t *number)
{
	struct bytes value;

	return !field->is_array && !field->is_dynamic && !field->is_string &&
	       tracepoint_field__value(field, raw, order, &value) &&
	       read_number(value, field->is_signed, order, number);
}

static size_t print_number(const struct tracepoint_field *field, uint64_t number, char *out,
			   size_t size)
{
	if (field->is_hex)
		return (size_t)snprintf(out, size, "0x%" PRIx64, number);
	if (field->is_signed)
		return (size_t)snprintf(out, size, "%" PRId64, (int64_t)number);
	return (size_t)snprintf(out, size, "%" PRIu64, number);
}

static void print_string(struct bytes value, char *out, size_t size)
{
	char *text = strndup((const char *)value.data, value.size);

	text__printable(out, size, text ? text : "?");
	free(text);
}

static void print_array(const struct tracepoint_field *field, struct bytes value,
			enum byte_order order, char *out, size_t size)
{
	char list[1024];
	size_t each = field->element_size, used = 1;
	uint64_t number = 0;

	if (each != 1 && each != 2 && each != 4 && each != 8)
		each = 1;
	list[0] = '[';
	for (size_t i = 0; i + each <= value.size && used + 32 < sizeof(list); i += each) {
		read_number((struct bytes){ value.data + i, each }, field->is_signed, order,
			    &number);
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s", i ? ", " : "");
		used += print_number(field, number, list + used, sizeof(list) - used);
	}
	snprintf(list + used, sizeof(list) - used, "%s", used + 32 < sizeof(list) ? "]" : ", ...");
	text__printable(out, size, list);
}

char *tracepoint_field__print(const struct tracepoint_field *field, struct bytes raw,
			      enum byte_order order, char *out, size_t size)
{
	struct bytes value;
	uint64_t number;
	char text[32];

	if (!tracepoint_field__value(field, raw, order, &value)) {
		text__printable(out, size, "?");
	} else if (field->is_string) {
		print_string(value, out, size);
	} else if (field->is_array || field->is_dynamic ||
		   !read_number(value, field->is_signed, order, &number)) {
		print_array(field, value, order, out, size);
	} else {
		print_number(field, number, text, sizeof(text));
		text__printable(out, size, text);
	}
	return out;
}
