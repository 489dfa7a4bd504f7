// SPDX-License-Identifier: GPL-2.0-or-later
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "messages.h"

void json__put(struct json_writer *writer, struct json_object *object, const char *key,
	       struct json_object *value)
{
	if (!object || !value || json_object_object_add(object, key, value) < 0) {
		writer->failed = true;
		json_object_put(value);
	}
}

void json__append(struct json_writer *writer, struct json_object *array, struct json_object *value)
{
	if (!array || !value || json_object_array_add(array, value) < 0) {
		writer->failed = true;
		json_object_put(value);
	}
}

void json__put_number(struct json_writer *writer, struct json_object *object, const char *key,
		      uint64_t value)
{
	json__put(writer, object, key, json_object_new_uint64(value));
}

void json__put_bool(struct json_writer *writer, struct json_object *object, const char *key,
		    bool value)
{
	json__put(writer, object, key, json_object_new_boolean(value));
}

void json__put_text(struct json_writer *writer, struct json_object *object, const char *key,
		    const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *printable = malloc(size);

	json__put(writer, object, key,
		  printable ? json_object_new_string(text__printable(printable, size, text))
			    : NULL);
	free(printable);
}

void json__put_address(struct json_writer *writer, struct json_object *object, const char *key,
		       uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	json__put_text(writer, object, key, text);
}

void json__put_messages(struct json_writer *writer, struct json_object *object,
			const struct messages *messages)
{
	struct json_object *array = json_object_new_array();

	array__for_each(kept, &messages->kept) {
		struct json_object *message = json_object_new_object();

		json__put_text(writer, message, "level", messages__level_name(kept->level));
		json__put_text(writer, message, "kind", kept->kind);
		if (kept->file)
			json__put_text(writer, message, "file", kept->file);
		if (kept->offset != DIAG_NO_OFFSET)
			json__put_number(writer, message, "offset", kept->offset);
		json__put_text(writer, message, "text", kept->text);
		json__append(writer, array, message);
	}
	json__put(writer, object, "messages", array);
}

int json__print(struct json_writer *writer, struct json_object *object, FILE *stream)
{
	const char *text = json_object_to_json_string_ext(
		object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text && !writer->failed)
		fprintf(stream, "%s\n", text);
	else
		writer->failed = true;
	json_object_put(object);
	return writer->failed ? -ENOMEM : 0;
}
