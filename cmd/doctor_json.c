// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of perfjit-doctor as JSON. perfjit-doctor(1) describes the members. */
#include <sys/utsname.h>

#include "doctor_result.h"
#include "json.h"
#include "perfjit.h"

struct doctor_json {
	struct json_writer writer;
	const struct doctor_result *result;
};

static void put_text(struct doctor_json *json, struct json_object *object, const char *key,
		     const char *text)
{
	if (text)
		json__put_text(&json->writer, object, key, doctor_result__text(json->result, text));
}

static struct json_object *finding_object(struct doctor_json *json, const struct finding *finding)
{
	struct json_object *object = json_object_new_object();

	json__put_text(&json->writer, object, "kind", finding->slug);
	json__put_text(&json->writer, object, "weight", finding_weight__word(finding->weight));
	put_text(json, object, "what", finding->what);
	put_text(json, object, "evidence", finding->evidence);
	if (finding->of) {
		json__put_number(&json->writer, object, "samples", finding->samples);
		json__put_number(&json->writer, object, "of", finding->of);
	}
	put_text(json, object, "builds", finding->builds);
	put_text(json, object, "cure", finding->cure);
	put_text(json, object, "command", finding->command);
	return object;
}

static void put_counts(struct doctor_json *json, struct json_object *object, const char *key,
		       const struct check_counts *counts)
{
	struct json_object *member = json_object_new_object();

	json__put_number(&json->writer, member, "samples", counts->samples);
	json__put_number(&json->writer, member, "jit_frames", counts->jit_frames);
	json__put_number(&json->writer, member, "jit_frames_named", counts->jit_frames_named);
	json__put_number(&json->writer, member, "chains", counts->chains);
	json__put_number(&json->writer, member, "chains_complete", counts->ends[CHECK_COMPLETE]);
	json__put(&json->writer, object, key, member);
}

static void put_recording(struct doctor_json *json, struct json_object *object,
			  const struct recording_counts *counts)
{
	put_text(json, object, "runtime", counts->runtime);
	json__put_number(&json->writer, object, "jit_samples", counts->jit);
	json__put_number(&json->writer, object, "lost", counts->lost);
	json__put_number(&json->writer, object, "stacks", counts->stacks);
	json__put_number(&json->writer, object, "stacks_full", counts->full);
	put_counts(json, object, "before", &counts->before);
	if (counts->fixed)
		put_counts(json, object, "after", &counts->after);
}

static struct json_object *patient_object(struct doctor_json *json, const struct patient *patient)
{
	struct json_object *object = json_object_new_object();
	struct json_object *findings = json_object_new_array();

	json__put_text(&json->writer, object, "kind", patient_kind__word(patient->kind));
	put_text(json, object, "path", patient->path);
	if (patient->kind == PATIENT_RECORDING)
		put_recording(json, object, &patient->counts);
	array__for_each(finding, &patient->diagnosis.findings)
		json__append(&json->writer, findings, finding_object(json, finding));
	json__put(&json->writer, object, "findings", findings);
	if (!diagnosis__is_bad(&patient->diagnosis))
		put_text(json, object, "sound", patient->diagnosis.sound);
	put_text(json, object, "next", diagnosis__next(&patient->diagnosis));
	return object;
}

static struct json_object *perf_object(struct doctor_json *json)
{
	const struct perf_probe *probe = &json->result->probe;
	struct json_object *object = json_object_new_object();
	struct json_object *probes = json_object_new_array();

	put_text(json, object, "path", json->result->perf);
	put_text(json, object, "version", probe->build.version);
	json__put_text(&json->writer, object, "unwinder", perf_unwinder__text(probe->unwinder));
	json__put_number(&json->writer, object, "accepted_attr", probe->accepted_attr);
	if (perf_probe__abi(probe))
		json__put_text(&json->writer, object, "abi", perf_probe__abi(probe));
	json__put_bool(&json->writer, object, "cache_first", probe->cache_first);
	for (enum probe i = 0; i < PROBES; i++) {
		struct json_object *one = json_object_new_object();

		json__put_text(&json->writer, one, "fault", probe__about(i)->slug);
		json__put_text(&json->writer, one, "able", probe__about(i)->able);
		json__put_text(&json->writer, one, "status",
			       probe_status__word(probe->results[i].status));
		put_text(json, one, "evidence", probe->results[i].evidence);
		json__append(&json->writer, probes, one);
	}
	json__put(&json->writer, object, "probes", probes);
	return object;
}

int doctor_result__print_json(const struct doctor_result *result, FILE *stream)
{
	struct doctor_json json = { .result = result };
	struct json_object *object = json_object_new_object();
	struct json_object *patients = json_object_new_array();
	struct utsname system;

	json__put_number(&json.writer, object, "exit_code", result->code);
	json__put_text(&json.writer, object, "version", perfjit__version());
	if (uname(&system) == 0) {
		json__put_text(&json.writer, object, "kernel", system.release);
		json__put_text(&json.writer, object, "machine", system.machine);
	}
	if (result->perf)
		json__put(&json.writer, object, "perf", perf_object(&json));
	array__for_each(patient, &result->patients)
		if (patient->examined)
			json__append(&json.writer, patients, patient_object(&json, patient));
	json__put(&json.writer, object, "examined", patients);
	if (!result->options->redact)
		json__put_messages(&json.writer, object, result->messages);
	return json__print(&json.writer, object, stream);
}
