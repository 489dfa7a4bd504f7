// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracing data is what trace-cmd.dat(5) describes as the initial format of version 6: sizes and
 * counts in the byte order that it names, files of /sys/kernel/tracing between them.
 */
#include "perfdata/tracepoint.h"

#include <errno.h>
#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/diag.h"
#include "base/text.h"
#include "perfdata/tracepoint_format.h"

/* An event's number has 16 bits in the raw bytes. */
#define ID_MAX UINT16_MAX

static const char magic[] = "\x17\x08\x44tracing";

struct tracepoints {
	ARRAY(struct tracepoint) list; /* by id */
};

struct parser {
	struct tracepoints *tracepoints;
	struct cursor cur;
	const uint8_t *start;
	int long_size;
	const char *path;
	uint64_t offset;
	struct diag *diag;
};

static void report(const struct parser *parser, const uint8_t *at, const char *text)
{
	diag__report(parser->diag, DIAG_WARNING, "perfdata.bad-tracing-data", parser->path,
		     parser->offset + (uint64_t)(at - parser->start), "%s", text);
}

static void free_tracepoint(struct tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->nr_fields; i++) {
		free(tracepoint->fields[i].name);
		free(tracepoint->fields[i].type);
	}
	free(tracepoint->fields);
	free(tracepoint->system);
	free(tracepoint->name);
}

static bool take_field(struct tracepoint *tracepoint, const struct tep_format_field *from,
		       bool common)
{
	struct tracepoint_field *field = &tracepoint->fields[tracepoint->nr_fields++];

	*field = (struct tracepoint_field){
		.name = strdup(from->name),
		.type = strdup(from->type),
		.offset = (uint32_t)from->offset,
		.size = (uint32_t)from->size,
		.element_size = from->elementsize,
		.common = common,
		.is_signed = from->flags & TEP_FIELD_IS_SIGNED,
		.is_array = from->flags & TEP_FIELD_IS_ARRAY,
		.is_string = from->flags & TEP_FIELD_IS_STRING,
		.is_hex = from->flags & (TEP_FIELD_IS_POINTER | TEP_FIELD_IS_LONG),
		.is_dynamic = from->flags & TEP_FIELD_IS_DYNAMIC,
		.is_relative = from->flags & TEP_FIELD_IS_RELATIVE,
	};
	return field->name && field->type;
}

static int take_event(struct tracepoints *tracepoints, const struct tep_event *event)
{
	const struct tep_format_field *field;
	size_t count = (size_t)event->format.nr_common + (size_t)event->format.nr_fields;
	struct tracepoint tracepoint = {
		.id = (uint32_t)event->id,
		.system = strdup(event->system),
		.name = strdup(event->name),
		.fields = calloc(count + 1, sizeof(struct tracepoint_field)),
	};
	bool good = tracepoint.system && tracepoint.name && tracepoint.fields;

	for (field = event->format.common_fields; good && field; field = field->next)
		good = take_field(&tracepoint, field, true);
	for (field = event->format.fields; good && field; field = field->next)
		good = take_field(&tracepoint, field, false);
	if (good && array__push(&tracepoints->list, tracepoint))
		return 0;
	free_tracepoint(&tracepoint);
	return -ENOMEM;
}

/* A handle of its own for each: a handle looks through all it has for each that is added. */
static int parse_clean(struct parser *parser, struct bytes clean, const char *system)
{
	struct tep_handle *handle = tep_alloc();
	const struct tep_event *event;
	int err = 0;

	if (!handle)
		return -ENOMEM;
	tep_set_long_size(handle, parser->long_size);
	if (tep_parse_event(handle, (const char *)clean.data, clean.size, system) ==
	    TEP_ERRNO__MEM_ALLOC_FAILED)
		err = -ENOMEM;
	event = tep_get_first_event(handle);
	if (!err && event && !(event->flags & (int)TEP_EVENT_FL_FAILED))
		err = take_event(parser->tracepoints, event);
	tep_free(handle);
	return err;
}

static int parse_format(struct parser *parser, struct bytes format, const char *system)
{
	struct buf clean = BUF(ORDER_HOST);
	size_t nr_skipped;
	int err = 0;

	if (tracepoint_format__clean(format, &clean, &nr_skipped)) {
		err = parse_clean(parser, buf__bytes(&clean), system);
		if (nr_skipped)
			report(parser, format.data, "fields of a tracepoint make no sense");
	} else if (clean.failed) {
		err = -ENOMEM;
	} else {
		report(parser, format.data, "the format of a tracepoint makes no sense");
	}
	buf__free(&clean);
	return err;
}

static struct bytes take_file(struct cursor *cur)
{
	uint64_t size = cursor__u64(cur);

	if (size > cursor__left(cur)) {
		cur->overrun = true;
		return (struct bytes){ NULL, 0 };
	}
	return (struct bytes){ cursor__take(cur, (size_t)size), (size_t)size };
}

