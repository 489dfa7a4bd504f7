// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary of perfjit-fix as JSON. perfjit-fix(1) describes the members. */
#include "fix/kept.h"
#include "fix_result.h"
#include "json.h"

static void put_counts(struct json_writer *writer, struct json_object *object,
		       const struct plan_counts *counts)
{
	json__put_number(writer, object, "samples", counts->samples);
	json__put_number(writer, object, "jit_samples", counts->jit_samples);
	json__put_number(writer, object, "jit_samples_named_before", counts->jit_samples_file);
	json__put_number(writer, object, "jit_samples_early", counts->jit_samples_early);
	json__put_number(writer, object, "jit_samples_perf_map", counts->jit_samples_map);
	json__put_number(writer, object, "jit_frames", counts->jit_frames);
	json__put_number(writer, object, "unknown_code_samples", counts->anon_samples);
	json__put_number(writer, object, "kept_samples", counts->kept_samples);
	json__put_number(writer, object, "kept_frames", counts->kept_frames);
}

static struct json_object *processes(struct json_writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(counted, &plan->per_process) {
		struct json_object *object = json_object_new_object();

		json__put_number(writer, object, "pid", counted->process->pid);
		json__put_text(writer, object, "comm", counted->process->comm);
		json__put_number(writer, object, "dumps", counted->nr_dumps);
		json__put_number(writer, object, "functions", counted->nr_functions);
		json__put_number(writer, object, "dsos", counted->nr_dsos);
		json__put_bool(writer, object, "kept", counted->kept);
		put_counts(writer, object, &counted->counts);
		json__append(writer, array, object);
	}
	return array;
}

static struct json_object *events(struct json_writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(event, &plan->per_event) {
		struct json_object *object = json_object_new_object();

		json__put_text(writer, object, "name", event->name);
		put_counts(writer, object, &event->counts);
		json__append(writer, array, object);
	}
	return array;
}

/* What was added to the times of a dump of another clock, ns. Bounds that are none are left out. */
static void put_clock(struct json_writer *writer, struct json_object *object,
		      const struct found_dump *found)
{
	static const char *const names[] = { "perf", "tsc", "offset" };
	const struct clock_repair *repair = &found->repair;

	json__put_text(writer, object, "clock", names[found->clock]);
	if (found->clock != CLOCK_OFFSET || found->refused)
		return;
	json__put(writer, object, "clock_offset", json_object_new_int64(repair->offset));
	if (repair->bounds.low != INT64_MIN)
		json__put(writer, object, "clock_offset_min",
			  json_object_new_int64(repair->bounds.low));
	if (repair->bounds.high != INT64_MAX)
		json__put(writer, object, "clock_offset_max",
			  json_object_new_int64(repair->bounds.high));
}

static struct json_object *dumps(struct json_writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(found, &plan->discovery->dumps) {
		const struct jitdump_stats *stats = jitdump__stats(found->dump);
		struct json_object *object = json_object_new_object();

		json__put_text(writer, object, "path", jitdump__path(found->dump));
		json__put_number(writer, object, "pid", found->pid);
		json__put_bool(writer, object, "used",
			       found->process && !found->refused && !found->left);
		put_clock(writer, object, found);
		json__put_number(writer, object, "loads", stats->loads);
		json__put_number(writer, object, "moves", stats->moves);
		json__put_number(writer, object, "debug_infos", stats->debug_infos);
		json__put_number(writer, object, "unwinding_infos", stats->unwinding_infos);
		json__put_number(writer, object, "unknown_records", stats->unknown);
		json__put_number(writer, object, "unusable_records", stats->unusable);
		json__put_number(writer, object, "skipped_bytes", stats->skipped_bytes);
		json__put_number(writer, object, "truncated_bytes", stats->truncated_bytes);
		json__append(writer, array, object);
	}
	return array;
}

static struct json_object *perf_maps(struct json_writer *writer, const struct plan *plan)
{
	struct json_object *array = json_object_new_array();

	array__for_each(found, &plan->discovery->maps) {
		struct json_object *object = json_object_new_object();

		json__put_text(writer, object, "path", perfmap__path(found->map));
		json__put_number(writer, object, "pid", found->pid);
		json__put_number(writer, object, "entries", perfmap__stats(found->map)->entries);
		json__put_number(writer, object, "unusable", perfmap__stats(found->map)->unusable);
		json__put_number(writer, object, "used", found->used);
		json__append(writer, array, object);
	}
	return array;
}

/* The functions of a DSO one by one. */
static struct json_object *members(struct json_writer *writer, const struct plan_dso *dso)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < dso->spec.nr_functions; i++) {
		const struct dso_function *function = &dso->spec.functions[i];
		struct json_object *object = json_object_new_object();

