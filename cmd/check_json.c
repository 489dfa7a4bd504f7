// SPDX-License-Identifier: GPL-2.0-or-later
/* The report of perfjit-check as JSON. perfjit-check(1) describes the members. */
#include "check/fault.h"
#include "check/runtime.h"
#include "check_result.h"
#include "json.h"

/* The counts that are not 0, by their slugs. */
static void put_slugs(struct json_writer *writer, struct json_object *object, const char *key,
		      const uint64_t *counts, int count, const char *(*slug)(int))
{
	struct json_object *members = json_object_new_object();

	for (int i = 0; i < count; i++)
		if (counts[i])
			json__put_number(writer, members, slug(i), counts[i]);
	json__put(writer, object, key, members);
}

static const char *reason_slug(int reason)
{
	return check_reason__slug((enum check_reason)reason);
}

static const char *end_slug(int end)
{
	return check_end__slug((enum check_end)end);
}

static void put_counts(struct json_writer *writer, struct json_object *object,
		       const struct check_counts *counts)
{
	json__put_number(writer, object, "samples", counts->samples);
	json__put_number(writer, object, "jit_samples", counts->jit_samples);
	json__put_number(writer, object, "jit_samples_named", counts->jit_samples_named);
	json__put_number(writer, object, "frames", counts->frames);
	json__put_number(writer, object, "frames_named", counts->frames_named);
	json__put_number(writer, object, "jit_frames", counts->jit_frames);
	json__put_number(writer, object, "jit_frames_named", counts->jit_frames_named);
	json__put_number(writer, object, "kernel_frames", counts->kernel_frames);
	json__put_number(writer, object, "chains", counts->chains);
	put_slugs(writer, object, "chain_ends", counts->ends, CHECK_ENDS, end_slug);
	put_slugs(writer, object, "reasons", counts->reasons, CHECK_REASONS, reason_slug);
	put_slugs(writer, object, "jit_reasons", counts->jit_reasons, CHECK_REASONS, reason_slug);
}

static struct json_object *groups(struct json_writer *writer, const struct check *check,
				  enum check_group_kind kind)
{
	struct json_object *array = json_object_new_array();

	array__for_each(item, &check->groups) {
		const struct check_group *group = *item;
		struct json_object *object;

		if (group->kind != kind)
			continue;
		object = json_object_new_object();
		if (kind == CHECK_PROCESS)
			json__put_number(writer, object, "pid", group->pid);
		json__put_text(writer, object, "name", group->name);
		if (kind == CHECK_PROCESS && group->runtime)
			json__put_text(writer, object, "runtime", group->runtime->name);
		put_counts(writer, object, &group->counts);
		json__append(writer, array, object);
	}
	return array;
}

static struct json_object *ranges(struct json_writer *writer, const struct check *check)
{
	struct json_object *array = json_object_new_array();

	array__for_each(item, &check->ranges.items) {
		const struct check_range *range = *item;
		struct json_object *object = json_object_new_object();
		char advice[512];

		json__put_address(writer, object, "start", range->start);
		json__put_address(writer, object, "end", range->end);
		json__put_number(writer, object, "pid", range->pid);
		json__put_text(writer, object, "mapping", range->name);
		json__put_bool(writer, object, "jit", range->jit);
		json__put_number(writer, object, "frames", range->frames);
		json__put_number(writer, object, "samples", range->samples);
		json__put_text(writer, object, "reason", check_reason__slug(range->reason));
		json__put_text(writer, object, "advice",
			       check_reason__advice(range->reason, range->runtime,
						    &check->recorded, advice, sizeof(advice)));
		json__append(writer, array, object);
	}
	return array;
}

static struct json_object *examples(struct json_writer *writer, const struct compared *compared)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < compared->nr_examples; i++) {
		const struct difference_example *example = &compared->examples[i];
		struct json_object *object = json_object_new_object();

