// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary of perfjit-fix as JSON. perfjit-fix(1) describes the members. */
#include <errno.h>
#include <json-c/json.h>

#include "base/text.h"
#include "fix_result.h"

/*
 * Members are added in one way: a NULL value means that memory is out, and sets failed, so that
 * one check at the end is enough.
 */
struct writer {
	bool failed;
};

static void put(struct writer *writer, struct json_object *object, const char *key,
		struct json_object *value)
{
	if (!object || !value || json_object_object_add(object, key, value) < 0) {
		writer->failed = true;
		json_object_put(value);
	}
}

static void append(struct writer *writer, struct json_object *array, struct json_object *value)
{
	if (!array || !value || json_object_array_add(array, value) < 0) {
		writer->failed = true;
		json_object_put(value);
	}
}

static void put_number(struct writer *writer, struct json_object *object, const char *key,
		       uint64_t value)
{
	put(writer, object, key, json_object_new_uint64(value));
}

static void put_bool(struct writer *writer, struct json_object *object, const char *key, bool value)
{
	put(writer, object, key, json_object_new_boolean(value));
}

/* JSON is UTF-8: what is not, and control characters, are written as \xNN. */
static void put_text(struct writer *writer, struct json_object *object, const char *key,
		     const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *printable = malloc(size);

	put(writer, object, key,
	    printable ? json_object_new_string(text__printable(printable, size, text)) : NULL);
	free(printable);
}

/* As text: an address does not fit into the numbers of many readers of JSON. */
static void put_address(struct writer *writer, struct json_object *object, const char *key,
			uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	put_text(writer, object, key, text);
}

static void put_counts(struct writer *writer, struct json_object *object,
		       const struct plan_counts *counts)
{
	put_number(writer, object, "samples", counts->samples);
	put_number(writer, object, "jit_samples", counts->jit_samples);
	put_number(writer, object, "jit_samples_named_before", counts->jit_samples_file);
	put_number(writer, object, "jit_samples_early", counts->jit_samples_early);
	put_number(writer, object, "jit_samples_perf_map", counts->jit_samples_map);
	put_number(writer, object, "jit_frames", counts->jit_frames);
	put_number(writer, object, "unknown_code_samples", counts->anon_samples);
}

static struct json_object *processes(struct writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(counted, &plan->per_process) {
		struct json_object *object = json_object_new_object();

		put_number(writer, object, "pid", counted->process->pid);
		put_text(writer, object, "comm", counted->process->comm);
		put_number(writer, object, "dumps", counted->nr_dumps);
		put_number(writer, object, "functions", counted->nr_functions);
		put_number(writer, object, "dsos", counted->nr_dsos);
		put_counts(writer, object, &counted->counts);
		append(writer, array, object);
	}
	return array;
}

/* What was added to the times of a dump of another clock, ns. Bounds that are none are left out. */
static void put_clock(struct writer *writer, struct json_object *object,
		      const struct found_dump *found)
{
	static const char *const names[] = { "perf", "tsc", "offset" };
	const struct clock_repair *repair = &found->repair;

	put_text(writer, object, "clock", names[found->clock]);
	if (found->clock != CLOCK_OFFSET || found->refused)
		return;
	put(writer, object, "clock_offset", json_object_new_int64(repair->offset));
	if (repair->bounds.low != INT64_MIN)
		put(writer, object, "clock_offset_min", json_object_new_int64(repair->bounds.low));
	if (repair->bounds.high != INT64_MAX)
		put(writer, object, "clock_offset_max", json_object_new_int64(repair->bounds.high));
}

static struct json_object *dumps(struct writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(found, &plan->discovery->dumps) {
		const struct jitdump_stats *stats = jitdump__stats(found->dump);
		struct json_object *object = json_object_new_object();

		put_text(writer, object, "path", jitdump__path(found->dump));
		put_number(writer, object, "pid", found->pid);
		put_bool(writer, object, "used", found->process && !found->refused);
		put_clock(writer, object, found);
		put_number(writer, object, "loads", stats->loads);
		put_number(writer, object, "moves", stats->moves);
		put_number(writer, object, "debug_infos", stats->debug_infos);
		put_number(writer, object, "unwinding_infos", stats->unwinding_infos);
		put_number(writer, object, "unknown_records", stats->unknown);
		put_number(writer, object, "unusable_records", stats->unusable);
		put_number(writer, object, "skipped_bytes", stats->skipped_bytes);
		put_number(writer, object, "truncated_bytes", stats->truncated_bytes);
		append(writer, array, object);
	}
	return array;
}