static void skip_named_file(struct cursor *cur, const char *name)
{
	const char *found = cursor__string(cur);

	if (!found || strcmp(found, name) != 0)
		cur->overrun = true;
	take_file(cur);
}

/* Up to the events: how long is, the ring buffer's headers, ftrace's own events. */
static void parse_head(struct parser *parser)
{
	struct cursor *cur = &parser->cur;
	uint32_t count;

	cursor__take(cur, sizeof(magic) - 1);
	cursor__string(cur); /* version */
	cur->order = cursor__u8(cur) ? ORDER_BIG : ORDER_LITTLE;
	parser->long_size = cursor__u8(cur) == 4 ? 4 : 8;
	cursor__u32(cur); /* page size */
	skip_named_file(cur, "header_page");
	skip_named_file(cur, "header_event");
	count = cursor__u32(cur);
	for (uint32_t i = 0; i < count && !cur->overrun; i++)
		take_file(cur);
}

static int parse_system(struct parser *parser)
{
	struct cursor *cur = &parser->cur;
	const char *system = cursor__string(cur);
	uint32_t count = cursor__u32(cur);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		struct bytes format = take_file(cur);

		if (cur->overrun)
			break;
		if (parser->tracepoints->list.count <= ID_MAX)
			err = parse_format(parser, format, system);
	}
	return err;
}

static int compare_ids(const void *a, const void *b)
{
	const struct tracepoint *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int parse_all(struct parser *parser)
{
	struct cursor *cur = &parser->cur;
	uint32_t count;
	int err = 0;

	parse_head(parser);
	count = cursor__u32(cur);
	for (uint32_t i = 0; i < count && !cur->overrun && !err; i++)
		err = parse_system(parser);
	if (cur->overrun)
		report(parser, cur->pos, "the tracing data is cut off");
	if (parser->tracepoints->list.count)
		qsort(parser->tracepoints->list.items, parser->tracepoints->list.count,
		      sizeof(struct tracepoint), compare_ids);
	return err;
}

int tracepoints__parse(struct tracepoints **tracepoints, struct bytes data, const char *path,
		       uint64_t offset, struct diag *diag)
{
	struct parser parser = {
		.cur = cursor__at(data, ORDER_LITTLE),
		.start = data.data,
		.path = path,
		.offset = offset,
		.diag = diag,
	};
	int err;

	*tracepoints = NULL;
	if (!data.size)
		return 0;
	if (data.size < sizeof(magic) || memcmp(data.data, magic, sizeof(magic) - 1) != 0) {
		report(&parser, data.data, "the tracing data is none");
		return 0;
	}
	parser.tracepoints = calloc(1, sizeof(*parser.tracepoints));
	if (!parser.tracepoints)
		return -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE); /* it prints otherwise */
	err = parse_all(&parser);
	if (err)
		tracepoints__free(parser.tracepoints);
	else
		*tracepoints = parser.tracepoints;
	return err;
}

int tracepoints__read(struct tracepoints **tracepoints, const struct perfdata *perfdata,
		      struct diag *diag)
{
	struct bytes data = perfdata__feature(perfdata, PERFDATA_FEAT_TRACING_DATA);
	const uint8_t *start = perfdata__bytes(perfdata).data;

	return tracepoints__parse(tracepoints, data, perfdata__path(perfdata),
				  data.size ? (uint64_t)(data.data - start) : 0, diag);
}

void tracepoints__free(struct tracepoints *tracepoints)
{
	if (!tracepoints)
		return;
	array__for_each(tracepoint, &tracepoints->list)
		free_tracepoint(tracepoint);
	array__free(&tracepoints->list);
	free(tracepoints);
}

size_t tracepoints__count(const struct tracepoints *tracepoints)
{
	return tracepoints ? tracepoints->list.count : 0;
}

const struct tracepoint *tracepoints__at(const struct tracepoints *tracepoints, size_t i)
{
	return &tracepoints->list.items[i];
}

const struct tracepoint *tracepoints__of(const struct tracepoints *tracepoints,
					 const struct perf_event_attr *attr)
{
	struct tracepoint key = { .id = (uint32_t)attr->config };

	if (!tracepoints__count(tracepoints) || attr->type != PERF_TYPE_TRACEPOINT ||
	    attr->config > ID_MAX)
		return NULL;
	return bsearch(&key, tracepoints->list.items, tracepoints->list.count, sizeof(key),
		       compare_ids);
}

char *tracepoints__event_name(const struct tracepoints *tracepoints,
			      const struct perfdata *perfdata, size_t attr, char *out, size_t size)
{
	const struct perfdata_attr *its = perfdata__attr(perfdata, attr);
	const struct tracepoint *tracepoint = tracepoints__of(tracepoints, &its->attr);
	char name[256];

	if (its->name && *its->name)
		return text__printable(out, size, its->name);
	if (tracepoint)
		snprintf(name, sizeof(name), "%s:%s", tracepoint->system, tracepoint->name);
	else
		snprintf(name, sizeof(name), "event %zu", attr + 1);
	return text__printable(out, size, name);
}