		json__put_address(writer, object, "address", function->addr);
		json__put_number(writer, object, "size", function->size);
		json__put_text(writer, object, "name", function->record->name);
		json__put_text(writer, object, "cfi",
			       fix_result__origin_word((enum function_origin)dso->origins[i]));
		json__append(writer, array, object);
	}
	return array;
}

static struct json_object *dsos(struct json_writer *writer, const struct plan *plan, bool all)
{
	struct json_object *array = json_object_new_array();

	array__for_each(dso, &plan->dsos) {
		struct json_object *object;

		if (!dso->path)
			continue;
		object = json_object_new_object();
		json__put_text(writer, object, "path", dso->path);
		json__put_number(writer, object, "pid", dso->process->pid);
		json__put_number(writer, object, "generation", dso->generation);
		json__put_number(writer, object, "functions", dso->spec.nr_functions);
		json__put_address(writer, object, "start", dso->lo);
		json__put_address(writer, object, "end", dso->hi);
		if (dso->reason)
			json__put_text(writer, object, "reason", dso->reason);
		if (all)
			json__put(writer, object, "members", members(writer, dso));
		json__append(writer, array, object);
	}
	return array;
}

/* How many functions have their CFI from where. */
static struct json_object *cfi(struct json_writer *writer, const struct plan *plan)
{
	struct json_object *object = json_object_new_object();

	for (int origin = 0; origin < FUNCTION_ORIGINS; origin++)
		json__put_number(writer, object,
				 fix_result__origin_word((enum function_origin)origin),
				 plan->functions->by_origin[origin]);
	return object;
}

static void put_plan(struct json_writer *writer, struct json_object *object,
		     const struct fix_result *result)
{
	const struct plan *plan = result->plan;

	put_counts(writer, object, &plan->counts);
	json__put_number(writer, object, "functions", plan->nr_functions);
	json__put_number(writer, object, "functions_left_out", plan->nr_dropped);
	json__put_number(writer, object, "functions_unplaced", plan->nr_unplaced);
	json__put(writer, object, "cfi", cfi(writer, plan));
	json__put_number(writer, object, "missing_dumps", plan->discovery->nr_missing);
	json__put_number(writer, object, "kept_dsos", plan->kept ? plan->kept->dsos.count : 0);
	json__put_number(writer, object, "kept_dsos_lost",
			 plan->kept ? kept__nr_lost(plan->kept) : 0);
	json__put_number(writer, object, "inserted_records",
			 plan->inserts.count + (plan->kept ? plan->kept->records.count : 0));
	json__put_text(writer, object, "dso_dir", plan->dso_folder);
	json__put_number(writer, object, "dso_bytes", plan->dso_bytes);
	json__put(writer, object, "processes", processes(writer, plan));
	json__put(writer, object, "events", events(writer, plan));
	json__put(writer, object, "dumps", dumps(writer, plan));
	json__put(writer, object, "perf_maps", perf_maps(writer, plan));
	json__put(writer, object, "dsos", dsos(writer, plan, result->options->verbose > 1));
}

static void put_baked(struct json_writer *writer, struct json_object *object,
		      const struct bake_counts *baked)
{
	json__put_number(writer, object, "unwound_samples", baked->baked);
	json__put_number(writer, object, "unwound_through_jit", baked->jit);
	json__put_number(writer, object, "unwound_frames", baked->frames);
	json__put_number(writer, object, "complete_chains", baked->ends[UNWIND_COMPLETE]);
	json__put_number(writer, object, "cut_chains", baked->ends[UNWIND_STACK_CUT]);
}

int fix_result__print_json(const struct fix_result *result, const struct messages *messages,
			   FILE *stream)
{
	struct json_writer writer = { false };
	struct json_object *object = json_object_new_object();

	json__put_number(&writer, object, "exit_code", result->code);
	json__put_text(&writer, object, "input", result->options->input);
	json__put_text(&writer, object, "output", result->options->output);
	json__put_bool(&writer, object, "written", result->written);
	if (result->output_size)
		json__put_number(&writer, object, "output_bytes", result->output_size);
	if (result->plan && result->written)
		json__put_number(&writer, object, "dso_disk_bytes", result->dso_disk_bytes);
	if (*result->options->chosen)
		json__put_text(&writer, object, "for_perf", result->options->chosen);
	if (result->plan)
		put_plan(&writer, object, result);
	if (result->relocated) {
		json__put_number(&writer, object, "relocated_mappings", result->moves.nr_records);
		json__put_number(&writer, object, "missing_mappings", result->moves.nr_missing);
	}
	if (result->written && result->options->bake.which != BAKE_NONE)
		put_baked(&writer, object, &result->baked);
	if (result->options->buildid_cache)
		json__put_number(&writer, object, "cached_dsos", result->nr_cached);
	json__put_messages(&writer, object, messages);
	return json__print(&writer, object, stream);
}