		json__put_text(writer, object, "kind", difference__slug(example->kind));
		json__put_number(writer, object, "time", example->time);
		json__put_number(writer, object, "pid", example->pid);
		json__put_number(writer, object, "tid", example->tid);
		json__put_number(writer, object, "frame", example->position);
		json__put_number(writer, object, "perf_frames", example->theirs);
		json__put_number(writer, object, "own_frames", example->ours);
		if (example->their_name)
			json__put_text(writer, object, "perf_name", example->their_name);
		if (example->our_name)
			json__put_text(writer, object, "own_name", example->our_name);
		json__append(writer, array, object);
	}
	return array;
}

static const char *difference_slug(int difference)
{
	return difference__slug((enum difference)difference);
}

static struct json_object *comparisons(struct json_writer *writer,
				       const struct check_result *result)
{
	struct json_object *array = json_object_new_array();

	array__for_each(compared, &result->compared) {
		const struct fault *fault = fault__of(compared, result->check.fixed);
		struct json_object *object = json_object_new_object();

		json__put_text(writer, object, "perf", compared->perf);
		json__put_text(writer, object, "version", compared->build.version);
		json__put_number(writer, object, "status", (uint64_t)compared->status);
		json__put_number(writer, object, "samples", compared->samples);
		json__put_number(writer, object, "samples_differing", compared->samples_differing);
		json__put_number(writer, object, "frames", compared->frames);
		json__put_number(writer, object, "frames_differing", compared->frames_differing);
		json__put_number(writer, object, "aliases", compared->aliases);
		put_slugs(writer, object, "differences", compared->kinds, DIFFERENCES,
			  difference_slug);
		put_slugs(writer, object, "differences_at_jit_code", compared->at_jit, DIFFERENCES,
			  difference_slug);
		json__put(writer, object, "examples", examples(writer, compared));
		if (fault)
			json__put_text(writer, object, "fault", fault->slug);
		json__append(writer, array, object);
	}
	return array;
}

static struct json_object *verdicts(struct json_writer *writer,
				    const struct check_verdicts *verdicts)
{
	struct json_object *array = json_object_new_array();

	array__for_each(verdict, &verdicts->items) {
		struct json_object *object = json_object_new_object();

		json__put_text(writer, object, "name", verdict->name);
		json__put_bool(writer, object, "passed", verdict->passed);
		json__put_text(writer, object, "found", verdict->found);
		if (verdict->advice)
			json__put_text(writer, object, "advice", verdict->advice);
		json__append(writer, array, object);
	}
	return array;
}

static void put_check(struct json_writer *writer, struct json_object *object,
		      const struct check *check)
{
	json__put_bool(writer, object, "fixed", check->fixed);
	json__put_number(writer, object, "samples_left_out", check->nr_left_out);
	json__put_number(writer, object, "dumps", check->nr_dumps);
	json__put_number(writer, object, "missing_dumps", check->nr_missing_dumps);
	json__put_number(writer, object, "perf_maps", check->nr_maps);
	put_counts(writer, object, &check->total);
	json__put(writer, object, "events", groups(writer, check, CHECK_EVENT));
	json__put(writer, object, "runtimes", groups(writer, check, CHECK_RUNTIME));
	json__put(writer, object, "processes", groups(writer, check, CHECK_PROCESS));
	json__put(writer, object, "unresolved", ranges(writer, check));
}

int check_result__print_json(const struct check_result *result, FILE *stream)
{
	struct json_writer writer = { false };
	struct json_object *object = json_object_new_object();

	json__put_number(&writer, object, "exit_code", result->code);
	json__put_text(&writer, object, "input", result->arguments->input);
	json__put_bool(&writer, object, "passed", result->code == EXIT_DONE);
	if (result->counted)
		put_check(&writer, object, &result->check);
	if (result->compared.count)
		json__put(&writer, object, "comparisons", comparisons(&writer, result));
	json__put(&writer, object, "checks", verdicts(&writer, &result->verdicts));
	json__put_messages(&writer, object, result->messages);
	return json__print(&writer, object, stream);
}
