/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON objects as the commands print them.
 *
 * Members are added in one way: a NULL value means that memory is out, and sets failed, so that
 * one check at the end, by json__print, is enough.
 */
#ifndef PERFJIT_CMD_JSON_H
#define PERFJIT_CMD_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct messages;

struct json_writer {
	bool failed;
};

/* object and array take value over. */
void json__put(struct json_writer *writer, struct json_object *object, const char *key,
	       struct json_object *value);
void json__append(struct json_writer *writer, struct json_object *array, struct json_object *value);

void json__put_number(struct json_writer *writer, struct json_object *object, const char *key,
		      uint64_t value);
void json__put_bool(struct json_writer *writer, struct json_object *object, const char *key,
		    bool value);
/* JSON is UTF-8: what is not, and control characters, are written as \xNN. */
void json__put_text(struct json_writer *writer, struct json_object *object, const char *key,
		    const char *text);
/* As text: an address does not fit into the numbers of many readers of JSON. */
void json__put_address(struct json_writer *writer, struct json_object *object, const char *key,
		       uint64_t address);
/* What was reported, as the member "messages". */
void json__put_messages(struct json_writer *writer, struct json_object *object,
			const struct messages *messages);

/* Prints and frees object. 0 or -ENOMEM, also when anything failed before. */
int json__print(struct json_writer *writer, struct json_object *object, FILE *stream);

#endif