static struct json_object *perf_maps(struct writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(found, &plan->discovery->maps) {
		struct json_object *object = json_object_new_object();

		put_text(writer, object, "path", perfmap__path(found->map));
		put_number(writer, object, "pid", found->pid);
		put_number(writer, object, "entries", perfmap__stats(found->map)->entries);
		put_number(writer, object, "unusable", perfmap__stats(found->map)->unusable);
		put_number(writer, object, "used", found->used);
		append(writer, array, object);
	}
	return array;
}

static struct json_object *dsos(struct writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(dso, &plan->dsos) {
		struct json_object *object;

		if (!dso->path)
			continue;
		object = json_object_new_object();
		put_text(writer, object, "path", dso->path);
		put_number(writer, object, "pid", dso->process->pid);
		put_number(writer, object, "generation", dso->generation);
		put_number(writer, object, "functions", dso->spec.nr_functions);
		put_address(writer, object, "start", dso->lo);
		put_address(writer, object, "end", dso->hi);
		if (dso->reason)
			put_text(writer, object, "reason", dso->reason);
		append(writer, array, object);
	}
	return array;
}

static struct json_object *kept_messages(struct writer *writer, const struct messages *messages)
{
	struct json_object *array = json_object_new_array();

	array__for_each(kept, &messages->kept) {
		struct json_object *object = json_object_new_object();

		put_text(writer, object, "level", messages__level_name(kept->level));
		put_text(writer, object, "kind", kept->kind);
		if (kept->file)
			put_text(writer, object, "file", kept->file);
		if (kept->offset != DIAG_NO_OFFSET)
			put_number(writer, object, "offset", kept->offset);
		put_text(writer, object, "text", kept->text);
		append(writer, array, object);
	}
	return array;
}

static void put_plan(struct writer *writer, struct json_object *object, const struct plan *plan)
{
	put_counts(writer, object, &plan->counts);
	put_number(writer, object, "functions", plan->nr_functions);
	put_number(writer, object, "functions_left_out", plan->nr_dropped);
	put_number(writer, object, "missing_dumps", plan->discovery->nr_missing);
	put_number(writer, object, "inserted_records", plan->inserts.count);
	put_text(writer, object, "dso_dir", plan->dso_folder);
	put_number(writer, object, "dso_bytes", plan->dso_bytes);
	put(writer, object, "processes", processes(writer, plan));
	put(writer, object, "dumps", dumps(writer, plan));
	put(writer, object, "perf_maps", perf_maps(writer, plan));
	put(writer, object, "dsos", dsos(writer, plan));
}

int fix_result__print_json(const struct fix_result *result, const struct messages *messages,
			   FILE *stream)
{
	struct writer writer = { false };
	struct json_object *object = json_object_new_object();
	const char *text;

	put_number(&writer, object, "exit_code", result->code);
	put_text(&writer, object, "input", result->options->input);
	put_text(&writer, object, "output", result->options->output);
	put_bool(&writer, object, "written", result->written);
	if (result->written)
		put_number(&writer, object, "output_bytes", result->output_size);
	if (result->plan)
		put_plan(&writer, object, result->plan);
	if (result->relocated) {
		put_number(&writer, object, "relocated_mappings", result->moves.nr_records);
		put_number(&writer, object, "missing_mappings", result->moves.nr_missing);
	}
	if (result->options->buildid_cache)
		put_number(&writer, object, "cached_dsos", result->nr_cached);
	put(&writer, object, "messages", kept_messages(&writer, messages));
	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text && !writer.failed)
		fprintf(stream, "%s\n", text);
	else
		writer.failed = true;
	json_object_put(object);
	return writer.failed ? -ENOMEM : 0;
}
